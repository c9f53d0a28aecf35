package web

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"uelink/control/api"
	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// unmet waits until a thing of a port is wanted and not in force, or in force again, in `/v1/status`, in the metric of
// the alert, in `uelink status` and on the page, and returns the command of the status.
func (d told) unmet(t *testing.T, port, name string, unmet bool) (command string) {
	t.Helper()
	value := map[bool]int{true: 1}[unmet]
	series := fmt.Sprintf("uelink_wanted_not_in_force{port=%q,what=%q} %d\n", port, name, value)
	bed.Eventually(t, name+" everywhere", func() string {
		s, err := d.Client.Status(t.Context())
		if err != nil {
			return err.Error()
		}
		var found *api.Unmet
		for i := range s.Unmet {
			if u := &s.Unmet[i]; u.What == name && (u.Port == port || port == "-" && u.Port == "") {
				found = u
			}
		}
		_, metrics := d.metrics()
		switch {
		case (found != nil) != unmet:
			return fmt.Sprintf("the status has %+v", s.Unmet)
		case !strings.Contains(metrics, series):
			return "no metric " + series
		case found == nil:
			return ""
		}
		line := d.Tool("status").Objects()[0]
		_, page := d.page()
		if line["problem"] != found.Problem || line["port"] != port {
			return fmt.Sprintf("the first line of uelink status is %v", line)
		}
		if begin, _, _ := strings.Cut(found.Problem, ":"); !strings.Contains(page, begin) {
			return "the page says " + page
		}
		command = found.Command
		return ""
	})
	t.Logf("%s of %s: not in force %v, %q", name, port, unmet, command)
	return command
}

// types runs a command in a shell beside the daemon.
func (d told) types(t *testing.T, command string) string {
	t.Helper()
	return d.Shell(t, d.NS, command)
}

// What is wanted and not in force is first in `uelink status`, in the API, in the metric and on the page, and is over
// when what is wanted is in force: LLR that nobody agrees on, keys that wait for the next start, push back and
// super-frames that are refused, a capture that has ended, offloads that somebody has switched on.
func TestUnmetIsToldEverywhere(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	socket := filepath.Join(t.TempDir(), "web.sock")
	a := bed.Settings{LLR: "mode: dynamic", Link: "lldp: {tx_interval: 1s}",
		Top: fmt.Sprintf("web: {listen: %q, mode: '0600'}\nmetrics: {listen: %q}", "unix:"+socket, metricsAt)}
	b := bed.Settings{LLR: "mode: dynamic", Link: "lldp: {tx_interval: 1s}"}
	a = a.ByFrame() // with offloads that are to be off
	p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", a), B: bed.NewDaemon(t, top.B, "B", b)}
	p.A.Start()
	client, scraper := browser(top.A, socket), browser(top.A, "")
	d := told{p.A, func() (int, string) { return get(client, "http://localhost/") },
		func() (int, string) { return get(scraper, "http://"+metricsAt+"/metrics") }}
	if code, text := d.metrics(); code != http.StatusOK {
		t.Fatalf("%d %s", code, text)
	}

	d.types(t, d.unmet(t, "link0", api.WantedLLR, true)) // it shows more; the partner is missing
	p.B.Start()
	d.unmet(t, "link0", api.WantedLLR, false)

	d.takenBack(t, &p, top.HostA, a)
	bed.RequireProgram(t, "ethtool", "ethtool")
	p.A.Reload(a.Text(p.A.Socket))
	d.types(t, "ethtool -K edge0 tx-scatter-gather on")
	d.types(t, d.unmet(t, "edge0", api.WantedOffloads, true))
	d.unmet(t, "edge0", api.WantedOffloads, false)
}

// takenBack puts settings in force at A that are refused, wait or end, and takes them back as the status says.
func (d told) takenBack(t *testing.T, p *bed.Pair, host *netns.NS, s bed.Settings) {
	t.Helper()
	text := s.Text(d.Socket)
	p.A.Reload(text + "spin: 7us\n")
	d.unmet(t, "-", api.WantedRestart, true)
	p.A.Reload(text) // taken back
	d.unmet(t, "-", api.WantedRestart, false)

	for name, keys := range map[string]string{
		api.WantedPushBack: "push_back: on, xdp: generic", api.WantedOffload: "offload: on, xdp: generic",
	} {
		s.Edge = keys
		p.A.Reload(s.Text(d.Socket))
		d.unmet(t, "edge0", name, true)
		s.Edge, _, _ = strings.Cut(keys, ", xdp")
		p.A.Reload(s.Text(d.Socket))
		d.unmet(t, "edge0", name, false)
	}

	s.Edge = fmt.Sprintf("offload: off, capture: %q, capture_limit: 4KiB", filepath.Join(t.TempDir(), "edge.pcapng"))
	p.A.Reload(s.Text(d.Socket))
	from := bed.Open(t, host, "eth0", bed.ProbeType)
	for n := range uint32(20) {
		from.Send(bed.Probe(n, 1000))
	}
	d.unmet(t, "edge0", api.WantedCapture, true)
	p.A.Write(text) // capture is removed
	d.types(t, api.ReloadCommand)
	d.unmet(t, "edge0", api.WantedCapture, false)
}
