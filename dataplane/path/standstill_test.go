package path

import (
	"testing"
	"time"

	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/llr"
)

// held is a device whose sends do not complete while it is held, but so many as are let
// go: a host that stands still, or is slow.
type held struct {
	frame.Device
	hold  bool
	letGo int
}

func (h *held) Completed(into []uint64) int {
	if !h.hold {
		return h.Device.Completed(into)
	}
	n := h.Device.Completed(into[:min(len(into), h.letGo)])
	h.letGo -= n
	return n
}

// holdEdge puts a device that can be held at the place of an end's edge.
func (e *end) holdEdge() *held {
	h := &held{Device: e.edge.device()}
	e.edge.sources[0].device = h
	return h
}

// An edge that stands still for ten seconds holds up nothing but what is sent to it: the
// other direction of its link goes on, LLR does not flush, and what waited arrives when it
// goes on.
func TestEdgeThatStandsStill(t *testing.T) {
	inOneGoroutine(t)
	for name, count := range map[string]uint8{"REPLAY_COUNT_MAX 1": 1, "REPLAY_COUNT_MAX 100": 100} {
		t.Run(name, func(t *testing.T) {
			o := defaults()
			o.profile.MaxReplayCount = count
			p := up(t, o)
			edge := p.b.holdEdge()
			f := &traffic{pair: p, t: t, ends: []*end{p.a, p.b}}
			f.pass(10 * time.Millisecond)
			edge.hold = true
			f.pass(100 * time.Millisecond)
			if !p.b.l.pushback.refusing || !p.b.reports(model.EventStandstill, "takes no frames") ||
				!p.a.reports(model.EventPartner, "takes no frames now") || !p.a.l.Partner.Busy() {
				t.Errorf("refusing %v, partner busy %v", p.b.l.pushback.refusing, p.a.l.Partner.Busy())
			}
			sent, before := p.b.sent, p.a.delivered
			f.pass(10 * time.Second)
			sent, before = p.b.sent-sent, p.a.delivered-before
			if sent < 100_000 || before < sent*95/100 {
				t.Errorf("the other direction: %d frames sent, %d delivered", sent, before)
			}
			replays := p.a.l.LLR.Counters().TxReplay
			edge.hold = false
			f.pass(100 * time.Millisecond)
			if !p.b.reports(model.EventStandstill, "takes frames again") ||
				!p.a.reports(model.EventPartner, "takes frames again") || p.a.l.Partner.Busy() {
				t.Error("the end of it was not told")
			}
			f.whole()
			for _, e := range []*end{p.a, p.b} {
				if c := e.l.LLR.Counters(); c.TxFlush+c.TxReinit != 0 || e.l.LLR.Tx.State() != llr.TxAdvance {
					t.Errorf("%s: %v", e.name, e)
				}
			}
			t.Logf("%d frames were refused, %d replays meanwhile, %d in all",
				p.b.l.Port.Counters.RxRefused, replays, p.a.l.LLR.Counters().TxReplay)
		})
	}
}

// An edge that goes away while it stands still is an edge that is down.
func TestEdgeThatStandsStillGoesDown(t *testing.T) {
	inOneGoroutine(t)
	p := up(t, defaults())
	edge := p.b.holdEdge()
	f := &traffic{pair: p, t: t, ends: []*end{p.a}}
	edge.hold = true
	f.during("it stands still", func() bool { return p.b.l.pushback.refusing })
	p.b.x.SetUp(p.b.edge, false, p.now)
	f.pass(100 * time.Millisecond)
	if p.b.l.pushback.refusing || p.b.edge.Counters.TxDropDown == 0 || p.a.l.Partner.Busy() {
		t.Errorf("refusing %v, dropped %d", p.b.l.pushback.refusing, p.b.edge.Counters.TxDropDown)
	}
}

// A slow edge does not have everything that is outstanding sent again for each frame that
// it takes.
func TestSlowEdgeCostsLittle(t *testing.T) {
	inOneGoroutine(t)
	p := up(t, defaults())
	edge := p.b.holdEdge()
	f := &traffic{pair: p, t: t, ends: []*end{p.a}}
	began := p.a.l.LLR.Counters().TxOK
	edge.hold = true
	f.pass(100 * time.Millisecond)
	before := p.b.edge.Counters.TxFrames
	for range 1000 {
		edge.letGo++
		f.pass(5 * time.Millisecond)
	}
	sent, frames := p.a.l.LLR.Counters().TxOK-began, p.b.edge.Counters.TxFrames-before
	if t.Logf("%d sent for %d frames that it took", sent, frames); frames < 900 || sent > 10*frames {
		t.Errorf("%d sent for %d frames that it took", sent, frames)
	}
	edge.hold = false
	f.whole()
}
