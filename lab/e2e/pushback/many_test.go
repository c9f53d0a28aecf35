package pushback

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// crowdedBridge is a daemon with a bridge of a link and of many edges, with keys for each edge.
type crowdedBridge struct {
	edges int
	keys  string
}

// Text returns the configuration. The bridge knows the address that probes go to: it is behind the link.
func (b crowdedBridge) Text(socket string) string {
	var ports, members strings.Builder
	for i := range b.edges {
		fmt.Fprintf(&ports, "  - {name: edge%[1]d, interface: edge%[1]d, role: edge%[2]s}\n", i, bed.AppendKeys(b.keys))
		fmt.Fprintf(&members, ", {port: edge%d}", i)
	}
	return fmt.Sprintf(`control: {socket: %q}
spin: 0s
llr_profiles:
  e2e: {%s}
ports:
  - {name: link0, interface: link0, role: link, llr: {mode: static, local: true, remote: true, profile: e2e}}
%sbridges: [{name: br0, ports: [{port: link0, static: [{mac: "02:65:32:65:00:02"}]}%s]}]
`, socket, bed.Lossless.Profile, ports.String(), members.String())
}

// crowdedBed starts a daemon with a bridge of many edges at A, whose hosts are eth0, eth1 ... of hostA, and one with a
// single edge at B.
func crowdedBed(t *testing.T, edges int, keys string) (top *bed.Topology, p bed.Pair) {
	t.Helper()
	top = bed.Direct(t)
	for i := 1; i < edges; i++ {
		bed.Must(t, netns.Veth(top.HostA, fmt.Sprint("eth", i), top.A, fmt.Sprint("edge", i), bed.EdgeMTU))
	}
	p = bed.Pair{A: bed.NewDaemon(t, top.A, "A", crowdedBridge{edges, keys}),
		B: bed.NewDaemon(t, top.B, "B", pushing())}
	p.Start()
	return top, p
}

// TestManyEdges: each of 64 edges of one worker pushes back. Crowds at all of them at once cross without a loss.
func TestManyEdges(t *testing.T) {
	const edges, each = 64, 200
	top, p := crowdedBed(t, edges, "push_back: on")
	for i := range edges {
		bed.Eventually(t, "an edge that pushes back", func() string {
			if e := p.A.Port(fmt.Sprint("edge", i)); e.PushBack != "on" {
				return fmt.Sprintf("%s: %q: %s", e.Name, e.PushBack, e.PushBackReason)
			}
			return ""
		})
	}
	to := bed.Open(t, top.HostB, "eth0", bed.ProbeType)
	for i := range uint32(edges) {
		crowdFrom(t, top.HostA, fmt.Sprint("eth", i), i*each, each)
	}
	arrive(t, to, edges*each)
	asks, watched := uint64(0), uint64(0)
	for i := range edges {
		e := p.A.Port(fmt.Sprint("edge", i))
		if n := lost(e); n > 0 {
			t.Errorf("%s: %d frames are dropped: %+v %+v", e.Name, n, e.Counters, e.Socket)
		}
		asks, watched = asks+e.Counters.RxAsks, watched+e.Counters.RxWatchdog
	}
	t.Logf("%d frames of %d edges: %d asks, %d frames by the watchdog", edges*each, edges, asks, watched)
}

// TestIdleEdges logs the CPU time of the worker of 16 idle edges, with and without pushing back.
func TestIdleEdges(t *testing.T) {
	const edges, over = 16, 3 * time.Second
	var shares [2]float64
	for i, keys := range []string{"push_back: off", "push_back: on"} {
		_, p := crowdedBed(t, edges, keys)
		cpu := func() time.Duration {
			all, err := p.A.Client.Workers(t.Context())
			bed.Must(t, err)
			return time.Duration(all[0].CPU)
		}
		time.Sleep(time.Second) // what the start leaves to do
		before := cpu()
		time.Sleep(over) // measured
		shares[i] = 100 * float64(cpu()-before) / float64(over)
		p.A.Terminate()
		p.B.Terminate()
	}
	t.Logf("worker of %d idle edges: %.2f %% of a CPU with push_back: off, %.2f %% with on", edges, shares[0], shares[1])
}
