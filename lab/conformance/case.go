package conformance

import (
	"context"
	"slices"
)

// Case is one case of the standard. A case may run over memory, over veth, or over both.
type Case struct {
	ID     string // as in the standard, "LLR-01"
	Title  string
	memory func(t *trial)                                        // runs the case over a wire in memory; nil: not there
	veth   func(ctx context.Context, t *trial, p Programs) error // runs the case over real interfaces; nil: not there
}

// Cases returns all cases, by family and number.
func Cases() []Case { return slices.Concat(llrCases(), cbfcCases()) }

// Pick returns the cases named by only, in the order of the table; all cases if only is empty. unknown are the names
// without a case.
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

// InMemory runs cases over a wire in memory. Cases without such a run are left out.
func InMemory(cases []Case) (r Report) {
	for _, c := range cases {
		if c.memory != nil {
			r.Results = append(r.Results, c.inMemory(nil)...)
		}
	}
	return r
}

// inMemory runs a case over a wire in memory. spoil may change the settings so that the case must fail; nil changes
// nothing.
func (c *Case) inMemory(spoil spoiler) []Result {
	t := &trial{id: c.ID, ends: endsMemory, spoil: spoil}
	c.memory(t)
	return t.rows
}
