package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"uelink/client"
	"uelink/cmd/uelink/view"
	"uelink/control/api"
	"uelink/control/controltest"
)

// Peers of whom something is to be told, and views in which there is nothing.
func TestOutputOfTroubles(t *testing.T) {
	socket := serve(t, controltest.New(nil, controltest.Profiles()), controltest.NewTroubled())
	empty := serve(t, controltest.New(nil, controltest.Profiles()), &controltest.LLDP{})
	for _, c := range []struct{ file, socket, args string }{
		{"troubled-neighbors.txt", socket, "lldp neighbors"},
		{"troubled-neighbors-details.txt", socket, "lldp show neighbors details"},
		{"troubled-neighbors-host0.json", socket, "lldp neighbors host0 -o json"},
		{"troubled-dcbx.txt", socket, "dcbx show"},
		{"troubled-dcbx-host9.json", socket, "dcbx show eth9 -o json"},
		{"troubled-none.txt", socket, "lldp neighbors ports host2,host3,eth4,host5,host6,lo,host8,host9"},
		{"troubled-port.txt", socket, "port"},
		{"troubled-port-host7.txt", socket, "port lo"},
		{"empty-neighbors.txt", empty, "lldp neighbors"},
		{"empty-interfaces.txt", empty, "lldp interfaces"},
		{"empty-statistics.txt", empty, "lldp statistics"},
		{"empty-dcbx.txt", empty, "dcbx show"},
		{"empty-port.txt", empty, "port"},
		{"empty-llr.txt", empty, "llr interface"},
		{"empty-llr.txt", empty, "llr counters"},
	} {
		t.Run(c.file, func(t *testing.T) {
			stdout, stderr, code := uelink(t.Context(), c.socket, strings.Fields(c.args)...)
			if code != 0 || stderr != "" {
				t.Errorf("exit %d, %s", code, stderr)
			}
			golden(t, c.file, stdout)
		})
	}
}

// The columns of a watch are those of all of its lines, however long a name is.
func TestWatchColumns(t *testing.T) {
	var b bytes.Buffer
	socket := serve(t, controltest.New(nil, nil), controltest.NewTroubled())
	c := client.NewClient(socket)
	defer c.Close()
	p := view.NewEventPrinter(context.Background(), &b, c)
	at := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	for _, e := range []api.Event{
		{Time: at, Port: "host0", Kind: "dcbx_peer_not_advertising", Text: "|"},
		{Time: at, Port: "h", Kind: "error", Text: "|"},
		{Time: at, Kind: "end", Text: "|"},
	} {
		if err := p.Print(e); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	for _, line := range lines {
		if strings.Index(line, "|") != strings.Index(lines[0], "|") {
			t.Errorf("columns differ:\n%s", b.String())
		}
	}
}
