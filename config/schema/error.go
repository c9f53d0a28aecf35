package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// ExitCode is the exit code of a program after bad usage or a bad configuration.
const ExitCode = 2

// maxProblems is the number of problems kept of a document; further problems are only counted.
const maxProblems = 50

// maxText is the largest number of octets of a problem's text, which may quote a long value.
const maxText = 400

// shortened returns text; if text is longer than maxText octets, its middle is replaced by " ... ".
func shortened(text string) string {
	if len(text) <= maxText {
		return text
	}
	half := maxText / 2
	return strings.ToValidUTF8(text[:half], "") + " ... " + strings.ToValidUTF8(text[len(text)-half:], "")
}

// Problem is one mistake in a configuration.
type Problem struct {
	Line   int    // from 1; 0 for the file as a whole
	Column int    // from 1, in characters
	Path   string // the key, such as ports[1].interface; "" when there is none
	Text   string
	File   string // of an addition to the document; "" = Error.File
}

// Error is the problems of a configuration, in the order of the file.
type Error struct {
	File     string
	Problems []Problem // the first 50 found
	More     int       // number of problems found after the first 50
}

func newError(file string, problems []Problem, more int) *Error {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column)
	})
	return &Error{File: file, Problems: problems, More: more}
}

// Error returns a line for each problem: file:line:column: path: text. A last line has the number of problems not
// kept.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = e.line(p)
	}
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("%s: and %d more problems", e.File, e.More))
	}
	return strings.Join(lines, "\n")
}

// line returns a problem as a line: file, line and column, key, text.
func (e *Error) line(p Problem) string {
	var b strings.Builder
	b.WriteString(cmp.Or(p.File, e.File))
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	if p.Path != "" {
		b.WriteString(": " + p.Path)
	}
	b.WriteString(": " + p.Text)
	return b.String()
}

// ExitCode returns the exit code of a program that cannot run without the document.
func (*Error) ExitCode() int { return ExitCode }
