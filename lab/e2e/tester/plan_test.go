package tester

import (
	"testing"

	"uelink/internal/netns/nstest"
	"uelink/lab/conformance/plan"
	"uelink/lab/e2e/bed"
)

// options returns a run of cases of a plan with the programs under test, in the short form.
func options(t *testing.T, name string, only ...string) plan.Options {
	t.Helper()
	nstest.New(t, "root") // or skip
	daemon := bed.Program("uelinkd")
	return plan.Options{Plan: name, Only: only, Short: true, Daemons: [2]string{daemon, daemon}}
}

// passes reports each case of a run that does not pass, with all it has seen.
func passes(t *testing.T, o plan.Options) {
	t.Helper()
	r, err := plan.Run(t.Context(), o, func(entry plan.Result) {
		if entry.Verdict == plan.Passes || entry.Verdict == plan.Corrected {
			return
		}
		t.Errorf("case %s: %s %s", entry.ID, entry.Verdict, entry.Why)
		for _, f := range entry.Figures {
			t.Logf("%s: %s, expected %q, %t", f.What, f.Seen, f.Expected, f.OK)
		}
	})
	if err != nil || len(r.Results) == 0 {
		t.Fatalf("%d results, %v", len(r.Results), err)
	}
}

// One case of each kind passes: handshake, numbers, loss, damage, timer, limit, credits lost and repaired.
func TestPlansInShort(t *testing.T) {
	passes(t, options(t, plan.LLR, "2", "4", "7", "9", "10", "15"))
	passes(t, options(t, plan.CBFC, "2", "6"))
}

// All cases of both plans pass.
func TestWholePlans(t *testing.T) {
	for _, name := range []string{plan.LLR, plan.CBFC} {
		o := options(t, name)
		o.Short = false
		passes(t, o)
	}
}
