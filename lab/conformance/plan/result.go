package plan

import (
	"fmt"
	"io"
	"strings"

	"uelink/internal/table"
)

// Verdict is how a case ends.
type Verdict string

// The verdicts.
const (
	Passes      Verdict = "passes"              // as the plan's text demands
	Corrected   Verdict = "passes as corrected" // the plan's text cannot be met, or is a slip: see Case.Correction
	Fails       Verdict = "fails as written"
	NotPossible Verdict = "not possible" // the case cannot run between these ends, or on this bed: Result.Why says why
)

// Figure is a quantity measured by a case.
type Figure struct {
	What     string `json:"what"`
	Expected string `json:"expected"` // empty: shown, and not judged
	Seen     string `json:"seen"`
	OK       bool   `json:"ok"`
}

// Result is a run of a case.
type Result struct {
	Case
	Replay  string   `json:"replay,omitempty"` // kind of replay of both ends
	Verdict Verdict  `json:"verdict"`
	Why     string   `json:"why,omitempty"` // reason of NotPossible, or why a case broke off
	Rules   []string `json:"rules,omitempty"`
	Figures []Figure `json:"figures"`
	Seconds float64  `json:"seconds"`
}

// judge sets the verdict by the figures.
func (r *Result) judge() {
	r.Verdict = Passes
	if r.Correction != "" {
		r.Verdict = Corrected
	}
	for _, f := range r.Figures {
		if !f.OK {
			r.Verdict = Fails
		}
	}
}

// Report is the results of a run of a plan.
type Report struct {
	Plan    string   `json:"plan"`
	Results []Result `json:"results"`
}

// Passed reports whether cases have run, and none has failed. A case not possible here says nothing about the ends; a
// run without a possible case has not passed.
func (r *Report) Passed() bool {
	possible := false
	for i := range r.Results {
		if r.Results[i].Verdict == Fails {
			return false
		}
		possible = possible || r.Results[i].Verdict != NotPossible
	}
	return possible
}

// Differences returns the figures that differ between the kinds of replay of the same case, in words.
func (r *Report) Differences() (all []string) {
	for i := range r.Results {
		for j := range i {
			if a, b := &r.Results[j], &r.Results[i]; a.ID == b.ID && a.Replay != b.Replay {
				all = append(all, differences(a, b)...)
			}
		}
	}
	return all
}

// differences returns the figures of two runs of a case that differ, by their names.
func differences(a, b *Result) (all []string) {
	seen := map[string]string{}
	for _, f := range a.Figures {
		seen[f.What] = f.Seen
	}
	for _, f := range b.Figures {
		if former, ok := seen[f.What]; ok && former != f.Seen {
			all = append(all, fmt.Sprintf("case %s, %s: %s with %s, %s with %s", a.ID, f.What, former, a.Replay, f.Seen,
				b.Replay))
		}
	}
	return all
}

// WriteTable prints the report for people: for each case the stimulus, what was seen, and the verdict.
func (r *Report) WriteTable(w io.Writer) error {
	var text strings.Builder
	for i := range r.Results {
		r.Results[i].write(&text)
	}
	if d := r.Differences(); len(d) > 0 {
		text.WriteString("\nFigures that differ between the kinds of replay:\n  " + strings.Join(d, "\n  ") + "\n")
	}
	text.WriteString("\n")
	t := table.Table{Titles: []string{"Case", "Replay", "Verdict", ">Seconds", "Title"}}
	counts := map[Verdict]int{}
	for _, result := range r.Results {
		counts[result.Verdict]++
		t.Add(result.ID, result.Replay, string(result.Verdict), fmt.Sprintf("%.1f", result.Seconds), result.Title)
	}
	if _, err := io.WriteString(w, text.String()); err != nil {
		return err
	}
	if err := t.Write(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%d pass, %d pass as corrected (see the corrections), %d fail, "+
		"%d are not possible between these ends\n", counts[Passes],
		counts[Corrected], counts[Fails], counts[NotPossible])
	return err
}

// write prints one result.
func (r *Result) write(w *strings.Builder) {
	head := "Case " + r.ID
	if r.Replay != "" {
		head += ", replay " + r.Replay
	}
	fmt.Fprintf(w, "%s: %s\n  stimulus: %s\n", head, r.Title, r.Stimulus)
	for _, rule := range r.Rules {
		fmt.Fprintf(w, "  rule: %s\n", rule)
	}
	for _, f := range r.Figures {
		switch {
		case f.Expected == "":
			fmt.Fprintf(w, "  seen: %s %s\n", f.What, f.Seen)
		case f.OK:
			fmt.Fprintf(w, "  seen: %s %s, as expected: %s\n", f.What, f.Seen, f.Expected)
		default:
			fmt.Fprintf(w, "  NOT as expected: %s %s, expected %s\n", f.What, f.Seen, f.Expected)
		}
	}
	fmt.Fprintf(w, "  %s", r.Verdict)
	if r.Why != "" {
		fmt.Fprintf(w, ": %s", r.Why)
	}
	if r.Correction != "" {
		fmt.Fprintf(w, "\n  correction: %s", r.Correction)
	}
	w.WriteString("\n\n")
}
