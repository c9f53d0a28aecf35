package web

import (
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// metricsAt is where the daemon A serves its metrics, in its namespace.
const metricsAt = "127.0.0.1:9464"

// told is where daemon A tells its troubles, besides the log.
type told struct {
	*bed.Daemon
	page, metrics func() (int, string)
}

// tells waits until a trouble is in a line of the log of level warn or error, in `uelink status`, on the page, and in
// the series of an alert that has a value above 0, and logs all four.
func (d told) tells(t *testing.T, logged, status, series string) {
	t.Helper()
	lines := map[string]string{}
	find := func(where, text, pattern string) string {
		lines[where] = regexp.MustCompile(`(?m)^.*` + pattern + `.*$`).FindString(text)
		if lines[where] == "" {
			return where + " says " + text
		}
		return ""
	}
	bed.Eventually(t, "the trouble is told everywhere", func() string {
		_, page := d.page()
		_, metrics := d.metrics()
		for _, problem := range []string{
			find("log", d.Stderr.String(), `"level":"(warn|error)".*`+logged),
			find("status", d.Tool("-o", "table", "status").Stdout, status),
			find("page", page, `<td>[^<]*`+status), find("metrics", metrics, series+`\S* [1-9]`),
		} {
			if problem != "" {
				return problem
			}
		}
		return ""
	})
	for _, where := range []string{"log", "status", "page", "metrics"} {
		t.Logf("%s: %s", where, strings.TrimSpace(lines[where]))
	}
}

// Each trouble of a link is told by the log, by `uelink status`, by the page, and by the metrics of which an alert is.
func TestTroubleIsToldEverywhere(t *testing.T) {
	t.Parallel()
	const profile = "max_replay_count: 1, max_replay_timer: 100ms, hold_timeout: 0s, re_init_on_flush: false"
	top := bed.Direct(t)
	socket := filepath.Join(t.TempDir(), "web.sock")
	a := bed.Settings{Profile: profile, Edge: "pfc: {mode: static, priorities: [0], rate: 1Mbps}",
		Top: fmt.Sprintf("web: {listen: %q, mode: '0600'}\nmetrics: {listen: %q}", "unix:"+socket, metricsAt)}
	b := bed.Settings{Profile: profile}
	p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", a), B: bed.NewDaemon(t, top.B, "B", b)}
	p.Start()
	client, scraper := browser(top.A, socket), browser(top.A, "")
	d := told{p.A, func() (int, string) { return get(client, "http://localhost/") },
		func() (int, string) { return get(scraper, "http://"+metricsAt+"/metrics") }}
	if code, text := d.metrics(); code != http.StatusOK || !strings.Contains(text, "uelink_llr_tx_status") {
		t.Fatalf("%d %s", code, text)
	}
	hostA := bed.Open(t, top.HostA, "eth0", bed.ProbeType)

	p.B.Reload(bed.Settings{Profile: profile, Link: otherDialect}.Text(p.B.Socket))
	d.tells(t, ofDialect, ofDialect, `uelink_llr_partner_problem\{.*reason="dialect"`)
	p.B.Reload(b.Text(p.B.Socket))
	p.Advance()

	frame := make([]byte, wire.MinFrameLen)
	wire.PutPFC(frame, wire.MAC{2, 0, 0, 0, 0, 0x77}, wire.PFC{Enable: 1, Quanta: [wire.Priorities]uint16{0xFFFF}})
	hostA.Send(frame)
	hostB := bed.Open(t, top.HostB, "eth0", bed.ProbeType)
	for n := range uint32(100) {
		hostB.Send(bed.Probe(n, 200))
	}
	d.tells(t, "takes no frames", "no frames leave by this port", `uelink_port_stands_still\{.*port="edge0"`)
	wire.PutPFC(frame, wire.MAC{2, 0, 0, 0, 0, 0x77}, wire.PFC{Enable: 1})
	hostA.Send(frame)

	bed.Must(t, top.B.SetLink("link0", false))
	d.tells(t, `"oper_status","port":"link0","reason":"down"`, "no carrier", `uelink_port_oper_status\{.*state="down"`)
	bed.Must(t, top.B.SetLink("link0", true))
	p.Advance()

	p.B.Signal(syscall.SIGSTOP)
	defer p.B.Signal(syscall.SIGCONT)
	bed.Eventually(t, "FLUSH", func() string {
		hostA.Send(bed.Probe(1, 200)) // B may acknowledge the first ones before it stops
		if p.A.LLRCounters().TxFlush == 0 {
			return "there is none"
		}
		return ""
	})
	d.tells(t, "FLUSH: ", "LLR has given up: ", `uelink_llr_tx_flush_total\{.*port="link0"`)
}
