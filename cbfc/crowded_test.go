package cbfc

import (
	"testing"

	"uelink/wire"
)

// TestOverrunBeginsAnew: a channel that has sent more than was granted, with a limit that it has from who knows where,
// has the limit of its receiver when that has freed what it holds.
func TestOverrunBeginsAnew(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	p.a.Tx.vc[0].limit = 150
	p.fill(0, 60)
	p.pass(2 * second)
	p.phase(0, Asking)
	p.failure(0, StillHeld)
	p.b.Rx.Free(0, 150)
	p.pass(2 * underWay)
	p.phase(0, Lossless)
	p.fill(0, 60)
	p.want(0, counts{100, 0, 100, 0})
	if n := p.b.Tx.vc[0].counters.Overruns; n != 50 {
		t.Errorf("%d overruns", n)
	}
}

// grants has b grant other limits, or a total.
func (p *pair) grants(total uint16, limits ...uint16) {
	s := p.b.Rx.settings
	s.Total = total
	copy(s.Limit[:], limits)
	p.b.Configure(s, p.now)
	p.exchange()
}

// TestLimitsThatAreExchanged: the channel that gets more waits until the other holds no more than it has now, for
// both share a buffer.
func TestLimitsThatAreExchanged(t *testing.T) {
	p := newPair(t, settingsOf(3, 100))
	p.grants(0, 30, 70)
	p.fill(1, 60)
	p.pass(underWay)
	p.grants(0, 70, 30)
	for range 10 {
		p.pass(second)
		p.phase(0, Asking)
		p.failure(0, StillHeld)
	}
	p.b.Rx.Free(1, 40)
	p.pass(askInterval)
	p.phase(0, Lossless)
	p.phase(1, Asking)
	if n := len(p.fill(0, 60)); n != 70 || p.b.Rx.Held != 100 {
		t.Errorf("%d frames, %d held", n, p.b.Rx.Held)
	}
	p.b.Rx.Free(1, 30)
	p.pass(askInterval)
	p.phase(1, Lossless)
}

// TestTotalInPlaceOfLimits, and limits in place of a total: what was granted before and is still held counts.
func TestTotalInPlaceOfLimits(t *testing.T) {
	p := newPair(t, settingsOf(3, 50))
	p.exchange()
	p.fill(1, 60)
	p.pass(underWay)
	p.grants(100, 1, 1)
	p.pass(second)
	p.phase(0, Asking)
	p.phase(1, Asking)
	p.b.Rx.Free(1, 50)
	p.pass(2 * underWay)
	if n := p.fills(0); n[0] != 100 || p.b.Rx.Held != 100 {
		t.Errorf("%d frames, %d held", n[0], p.b.Rx.Held)
	}
	p.grants(0, 50, 50)
	p.pass(second)
	p.phase(1, Asking)
	p.b.Rx.Free(0, 50)
	p.pass(askInterval)
	p.phase(0, Asking)
	p.phase(1, Lossless)
	if n := len(p.fill(1, 60)); n != 50 || p.b.Rx.Held != 100 {
		t.Errorf("%d frames, %d held", n, p.b.Rx.Held)
	}
	p.b.Rx.Free(0, 50)
	p.pass(askInterval)
	p.phase(0, Lossless)
}

// TestTotalInPlaceOfLimitsThatOneSenderHasNotHeardOf: while the UNKNOWN of a channel is lost its sender goes on with
// the limit that it had. So no other gets the total yet: both together would overflow the buffer.
func TestTotalInPlaceOfLimitsThatOneSenderHasNotHeardOf(t *testing.T) {
	p := started(t, settingsOf(3, 50))
	p.b.cuts = func(c wire.CtlOS) bool {
		ch, ok := c.Channel()
		return ok && ch.Op == wire.ChannelUnknown && ch.VC == 1
	}
	p.grants(100, 1, 1)
	p.pass(5 * ms)
	p.phase(1, Lossless)
	if n := p.fills(0, 1); n[0] != 0 || n[1] != 50 || p.b.Rx.Held > 100 {
		t.Errorf("%d and %d frames left, %d credits are held", n[0], n[1], p.b.Rx.Held)
	}
	p.phase(0, Asking)
	p.b.cuts = nil
	p.b.Rx.Free(1, 50)
	p.pass(3 * refreshFirst)
	if n := p.fills(0, 1); n[0]+n[1] != 100 || p.b.Rx.Held != 100 {
		t.Errorf("with the total %d and %d frames left, %d credits are held", n[0], n[1], p.b.Rx.Held)
	}
}
