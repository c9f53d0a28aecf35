package restarts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"uelink/control/api"
	"uelink/lab/e2e/bed"
)

// stateFile is the source file with the state of an interface's port, stateField a line of it.
const (
	stateFile  = "dataplane/handover_state.go"
	stateField = `	snapshot.Number(s, "carried", &a.carried)
`
)

// another builds a uelinkd of another version: with fields in the place of stateField.
func another(t *testing.T, name, fields string) (binary string) {
	t.Helper()
	root, err := filepath.Abs("../../..")
	bed.Must(t, err)
	text, err := os.ReadFile(filepath.Join(root, stateFile))
	bed.Must(t, err)
	changed := strings.Replace(string(text), stateField, fields, 1)
	if changed == string(text) {
		t.Fatalf("%s has no %q", stateFile, stateField)
	}
	return bed.Altered(t, name, map[string]string{stateFile: changed})
}

// Daemons of versions with a field more and a field fewer hand over to each other under traffic, as long as an older
// one needs no value that it does not know: then it refuses the field by its name, and the newer one goes on.
func TestOtherVersionsHandOver(t *testing.T) {
	const later = stateField + `	later := LATER
	snapshot.Number(s, "later", &later)
`
	newer := another(t, "newer", strings.Replace(later, "LATER", "0", 1))
	newest := another(t, "newest", strings.Replace(later, "LATER", "7", 1))
	older := another(t, "older", "")
	present := bed.Program("uelinkd")

	top := bed.Direct(t)
	p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", bed.Lossless), B: bed.NewDaemon(t, top.B, "B", bed.Lossless)}
	p.A.Binary = older
	p.Start()
	p.Advance()
	p.A.EndsLast()
	p.B.EndsLast()
	b, ofA, ofB := flowBothWays(t, top, slowRate), newMeter(t, p.A), newMeter(t, p.B)
	for _, step := range []struct {
		of          *bed.Daemon
		to, refused string
	}{
		{p.A, present, ""}, // from older
		{p.B, older, "carried: unknown field of a newer version"},
		{p.B, newer, ""}, {p.B, present, ""}, {p.B, newer, ""},
		{p.B, older, "carried: unknown field of a newer version"},
		{p.B, newest, ""}, {p.B, present, "later: unknown field of a newer version"}, {p.B, newest, ""},
	} {
		before := step.of.PID()
		err := step.of.Client.Upgrade(t.Context(), api.Upgrade{Binary: step.to})
		switch {
		case step.refused != "":
			t.Log(err)
			refused(t, step.of, before, err, step.refused, "this daemon goes on")
		case err != nil:
			t.Errorf("to %s: %v", filepath.Base(step.to), err)
		default:
			bed.Eventually(t, "an answer of "+filepath.Base(step.to), func() string {
				if step.of.PID() == before {
					return "the former one still answers"
				}
				return ""
			})
		}
	}
	ofA.end(t)
	ofB.end(t)
	b.whole()
	if c := p.A.LLRCounters(); c.PartnerRestart+c.PartnerResumed+c.TxFlushedFrames > 0 {
		t.Errorf("the partner of all versions has noticed: %+v", c)
	}
}
