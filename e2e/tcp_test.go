package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"uelink/netns"
	"uelink/netns/nstest"
)

// bulkSettings is for one TCP connection at full speed. A small LLR window keeps go-back-N from repeating many frames
// for each loss. spin is off because both hosts and both daemons share two cores here: a spinning worker would take
// the CPU from the processes it waits for. The edge keeps its default, which takes a whole TCP window at once.
var bulkSettings = settings{profile: lossless.profile + ", max_outstanding_frames: 64", top: "spin: 0s"}

// need skips the test where a program of a Debian package is missing.
func need(t testing.TB, name, pkg string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		nstest.Missing(t, name+" (Debian package "+pkg+": make deps)")
	}
}

// bulk is the result of one TCP connection.
type bulk struct {
	bps         float64
	retransmits int
}

// bulkOctets is the length of one connection: some 44,000 frames.
const bulkOctets = "64M"

// tcp sends bulkOctets by one connection from A to B, or with reverse from B to A.
func (top *topology) tcp(reverse bool) bulk {
	top.t.Helper()
	server := start(top.t, top.hostB, "iperf3 server", exec.Command("iperf3", "-s", "-1", "-B", addressB))
	args := []string{"-c", addressB, "-J", "-n", bulkOctets, "--connect-timeout", "2000"}
	if reverse {
		args = append(args, "-R")
	}
	var out string
	eventually(top.t, "an iperf3 run", func() string {
		client := start(top.t, top.hostA, "iperf3 client", exec.Command("iperf3", args...))
		code := client.wait()
		// With -J a refused client exits 0 and has the error in its JSON.
		if out = client.stdout.String(); code != 0 || strings.Contains(out, `"error":`) {
			return fmt.Sprintf("exit %d: %s", code, out)
		}
		return ""
	})
	server.wait()
	var r struct {
		End struct {
			Sent struct {
				Retransmits int `json:"retransmits"`
			} `json:"sum_sent"`
			Received struct {
				BPS float64 `json:"bits_per_second"`
			} `json:"sum_received"`
		} `json:"end"`
	}
	must(top.t, json.Unmarshal([]byte(out), &r))
	return bulk{r.End.Received.BPS, r.End.Sent.Retransmits}
}

// TestTCPDoesNotNoticeABadWire: a wire that loses one frame in a hundred costs a
// TCP connection through two daemons no retransmission. What it leaves of the
// throughput is logged.
func TestTCPDoesNotNoticeABadWire(t *testing.T) {
	need(t, "iperf3", "iperf3")
	top := cabled(t)
	wire := top.cable()
	p := top.daemons(bulkSettings)
	top.onlyRealLosses()
	good := top.bothWays(p)
	wire.pull()
	wire = top.cable("--loss", "0.01")
	bad := top.bothWays(p)
	if n := dropped(wire.pull()); n == 0 {
		t.Error("the bad wire dropped nothing")
	}
	t.Logf("a bad wire leaves %.2f of the throughput from A to B, %.2f from B to A", bad[0]/good[0], bad[1]/good[1])
}

// bothWays returns the throughput of a connection from A to B and of one from B to A, and demands that TCP sent
// nothing twice.
func (top *topology) bothWays(p pair) (bps [2]float64) {
	top.t.Helper()
	for i, reverse := range []bool{false, true} {
		b := top.tcp(reverse)
		top.t.Logf("reverse %v: %.0f Mbit/s, %d retransmissions", reverse, b.bps/1e6, b.retransmits)
		if b.retransmits > 0 {
			top.t.Errorf("reverse %v: %d retransmissions (%d frames found an edge ring full)", reverse,
				b.retransmits, top.overrun(p))
		}
		bps[i] = b.bps
	}
	return bps
}

// onlyRealLosses makes the hosts' TCP retransmit lost or overtaken segments only, not segments whose answer is late:
// its timers run out when another process has the CPU for long, whatever the wire does. TCP still finds losses by
// duplicate acknowledgements.
func (top *topology) onlyRealLosses() {
	top.t.Helper()
	for _, host := range []*netns.NS{top.hostA, top.hostB} {
		for name, value := range map[string]string{
			"tcp_early_retrans": "0",        // no tail loss probes
			"tcp_rto_min_us":    "10000000", // longer than any daemon waits for a CPU
		} {
			must(top.t, host.Do(func() error { return os.WriteFile("/proc/sys/net/ipv4/"+name, []byte(value), 0) }))
		}
	}
}

// overrun returns how many frames of the hosts were dropped before the edge's socket, at both ends.
func (top *topology) overrun(p pair) (n uint64) {
	for _, d := range []*daemon{p.a, p.b} {
		s := d.edge().Socket
		n += s.RxRingFull + s.RxDropped
	}
	return n
}
