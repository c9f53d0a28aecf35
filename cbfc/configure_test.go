package cbfc

import (
	"testing"

	"uelink/wire"
)

// TestStopUnderWayAndWantedAgain: the start follows at once.
func TestStopUnderWayAndWantedAgain(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	p.send(0, 60)
	p.a.Configure(settingsOf(0, 100), p.now)
	p.exchange()
	p.phase(0, Asking)
	p.a.Configure(settingsOf(1, 100), p.now)
	p.b.Rx.Free(0, 1)
	p.exchange()
	p.phase(0, Lossless)
	p.rests(0)
}

// TestConfigureWhileAsking in any order ends as it is set last.
func TestConfigureWhileAsking(t *testing.T) {
	for n := range 1 << 6 {
		p := newPair(t, settingsOf(1, 100))
		if n&1 != 0 {
			p.exchange()
		} else {
			p.a.Poll(p.now, &p.a.env, make([]wire.CtlOS, 0, 8))
		}
		for step := n >> 1; step > 0; step >>= 1 {
			s := settingsOf(uint32(step&1), 100)
			if step&2 != 0 {
				s.CFMaxSpacing++
			}
			p.a.Configure(s, p.now)
			if step&4 != 0 {
				p.a.say(p.now) // is lost
			}
		}
		p.pass(2 * askInterval)
		want := BestEffort
		if p.a.Tx.settings.Lossless == 1 {
			want = Lossless
		}
		p.phase(0, want)
		if on := p.b.Rx.on&1 != 0; on != (want == Lossless) {
			t.Errorf("case %d: a is %v, b counts: %v", n, want, on)
		}
	}
}

// TestAnotherSizeAtBothEnds: each channel starts again; until it has, both ends count by the old size.
func TestAnotherSizeAtBothEnds(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	s := settingsOf(1, 100)
	s.Size.Credit = 128
	b := s
	b.Lossless = 0
	p.b.Configure(b, p.now)
	if credits, ok := p.send(0, 1514); !ok || credits != 24 {
		t.Errorf("%d credits, %v", credits, ok)
	}
	p.b.Rx.Free(0, 24)
	p.exchange()
	p.phase(0, BestEffort)
	p.failure(0, OtherSize)
	p.a.Configure(s, p.now)
	p.pass(underWay)
	if credits, ok := p.send(0, 1514); !ok || credits != 12 {
		t.Errorf("%d credits, %v", credits, ok)
	}
}

// TestAnotherLimitOfTheReceiver: the sender gets UNKNOWN and starts again, also if the first UNKNOWN is lost.
func TestAnotherLimitOfTheReceiver(t *testing.T) {
	p := started(t, settingsOf(3, 100))
	b := p.b.Rx.settings
	b.Limit[0] = 40
	p.b.cuts = cutsOp(wire.ChannelUnknown)
	p.b.Configure(b, p.now)
	p.exchange()
	p.b.cuts = nil
	p.pass(3 * refreshFirst)
	if n := p.a.Tx.vc; n[0].limit != 40 || n[1].limit != 100 || n[0].counters.Starts != 2 || n[1].counters.Starts != 1 {
		t.Errorf("limits %d, %d; starts %d, %d", n[0].limit, n[1].limit, n[0].counters.Starts, n[1].counters.Starts)
	}
	b.Total = 80
	p.b.Configure(b, p.now)
	p.pass(underWay)
	if n := p.fills(0, 1); n[0] != 40 || n[1] != 40 {
		t.Errorf("%v", n)
	}
}

// TestAnotherLimitBeforeTheAnswerIsRepeated: the answer to the same question stays what it was; the new limit
// comes by a start of its own.
func TestAnotherLimitBeforeTheAnswerIsRepeated(t *testing.T) {
	p := newPair(t, settingsOf(1, 40))
	p.b.cuts = cutsOp(wire.ChannelStarted)
	p.exchange()
	b := p.b.Rx.settings
	b.Limit[0] = 100
	p.b.Configure(b, p.now)
	p.b.cuts = nil
	p.now = p.now.Add(askInterval)
	p.b.ReceivedControl(p.a.say(p.now), &p.b.env, p.now)
	answer := p.b.say(p.now)
	p.a.ReceivedControl(answer, &p.a.env, p.now)
	if s, r := p.a.Tx.vc[0].limit, p.b.Rx.vc[0].limit; s > r {
		t.Errorf("the sender has a limit of %d, the receiver one of %d", s, r)
	}
	p.pass(4 * refreshFirst)
	if n := p.fill(0, 60); len(n) != 100 {
		t.Errorf("%d frames", len(n))
	}
}

// TestReceiverSwitchedOff: its sender gets UNKNOWN, and goes on without credits.
func TestReceiverSwitchedOff(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	p.send(0, 60)
	b := p.b.Rx.settings
	b.On = false
	p.b.Configure(b, p.now)
	p.exchange()
	p.phase(0, BestEffort)
	p.failure(0, Refused)
	p.b.Rx.Free(0, 1)
	if !p.b.Rx.Off() || p.b.Rx.Held != 0 {
		t.Errorf("%d held", p.b.Rx.Held)
	}
}
