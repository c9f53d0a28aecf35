package main

import (
	"strings"
	"testing"

	"uelink/lab/e2e/nics/guest"
)

func TestTableOfHostsConnections(t *testing.T) {
	r := report{Cases: []result{
		{lane: lane{Name: "igb", Driver: "igb"}},
		{lane: lane{Name: "igb in use", Script: scriptInUse}, Cells: []guest.Cell{
			{Fault: "start", Outcome: guest.Exempt, Why: "the driver\nstarts anew",
				Echo: &guest.Echo{Answers: 40, Stall: 2.5, Resent: guest.Resent{Again: 7, Needless: 6}}},
			{Fault: "frames", Outcome: guest.Clean, Sent: 100, Echo: &guest.Echo{Answers: 50, Stall: 0.1}}}},
		{lane: lane{Name: "lossy", Script: scriptClient}, Cells: []guest.Cell{
			{Fault: "TCP stream", Outcome: guest.Clean, Notice: "the wire lost 3 frames", Echo: &guest.Echo{Octets: 16e6}},
			{Fault: "UDP pings", Outcome: guest.Failed, Why: "lost", Echo: &guest.Echo{Answers: 9, Lost: 1, Stall: 10}}}},
		{lane: lane{Name: "veth", Script: scriptVeth}, Cells: []guest.Cell{
			{Fault: guest.LiveFrames, Outcome: guest.Clean, Notice: "9 of 10 frames left live"}}},
	}}
	text := r.markdown()
	for _, want := range []string{
		"| fault | igb |\n",
		"| start | exempt | 2.50 s | 40 | 7, late 6 | – |", "- start: the driver starts anew\n",
		"| frames | clean | 0.10 s | 50 | 0 | lost 0 of 100 |",
		"| TCP stream | clean | – | 16.0 MB each way | 0 | – |", "- TCP stream: the wire lost 3 frames\n",
		"| UDP pings | failed | 10.00 s | 9, lost 1 | 0 | – |", "- UDP pings: lost\n",
		"- live frames (veth): 9 of 10 frames left live\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "| veth | outcome") {
		t.Errorf("a case without connections of hosts has a table of them:\n%s", text)
	}
	if got := describe(r.Cases[1].Cells[1]); got != "clean, 0.10 s, 50, 0, lost 0 of 100" {
		t.Errorf("%q", got)
	}
}
