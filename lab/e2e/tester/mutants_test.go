package tester

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"uelink/lab/conformance/mutants"
	"uelink/lab/conformance/plan"
	"uelink/lab/e2e/bed"
)

var (
	only  = flag.String("mutants.only", "", "regular expression of the mutants to run (default: all)")
	table = flag.String("mutants.table", "", "file to which a row for each mutant, with the cases that find it, is added")
)

// unfound are the mutants that no case finds, with the reason.
var unfound = map[string]string{}

// Each daemon with a fault passes a test of traffic alone, and fails at least one case of the plan of its protocol.
func TestPlansFindFaults(t *testing.T) {
	pattern := regexp.MustCompile(*only)
	for _, m := range mutants.All() {
		if !pattern.MatchString(m.Name) {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			name := plan.LLR
			if strings.HasPrefix(m.File, "cbfc/") {
				name = plan.CBFC
			}
			o := options(t, name)
			text, err := m.Text("../../..")
			bed.Must(t, err)
			daemon := bed.Altered(t, m.Name, map[string]string{m.File: text})
			o.Daemons = [2]string{daemon, daemon}
			alone, err := plan.Traffic(t.Context(), o)
			if err != nil || alone.Verdict != plan.Passes {
				t.Errorf("traffic alone finds it: %v %s %+v", err, alone.Why, alone.Figures)
			}
			found := foundBy(t, o)
			if reason, ok := unfound[m.Name]; ok != (len(found) == 0) {
				t.Errorf("found by the cases %v; not to be found: %q", found, reason)
			}
			record(t, m, name, found)
		})
	}
}

// foundBy returns the cases that fail.
func foundBy(t *testing.T, o plan.Options) (found []string) {
	t.Helper()
	_, err := plan.Run(t.Context(), o, func(one plan.Result) {
		if one.Verdict != plan.Fails {
			return
		}
		found = append(found, one.ID)
		for _, f := range one.Figures {
			if !f.OK {
				t.Logf("case %s: %s: %s, expected %s", one.ID, f.What, f.Seen, f.Expected)
			}
		}
		if one.Why != "" {
			t.Logf("case %s: %s", one.ID, one.Why)
		}
	})
	bed.Must(t, err)
	return found
}

// record adds a row to the table, if one is wanted.
func record(t *testing.T, m mutants.Mutant, name string, found []string) {
	if *table == "" {
		return
	}
	f, err := os.OpenFile(*table, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	bed.Must(t, err)
	defer f.Close()
	_, err = fmt.Fprintf(f, "| `%s` | %s | %s | %s |\n", m.Name, m.Fault, name, strings.Join(found, ", "))
	bed.Must(t, err)
}
