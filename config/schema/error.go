package schema

import (
	"fmt"
	"slices"
	"strings"
)

// ExitCode is that of a program for bad usage or configuration.
const ExitCode = 2

// Problem is one thing wrong with a configuration.
type Problem struct {
	Line   int    // from 1; 0 when the file as a whole is meant
	Column int    // from 1, in characters
	Path   string // the key, such as ports[1].interface; "" when there is none
	Text   string
}

// Error is everything that is wrong with a configuration, in the order of the
// file.
type Error struct {
	File     string
	Problems []Problem
}

func newError(file string, problems []Problem) *Error {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return &Error{File: file, Problems: problems}
}

// Error is one line for each problem: file:line:column: path: text.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = e.line(p)
	}
	return strings.Join(lines, "\n")
}

func (e *Error) line(p Problem) string {
	var b strings.Builder
	b.WriteString(e.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	if p.Path != "" {
		b.WriteString(": " + p.Path)
	}
	b.WriteString(": " + p.Text)
	return b.String()
}

// ExitCode is what a program ends with that cannot run without the document.
func (*Error) ExitCode() int { return ExitCode }
