package xsk

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
)

// gathered is several wires whose sockets at the near ends send for each other.
type gathered struct {
	t          testing.TB
	near, far  []*station
	gathering  Gathering
	sharing    bpf.Sharing
	namespaced *wire
}

// gatheredOf makes n wires with frames of the given lengths, at both ends of which sockets can send live.
func gatheredOf(t testing.TB, n, chunk, mtu int, lengths []int) *gathered {
	t.Helper()
	if !bpf.KernelSince(5, 18) {
		t.Skip("skipped: this kernel has no live XDP frames (Linux 5.18)")
	}
	g := &gathered{t: t, namespaced: newWireOf(t, 1)}
	for i := range n {
		w := &wire{t: t, queues: 1}
		a, b := fmt.Sprint("near", i), fmt.Sprint("far", i)
		w.createAs(a, b)
		for _, name := range []string{a, b} {
			if err := netlink.LinkSetMTU(w.link(name), mtu); err != nil {
				t.Fatal(err)
			}
		}
		x, y := converse(t, g.open(w, w.a, chunk), g.open(w, w.b, chunk), lengths, nil)
		g.near, g.far = append(g.near, x), append(g.far, y)
	}
	return g
}

// open opens a socket whose Transmitter shares.
func (g *gathered) open(w *wire, ifindex, chunk int) *Socket {
	w.t.Helper()
	p := w.attach(ifindex, attach.ModeAuto)
	s := w.open(ifindex, 0, p, roomy(chunk))
	if s.Transmitter() == nil {
		w.t.Fatal(s.Info().LiveFailed)
	}
	if err := errors.Join(g.sharing.Join(s.Transmitter()), p.Transmit(s.Transmitter())); err != nil {
		w.t.Fatal(err)
	}
	s.SetLive(1 << 16)
	return s
}

// kickTogether leaves the frames of a station for the Gathering, and demands that they wait, or not.
func (g *gathered) kickTogether(s *station, waits bool) {
	g.t.Helper()
	left, err := s.socket.KickTogether(&g.gathering)
	if err != nil || left != waits || left != (len(s.socket.live.pending) > 0) {
		g.t.Fatalf("the frames wait: %v, want %v; %d are pending; %v", left, waits,
			len(s.socket.live.pending), err)
	}
}

// settle waits until all frames have arrived, and all slots have come back.
func (g *gathered) settle() {
	g.t.Helper()
	until(g.t, func() bool {
		all := true
		for i, x := range g.near {
			y := g.far[i]
			x.work()
			y.work()
			all = all && y.received == x.sent && x.received == y.sent && x.done == x.posted &&
				y.done == y.posted
		}
		return all
	})
}

// Bursts of any number leave by AF_XDP, live alone, or live together, at random, by several ports both ways, in frames
// of every size: nothing is lost, changed or overtaken, and each slot comes back.
func TestGatheredKeepOrder(t *testing.T) {
	for _, chunk := range []int{2048, 4096} {
		mtu := min(3506, chunk-300)
		var sizes []int
		for n := 60; n <= mtu+14; n++ {
			sizes = append(sizes, n)
		}
		g := gatheredOf(t, 3, chunk, mtu, sizes)
		random := rand.New(rand.NewPCG(uint64(chunk), 11))
		limit := *liveFrames / 4
		until(t, func() bool {
			all := true
			for i := range g.near {
				for _, s := range []*station{g.near[i], g.far[i]} {
					if s.socket.LiveStopped() != nil { // by other work on the CPU
						s.socket.SetLive(1 << 16)
					}
					if s.sent < limit {
						s.burst(min(1+random.IntN(2*liveLeast), int(limit-s.sent)), 200)
					}
					switch random.IntN(4) {
					case 0:
						s.kick()
					case 1:
						g.gathering.Flush()
					default:
						if _, err := s.socket.KickTogether(&g.gathering); err != nil {
							t.Fatal(err)
						}
					}
					all = all && s.sent >= limit
				}
			}
			g.gathering.Flush()
			for range random.IntN(32) {
				for i := range g.near {
					g.near[i].work()
					g.far[i].work()
				}
			}
			return all
		})
		for i := range g.near {
			g.near[i].kick()
			g.far[i].kick()
		}
		g.settle()
		for i := range g.near {
			for _, s := range []*Socket{g.near[i].socket, g.far[i].socket} {
				live := s.Live()
				if live < limit/10 || s.Transmitter().Refused() != 0 {
					t.Errorf("%d of %d frames left live, %d refused", live, limit,
						s.Transmitter().Refused())
				}
				expectStats(t, s, frame.Stats{TxLive: live})
			}
		}
		t.Logf("chunks of %d: %d of %d frames of a port left live", chunk, g.near[0].socket.Live(), limit)
	}
}

// Few frames of several ports leave by one call if they are enough together, and by AF_XDP if not. A large batch does
// not wait for others, and more frames than a call takes leave by several.
func TestGatheringChoosesTheWay(t *testing.T) {
	const ports = 5
	g := gatheredOf(t, ports, 2048, 1500, []int{60, 61, 62})
	for _, c := range []struct {
		frames [ports]int
		live   [ports]bool
		calls  int // Transmitters that make one
	}{
		{frames: [ports]int{1, 2, 3, 2, 1}},
		{frames: [ports]int{gatherLeast - 1}},
		{frames: [ports]int{1, 2, 3, 2, 2}, live: [ports]bool{true, true, true, true, true}, calls: 1},
		{frames: [ports]int{0, 0, 9, 0, 1}, live: [ports]bool{2: true, 4: true}, calls: 1},
		{frames: [ports]int{gatherMost, 1, 1}, live: [ports]bool{true}, calls: 1},
		{frames: [ports]int{63, 63, 63, 63, 63}, live: [ports]bool{true, true, true, true, true}, calls: 2},
	} {
		var before, posted [ports]uint64
		for i, s := range g.near {
			before[i], posted[i] = s.socket.Live(), s.socket.Transmitter().Posted()
			s.burst(c.frames[i], 1000)
			if _, err := s.socket.KickTogether(&g.gathering); err != nil {
				t.Fatal(err)
			}
		}
		g.gathering.Flush()
		calls := 0
		for i, s := range g.near {
			want := uint64(0)
			if s.socket.Transmitter().Posted() > posted[i] {
				calls++
			}
			if c.live[i] {
				want = uint64(c.frames[i])
			}
			if n := s.socket.Live() - before[i]; n != want || len(s.socket.live.pending) > 0 {
				t.Errorf("%v: %d frames of port %d left live, want %d; %d wait", c.frames, n, i, want,
					len(s.socket.live.pending))
			}
		}
		if calls != c.calls {
			t.Errorf("%v: %d calls, want %d", c.frames, calls, c.calls)
		}
		g.settle()
	}
}

// A port whose frames may not leave live, or have others before them in the TX ring, sends by AF_XDP, and the others
// send together all the same.
func TestGatheringWithoutAPort(t *testing.T) {
	g := gatheredOf(t, 4, 2048, 1500, []int{60})
	for name, c := range map[string]struct{ before, after func(s *station) }{
		"none may":          {before: func(s *station) { s.socket.SetLive(0) }},
		"none may any more": {after: func(s *station) { s.socket.SetLive(0) }},
		"too long":          {after: func(s *station) { s.socket.SetLive(59) }},
	} {
		for port := range g.near {
			for i, s := range g.near {
				s.burst(6, 1000)
				if i == port && c.before != nil {
					c.before(s)
				}
				g.kickTogether(s, i != port || c.before == nil)
				if i == port && c.after != nil {
					c.after(s)
				}
			}
			var before [4]uint64
			for i, s := range g.near {
				before[i] = s.socket.Live()
			}
			g.gathering.Flush()
			for i, s := range g.near {
				want := uint64(6)
				if i == port {
					want = 0
				}
				if n := s.socket.Live() - before[i]; n != want {
					t.Errorf("%s, port %d: %d frames of port %d left live, want %d", name, port,
						n, i, want)
				}
			}
			g.near[port].socket.SetLive(1 << 16)
			g.settle()
		}
	}
	down := g.near[1]
	g.namespaced.down("near1")
	down.burst(3, 1000)
	if err := down.socket.Kick(); err != frame.ErrDown {
		t.Fatal(err)
	}
	for i, s := range g.near {
		s.burst(20, 1000)
		_, err := s.socket.KickTogether(&g.gathering)
		if i != 1 && err != nil {
			t.Error(err)
		}
	}
	g.gathering.Flush()
	g.namespaced.up("near1")
	until(t, func() bool { down.kick(); down.work(); g.far[1].work(); return g.far[1].received == down.sent })
	g.settle()
}

// If the kernel refuses the call for all, every frame leaves by AF_XDP, in order, and the port that made the call has
// the reason. The next call is made by another port.
func TestKernelRefusesGathered(t *testing.T) {
	g := gatheredOf(t, 3, 2048, 1500, []int{60, 1500})
	send := func(flush func()) {
		for _, s := range g.near {
			s.burst(6, 1000)
			g.kickTogether(s, s.socket.live.longest.Load() > 0)
		}
		flush()
		g.settle()
	}
	send(func() { refused(t, unix.EPERM, g.gathering.Flush) })
	stop := g.near[0].socket.LiveStopped()
	if stop == nil || !errors.Is(stop.Err, unix.EPERM) {
		t.Errorf("stopped: %v", stop)
	}
	for i, s := range g.near {
		if s.socket.Live() != 0 || i > 0 && s.socket.LiveStopped() != nil {
			t.Errorf("port %d: %d frames left live", i, s.socket.Live())
		}
	}
	send(g.gathering.Flush)
	for i, s := range g.near {
		if want := uint64(6 * min(i, 1)); s.socket.Live() != want {
			t.Errorf("port %d: %d frames left live, want %d", i, s.socket.Live(), want)
		}
	}
}

// A call that ends early has sent the first frames; the others leave by AF_XDP, each behind those of its port.
func TestGatheredCallEndsEarly(t *testing.T) {
	g := gatheredOf(t, 4, 2048, 1500, []int{60})
	for sent := range 25 {
		for _, s := range g.near {
			s.burst(6, 1000)
			g.kickTogether(s, true)
		}
		n, _ := g.gathering.choose()
		if n != 24 {
			t.Fatalf("%d frames are chosen", n)
		}
		g.gathering.leave(sent)
		for i, s := range g.near {
			if want := 6 - min(max(sent-6*i, 0), 6); len(s.socket.live.pending) != want {
				t.Errorf("%d sent: %d frames of port %d wait, want %d", sent,
					len(s.socket.live.pending), i, want)
			}
		}
		for i, s := range g.near {
			g.far[i].lost = true // no call was made for the first frames
			s.kick()
		}
		g.gathering.Flush()
		until(t, func() bool {
			all := true
			for i, s := range g.near {
				s.work()
				g.far[i].work()
				all = all && s.done == s.posted
			}
			return all
		})
	}
}

func TestGatheringDoesNotAllocate(t *testing.T) {
	g := gatheredOf(t, 4, 2048, 1500, []int{60})
	tx, rx, addrs := make([]frame.Desc, 5), make([]frame.Desc, 64), make([]uint64, 64)
	got := 0
	n := testing.AllocsPerRun(100, func() {
		for _, s := range g.near {
			for i := range tx {
				tx[i] = frame.Desc{Addr: s.socket.Geometry().SlotAddr(uint32(i)), Len: 60}
			}
			s.socket.Transmit(tx)
			if left, err := s.socket.KickTogether(&g.gathering); !left || err != nil {
				t.Fatal(left, err)
			}
		}
		g.gathering.Flush()
		for i, s := range g.near {
			got += s.socket.Completed(addrs)
			far := g.far[i].socket
			far.Recycle(rx[:far.Receive(rx)])
		}
	})
	if n != 0 || got == 0 || g.near[3].socket.Live() == 0 {
		t.Errorf("%v allocations, %d completed, %d live", n, got, g.near[3].socket.Live())
	}
}
