package web

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"uelink/control/api"
	"uelink/lab/e2e/bed"
)

// unmet waits until a thing of a port is wanted and not in force, or in force again, in `/v1/status`, in the metric of
// the alert, in `uelink status` and on the page, and returns the command of the status.
func (d told) unmet(t *testing.T, port, what string, unmet bool) (command string) {
	t.Helper()
	value := map[bool]int{true: 1}[unmet]
	series := fmt.Sprintf("uelink_wanted_not_in_force{port=%q,what=%q} %d\n", port, what, value)
	bed.Eventually(t, what+" everywhere", func() string {
		s, err := d.Client.Status(t.Context())
		if err != nil {
			return err.Error()
		}
		var found *api.Unmet
		for i := range s.Unmet {
			if u := &s.Unmet[i]; u.What == what && (u.Port == port || port == "-" && u.Port == "") {
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
	t.Logf("%s of %s: not in force %v, %q", what, port, unmet, command)
	return command
}

// types runs a command in a shell beside the daemon.
func (d told) types(t *testing.T, command string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Env = append(os.Environ(), "UELINK_SOCKET="+d.Socket,
		"PATH="+filepath.Dir(bed.Program("uelink"))+":"+os.Getenv("PATH"))
	return bed.Run(t, d.NS, cmd)
}

// What is wanted and not in force is first in `uelink status`, in the API, in the metric and on the page, and is over
// when what is wanted is in force: LLR that nobody agrees on, a file and an upgrade that are refused, offloads that
// somebody has switched on.
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

	p.A.Write(strings.ReplaceAll(a.Text(p.A.Socket), "role: edge", "role: egde"))
	if r := d.Tool("reload"); r.Code != 1 || !strings.Contains(r.Stderr, "egde") {
		t.Errorf("uelink reload: exit %d, %s", r.Code, r.Stderr)
	}
	command := d.unmet(t, "-", api.WantedConfiguration, true)
	p.A.Write(a.Text(p.A.Socket))
	d.types(t, command)
	d.unmet(t, "-", api.WantedConfiguration, false)

	if r := d.Tool("upgrade", "--binary", "/bin/false"); r.Code != 1 || !strings.Contains(r.Stderr, "does not take over") {
		t.Errorf("uelink upgrade: exit %d, %s", r.Code, r.Stderr)
	}
	d.unmet(t, "-", api.WantedUpgrade, true)
	events := d.Tool("events").Succeeds().Stdout
	if !strings.Contains(events, "no upgrade, for which") {
		t.Errorf("no event: %s", events)
	}
	d.types(t, "uelink upgrade --check")
	d.unmet(t, "-", api.WantedUpgrade, false)

	bed.RequireProgram(t, "ethtool", "ethtool")
	d.types(t, "ethtool -K edge0 tx-scatter-gather on")
	d.types(t, d.unmet(t, "edge0", api.WantedOffloads, true))
	d.unmet(t, "edge0", api.WantedOffloads, false)
}
