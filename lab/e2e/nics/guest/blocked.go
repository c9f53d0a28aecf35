package guest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// blocked returns a line for each thread in uninterruptible sleep: its name and its stack in the kernel.
func blocked() (list []string) {
	stats, _ := filepath.Glob("/proc/[0-9]*/task/[0-9]*/stat") // no error: the pattern is well formed
	for _, file := range stats {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended meanwhile
		}
		// The name is in parentheses, then comes the state.
		if name, rest, _ := strings.Cut(string(text), ") "); strings.HasPrefix(rest, "D") {
			stack, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "stack")) // root may read it
			list = append(list, fmt.Sprintf("%s): %s", name, frames(string(stack))))
		}
	}
	return list
}

// frames returns the functions of a kernel stack, whose lines have the form "[<0>] function+0x1/0x2".
func frames(stack string) string {
	var names []string
	for line := range strings.Lines(stack) {
		if f := strings.Fields(line); len(f) > 1 {
			name, _, _ := strings.Cut(f[1], "+")
			names = append(names, name)
		}
	}
	return strings.Join(names, " < ")
}
