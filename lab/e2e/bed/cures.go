package bed

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"uelink/internal/netns"
)

// Cure is a remedy that docs/TROUBLESHOOTING.md advises: a text with code in it.
type Cure struct {
	Text string   // text of the cure in the document
	code []string // keys of the configuration, with their values or without, and commands
}

// cureNotRun stands at the beginning or the end of a cure in the document that no test applies.
const cureNotRun = "†"

// advisedKey is a key of the configuration in a text of the product, with a value or without.
const advisedKey = `(?:[a-z]+(?:_[a-z]+)*: [a-z]+|[a-z]+(?:_[a-z]+)+)`

// Patterns of cures: code in a text, a key of the configuration with its value or without, advice in a text of the
// product, and a word in capitals that stands for a value.
var (
	inCode  = regexp.MustCompile("`([^`]+)`")
	keyLike = regexp.MustCompile(`^([a-z_.]+)(?:: (.+))?$`)
	advised = regexp.MustCompile(`(?:\b(?:set|or|raise|lower) |\()(` + advisedKey + `(?: and ` + advisedKey + `)*)` +
		`(?: of the partner)?|\b((?:ip link set|tc qdisc|ethtool -L) [^,;)(]*)`)
	capitals = regexp.MustCompile(` [A-Z][A-Z_]*\b`)
)

// Cures returns the cures of a row of the tables in docs/TROUBLESHOOTING.md, in their order, without those that no test
// applies. The row is the one whose first cell has this code; its last cell has the cures, with semicolons between
// them. A row without a cure ends the test.
func Cures(t testing.TB, row string) (list []Cure) {
	t.Helper()
	text, err := os.ReadFile("../../../docs/TROUBLESHOOTING.md")
	Must(t, err)
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(cells) < 3 || !strings.Contains(cells[0], "`"+row+"`") {
			continue
		}
		for part := range strings.SplitSeq(cells[len(cells)-1], "; ") {
			if c := newCure(part); len(c.code) > 0 && !strings.Contains(part, cureNotRun) {
				list = append(list, c)
			}
		}
	}
	if len(list) == 0 {
		t.Fatalf("docs/TROUBLESHOOTING.md has no row %s with a cure", row)
	}
	return list
}

// newCure returns a cure with the code in a text.
func newCure(text string) Cure {
	c := Cure{Text: text}
	for _, m := range inCode.FindAllStringSubmatch(text, -1) {
		c.code = append(c.code, m[1])
	}
	return c
}

// Advice returns the cures that a text of the product names: keys of the configuration behind "set", "raise" and the
// like, and shell commands for the host. Names of counters, in parentheses without a value, are no cures.
func Advice(text string) (list []Cure) {
	for _, m := range advised.FindAllStringSubmatch(text, -1) { // m[1]: keys of the configuration; m[2]: a command
		c := Cure{Text: m[0], code: strings.Split(m[1], " and ")}
		if m[2] != "" {
			command := m[2]
			for _, end := range []string{": ", " or ", " at "} {
				command, _, _ = strings.Cut(command, end)
			}
			c.code = []string{strings.TrimSpace(command)}
		}
		if strings.HasPrefix(m[0], "(") && !strings.Contains(m[1], ": ") {
			continue
		}
		list = append(list, c)
	}
	return list
}

// Command returns the line for a shell that applies the cure to a port. values has a value for each word in capitals,
// and for each key that the cure names without a value. A value of two words, such as "PATH VALUE", sets VALUE at PATH
// of the configuration instead of the port's key.
func (c Cure) Command(t testing.TB, port string, values map[string]string) string {
	t.Helper()
	var steps []string
	reload := false
	for _, code := range c.code {
		m := keyLike.FindStringSubmatch(code)
		if m == nil { // a command, not a key of the configuration
			step := capitals.ReplaceAllStringFunc(code, func(word string) string {
				value, ok := values[word[1:]]
				if !ok {
					t.Fatalf("%s: no value for%s", c.Text, word)
				}
				return " " + value
			})
			steps = append(steps, step)
			continue
		}
		key, value := m[1], m[2]
		if value == "" {
			value = values[key]
		}
		switch {
		case value == "":
			t.Fatalf("%s: no value for %s", c.Text, key)
		case strings.Contains(value, " "):
			steps = append(steps, "uelink config set "+value)
		default:
			steps = append(steps, "uelink config set ports."+port+"."+key+" "+value)
		}
		reload = true
	}
	if reload {
		steps = append(steps, "uelink reload")
	}
	return strings.Join(steps, " && ")
}

// Shell runs a line in a shell at a place, such as the daemon's own namespace, with uelink in the path and the daemon's
// control socket, and returns what the line prints. A line that fails ends the test.
func (d *Daemon) Shell(t testing.TB, at *netns.NS, line string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Env = append(os.Environ(), "UELINK_SOCKET="+d.Socket,
		"PATH="+filepath.Dir(Program("uelink"))+":"+os.Getenv("PATH"))
	return Run(t, at, cmd)
}
