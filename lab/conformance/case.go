package conformance

import (
	"context"
	"slices"
)

// Case is one case of SONiC's scale-up test standard. A case may run over memory, over veth, or over both.
type Case struct {
	ID     string // ID in SONiC's standard, such as "LLR-01"
	Title  string
	memory func(t *trial)                                        // runs the case over a wire in memory; nil: none
	veth   func(ctx context.Context, t *trial, p Programs) error // runs the case over real interfaces; nil: none
}

// Cases returns all cases of the standard: LLR-01 to LLR-10, then CBFC-01 to CBFC-12.
func Cases() []Case { return slices.Concat(llrCases(), cbfcCases()) }

// Pick returns the cases whose IDs, such as "LLR-03", are in only, in the order of Cases; all cases if only is
// empty. unknown has the IDs that no case has.
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

// InMemory runs cases between two ends in memory and returns the results. Cases that only run with real daemons
// are left out.
func InMemory(cases []Case) (r Report) {
	for _, c := range cases {
		if c.memory != nil {
			r.Results = append(r.Results, c.inMemory(nil)...)
		}
	}
	return r
}

// inMemory runs a case between two ends in memory and returns a result for each measured quantity. spoil may
// change the settings so that the case must fail; nil changes nothing.
func (c *Case) inMemory(spoil spoiler) []Result {
	t := &trial{id: c.ID, ends: endsMemory, spoil: spoil}
	c.memory(t)
	return t.rows
}
