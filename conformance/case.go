package conformance

import (
	"context"
	"slices"
)

// Case is one case of the standard.
type Case struct {
	ID     string // as in the standard, "LLR-01"
	Title  string
	memory func(t *trial)                                        // nil: not over a wire in memory
	veth   func(ctx context.Context, t *trial, p Programs) error // nil: not over real interfaces
}

// Cases are all that there are, by family and number.
func Cases() []Case { return slices.Concat(llrCases(), cbfcCases()) }

// Pick is the cases that only names, in the order of the table, or all where it names none.
// unknown is the names that there are no cases of.
func Pick(only []string) (picked []Case, unknown []string) {
	all := Cases()
	if len(only) == 0 {
		return all, nil
	}
	for _, name := range only {
		if !slices.ContainsFunc(all, func(c Case) bool { return c.ID == name }) {
			unknown = append(unknown, name)
		}
	}
	for _, c := range all {
		if slices.Contains(only, c.ID) {
			picked = append(picked, c)
		}
	}
	return picked, unknown
}

// InMemory runs cases over a wire in memory.
func InMemory(cases []Case) (r Report) {
	for _, c := range cases {
		if c.memory != nil {
			r.Results = append(r.Results, c.inMemory(nil)...)
		}
	}
	return r
}

// inMemory runs a case with its settings spoiled by a function, unless that is nil.
func (c *Case) inMemory(spoil spoiler) []Result {
	t := &trial{id: c.ID, ends: endsMemory, spoil: spoil}
	c.memory(t)
	return t.rows
}
