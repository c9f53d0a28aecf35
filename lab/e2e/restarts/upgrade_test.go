package restarts

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"uelink/control/api"
	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

var upgradeCount = flag.Int("upgrade.count", 4, "how often TestUpgradesLoseNothing upgrades the daemons")

// TestUpgradesLoseNothing upgrades both daemons in turn under traffic in both directions: every frame arrives once and
// in order, and no partner notices.
func TestUpgradesLoseNothing(t *testing.T) {
	credited := bed.Lossless
	credited.Link = "cbfc: {mode: static, vcs: [{index: 0, lossless: true}]}"
	pushed := bed.Lossless
	pushed.Edge = "push_back: on"
	for _, c := range []struct {
		name  string
		start func(t *testing.T) (*bed.Topology, bed.Pair)
	}{
		{"a good wire", func(t *testing.T) (*bed.Topology, bed.Pair) {
			top := bed.Direct(t)
			return top, top.Daemons(bed.Lossless)
		}},
		{"edges that push back", func(t *testing.T) (*bed.Topology, bed.Pair) {
			top := bed.Direct(t)
			return top, top.Daemons(pushed)
		}},
		{"a bad wire, CBFC", func(t *testing.T) (*bed.Topology, bed.Pair) {
			top := bed.Cabled(t)
			top.Cable(bed.BadWire...)
			return top, top.Daemons(credited)
		}},
		{"a bad wire, CBFC, selective replay", func(t *testing.T) (*bed.Topology, bed.Pair) {
			top := bed.Cabled(t)
			top.Cable(bed.BadWire...)
			selective := credited
			selective.Profile += ", replay: selective"
			return top, top.Daemons(selective)
		}},
		{"bridges of four ports, a bad wire", func(t *testing.T) (*bed.Topology, bed.Pair) {
			top := bed.Cabled(t)
			top.Cable(bed.BadWire...)
			edges := []string{"edge0", "edge1", "edge2"}
			for _, at := range []*netns.NS{top.A, top.B} {
				for _, edge := range edges[1:] {
					top.Host(at, edge)
				}
			}
			return top, top.Bridges(bed.Switching.At(edges...), bed.Switching.At(edges...))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			top, p := c.start(t)
			upgrades(t, top, p)
		})
	}
}

// Flags of TestPausesOfUpgrades.
var (
	pauseUpgrades = flag.Int("pause.upgrades", 4, "how often TestPausesOfUpgrades upgrades the daemons")
	pauseRate     = flag.Float64("pause.rate", 50_000, "frames a second each way in TestPausesOfUpgrades")
)

// TestPausesOfUpgrades upgrades both daemons in turn under load, through bridges of four ports with credits and a bad
// wire: every frame arrives once and in order. The rate is halved until the bed carries it without an upgrade. The
// test logs how much longer than without an upgrade no frame arrives.
func TestPausesOfUpgrades(t *testing.T) {
	top := bed.Cabled(t)
	top.Cable(bed.BadWire...)
	edges := []string{"edge0", "edge1", "edge2"}
	for _, at := range []*netns.NS{top.A, top.B} {
		for _, edge := range edges[1:] {
			top.Host(at, edge)
		}
	}
	bridge := bed.Switching.At(edges...)
	bridge.Link = "cbfc: {mode: static, vcs: [{index: 0, lossless: true}]}"
	// Room for half a second at 50,000 frames a second: for a pause, and while other processes have the CPU.
	bridge.Edge = "rx_ring_size: 32768"
	bridge.Top = "spin: 0s" // two daemons, their hosts and successors share few cores
	p := top.Bridges(bridge, bridge)
	p.A.EndsLast()
	p.B.EndsLast()
	n := top.Numbers(t, *pauseRate/10)
	time.Sleep(time.Second) // the links measure themselves
	n.SetRate(*pauseRate)
	rate := carried(t, p, n, *pauseRate, 20)
	var calm, gaps, pauses []time.Duration
	for i := range *pauseUpgrades {
		rate = carried(t, p, n, rate, 1)
		n.NewSpan()
		time.Sleep(100 * time.Millisecond) // the span without an upgrade, about as long as one with
		still := n.Gap()
		n.NewSpan()
		[]*bed.Daemon{p.A, p.B}[i%2].Upgrade()
		gap := n.Gap()
		calm, gaps, pauses = append(calm, still), append(gaps, gap), append(pauses, max(0, gap-still))
	}
	n.End()
	for _, d := range []*bed.Daemon{p.A, p.B} {
		for _, port := range []api.Port{d.Edge(), d.Link()} {
			if s := port.Socket; s.RxRingFull+s.RxDropped+port.TxDropped > 0 {
				t.Logf("%s: %s: %d frames found the RX ring full, %d no chunk, %d were dropped on their way out", d.Name,
					port.Name, s.RxRingFull, s.RxDropped, port.TxDropped)
			}
		}
	}
	t.Logf("%d upgrades at %.0f frames a second each way: pause %s; longest gap with an upgrade %s, without %s",
		len(pauses), rate, quantiles(pauses), quantiles(gaps), quantiles(calm))
}

// carried waits until at so many looks in a row, 100 ms apart, no more than the frames of 50 ms are on their way, and
// returns the rate. It halves the rate of n, frames a second, after more were at three looks in a row, and logs LLR at
// both ends then.
func carried(t *testing.T, p bed.Pair, n *bed.Numbers, rate float64, looks int) float64 {
	t.Helper()
	for calm, late := 0, 0; calm < looks; {
		time.Sleep(100 * time.Millisecond) // between two looks
		waiting := n.Waiting()
		if float64(waiting) <= rate/20 {
			calm, late = calm+1, 0
			continue
		}
		if calm, late = 0, late+1; late < 3 {
			continue
		}
		late, rate = 0, rate/2
		t.Logf("%d frames are on their way: this machine is too busy, and the rate is %.0f now", waiting, rate)
		for _, d := range []*bed.Daemon{p.A, p.B} {
			t.Logf("%s: %+v", d.Name, *d.LLR())
		}
		n.SetRate(0)
		bed.Eventually(t, "the arrival of all frames", func() string {
			if waiting := n.Waiting(); waiting > 0 {
				return fmt.Sprintf("%d frames are on their way", waiting)
			}
			return ""
		})
		n.SetRate(rate)
	}
	return rate
}

// quantiles returns in words the median, the 99th of 100 and the longest of durations, which it sorts.
func quantiles(d []time.Duration) string {
	slices.Sort(d)
	at := func(share float64) time.Duration {
		return d[int(share*float64(len(d)-1))].Round(10 * time.Microsecond)
	}
	return fmt.Sprintf("p50 %v, p99 %v, longest %v", at(0.5), at(0.99), at(1))
}

// upgrades upgrades both daemons in turn while the hosts send.
func upgrades(t *testing.T, top *bed.Topology, p bed.Pair) {
	t.Helper()
	p.A.EndsLast()
	p.B.EndsLast()
	hostA, hostB := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)
	bed.AwaitCrossing(hostA, hostB, bed.Patience)
	bed.AwaitCrossing(hostB, hostA, bed.Patience)
	hostA.Drain()
	hostB.Drain()
	before := p.B.LLRCounters()
	a, b := newMeter(t, p.A), newMeter(t, p.B)
	from, to := flows(hostA, hostB), flows(hostB, hostA)
	var took []time.Duration
	for i := range *upgradeCount {
		took = append(took, []*bed.Daemon{p.A, p.B}[i%2].Upgrade())
		time.Sleep(100 * time.Millisecond) // traffic between: nothing waits for this time
	}
	a.end(t)
	b.end(t)
	for name, f := range map[string]*flow{"a to b": from, "b to a": to} {
		if gaps := f.end(t); len(gaps) > 0 {
			t.Errorf("%s: of %d frames %d never came: %v", name, f.sent, missing(gaps), gaps)
		}
	}
	slices.Sort(took)
	t.Logf("%d upgrades, %v to %v, median %v; %d and %d frames", len(took), took[0], took[len(took)-1], took[len(took)/2],
		from.sent, to.sent)
	after := p.B.LLRCounters()
	if after.TxOK < before.TxOK || after.PartnerRestart > 0 || after.TxFlushedFrames > 0 ||
		after.TxReinit > before.TxReinit {
		t.Errorf("counters before: %+v\nafter: %+v", before, after)
	}
}

// A binary that is no daemon, or that another user may write to, is refused or gives up: the daemon goes on.
func TestUpgradeThatFailsChangesNothing(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(bed.Lossless)
	hostA, hostB := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)
	bed.AwaitCrossing(hostA, hostB, bed.Patience)
	hostB.Drain()
	before := p.A.PID()
	from := flows(hostA, hostB)
	for _, u := range []api.Upgrade{
		{Binary: "/bin/true"}, {Binary: "/bin/false"}, {Binary: "/bin"}, {Binary: "/none"}, {Binary: "/etc/passwd"},
		{Config: "/none"},
	} {
		err := p.A.Client.Upgrade(t.Context(), u)
		if err == nil {
			t.Errorf("%+v: it was upgraded", u)
		}
		t.Logf("%+v: %v", u, err)
	}
	if gaps := from.end(t); len(gaps) > 0 {
		t.Errorf("of %d frames %d never came: %v", from.sent, missing(gaps), gaps)
	}
	if after := p.A.PID(); after != before {
		t.Errorf("process %d answers, not %d", after, before)
	}
}
