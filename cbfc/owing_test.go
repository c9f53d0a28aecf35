package cbfc

import (
	"testing"

	"uelink/wire"
)

// owes is a pair with a total of 100 for two channels, of which the receiver holds 60 credits of VC 1.
func owes(t *testing.T) *pair {
	t.Helper()
	p := started(t, totalOf(100, Profile{}, Profile{}))
	for range 60 {
		p.send(1, 60)
	}
	return p
}

// stops has the sender want VC 1 as best effort.
func (p *pair) stops() {
	s := p.a.Tx.settings
	s.Lossless = 1
	p.a.Configure(s, p.now)
}

// wantsOf fills VC 0 as far as it goes, and checks that the receiver never holds more than the total.
func (p *pair) wantsOf(n int) {
	p.t.Helper()
	if got := p.fills(0); got[0] != n || p.b.Rx.Held > 100 {
		p.t.Fatalf("%d frames left, want %d; %d credits are held of 100", got[0], n, p.b.Rx.Held)
	}
}

// TestPoolOfAChannelThatStopsWhileItsFramesAreHeld: the channel is best effort after a second. The others do not
// get its part of the total before the receiver has said that it holds nothing of it, which is asked for again where
// that was lost.
func TestPoolOfAChannelThatStopsWhileItsFramesAreHeld(t *testing.T) {
	for name, lost := range map[string]bool{"told": false, "told, and that is lost": true} {
		t.Run(name, func(t *testing.T) {
			p := owes(t)
			p.stops()
			p.pass(askLimit)
			p.phase(1, BestEffort)
			p.wantsOf(40)
			p.pass(20 * second)
			p.wantsOf(0)
			if lost {
				p.b.cuts = cutsOp(wire.ChannelStopped)
			}
			p.b.Rx.Free(1, 60)
			p.exchange()
			if p.b.cuts = nil; lost {
				p.wantsOf(0)
				p.pass(retryLast)
			}
			p.phase(1, BestEffort)
			p.wantsOf(60)
		})
	}
}

// TestPoolOfAPartnerWithoutCBFCForAWhile: what it held before it may still hold when it has CBFC again, whether
// the channel is wanted then or not.
func TestPoolOfAPartnerWithoutCBFCForAWhile(t *testing.T) {
	for name, wanted := range map[string]bool{"wanted": true, "no longer wanted": false} {
		t.Run(name, func(t *testing.T) {
			p := owes(t)
			p.a.env.CBFC = false
			p.exchange()
			if !wanted {
				p.stops()
			}
			p.a.env.CBFC = true
			p.pass(2 * underWay)
			p.phase(0, Lossless)
			p.wantsOf(40)
			p.b.Rx.Free(1, 60)
			p.pass(2 * underWay)
			p.wantsOf(60)
			if phase := p.a.Tx.vc[1].channel.phase; (phase == Lossless) != wanted {
				t.Errorf("VC 1 is %v", phase)
			}
		})
	}
}

// TestReloadDoesNotForgetWhatIsHeld of a channel that was no longer wanted while there was no partner.
func TestReloadDoesNotForgetWhatIsHeld(t *testing.T) {
	p := owes(t)
	p.a.PartnerLost()
	p.stops()
	p.stops()
	p.pass(2 * underWay)
	p.phase(0, Lossless)
	p.wantsOf(40)
	p.b.Rx.Free(1, 60)
	p.pass(2 * underWay)
	p.wantsOf(60)
}

// TestNothingIsAskedOfAChannelThatHasEnded: without a part of a total there is nothing to ask for.
func TestNothingIsAskedOfAChannelThatHasEnded(t *testing.T) {
	p := owes(t)
	p.b.Rx.Free(1, 60)
	p.stops()
	p.exchange()
	p.phase(1, BestEffort)
	p.a.sent = nil
	if p.pass(10 * second); says(p.a.sent, wire.ChannelStop) != 0 || p.a.Tx.owing() != 0 {
		t.Errorf("%d questions, owing %b", says(p.a.sent, wire.ChannelStop), p.a.Tx.owing())
	}
}
