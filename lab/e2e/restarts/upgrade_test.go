package restarts

import (
	"flag"
	"slices"
	"syscall"
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
	pauseRate     = flag.Float64("pause.rate", 10_000, "frames a second each way in TestPausesOfUpgrades")
)

// TestPausesOfUpgrades upgrades both daemons in turn under load, through bridges of four ports with credits and a bad
// wire: every frame arrives once and in order. It logs how much longer than without an upgrade no frame arrives.
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
	p := top.Bridges(bridge, bridge)
	p.A.EndsLast()
	p.B.EndsLast()
	c := top.Between()
	c.Rate, c.RingSize, c.LossTimeout = *pauseRate, 1<<14, time.Second
	l := bed.NewLoad(t, c)
	var calm, pauses []time.Duration
	for i := range *pauseUpgrades {
		l.LongestGap()
		still := l.LongestGap()
		[]*bed.Daemon{p.A, p.B}[i%2].Upgrade()
		calm, pauses = append(calm, still), append(pauses, max(0, l.LongestGap()-still))
	}
	bed.NothingLost(t, l.End())
	slices.Sort(calm)
	slices.Sort(pauses)
	at := func(list []time.Duration, share float64) time.Duration {
		return list[int(share*float64(len(list)-1))].Round(10 * time.Microsecond)
	}
	t.Logf("%d upgrades at %.0f frames a second each way: pause p50 %v, p99 %v, longest %v; gap without an upgrade "+
		"p50 %v, longest %v", len(pauses), *pauseRate, at(pauses, 0.5), at(pauses, 0.99), at(pauses, 1),
		at(calm, 0.5), at(calm, 1))
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

// A service is upgraded under the restrictions of its unit: the successor has the privileges of its predecessor, and is
// the main process from then on.
func TestServiceIsUpgraded(t *testing.T) {
	top := bed.Direct(t)
	before := owned(top, t)
	a, b := newService(t, top.A, "A", bed.Settings{}), newService(t, top.B, "B", bed.Settings{})
	a.start()
	b.start()
	a.Daemon.EndsLast()
	bed.Pair{A: a.Daemon, B: b.Daemon}.Advance()
	for range 2 {
		a.Daemon.Upgrade()
	}
	t.Run("frames cross", func(t *testing.T) { // its sockets are closed at its end
		hostA, hostB := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)
		bed.AwaitCrossing(hostA, hostB, bed.Patience)
	})
	if code := b.Terminate(); code != 0 {
		t.Errorf("%s: exit %d", b.Name, code)
	}
	bed.Must(t, syscall.Kill(a.Daemon.PID(), syscall.SIGTERM))
	a.Wait()
	if after := owned(top, t); after != before {
		t.Errorf("it left\n%s\nof\n%s", after, before)
	}
}
