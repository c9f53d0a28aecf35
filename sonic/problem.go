package sonic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is a message for the operator about a row or a field.
type Problem struct {
	Key   string // of the row, with its database; or a key of uelink sonic's settings; or file and line
	Field string // empty: the row as a whole
	Text  string
	Note  bool // for information
}

// String returns the problem in one line: key, field and text.
func (p Problem) String() string {
	if p.Field == "" {
		return p.Key + ": " + p.Text
	}
	return p.Key + " " + p.Field + ": " + p.Text
}

// problems collects the problems of the present pass, and keeps the problems of the pass before, so that a problem is
// reported once.
type problems struct {
	now, before []Problem
}

// begin begins a pass: the problems of the last pass become those that fresh compares with.
func (p *problems) begin() { p.before, p.now = p.now, nil }

// add reports a problem with a field of row k; an empty field means the row as a whole.
func (p *problems) add(k Key, field, format string, args ...any) {
	p.list(Problem{Key: k.String(), Field: field, Text: fmt.Sprintf(format, args...)})
}

// note reports information about a field of row k that is no problem.
func (p *problems) note(k Key, field, format string, args ...any) {
	p.list(Problem{Key: k.String(), Field: field, Text: fmt.Sprintf(format, args...), Note: true})
}

// list records a problem, unless this pass has it already.
func (p *problems) list(problem Problem) {
	if !slices.Contains(p.now, problem) {
		p.now = append(p.now, problem)
	}
}

// fresh returns the problems of this pass that the previous pass did not have, sorted by key and field.
func (p *problems) fresh() (list []Problem) {
	for _, problem := range p.now {
		if !slices.Contains(p.before, problem) {
			list = append(list, problem)
		}
	}
	slices.SortStableFunc(list, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Field, b.Field))
	})
	return list
}
