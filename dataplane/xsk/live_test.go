package xsk

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
)

var liveFrames = flag.Uint64("live.frames", 40_000, "how many frames TestBothWaysKeepOrder sends each way")

// roomy is options for live frames, with chunks of the given size and room for several calls.
func roomy(chunk int) Options {
	return Options{
		Opener: attach.OpenerNative, Bind: attach.BindCopy, RingSize: 1024, Live: true,
		Geometry: frame.Geometry{ChunkSize: chunk, RX: 1024, TX: 1000},
	}
}

// livePair opens a socket on either end of the wire, both ready for live frames of any length. The ends must have one
// queue each: a veth puts a live frame into the queue of its CPU.
func (w *wire) livePair(o Options) (a, b *Socket) {
	w.t.Helper()
	if !bpf.KernelSince(5, 18) {
		w.t.Skip("skipped: this kernel has no live XDP frames (Linux 5.18)")
	}
	open := func(ifindex int) *Socket {
		p := w.attach(ifindex, attach.ModeAuto)
		s := w.open(ifindex, 0, p, o)
		if s.Transmitter() == nil {
			w.t.Fatal(s.Info().LiveFailed)
		}
		if err := p.Transmit(s.Transmitter()); err != nil {
			w.t.Fatal(err)
		}
		s.SetLive(1 << 16)
		return s
	}
	return open(w.a), open(w.b)
}

// burst posts n frames, as far as the window allows.
func (s *station) burst(n int, window uint64) {
	for limit := s.sent + uint64(n); n > 0; n -= len(s.batch) {
		s.send(limit, window)
	}
}

// Bursts of any number leave by either way, in turn, in frames of every size: nothing is lost, changed or overtaken,
// and each slot comes back.
func TestBothWaysKeepOrder(t *testing.T) {
	for _, chunk := range []int{2048, 4096} {
		w := newWireOf(t, 1)
		w.mtu(min(3506, chunk-300))
		a, b := w.livePair(roomy(chunk))
		var sizes []int
		for n := 60; n <= min(3506, chunk-300)+14; n++ {
			sizes = append(sizes, n)
		}
		x, y := converse(t, a, b, sizes, nil)
		random := rand.New(rand.NewPCG(uint64(chunk), 7))
		const part = 40_000 // until has a minute for each
		for limit := min(part, *liveFrames); x.sent < *liveFrames; limit = min(limit+part, *liveFrames) {
			mixed(x, y, limit, random)
		}
		for _, s := range []*Socket{a, b} {
			live, refused := s.Live(), s.Transmitter().Refused()
			if live < *liveFrames/10 || live > *liveFrames*9/10 || refused != 0 {
				t.Errorf("%d of %d frames left live, %d refused", live, *liveFrames, refused)
			}
			t.Logf("chunks of %d: %d of %d frames left live", chunk, live, *liveFrames)
			expectStats(t, s, frame.Stats{TxLive: live})
		}
	}
}

// mixed makes both stations send up to their limit, in bursts of which each leaves by a way drawn at random, and
// receive all frames.
func mixed(x, y *station, limit uint64, random *rand.Rand) {
	x.t.Helper()
	until(x.t, func() bool {
		for _, s := range []*station{x, y} {
			if s.socket.LiveStopped() != nil { // by other work on the CPU
				s.socket.SetLive(1 << 16)
			}
			if s.sent < limit {
				n := 1 + random.IntN(liveLeast)
				if random.IntN(2) == 0 {
					n += liveLeast
				}
				s.burst(min(n, int(limit-s.sent)), 600)
			}
			s.kick()
		}
		for range random.IntN(32) { // large batches need room
			x.work()
			y.work()
		}
		return x.sent >= limit && y.sent >= limit && x.received == y.sent && y.received == x.sent &&
			x.done == x.posted && y.done == y.posted
	})
}

// A small batch leaves by AF_XDP, a large one live, and the rest of one that takes several calls by either.
func TestBatchesChooseTheirWay(t *testing.T) {
	w := newWireOf(t, 1)
	a, b := w.livePair(roomy(2048))
	x, y := converse(t, a, b, []int{60}, nil)
	for _, c := range []struct {
		frames int
		live   uint64
	}{
		{1, 0}, {liveLeast - 1, 0}, {liveLeast, liveLeast}, {bpf.MostPosted, bpf.MostPosted},
		{bpf.MostPosted + 1, bpf.MostPosted}, {2*bpf.MostPosted + liveLeast, 2*bpf.MostPosted + liveLeast},
	} {
		live, received := a.Live(), y.received
		x.burst(c.frames, 1000)
		x.kick()
		if len(a.live.pending) > 0 || a.Live()-live != c.live {
			t.Errorf("%d frames: %d left live, want %d; %d wait", c.frames, a.Live()-live, c.live, len(a.live.pending))
		}
		until(t, func() bool { x.work(); y.work(); return y.received == received+uint64(c.frames) && x.done == x.posted })
	}
}

// A frame longer than SetLive allows takes its batch to AF_XDP, and so does SetLive(0).
func TestLiveLimit(t *testing.T) {
	w := newWireOf(t, 1)
	a, b := w.livePair(roomy(2048))
	x, y := converse(t, a, b, []int{60, 60, 60, 61}, nil)
	for limit, live := range map[int]uint64{60: 0, 61: liveLeast, 0: 0} {
		a.SetLive(limit)
		before := a.Live()
		x.burst(liveLeast, 1000)
		x.kick()
		if a.Live()-before != live {
			t.Errorf("longest %d: %d frames left live, want %d", limit, a.Live()-before, live)
		}
		until(t, func() bool { x.work(); y.work(); return y.received == x.sent && x.done == x.posted })
	}
}

// While the kernel has frames in the TX ring, later frames leave behind them by AF_XDP.
func TestLiveWaitsForTheRing(t *testing.T) {
	w := newWireOf(t, 1)
	a, b := w.livePair(roomy(2048))
	x, y := converse(t, a, b, []int{60}, nil)
	w.down("a")
	x.burst(3, 1000)
	if err := a.Kick(); err != frame.ErrDown {
		t.Fatal(err)
	}
	x.burst(100, 1000)
	_ = a.Kick()
	if a.Live() != 0 {
		t.Errorf("%d frames left live before earlier ones", a.Live())
	}
	w.up("a")
	until(t, func() bool { x.kick(); x.work(); y.work(); return y.received == 103 && x.done == 103 })
}

// An error of the kernel ends the sending of live frames, and their frames leave by AF_XDP.
func TestLiveStops(t *testing.T) {
	w := newWireOf(t, 1)
	a, b := w.livePair(roomy(2048))
	x, y := converse(t, a, b, []int{60}, nil)
	for _, c := range []struct {
		took  time.Duration
		slept int64
	}{
		{2 * slowCall, slowSleeps}, {slowCall / 2, slowSleeps}, // one alone
		{2 * slowCall, slowSleeps}, {2 * slowCall, slowSleeps - 1}, // the CPU had other work
	} {
		a.live.judge(c.took, c.slept, nil)
		if stop := a.LiveStopped(); stop != nil {
			t.Errorf("%+v: %v", c, stop)
		}
	}
	a.live.judge(2*slowCall, slowSleeps, nil)
	stop := a.LiveStopped()
	if stop == nil || stop.String() != "a system call to send live frames took 10ms and slept 2 times" ||
		a.LiveStopped() != nil {
		t.Errorf("two slow calls: %v", stop)
	}
	a.SetLive(1 << 16)
	a.live.judge(0, 0, unix.EPERM)
	if stop := a.LiveStopped(); stop == nil || !strings.Contains(stop.String(), "not permitted") {
		t.Errorf("an error: %v", stop)
	}
	x.burst(64, 1000)
	x.kick()
	if a.Live() != 0 {
		t.Errorf("%d frames left live", a.Live())
	}
	until(t, func() bool { x.work(); y.work(); return y.received == 64 && x.done == 64 })
	if !a.LiveFast() {
		t.Error("calls are slow")
	}
}

// A socket that cannot send live frames opens without, and says why.
func TestOpensWithoutLive(t *testing.T) {
	w := newWireOf(t, 1)
	o := small(attach.OpenerNative)
	o.Live, o.Geometry.Pieces, o.Geometry.Places = true, 2, 8
	if err := MultiBuffer(); err != nil {
		t.Skipf("skipped: this kernel has no frames of several chunks: %v", err)
	}
	a, b := w.pair(o)
	if a.Transmitter() != nil || a.Info().LiveFailed == nil {
		t.Errorf("live frames of several chunks: %+v", a.Info())
	}
	a.SetLive(1000)
	if a.Live() != 0 || a.LiveStopped() != nil || a.LiveFast() {
		t.Error("a socket without live frames has some")
	}
	x, y := converse(t, a, b, []int{60, 1514}, nil)
	exchange(x, y, 500, 32)
	o = small(attach.OpenerNative)
	o.Live, o.Geometry.ChunkSize, o.Geometry.RX = true, 2048, 47 // the slots begin within a page
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(w.a, 0, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Transmitter() != nil || s.Info().LiveFailed == nil {
		t.Errorf("slots within a page: %+v", s.Info())
	}
}

func TestLiveDoesNotAllocate(t *testing.T) {
	w := newWireOf(t, 1)
	a, b := w.livePair(roomy(2048))
	tx, rx, addrs := make([]frame.Desc, liveLeast), make([]frame.Desc, liveLeast), make([]uint64, liveLeast)
	for i := range tx {
		tx[i] = frame.Desc{Addr: a.Geometry().SlotAddr(uint32(i)), Len: 60}
	}
	got := 0
	n := testing.AllocsPerRun(100, func() {
		a.Transmit(tx)
		if err := a.Kick(); err != nil {
			t.Fatal(err)
		}
		got += a.Completed(addrs)
		b.Recycle(rx[:b.Receive(rx)])
	})
	if n != 0 || got == 0 || a.Live() == 0 {
		t.Errorf("%v allocations, %d completed, %d live", n, got, a.Live())
	}
}
