package plan

import (
	"context"
	"fmt"
	"slices"
)

// Case is one case of a plan.
type Case struct {
	ID       string `json:"id"` // number of the case in the plan
	Title    string `json:"title"`
	Stimulus string `json:"stimulus"` // what the case does

	// Correction is how the case differs from the plan's text, and why; empty: it is the plan's own.
	Correction string `json:"correction,omitempty"`

	lossy bool // frames are lost: the case runs with each kind of replay
	long  bool // the case takes long, and is left out with Options.Short
	run   func(ctx context.Context, t *trial) error
}

// The plans.
const (
	LLR  = "llr"
	CBFC = "cbfc"
)

// Cases returns the cases of a plan, "llr" or "cbfc", in their order; nil for another name.
func Cases(plan string) []Case {
	switch plan {
	case LLR:
		return slices.Concat(initCases(), frameCases(), timerCases(), loadCases(), pausedCases())
	case CBFC:
		return creditCases()
	}
	return nil
}

// pick returns the cases whose IDs are in only, or all if only is empty. Without long, cases are left out that take
// long, unless only names them.
func pick(all []Case, only []string, long bool) (picked []Case, err error) {
	for _, id := range only {
		if !slices.ContainsFunc(all, func(c Case) bool { return c.ID == id }) {
			return nil, fmt.Errorf("the plan has no case %s", id)
		}
	}
	for _, c := range all {
		if slices.Contains(only, c.ID) || len(only) == 0 && (long || !c.long) {
			picked = append(picked, c)
		}
	}
	slices.SortFunc(picked, func(a, b Case) int { return number(a.ID) - number(b.ID) })
	return picked, nil
}

// number returns the number of a case for sorting.
func number(id string) (n int) {
	_, _ = fmt.Sscan(id, &n)
	return n
}
