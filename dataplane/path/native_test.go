package path

import (
	"testing"
	"time"

	"uelink/dataplane/fault"
	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/wire"
)

// Frames are sent without a shim until the partner is known: those on their way then are
// delivered. So nothing is lost while a static link comes up on a clean wire.
func TestNothingIsLostWhileALinkComesUp(t *testing.T) {
	inOneGoroutine(t)
	for _, delay := range []time.Duration{0, 50 * time.Microsecond, 200 * time.Microsecond, 500 * time.Microsecond} {
		for _, later := range []time.Duration{0, 1e6, 300e6} { // when b is there
			o := defaults()
			o.profile.InitAction = llr.BestEffort
			o.wire = fault.Config{Delay: delay}
			p := newPair(o, 7)
			p.b.setCarrier(p, false)
			p.pass(later)
			p.b.setCarrier(p, true)
			f := &traffic{pair: p, t: t, ends: []*end{p.a, p.b}}
			f.pass(250 * time.Millisecond)
			if !p.established() {
				t.Fatalf("delay %v: LLR does not come up", delay)
			}
			f.whole()
		}
	}
}

// damage flips a bit of the EtherType of every n-th data frame.
func damage(n int) func(f []byte) int {
	seen := 0
	return func(f []byte) int {
		if wire.EtherType(f) == wire.EtherTypeData {
			if seen++; seen%n == 0 {
				bit := seen / n % 16
				f[12+bit/8] ^= 1 << (bit % 8)
			}
		}
		return len(f)
	}
}

// A bit that flips in the EtherType of a data frame makes a frame without a shim of it:
// it is never delivered, in no mode, dialect or state.
func TestDamagedEtherTypeIsNeverDelivered(t *testing.T) {
	inOneGoroutine(t)
	for _, mode := range []model.LLRMode{model.LLRStatic, model.LLRDynamic} {
		for _, d := range []wire.Dialect{wire.DialectSeed, wire.DialectUE1} {
			o := defaults()
			o.ports.LLR.Mode, o.ports.Dialect = mode, d
			p := newPair(o, 7)
			p.both(func(e *end) { e.between.changes = damage(7) })
			f := &traffic{pair: p, t: t, ends: []*end{p.a, p.b}}
			p.both(func(e *end) { e.agree(p, agreedOn()) })
			f.during("LLR comes up", p.established)
			f.pass(100 * time.Millisecond)
			if mode == model.LLRDynamic {
				p.both(func(e *end) { e.agree(p, Negotiated{Partner: "withdrawn"}) })
				f.pass(20 * time.Millisecond)
				p.both(func(e *end) { e.agree(p, agreedOn()) })
				f.during("LLR comes up again", p.established)
			}
			// What was not sequenced on the way may be lost by the damage, and is missed when the next frame comes: not
			// what was.
			sentA, sentB := p.a.sent, p.b.sent
			f.during("the next frame comes", func() bool { return p.b.delivered > sentA && p.a.delivered > sentB })
			lost := p.a.gaps + p.b.gaps
			f.pass(100 * time.Millisecond)
			p.both(func(e *end) { e.between.changes = nil })
			f.ends = nil
			f.pass(100 * time.Millisecond)
			if now := p.a.gaps + p.b.gaps; now != lost || mode == model.LLRStatic && lost != 0 {
				t.Errorf("%s, %v: %d frames lost, %d of them while LLR was up", mode, d, now, now-lost)
			}
			if n := p.a.l.Port.Counters.RxNativeDropped; n == 0 {
				t.Errorf("%s, %v: none was dropped", mode, d)
			}
		}
	}
}

// While LLR is given up, a damaged EtherType does not make the receiver believe that the
// partner has ended: what the partner has outstanding is delivered.
func TestDamagedEtherTypeDoesNotEndARetiringReceiver(t *testing.T) {
	p := dynamicPair(t)
	p.both(func(e *end) { e.agree(p, agreedOn()) })
	if !p.until(p.established, time.Second) {
		t.Fatal("LLR does not come up")
	}
	p.b.between.changes = damage(2)
	p.a.offer(p.a.sent + 40)
	p.pass(10e3)
	p.b.agree(p, Negotiated{Partner: "withdrawn"})
	p.pass(1e6)
	if p.b.l.LLR.Rx.State() == llr.RxOff {
		t.Fatal("the receiver is off")
	}
	p.b.between.changes = nil
	f := &traffic{pair: p, t: t}
	f.whole()
}

// An ordinary frame whose payload looks like a preamble crosses a wire on which there are
// no shims.
func TestPayloadThatLooksLikeAShim(t *testing.T) {
	o := defaults()
	o.ports.LLR.Mode = model.LLROff
	p := newPair(o, 7)
	if !p.crosses(to(unicast, 0x90, 0x01, 0x55, 0x55, 0x55, 0xDD)) {
		t.Error("it does not cross")
	}
}

// Where native frames are the host's, none is sent: neither while LLR comes up, nor to a partner that is not known, nor
// with LLR off.
func TestNoNativeFrameIsSentBesideTheHost(t *testing.T) {
	for _, mode := range []model.LLRMode{model.LLRStatic, model.LLROff} {
		o := defaults()
		o.ports.LLR.Mode = mode
		o.profile.InitAction, o.profile.FlushAction = llr.BestEffort, llr.BestEffort
		p := newPair(o, 7)
		p.both(func(e *end) { e.l.SetShimOnly(true) })
		p.b.setCarrier(p, false)
		p.a.offer(8)
		p.pass(50e6)
		if c := p.a.l.Port.Counters; c.TxNative != 0 || c.TxDropNoPartner != 8 {
			t.Errorf("%s, to nobody: %d native, %d dropped", mode, c.TxNative, c.TxDropNoPartner)
		}
		p.b.setCarrier(p, true)
		if !p.until(func() bool { return p.a.l.Partner.Present() && p.b.l.Partner.Present() }, 3*time.Second) {
			t.Fatalf("%s: the two ends do not get to know each other", mode)
		}
		p.a.offer(16)
		p.pass(100e6)
		if err := p.b.take(); err != nil || p.b.delivered != 16 || p.b.gaps != 8 {
			t.Errorf("%s: %v, %d delivered, %d not", mode, err, p.b.delivered-p.b.gaps, p.b.gaps)
		}
		if n := p.a.l.Port.Counters.TxNative; n != 0 {
			t.Errorf("%s: %d native frames", mode, n)
		}
	}
}
