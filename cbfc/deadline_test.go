package cbfc

import (
	"testing"

	"uelink/wire"
)

func TestDeadlineOfNothing(t *testing.T) {
	p := newEnd(Settings{}, 1)
	p.say(second)
	if d := p.Deadline(); d != wire.Never {
		t.Errorf("%d", d)
	}
	p = newEnd(settingsOf(1, 100), 1)
	p.env.Known = false
	p.say(second)
	if d := p.Deadline(); d != wire.Never {
		t.Errorf("without a partner: %d", d)
	}
}

// TestDeadlineOfACCUpdateThatCannotLeave: when it is due it is one, afterwards it is none. LLR may
// not let it leave for long.
func TestDeadlineOfACCUpdateThatCannotLeave(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	p.send(0, 60)
	if d := p.a.Deadline(); d != p.now+10*ms {
		t.Fatalf("in %d ns", d.Sub(p.now))
	}
	p.pass(20 * ms)
	if !p.a.Tx.CCDue(p.now) {
		t.Error("not due any more")
	}
	p.update(wire.DialectSeed)
	if d := p.a.Deadline(); d != p.now+10*ms {
		t.Errorf("the next in %d ns", d.Sub(p.now))
	}
}

// TestNoCCUpdateWhileAChannelMoves, and no deadline of one either.
func TestNoCCUpdateWhileAChannelMoves(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	p.send(0, 60)
	p.b.cuts = cutsAll
	p.a.Configure(settingsOf(3, 100), p.now)
	p.pass(500 * ms)
	if p.a.Tx.CCDue(p.now) {
		t.Error("due while VC 1 starts")
	}
	p.pass(askLimit)
	if !p.a.Tx.CCDue(p.now) {
		t.Error("not due afterwards")
	}
}

// TestDeadlineOfAnAnswer: a question is answered as soon as no frame is held.
func TestDeadlineOfAnAnswer(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	p.send(0, 60)
	p.a.Configure(settingsOf(0, 100), p.now)
	p.exchange()
	if d := p.b.Deadline(); d <= p.now {
		t.Error("at once, though a frame is held")
	}
	p.b.Rx.Free(0, 1)
	if d := p.b.Deadline(); d > p.now {
		t.Errorf("in %d ns, though the question can be answered", d.Sub(p.now))
	}
	p.exchange()
	p.phase(0, BestEffort)
}

// TestDeadlinesOfEveryState: no state wants to be called at once again and again. pass checks it; so
// does the simulation.
func TestDeadlinesOfEveryState(t *testing.T) {
	s := settingsOf(3, 100)
	s.Timeout = 30 * ms
	for name, set := range map[string]func(*pair){
		"nobody answers":   func(p *pair) { p.b.cuts = cutsAll },
		"nobody asks":      func(p *pair) { p.a.cuts = cutsAll },
		"never drained":    func(p *pair) { p.a.env.Unacked = 1 },
		"no partner":       func(p *pair) { p.a.env.Known = false },
		"partner lost":     func(p *pair) { p.a.PartnerLost(); p.a.env.Known = false },
		"no LLR":           func(p *pair) { p.a.env.LLR = false },
		"partner off":      func(p *pair) { p.a.env.CBFC = false },
		"blocked":          func(p *pair) { p.fill(0, 60); p.a.Tx.Block(0, p.now) },
		"other at partner": func(p *pair) { b := p.b.Rx.settings; b.Size.Credit = 32; p.b.Configure(b, p.now) },
		"never idle":       func(p *pair) { p.b.env.Idle = false; p.send(0, 60); p.b.Rx.Free(0, 1) },
	} {
		for _, first := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				p := newPair(t, s)
				if first {
					p.exchange()
				}
				set(p)
				p.pass(10 * second)
			})
		}
	}
}
