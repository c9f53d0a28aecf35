package path

import (
	"testing"
	"time"

	"uelink/dataplane/model"
	"uelink/wire"
)

// paused is credited with PFC of the priorities 1 and 2 at both edges.
func paused(limit uint16) pairOptions {
	o := credited(limit)
	o.edge.PFC = model.PFCSettings{Priorities: 1<<1 | 1<<2, XOff: 8, XOn: 2, Headroom: 8, Rate: 1e9}
	return o
}

// pfcOf is the next PFC that a host has got; other frames are passed over.
func (e *end) pfcOf() (pause wire.PFC, ok bool) {
	for f := e.host.Recv(); f != nil; f = e.host.Recv() {
		if pause, fault := wire.ParsePFC(f); fault == wire.NoFault {
			return pause, true
		}
	}
	return wire.PFC{}, false
}

// stops has the host of an end stop a priority for so many quanta.
func (e *end) stops(priority int, quanta uint16) {
	var b [wire.MinFrameLen]byte
	f := wire.PFC{Enable: 1 << priority}
	f.Quanta[priority] = quanta
	e.host.Send(b[:wire.PutPFC(b[:], wire.MAC{2, 9}, f)])
}

// An end that leaves stops its host by PFC.
func TestEndThatLeavesStopsItsHost(t *testing.T) {
	p := up(t, paused(16))
	if !p.a.x.Pauses() {
		t.Error("the host is not known to obey PFC")
	}
	p.a.x.Leave(p.now)
	var request wire.PFC
	arrived := p.until(func() (ok bool) { request, ok = p.a.pfcOf(); return ok }, time.Second)
	if !arrived || request.Enable != 1<<1|1<<2 || request.Quanta[1] == 0 {
		t.Errorf("the host gets %+v", request)
	}
}

// A host that stops a priority stops its queue, its channel by credits, and at last the
// host at the other end by PFC: nothing is lost on the way, and it goes on when it is let.
func TestPauseGoesFromHostToHost(t *testing.T) {
	p := up(t, paused(16))
	p.lossless(t)
	p.b.stops(2, 0xFFFF)
	p.pass(1e6)
	var got [8]uint32
	sent, other := uint32(0), uint32(0)
	stopped := false
	for rounds := 0; rounds < 4000 && !stopped; rounds++ {
		if p.a.host.Send(tagged(2, sent)) {
			sent++
		}
		if p.a.host.Send(tagged(1, other)) {
			other++
		}
		for range 4 {
			p.round()
		}
		p.received(t, &got)
		request, ok := p.a.pfcOf()
		stopped = ok && request.Enable == 1<<2 && request.Quanta[2] > 0
	}
	if !stopped || got[2] != 0 {
		t.Fatalf("told to stop: %v, sent %v, got %v", stopped, sent, got)
	}
	p.pass(1e6)
	if p.received(t, &got); got[1] != other {
		t.Errorf("the other priority: %d of %d", got[1], other)
	}
	if s := p.b.edge.State(p.now).PFC; s.Stopped != 1<<2 || s.Rx.Priority[2].RxPause != 1 {
		t.Errorf("%+v", s)
	}
	p.b.stops(2, 0)
	resumed := p.until(func() bool {
		p.received(t, &got)
		request, ok := p.a.pfcOf()
		return ok && request.Quanta[2] == 0
	}, time.Second)
	p.pass(20e6)
	if p.received(t, &got); !resumed || got[2] != sent {
		t.Errorf("let go on: %v; %d of %d", resumed, got[2], sent)
	}
	for _, e := range []*end{p.a, p.b} {
		if c := e.edge.Counters; c.RxDropPFC+c.RxDropNoBuffer+c.TxDropQueueFull > 0 {
			t.Errorf("%s: %+v", e.name, c)
		}
	}
	p.atRest(t, 2)
}

// A host that goes on although it was told to stop loses what finds no room, which is counted.
func TestHostThatDoesNotHonourPFC(t *testing.T) {
	p := up(t, paused(16))
	p.lossless(t)
	p.b.stops(2, 0xFFFF)
	p.pass(1e6)
	for n := range uint32(100) {
		for !p.a.host.Send(tagged(2, n)) {
			p.round()
		}
		p.round()
	}
	p.pass(5e6)
	c := p.a.edge.Counters
	if want := uint64(100 - 16 - 16); c.RxDropPFC == 0 || c.RxDropPFC > want {
		t.Errorf("%d frames were dropped, want 1 to %d: %+v", c.RxDropPFC, want, c)
	}
}

// A pause has its time, also if nobody ends it; one without a break is told.
func TestPauseThatIsNeverEnded(t *testing.T) {
	p := up(t, paused(16))
	p.lossless(t)
	for range 2 * int(time.Second/(20*time.Millisecond)) {
		p.b.stops(1, 0xFFFF) // 33 ms at 1 Gb/s
		p.pass(20e6)
	}
	if !p.b.reports(model.EventPFC, "priority 1") {
		t.Error("not told")
	}
	p.pass(40e6)
	if p.b.edge.egress.halted != 0 || !p.crosses(tagged(1, 0)) {
		t.Errorf("%b", p.b.edge.egress.halted)
	}
}

// A port that has not agreed to PFC passes it over, and counts it.
func TestPFCThatWasNotAgreedOn(t *testing.T) {
	p := up(t, credited(16))
	p.b.stops(1, 0xFFFF)
	p.pass(1e6)
	if p.b.edge.egress.halted != 0 || p.b.edge.Counters.RxMACControl != 1 {
		t.Errorf("%b, %+v", p.b.edge.egress.halted, p.b.edge.Counters)
	}
	p = up(t, paused(16))
	p.b.stops(5, 0xFFFF)
	p.pass(1e6)
	if s := p.b.edge.State(p.now).PFC; s.Stopped != 0 || s.Rx.Priority[5].Ignored != 1 {
		t.Errorf("%+v", s)
	}
}
