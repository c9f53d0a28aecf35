package kernel

import (
	"bytes"
	"maps"
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

// wired is two namespaces with a veth between them.
func wired(t *testing.T) (a, b *netns.NS) {
	t.Helper()
	a, b = nstest.New(t, "near"), nstest.New(t, "far")
	must(t, netns.Veth(a, "eth0", b, "eth0", 3400))
	return a, b
}

// spreading is a source out of eth0 and its sink.
func spreading(t *testing.T, a, b *netns.NS, s Spread) *Load {
	t.Helper()
	index, err := a.Ifindex("eth0")
	must(t, err)
	s.Ifindexes = []int{index}
	l := load(t, Config{Spread: s}, a, "eth0")
	must(t, l.Sink(b, "eth0"))
	return l
}

// sends runs a source until it has sent the given number of frames.
func sends(t *testing.T, l *Load, ns *netns.NS, frame []byte, frames uint64) Paced {
	t.Helper()
	s, err := l.Spread(ns, 0, frame)
	must(t, err)
	eventually(t, "source", frames, func() (uint64, error) { p, err := l.Paced(); return p.Frames, err })
	must(t, s.Stop())
	p, err := l.Paced()
	must(t, err)
	return p
}

// TestPace: the rate can be changed and is not exceeded, and Pace resets the counters.
func TestPace(t *testing.T) {
	a, b := wired(t)
	l := spreading(t, a, b, Spread{})
	for _, interval := range []time.Duration{20 * time.Microsecond, 100 * time.Microsecond} {
		must(t, l.Pace(interval))
		p := sends(t, l, a, Frame(64), 100)
		if most := uint64(p.Took/interval) + 1; p.Frames > most || p.Late != 0 {
			t.Errorf("every %v: %+v, no more than %d can have been sent", interval, p, most)
		}
	}
	must(t, l.Pace(0))
	if p, err := l.Paced(); err != nil || p != (Paced{}) {
		t.Errorf("%+v, %v", p, err)
	}
}

// made returns the frames that Spread makes of a frame and sends over a number of interfaces.
func made(t *testing.T, ns *netns.NS, s Spread, interfaces int, frame []byte, frames int) (list [][]byte) {
	t.Helper()
	s.Ifindexes = make([]int, interfaces)
	l := load(t, Config{Spread: s}, ns, "lo")
	for range frames {
		out := make([]byte, len(frame))
		verdict, err := l.objects.UelinkSpread.Run(&ebpf.RunOptions{Data: frame, DataOut: out})
		must(t, err)
		if verdict != xdpRedirect {
			t.Fatalf("verdict %d", verdict)
		}
		list = append(list, out)
	}
	return list
}

const xdpRedirect = 4

// TestAddresses: frames go to each address as often, none of them twice in a row, and the
// rest of them stays as it is.
func TestAddresses(t *testing.T) {
	const addresses, times = 10, 3
	list := made(t, nstest.New(t, "source"), Spread{Addresses: addresses}, 1, Frame(64), addresses*times)
	seen, last := map[string]int{}, ""
	for _, f := range list {
		to := string(f[:6])
		if to == last {
			t.Errorf("twice in a row: %x", to)
		}
		seen[to]++
		last = to
		if !bytes.Equal(f[6:12], []byte{6, 0, 0, 0, 0, 0}) || !bytes.Equal(f[12:], Frame(64)[12:]) {
			t.Errorf("%x", f)
		}
	}
	for to, n := range seen {
		if n != times || len(seen) != addresses {
			t.Errorf("%x has had %d frames of %d; there are %d addresses", to, n, len(list), len(seen))
		}
	}
}

// TestAnnounced: frames come from where those of the same interface go to, and go there.
func TestAnnounced(t *testing.T) {
	const interfaces, addresses, frames = 3, 5, 30
	ns, s := nstest.New(t, "source"), Spread{Addresses: addresses}
	to := map[string]bool{}
	for _, f := range made(t, ns, s, interfaces, Frame(64), frames) {
		to[string(f[:6])] = true
	}
	s.Announce = true
	from := map[string]bool{}
	for _, f := range made(t, ns, s, interfaces, Frame(64), frames) {
		from[string(f[6:12])] = true
		if !bytes.Equal(f[:6], f[6:12]) {
			t.Errorf("%x", f)
		}
	}
	if len(to) != interfaces*addresses || !maps.Equal(from, to) {
		t.Errorf("%d addresses have frames, %d are announced", len(to), len(from))
	}
}

// TestRedirect: frames that arrive at one interface leave by the other.
func TestRedirect(t *testing.T) {
	gen, device, part := nstest.New(t, "gen"), nstest.New(t, "device"), nstest.New(t, "part")
	must(t, netns.Veth(gen, "eth0", device, "in", 1500))
	must(t, netns.Veth(device, "out", part, "eth0", 1500))
	l := load(t, Config{}, gen, "eth0")
	must(t, l.Redirect(device, "in", "out"))
	must(t, l.Sink(part, "eth0"))
	s, err := l.Source(gen, 0, Frame(64))
	must(t, err)
	eventually(t, "sink", 1000, frames(l))
	must(t, s.Stop())
}

// TestHeldBack: of frames that a closed window holds back WaitingFrames wait, and those that
// come after them are late.
func TestHeldBack(t *testing.T) {
	const interval = time.Microsecond
	a, _ := wired(t)
	l := load(t, Config{Octets: 64, Window: 4}, a, "eth0")
	frame, _, _ := DataImage(64)
	must(t, l.Pace(interval))
	run := func(frames int) {
		t.Helper()
		for range frames {
			_, err := l.objects.UelinkSequence.Run(&ebpf.RunOptions{Data: frame, DataOut: make([]byte, len(frame))})
			must(t, err)
		}
	}
	run(100)
	if p, err := l.Paced(); err != nil || p.Frames != 4 || p.Late != 0 {
		t.Fatalf("the window is closed: %+v, %v", p, err)
	}
	time.Sleep(10 * time.Millisecond)
	must(t, l.objects.Receiver.Set(benchState{Next: 4}))
	run(1)
	if p, err := l.Paced(); err != nil || p.Frames != 5 || p.Late < 10_000-WaitingFrames {
		t.Errorf("open after 10 ms: %+v, %v", p, err)
	}
}
