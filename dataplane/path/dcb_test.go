package path

import (
	"slices"
	"testing"
	"time"

	"uelink/dataplane/model"
	"uelink/dataplane/sched"
	"uelink/wire"
)

// byDCBX is paused with what DCBX agrees on.
func byDCBX() pairOptions {
	o := paused(16)
	o.edge.PFC.Priorities, o.edge.PFC.Dynamic = 0, true
	return o
}

// exchanges has DCBX come to something at the edge of an end.
func (e *end) exchanges(p *pair, b model.DCB) {
	e.edge.DCB = b
	e.edge.Set(p.o.edge, p.now)
	e.x.rest = 0
}

// agreedPFC is that the host has agreed on PFC for some priorities.
func agreedPFC(priorities uint8) model.DCB {
	return model.DCB{Running: true, Agreed: true, PFC: priorities}
}

// inForce is the priorities that have PFC.
func (e *end) inForce(p *pair) uint8 { return e.edge.State(p.now).PFC.Settings.Priorities }

// DCBX, 3.2.4: PFC is on for the priorities that DCBX has agreed on, and off with FALSE.
func TestPFCOfTheAgreedPrioritiesOnly(t *testing.T) {
	p := up(t, byDCBX())
	p.lossless(t)
	p.b.stops(2, 0xFFFF)
	p.pass(1e6)
	if s := p.b.edge.State(p.now).PFC; s.Stopped != 0 || s.Rx.Priority[2].Ignored != 1 {
		t.Errorf("nothing is agreed on: %+v", s)
	}
	p.b.exchanges(p, agreedPFC(1<<2))
	p.b.stops(1, 0xFFFF)
	p.b.stops(2, 0xFFFF)
	p.pass(1e6)
	if s := p.b.edge.State(p.now).PFC; s.Stopped != 1<<2 || s.Rx.Priority[1].Ignored != 1 || s.DCB != agreedPFC(1<<2) {
		t.Errorf("2 is agreed on: %+v", s)
	}
	if !p.b.reports(model.EventPFC, "priorities 2") {
		t.Error("not told that it is")
	}
	for _, c := range []struct {
		dcb  model.DCB
		text string
	}{
		{model.DCB{Running: true}, "has not agreed"},
		{agreedPFC(1 << 2), "priorities 2"},
		{agreedPFC(0), "DCBX has agreed on none"},
		{agreedPFC(1<<2 | 1<<1), "priorities 1, 2"},
		{model.DCB{}, "does not run"},
	} {
		p.b.exchanges(p, c.dcb)
		p.pass(1e6)
		s := p.b.edge.State(p.now).PFC
		if s.Settings.Priorities != c.dcb.PFC || s.Stopped != 0 || !p.b.reports(model.EventPFC, c.text) {
			t.Errorf("%+v: %+v", c.dcb, s)
		}
	}
}

// Where PFC is taken back, what the host has stopped goes on, and what it was told to stop is let
// go on: nothing waits for ever, and nothing is lost that had room.
func TestPFCIsTakenBackWhileItStops(t *testing.T) {
	p := up(t, byDCBX())
	p.lossless(t)
	p.both(func(e *end) { e.exchanges(p, agreedPFC(1<<1|1<<2)) })
	p.b.stops(2, 0xFFFF)
	p.pass(1e6)
	var got [8]uint32
	sent, reported := uint32(0), false
	for rounds := 0; rounds < 4000 && !reported; rounds++ {
		if p.a.host.Send(tagged(2, sent)) {
			sent++
		}
		for range 4 {
			p.round()
		}
		pause, ok := p.a.pfcOf()
		reported = ok && pause.Enable == 1<<2 && pause.Quanta[2] > 0
	}
	if p.received(t, &got); !reported || got[2] != 0 {
		t.Fatalf("told to stop: %v, %v came", reported, got)
	}
	p.both(func(e *end) { e.exchanges(p, model.DCB{Running: true}) })
	lifted := p.until(func() bool {
		p.received(t, &got)
		pause, ok := p.a.pfcOf()
		return ok && pause.Enable == 1<<2 && pause.Quanta[2] == 0
	}, time.Second)
	p.pass(20e6)
	if p.received(t, &got); !lifted || got[2] != sent {
		t.Errorf("let go on: %v; %d of %d", lifted, got[2], sent)
	}
	p.atRest(t, 2)
}

// DCBX, 3.2: without PFC the host falls back to 802.3x PAUSE, which stops every queue.
func TestPAUSEWhilePFCIsNotAgreedOn(t *testing.T) {
	o := byDCBX()
	o.edge.PFC.Pause = true
	p := up(t, o)
	p.lossless(t)
	p.b.exchanges(p, model.DCB{Running: true})
	var f [wire.MinFrameLen]byte
	copy(f[:], []byte{0x01, 0x80, 0xC2, 0, 0, 1, 2, 9, 0, 0, 0, 0, 0x88, 0x08, 0, 1, 0xFF, 0xFF})
	p.b.host.Send(f[:])
	p.pass(1e6)
	if s := p.b.edge.State(p.now).PFC; s.Stopped != 0xFF || s.Rx.RxPause != 1 {
		t.Errorf("%+v", s)
	}
}

// Static PFC is none of DCBX's business, and neither is the scheduler of the configuration.
func TestWhatDCBXDoesNotChange(t *testing.T) {
	p := up(t, paused(16))
	p.o.edge.Scheduler.Queues[3].Weight = 7
	configured := p.o.edge.Scheduler
	groups := sched.PriorityGroups{Percentage: [8]uint8{100}}
	p.b.exchanges(p, model.DCB{Running: true, Agreed: true, PFC: 1 << 7, PG: groups})
	p.pass(1e6)
	if priorities := p.b.inForce(p); priorities != 1<<1|1<<2 || p.b.edge.settings.Scheduler != configured ||
		p.b.reports(model.EventPFC, "") {
		t.Errorf("priorities %b, scheduler %+v", priorities, p.b.edge.settings.Scheduler)
	}
}

// lift lets the queues of an end go on that its host has stopped.
func (e *end) lift(priorities uint8) {
	var b [wire.MinFrameLen]byte
	e.host.Send(b[:wire.PutPFC(b[:], wire.MAC{2, 9}, wire.PFC{Enable: priorities})])
}

// order is the priorities of the frames that the host of b gets, in order.
func (p *pair) order() (list []uint8) {
	for f := p.b.host.Recv(); f != nil; f = p.b.host.Recv() {
		list = append(list, f[14]>>5)
	}
	return list
}

// DCBX, 3.1.1: the queues of an edge leave by the groups: group 15 first, the others by their
// percentages. Where DCBX does not run it is the scheduler of the settings again.
func TestPriorityGroupsAreTheScheduler(t *testing.T) {
	o := byDCBX()
	o.edge.Groups = true
	p := up(t, o)
	p.lossless(t)
	b := agreedPFC(0b111)
	b.PG = sched.PriorityGroups{Group: [8]uint8{15, 0, 1, 2, 2, 2, 2, 2}, Percentage: [8]uint8{75, 25}}
	wait := func() []uint8 {
		for priority := range 3 {
			p.b.stops(priority, 0xFFFF)
		}
		p.pass(1e6)
		for n := range uint32(8) {
			for _, priority := range []uint8{2, 1, 0} {
				for !p.a.host.Send(tagged(priority, n)) {
					p.round()
				}
				p.round()
			}
		}
		p.pass(2e6)
		if early := p.order(); len(early) > 0 {
			t.Fatalf("%v came although all are stopped", early)
		}
		p.b.lift(0b111)
		p.pass(20e6)
		return p.order()
	}
	p.b.exchanges(p, b)
	got := wait()
	if len(got) != 24 || slices.Contains(got[:8], 1) || slices.Contains(got[:8], 2) {
		t.Errorf("group 15 is not first: %v", got)
	} else if ones := count(got[8:16], 1); ones < 5 || ones > 7 {
		t.Errorf("%d of the first 8 are of the group with 75 %%: %v", ones, got)
	}
	b.PG = sched.PriorityGroups{Group: [8]uint8{0: 1, 1: 15, 2: 1}, Percentage: [8]uint8{0, 100}}
	p.b.exchanges(p, b)
	if got := wait(); len(got) != 24 || count(got[:8], 1) != 8 {
		t.Errorf("the new group 15 is not first: %v", got)
	}
	p.b.exchanges(p, model.DCB{})
	if scheduler := p.b.edge.settings.Scheduler; scheduler != p.o.edge.Scheduler {
		t.Errorf("without DCBX: %+v", scheduler)
	}
}

func count(list []uint8, value uint8) (n int) {
	for _, element := range list {
		if element == value {
			n++
		}
	}
	return n
}

// An interface that goes and comes changes nothing: DCBX itself tells what becomes of it.
func TestAgreementOutlivesTheInterface(t *testing.T) {
	p := up(t, byDCBX())
	p.lossless(t)
	p.a.exchanges(p, agreedPFC(1<<2))
	p.a.x.Detach(p.a.edge, p.now)
	p.a.plugEdge(p)
	p.a.x.SetUp(p.a.edge, true, p.now)
	p.a.stops(2, 0xFFFF)
	p.pass(1e6)
	if s := p.a.edge.State(p.now).PFC; s.Settings.Priorities != 1<<2 || s.Stopped != 1<<2 {
		t.Errorf("%+v", s)
	}
}
