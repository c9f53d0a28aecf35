package kernel

import (
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// load makes programs whose frames leave by an interface.
func load(t *testing.T, c Config, ns *netns.NS, ifname string) *Load {
	t.Helper()
	index, err := ns.Ifindex(ifname)
	must(t, err)
	c.Ifindex = index
	l, err := New(c)
	must(t, err)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// eventually waits until the given number of frames, or more, have been counted.
func eventually(t *testing.T, name string, frames uint64, count func() (uint64, error)) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		n, err := count()
		must(t, err)
		if n >= frames {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %d frames within 10 s, want %d", name, n, frames)
		}
	}
}

func frames(l *Load) func() (uint64, error) {
	return func() (uint64, error) { c, err := l.Counted(); return c.Frames, err }
}

// TestSourceAndSink: the sink counts the frames that the source sends over a veth.
func TestSourceAndSink(t *testing.T) {
	a, b := nstest.New(t, "source"), nstest.New(t, "sink")
	must(t, netns.Veth(a, "eth0", b, "eth0", 3400))
	l := load(t, Config{}, a, "eth0")
	must(t, l.Sink(b, "eth0"))
	s, err := l.Source(a, 0, Frame(100))
	must(t, err)
	eventually(t, "sink", 1000, frames(l))
	must(t, s.Stop())
	c, err := l.Counted()
	must(t, err)
	if c.Octets != c.Frames*100 {
		t.Errorf("%d frames of 100 octets have %d octets", c.Frames, c.Octets)
	}
}

// TestFramesGoRound: between two hosts, in order, timed, and all of them are there
// at the end.
func TestFramesGoRound(t *testing.T) {
	const n = 32
	a, b := nstest.New(t, "hostA"), nstest.New(t, "hostB")
	must(t, netns.Veth(a, "eth0", b, "eth0", 3400))
	hostA := load(t, Config{Circulating: n, Timed: true}, a, "eth0")
	hostB := load(t, Config{Circulating: n}, b, "eth0")
	must(t, hostA.Reflect(a, "eth0"))
	must(t, hostB.Reflect(b, "eth0"))
	must(t, hostA.Feed(a, 0, Frame(64), n))
	eventually(t, "host A", 1000, frames(hostA))
	for _, host := range []*Load{hostA, hostB} {
		must(t, host.Absorb())
	}
	eventually(t, "both hosts", n, func() (uint64, error) {
		inA, errA := hostA.Absorbed()
		inB, errB := hostB.Absorbed()
		if errA != nil {
			return 0, errA
		}
		return inA + inB, errB
	})
	for name, host := range map[string]*Load{"A": hostA, "B": hostB} {
		if c, err := host.Counted(); err != nil || c.Wrong > 0 {
			t.Errorf("host %s had %d frames out of order (%v)", name, c.Wrong, err)
		}
	}
	times, err := hostA.Rounds()
	must(t, err)
	if times.Count() == 0 || times.Quantile(0.5) == 0 {
		t.Errorf("%d rounds were timed, the median at %v", times.Count(), times.Quantile(0.5))
	}
}

// TestLostFrameIsNoticed: a host knows a frame that is missing from the circle.
func TestLostFrameIsNoticed(t *testing.T) {
	const n = 8
	a, b := nstest.New(t, "hostA"), nstest.New(t, "hostB")
	must(t, netns.Veth(a, "eth0", b, "eth0", 3400))
	hostA := load(t, Config{Circulating: n}, a, "eth0")
	hostB := load(t, Config{Circulating: n + 1}, b, "eth0") // expects one more than there are
	must(t, hostA.Reflect(a, "eth0"))
	must(t, hostB.Reflect(b, "eth0"))
	must(t, hostA.Feed(a, 0, Frame(64), n))
	eventually(t, "frames out of order", 1, func() (uint64, error) { c, err := hostB.Counted(); return c.Wrong, err })
	must(t, hostA.Absorb())
}

// TestSpread: bursts go to one interface after the other, at no higher a rate
// than they were asked for.
func TestSpread(t *testing.T) {
	const burst, interval = 8, time.Millisecond
	a, b := nstest.New(t, "source"), nstest.New(t, "sinks")
	var indexes []int
	var sinks []*Load
	for _, ifname := range []string{"eth0", "eth1"} {
		must(t, netns.Veth(a, ifname, b, ifname, 1500))
		index, err := a.Ifindex(ifname)
		must(t, err)
		indexes = append(indexes, index)
		sinks = append(sinks, load(t, Config{}, a, ifname))
		must(t, sinks[len(sinks)-1].Sink(b, ifname))
	}
	l := load(t, Config{Spread: Spread{Ifindexes: indexes, Burst: burst, Interval: interval}}, a, "eth0")
	began := time.Now()
	s, err := l.Spread(a, 0, Frame(64))
	must(t, err)
	for _, sink := range sinks {
		eventually(t, "sink", 4*burst, frames(sink))
	}
	must(t, s.Stop())
	bound := uint64(time.Since(began)/interval+1) * burst
	paced, err := l.Paced()
	must(t, err)
	sent := paced.Frames
	var came [2]uint64
	for i, sink := range sinks {
		came[i], err = frames(sink)()
		must(t, err)
	}
	if came[0]+came[1] != sent || max(came[0], came[1])-min(came[0], came[1]) > burst || sent > bound {
		t.Errorf("%d frames were sent, %d and %d came; no more than %d can have been", sent, came[0], came[1], bound)
	}
}

// TestDelays: far ends time the frames of a source that stamps them.
func TestDelays(t *testing.T) {
	a, b := nstest.New(t, "source"), nstest.New(t, "sink")
	must(t, netns.Veth(a, "eth0", b, "eth0", 1500))
	index, err := a.Ifindex("eth0")
	must(t, err)
	spread := Spread{Ifindexes: []int{index}, Interval: time.Millisecond, Stamped: true}
	l := load(t, Config{Spread: spread}, a, "eth0")
	must(t, l.Sink(b, "eth0"))
	s, err := l.Spread(a, 0, Frame(64))
	must(t, err)
	eventually(t, "sink", 20, frames(l))
	must(t, s.Stop())
	came, err := frames(l)()
	must(t, err)
	times, err := l.Delays()
	must(t, err)
	if n, median := times.Count(), times.Quantile(0.5); n != came || median == 0 || median > time.Second {
		t.Errorf("%d of %d frames were timed, the median at %v", n, came, median)
	}
}
