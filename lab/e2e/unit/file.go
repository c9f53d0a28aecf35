package unit

import (
	"bufio"
	"fmt"
	"strings"
)

// directive is a line of a unit file: a name and its value.
type directive struct{ name, value string }

// section parses the text of a unit file and returns the directives (NAME=VALUE) of one section, in their order.
func section(text, name string) (list []directive, err error) {
	within := false
	lines := bufio.NewScanner(strings.NewReader(text))
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "", line[0] == '#', line[0] == ';':
		case line[0] == '[':
			within = line == "["+name+"]"
		case within:
			key, value, found := strings.Cut(line, "=")
			if !found || strings.HasSuffix(value, `\`) {
				return nil, fmt.Errorf("line %d: neither a section nor a directive of one line: %s", number, line)
			}
			list = append(list, directive{strings.TrimSpace(key), strings.TrimSpace(value)})
		}
	}
	return list, lines.Err()
}
