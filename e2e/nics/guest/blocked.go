package guest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// blocked is the threads that wait in the kernel for something that cannot be interrupted: their
// names, and where in the kernel they are.
func blocked() (list []string) {
	stats, _ := filepath.Glob("/proc/[0-9]*/task/[0-9]*/stat") // the pattern is well formed
	for _, file := range stats {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has just ended
		}
		// The name is in parentheses, the state behind it.
		if name, rest, _ := strings.Cut(string(text), ") "); strings.HasPrefix(rest, "D") {
			stack, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "stack")) // root may read it
			list = append(list, fmt.Sprintf("%s): %s", name, frames(string(stack))))
		}
	}
	return list
}

// frames is the functions of a stack as the kernel writes it, "[<0>] function+0x1/0x2".
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
