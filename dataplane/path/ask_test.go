package path

import (
	"testing"
	"time"

	"uelink/dataplane/attach"
	"uelink/dataplane/frame/frametest"
	"uelink/dataplane/mem"
	"uelink/dataplane/netif"
	"uelink/wire"
)

// waitingHost is a host whose frames wait until they are asked for, like those behind a veth with a netif.Pump.
type waitingHost struct {
	host    *mem.Host
	frames  [][]byte
	masked  bool // frames do not come by themselves
	asks    int
	holds   int
	rests   int
	refused int // frames that found no room
}

// send hands a frame to the host.
func (w *waitingHost) send(f []byte) {
	w.frames = append(w.frames, append([]byte(nil), f...))
	if !w.masked {
		w.bring(len(w.frames))
		w.masked = true
	}
}

// bring carries up to n frames to the edge.
func (w *waitingHost) bring(n int) {
	for _, f := range w.frames[:min(n, len(w.frames))] {
		if !w.host.Send(f) {
			w.refused++
		}
	}
	w.frames = w.frames[min(n, len(w.frames)):]
}

func (w *waitingHost) Ask() { w.asks++; w.masked = true; w.bring(attach.MostAsked) }

func (w *waitingHost) Hold() { w.holds++; w.masked = true; w.bring(2) }

func (w *waitingHost) Rest() {
	w.rests++
	w.masked = len(w.frames) > 0
	w.bring(attach.MostAsked)
}

// watchdog is what the kernel does when nobody asks.
func (w *waitingHost) watchdog() { w.bring(256) }

// pump gives an end's edge a host whose frames wait.
func (e *end) pump(now wire.Time) *waitingHost {
	w := &waitingHost{host: e.host}
	e.x.SetPumps(e.edge, []Pump{w}, now)
	return w
}

// pumpedOptions is a pair with room for what is asked for.
func pumpedOptions() pairOptions {
	o := defaults()
	o.ring, o.edge.RingSize = 512, 512
	return o
}

// offered hands frames from..to of an end to its waiting host.
func (e *end) offered(w *waitingHost, n int) {
	var buf [1024]byte
	for range n {
		w.send(frametest.NumberedOf(buf[:], e.sent, e.spread))
		e.sent++
	}
}

// TestAskedForFramesCross: a host with more frames than any ring holds loses none, and few wait at the link.
func TestAskedForFramesCross(t *testing.T) {
	inOneGoroutine(t)
	p := up(t, pumpedOptions())
	w := p.a.pump(p.now)
	const frames = 20000
	p.a.offered(w, frames)
	most := 0
	done := func() bool {
		most = max(most, p.a.l.Port.egress.waiting)
		if err := p.b.take(); err != nil {
			t.Fatal(err)
		}
		return p.b.delivered == frames
	}
	if !p.until(done, 10*time.Second) {
		t.Fatalf("%d of %d came, %d wait with the host", p.b.delivered, frames, len(w.frames))
	}
	if p.b.gaps > 0 || w.refused > 0 || most > batch+attach.MostAsked {
		t.Errorf("%d lost, %d refused, up to %d waited at the link", p.b.gaps, w.refused, most)
	}
	p.nothingDropped(t)
	if asks := p.a.edge.Counters.RxAsks; asks != uint64(w.asks) || asks < frames/attach.MostAsked {
		t.Errorf("%d asks are counted of %d", asks, w.asks)
	}
}

// TestClosedLinkHoldsTheHost: while the link takes nothing, the host keeps its frames, and the worker wakes only to
// hold them; when the link is back all of them cross.
func TestClosedLinkHoldsTheHost(t *testing.T) {
	inOneGoroutine(t)
	p := up(t, pumpedOptions())
	w := p.a.pump(p.now)
	p.a.link.SetUp(false)
	p.a.x.SetUp(&p.a.l.Port, false, p.now)
	const frames = 5000
	p.a.offered(w, frames)
	p.pass(50e6)
	if w.holds > 0 {
		t.Errorf("%d holds in 50 ms: the watchdog fires later", w.holds)
	}
	asks, holds, left := w.asks, w.holds, len(w.frames)
	p.pass(2e9)
	if w.asks != asks || left < frames-2*attach.MostAsked-batch {
		t.Errorf("%d asks in vain, %d frames left with the host of %d", w.asks-asks, left, frames)
	}
	if n := w.holds - holds; n < 19 || n > 21 {
		t.Errorf("%d holds in 2 s", n)
	}
	p.a.link.SetUp(true)
	p.a.x.SetUp(&p.a.l.Port, true, p.now)
	done := func() bool {
		if err := p.b.take(); err != nil {
			t.Fatal(err)
		}
		return p.b.delivered == frames
	}
	if !p.until(done, 10*time.Second) || p.b.gaps > 0 || w.refused > 0 {
		t.Errorf("%d of %d came, %d are lost, %d refused", p.b.delivered, frames, p.b.gaps, w.refused)
	}
}

// TestIdleEdgeRests: an edge without frames is not asked, and its frames come by themselves.
func TestIdleEdgeRests(t *testing.T) {
	p := up(t, pumpedOptions())
	w := p.a.pump(p.now)
	p.pass(20e6)
	asks := w.asks
	p.pass(3e9)
	if w.rests == 0 || w.asks != asks || w.holds > 0 || p.a.edge.sources[0].asked.state != rests {
		t.Errorf("%d rests, %d asks at rest, %d holds", w.rests, w.asks-asks, w.holds)
	}
	for n := range uint64(20) {
		p.a.offered(w, 1)
		came := func() bool { _ = p.b.take(); return p.b.delivered > n }
		if !p.until(came, time.Second) {
			t.Fatalf("frame %d did not come", n)
		}
		p.pass(time.Duration(n) * 10 * time.Microsecond)
	}
	if p.b.gaps > 0 || p.a.edge.Counters.RxWatchdog > 0 {
		t.Errorf("%d lost, %d by the watchdog", p.b.gaps, p.a.edge.Counters.RxWatchdog)
	}
}

// TestFramesOneByOneCrossAtOnce: frames that come one by one cross at once, whether the RX queue settles or rests when
// they come, and not when the next Rest is due.
func TestFramesOneByOneCrossAtOnce(t *testing.T) {
	p := up(t, pumpedOptions())
	w := p.a.pump(p.now)
	for _, gap := range []time.Duration{30e3, 100e3, 500e3, 2e6, 10e6, 30e6} {
		for range 5 {
			p.pass(gap)
			p.a.offered(w, 1)
			came := func() bool { _ = p.b.take(); return p.b.delivered == p.a.sent }
			if !p.until(came, 20*time.Microsecond) {
				t.Fatalf("a frame %v after the last is not there after 20 us", gap)
			}
		}
	}
}

// TestWatchdogFramesAreCounted: frames that come although nobody has asked for long are counted.
func TestWatchdogFramesAreCounted(t *testing.T) {
	p := up(t, pumpedOptions())
	w := p.a.pump(p.now)
	p.a.offered(w, 1000)
	p.now += wire.Time(3 * netif.Watchdog) // the worker is stopped
	w.watchdog()
	n := p.a.edge.device().Waiting()
	p.round()
	if got := p.a.edge.Counters.RxWatchdog; got == 0 || got > uint64(n) {
		t.Errorf("%d frames by the watchdog are counted, of %d", got, n)
	}
}

// TestStalledChannelLeavesTheOthers: while one channel has no credits, because the host at the far end has stopped it,
// the other channel of the same edge goes on until the memory is full; then the host keeps its frames. None is dropped.
func TestStalledChannelLeavesTheOthers(t *testing.T) {
	inOneGoroutine(t)
	o := paused(64)
	o.ring, o.edge.RingSize = 512, 512
	p := newPair(o, 1)
	p.lossless(t)
	w := p.a.pump(p.now)
	var got [8]uint32
	sent := uint32(0)
	stalled := func(frames, rounds int) {
		for range frames {
			w.send(tagged(1, sent))
			w.send(tagged(2, sent))
			sent++
		}
		for n := range rounds {
			if n%20 == 0 {
				p.b.stops(2, 0xFFFF)
			}
			p.round()
			p.received(t, &got)
		}
	}
	stalled(150, 4000)
	if got[1] != sent || got[2] != 0 {
		t.Errorf("of %d frames each %d came by the open channel, %d by the stalled", sent, got[1], got[2])
	}
	stalled(2000, 4000)
	if left := len(w.frames); left == 0 || p.a.edge.sources[0].asked.state != holds {
		t.Errorf("%d frames are left with the host, state %d", left, p.a.edge.sources[0].asked.state)
	}
	p.b.stops(2, 0)
	done := func() bool {
		p.received(t, &got)
		return got[1] == sent && got[2] == sent
	}
	if !p.until(done, 20*time.Second) {
		t.Errorf("of %d frames each there came %v", sent, got)
	}
	if c := &p.a.edge.Counters; c.RxDropNoBuffer+p.a.l.Port.Counters.TxDropQueueFull+uint64(w.refused) > 0 {
		t.Errorf("dropped: %+v, %d refused", c, w.refused)
	}
}

// idlePump is a pump whose frames come by themselves.
type idlePump struct{}

func (idlePump) Ask()  {}
func (idlePump) Hold() {}
func (idlePump) Rest() {}

// TestAskingAllocatesNothing: neither frames that cross at once nor frames that wait at the link cost an allocation.
func TestAskingAllocatesNothing(t *testing.T) {
	inOneGoroutine(t)
	o := pumpedOptions()
	o.profile.MaxOutstandingFrames = 16
	p := up(t, o)
	p.a.x.SetPumps(p.a.edge, []Pump{idlePump{}}, p.now)
	p.pass(50e6)
	var buf [1024]byte
	octets, waited := frametest.NumberedOf(buf[:], 3, o.spread), 0
	cross := func() {
		for range 100 {
			p.a.host.Send(octets)
		}
		p.round()
		waited = max(waited, p.a.l.Port.egress.waiting)
		for range 40 {
			p.round()
		}
		for p.b.host.Recv() != nil {
		}
	}
	cross()
	if n := testing.AllocsPerRun(200, cross); n != 0 || waited == 0 || p.a.edge.Counters.RxAsks == 0 {
		t.Errorf("%v allocations, up to %d frames waited, %d asks", n, waited, p.a.edge.Counters.RxAsks)
	}
}

// TestPumpsMoveWithThePort: a port that moves to another domain is asked there.
func TestPumpsMoveWithThePort(t *testing.T) {
	p := up(t, pumpedOptions())
	w := p.a.pump(p.now)
	p.a.offered(w, 1000)
	to := NewDomain(time.Second)
	p.a.x.Transfer(p.a.edge, to, p.now)
	if all := p.a.edge.pumps(); len(all) != 1 || all[0] != Pump(w) || !to.asker.asking {
		t.Errorf("%v, asking %v", all, to.asker.asking)
	}
}
