package plan

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// The plan of LLR has 20 cases, that of CBFC 8, each with all that it prints.
func TestCases(t *testing.T) {
	for plan, n := range map[string]int{LLR: 20, CBFC: 8} {
		all, err := pick(Cases(plan), nil, true)
		if err != nil || len(all) != n {
			t.Fatalf("plan %s: %d cases, %v", plan, len(all), err)
		}
		for i, c := range all {
			if number(c.ID) != i+1 || c.Title == "" || c.Stimulus == "" || c.run == nil {
				t.Errorf("plan %s: case %d is %+v", plan, i+1, c)
			}
		}
	}
	if Cases("pfc") != nil {
		t.Error("there is a plan of PFC")
	}
}

// Cases that take long are left out of the short form, unless they are named.
func TestPick(t *testing.T) {
	short, err := pick(Cases(LLR), nil, false)
	if err != nil || slices.ContainsFunc(short, func(c Case) bool { return c.ID == "5" }) || len(short) < 10 {
		t.Errorf("%d cases, %v", len(short), err)
	}
	if named, err := pick(Cases(LLR), []string{"5", "2"}, false); err != nil || len(named) != 2 || named[0].ID != "2" {
		t.Errorf("%v, %v", named, err)
	}
	if _, err := pick(Cases(LLR), []string{"21"}, true); err == nil {
		t.Error("there is a case 21")
	}
}

// judged runs a case on a bed without ends.
func judged(c Case, run func(context.Context, *trial) error) Result {
	c.ID, c.run = "1", run
	return (&bed{}).run(context.Background(), c, goBackN)
}

// Each verdict comes as its case ends.
func TestVerdicts(t *testing.T) {
	good := func(_ context.Context, t *trial) error { equal(t, "frames", 1, 1); return nil }
	bad := func(_ context.Context, t *trial) error { most(t, "frames", 1, 2); return nil }
	for _, c := range []struct {
		name string
		got  Result
		want Verdict
	}{
		{"as written", judged(Case{}, good), Passes},
		{"corrected", judged(Case{Correction: "a slip"}, good), Corrected},
		{"a figure is wrong", judged(Case{}, bad), Fails},
		{"corrected, and a figure is wrong", judged(Case{Correction: "a slip"}, bad), Fails},
		{"broken off", judged(Case{}, func(context.Context, *trial) error { return errors.New("no daemon") }), Fails},
		{"not possible", judged(Case{}, func(context.Context, *trial) error { return &impossible{"one link"} }), NotPossible},
	} {
		if c.got.Verdict != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.got.Verdict, c.want)
		}
	}
}

// A run passes if something is possible and nothing fails.
func TestPassed(t *testing.T) {
	for _, c := range []struct {
		verdicts []Verdict
		want     bool
	}{
		{[]Verdict{Passes, Corrected, NotPossible}, true},
		{[]Verdict{Passes, Fails}, false}, {[]Verdict{NotPossible}, false}, {nil, false},
	} {
		r := Report{}
		for _, v := range c.verdicts {
			r.Results = append(r.Results, Result{Verdict: v})
		}
		if r.Passed() != c.want {
			t.Errorf("%v: %t", c.verdicts, !c.want)
		}
	}
}

// The table for people has the stimulus, the rules, what was seen, the verdict and the correction, and what the kinds
// of replay make different.
func TestTable(t *testing.T) {
	figures := func(n string) []Figure {
		return []Figure{{What: "frames", Expected: "3", Seen: n, OK: n == "3"}, {What: "time", Seen: "1ms", OK: true}}
	}
	c := Case{ID: "7", Title: "Loss", Stimulus: "5 % lost", Correction: "a slip"}
	r := Report{Plan: LLR, Results: []Result{
		{Case: c, Replay: goBackN, Verdict: Corrected, Rules: []string{"kind=data drop"}, Figures: figures("3")},
		{Case: c, Replay: selective, Verdict: Fails, Why: "no daemon", Figures: figures("2")},
	}}
	var text strings.Builder
	if err := r.WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Case 7, replay go_back_n: Loss", "stimulus: 5 % lost", "rule: kind=data drop",
		"seen: frames 3, as expected: 3", "seen: time 1ms", "NOT as expected: frames 2, expected 3", "correction: a slip",
		"fails as written: no daemon", "case 7, frames: 3 with go_back_n, 2 with selective", "1 pass as corrected (see the corrections), 1 fail"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
}

// A command line that cannot run is refused before anything is made.
func TestValidate(t *testing.T) {
	for _, o := range []Options{
		{}, {Plan: "pfc"}, {Plan: LLR, Only: []string{"99"}}, {Plan: LLR, Sockets: [2]string{"a", ""}},
		{Plan: LLR, Sockets: [2]string{"a", "b"}},
	} {
		if o.Validate() == nil {
			t.Errorf("%+v is taken", o)
		}
	}
	if err := (&Options{Plan: CBFC, Only: []string{"8"}}).Validate(); err != nil {
		t.Error(err)
	}
}

// A wait ends with the last state, and at once if there is nothing to wait for.
func TestAwait(t *testing.T) {
	asked := 0
	third := func() (bool, string) { asked++; return asked == 3, "" }
	if err := await(context.Background(), "a third question", third); err != nil {
		t.Error(err)
	}
	err := awaitFor(context.Background(), time.Millisecond, "rain", func() (bool, string) { return false, "sun" })
	if err == nil || !strings.Contains(err.Error(), "sun") {
		t.Errorf("%v", err)
	}
}

// The middle of times, of any order.
func TestMedian(t *testing.T) {
	if got := median([]time.Duration{5, 1, 3}); got != 3 {
		t.Errorf("%v", got)
	}
	if got := median(nil); got != 0 {
		t.Errorf("%v of none", got)
	}
}
