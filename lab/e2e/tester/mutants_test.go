package tester

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
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
	built = flag.String("mutants.built", "", "directory for the mutants' daemons, which are built where they are missing")
)

// long are cases that the short form leaves out, for the mutants that only these find.
var long = map[string][]string{"wrap-early": {"4", "5"}, "drop-rare": {"4", "11", "13"}}

// unfound are the mutants that no case finds, with the reason.
var unfound = map[string]string{
	"replay-lonely": "replays take longer, and the plan bounds no time of recovery on this bed",
	"ack-lazy":      "the plan bounds no delay of an LLR_ACK: the wire's histogram of data to LLR_ACK shows it",
}

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
			o.Only = long[m.Name]
			daemon := daemonWith(t, m)
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

// Each mutant of the list is a program. With -mutants.built the daemons are there for TestPlansFindFaults, which then
// has the machine for itself.
func TestMutantsAreBuilt(t *testing.T) {
	if *built == "" {
		t.Skip("-mutants.built has the directory")
	}
	for _, m := range mutants.All() {
		if regexp.MustCompile(*only).MatchString(m.Name) {
			t.Run(m.Name, func(t *testing.T) { daemonWith(t, m) })
		}
	}
}

// daemonWith returns the path of a daemon with a fault: one that was built before, or else one that it builds.
func daemonWith(t *testing.T, m mutants.Mutant) (path string) {
	t.Helper()
	saved := filepath.Join(*built, m.Name)
	if _, err := os.Stat(saved); err == nil && *built != "" {
		return saved
	}
	text, err := m.Text("../../..")
	bed.Must(t, err)
	path = bed.Altered(t, m.Name, map[string]string{m.File: text})
	if *built == "" {
		return path
	}
	bed.Must(t, os.Rename(path, saved))
	return saved
}

// foundBy returns the cases that fail.
func foundBy(t *testing.T, o plan.Options) (found []string) {
	t.Helper()
	_, err := plan.Run(t.Context(), o, func(entry plan.Result) {
		if entry.Verdict != plan.Fails {
			return
		}
		found = append(found, entry.ID)
		for _, f := range entry.Figures {
			if !f.OK {
				t.Logf("case %s: %s: %s, expected %s", entry.ID, f.What, f.Seen, f.Expected)
			}
		}
		if entry.Why != "" {
			t.Logf("case %s: %s", entry.ID, entry.Why)
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
