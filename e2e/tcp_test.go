package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"uelink/netns"
	"uelink/netns/nstest"
)

// bulkSettings is what one TCP connection at full speed wants. Its edge port
// takes a whole TCP window at once: the kernel sends some 4 MB ahead, 2,900
// frames, in one burst. A small LLR window keeps go-back-N from sending much
// again for each loss. Both hosts and both daemons share two cores here: a worker
// that spins would take the CPU from those that it waits for.
var bulkSettings = settings{profile: lossless.profile + ", max_outstanding_frames: 64", edge: "ring_size: 4096", top: "spin: 0s"}

// need finds a program of a Debian package.
func need(t testing.TB, name, pkg string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		nstest.Missing(t, name+" (Debian package "+pkg+": make deps)")
	}
}

// bulk is what one TCP connection from A to B, or the other way, came to.
type bulk struct {
	bps         float64
	retransmits int
}

// tcp measures one connection for two seconds.
func (top *topology) tcp(reverse bool) bulk {
	top.t.Helper()
	server := start(top.t, top.hostB, "iperf3 server", exec.Command("iperf3", "-s", "-1", "-B", addressB))
	args := []string{"-c", addressB, "-J", "-t", "2", "--connect-timeout", "2000"}
	if reverse {
		args = append(args, "-R")
	}
	var out string
	eventually(top.t, "an iperf3 run", func() string {
		client := start(top.t, top.hostA, "iperf3 client", exec.Command("iperf3", args...))
		code := client.wait()
		// With -J a client that was refused exits 0 and says so in its JSON.
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

// rounds is how often both wires are measured, in turns: until the medians bear
// the claim out, at least leastRounds times. Other processes that take the CPU
// disturb single runs; a link that really is slower stays so in all of them.
const leastRounds, mostRounds = 3, 9

// TestTCPDoesNotNoticeABadWire: a wire that loses one frame in a hundred costs a
// TCP connection through two daemons no retransmission, and less than a fifth of
// what it carries over the same link with a good wire.
func TestTCPDoesNotNoticeABadWire(t *testing.T) {
	need(t, "iperf3", "iperf3")
	top := cabled(t)
	wire := top.cable()
	p := top.daemons(bulkSettings)
	top.noProbes()
	var forward, backward ratio
	for round := 0; round < leastRounds || round < mostRounds && min(forward.median(), backward.median()) < 0.8; round++ {
		for i, loss := range []string{"0", "0.01"} {
			wire.pull()
			wire = top.cable("--loss", loss)
			forward.add(i, top.measured(p, false, loss))
			backward.add(i, top.measured(p, true, loss))
		}
	}
	for way, r := range map[string]*ratio{"A to B": &forward, "B to A": &backward} {
		t.Logf("%s: ratio %.2f over %d rounds", way, r.median(), len(r[0]))
		if r.median() < 0.8 {
			t.Errorf("%s: loss 0.01 leaves %.2f of the throughput, want 0.8", way, r.median())
		}
	}
	if n := dropped(wire.pull()); n == 0 {
		t.Error("the bad wire dropped nothing")
	}
}

// measured is the throughput of one connection, which has sent nothing twice.
func (top *topology) measured(p pair, reverse bool, loss string) float64 {
	top.t.Helper()
	b := top.tcp(reverse)
	top.t.Logf("reverse %v, loss %s: %.0f Mbit/s, %d retransmissions", reverse, loss, b.bps/1e6, b.retransmits)
	if b.retransmits > 0 {
		top.t.Errorf("reverse %v, loss %s: %d retransmissions (%d frames found an edge ring full)", reverse, loss, b.retransmits, top.overrun(p))
	}
	return b.bps
}

// ratio is throughputs over a good wire and over a bad one.
type ratio [2][]float64

func (r *ratio) add(i int, bps float64) { r[i] = append(r[i], bps) }

// median is that of the bad wire as a share of that of the good one.
func (r *ratio) median() float64 { return median(r[1]) / median(r[0]) }

// noProbes switches the tail loss probes of the hosts off: TCP sends one again
// when an answer takes 10 ms longer than usual, which it does whenever another
// process has the CPU for so long, whatever the wire does. Real losses it still
// finds by duplicate acknowledgements.
func (top *topology) noProbes() {
	top.t.Helper()
	for _, host := range []*netns.NS{top.hostA, top.hostB} {
		must(top.t, host.Do(func() error { return os.WriteFile("/proc/sys/net/ipv4/tcp_early_retrans", []byte("0"), 0) }))
	}
}

// overrun is how many frames of the hosts never got in, at both ends.
func (top *topology) overrun(p pair) (n uint64) {
	for _, d := range []*daemon{p.a, p.b} {
		s := d.edge().Socket
		n += s.RxRingFull + s.RxDropped
	}
	return n
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
