package tools

import (
	"strings"
	"testing"

	"uelink/lab/e2e/bed"
)

// What happened to a link is in the log with port and reason, and after a kill -9 the next daemon still tells it.
func TestEventsOutliveTheDaemon(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	p.A.AwaitLogLines(`"msg":"llr_tx_status","port":"link0","reason":"ADVANCE"`)
	bed.Must(t, top.A.SetLink("link0", false))
	p.A.AwaitLogLines(`"msg":"oper_status","port":"link0","reason":"down"`)
	for line := range strings.Lines(p.A.Stderr.String()) {
		if strings.Contains(line, `"reason":"down"`) && !strings.Contains(line, `"level":"warn"`) {
			t.Error(line)
		}
	}
	p.A.Kill()
	bed.Must(t, top.A.SetLink("link0", true))
	p.A.Start()
	events := p.A.Tool("events", "--last", "1000")
	events.Succeeds()
	if n := strings.Count(events.Stdout, "ADVANCE"); !strings.Contains(events.Stdout, "down") || n == 0 {
		t.Errorf("events after a kill:\n%s", events.Stdout)
	}
	if later := p.A.Tool("events", "--since", "0s"); strings.Contains(later.Stdout, "down") {
		t.Errorf("events since now:\n%s", later.Stdout)
	}
}
