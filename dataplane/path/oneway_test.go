package path

import (
	"testing"
	"time"

	"uelink/dataplane/model"
	"uelink/dataplane/partner"
	"uelink/llr"
	"uelink/wire"
)

// flushing is a pair whose LLR flushes by the default profile, and sends frames without a number until it is up again.
func flushing(o pairOptions) pairOptions {
	o.profile.MaxReplayCount, o.profile.HoldTimeout = 100, 2*time.Second
	o.profile.InitAction, o.profile.FlushAction = llr.BestEffort, llr.BestEffort
	return o
}

// deafened is a pair whose end a hears nothing any more, for as long as makes it forget its partner.
func deafened(t *testing.T, o pairOptions) *pair {
	t.Helper()
	p := up(t, o)
	p.acquainted(t)
	p.a.sent, p.b.sent = uint64(p.now/1e6), uint64(p.now/1e6)
	p.a.delivered, p.b.delivered = p.b.sent, p.a.sent
	p.a.between.keeps = func([]byte) bool { return true }
	if err := p.trickle(2 * partner.Silence); err != nil {
		t.Fatal(err)
	}
	if p.a.l.Partner.Present() || !p.b.l.Partner.Present() {
		t.Fatalf("a knows b: %v, b knows a: %v", p.a.l.Partner.Present(), p.b.l.Partner.Present())
	}
	return p
}

// A wire that is out in one direction goes on to carry the other, for as long as that lasts: the end that hears
// nothing sends to the partner that it has known. Both are in step again when the wire is whole.
func TestOutageOfOneDirectionLeavesTheOther(t *testing.T) {
	inOneGoroutine(t)
	for name, o := range map[string]pairOptions{
		"transparent": defaults(), "addressed": addressed(), "mixed": addressed(), "dynamic": defaults(),
		"beside the host": defaults(), "without LLR, addressed": addressed(),
	} {
		switch name {
		case "mixed":
			o.mixed = true
		case "dynamic":
			o.ports.LLR.Mode = model.LLRDynamic
		case "without LLR, addressed":
			o.ports.LLR.Mode = model.LLROff
		}
		t.Run(name, func(t *testing.T) {
			p := newPair(flushing(o), 7)
			if name == "dynamic" {
				p.both(func(e *end) { e.agree(p, agreedOn()) })
			}
			p.both(func(e *end) { e.l.SetShimOnly(name == "beside the host") })
			p.pass(2e9)
			problem := p.a.l.remedy().Text
			p.a.between.keeps = func([]byte) bool { return true }
			p.a.sent, p.a.delivered = uint64(p.now/1e6), 0
			p.b.sent, p.b.delivered = p.a.sent, p.a.sent
			if err := p.trickle(2 * partner.Silence); err != nil {
				t.Fatal(err)
			}
			if err := p.a.l.Port.renew(); err != nil {
				t.Fatal(err)
			}
			p.b.gaps = 0
			before := p.b.delivered
			if err := p.trickle(10 * time.Second); err != nil {
				t.Fatal(err)
			}
			if came := p.b.delivered - before; p.a.l.Partner.Present() || p.b.gaps > 0 || came < 9_900 {
				t.Errorf("b got %d of 10,000 frames, %d are missing; a knows its partner: %v; %+v", came, p.b.gaps,
					p.a.l.Partner.Present(), p.a.l.Port.Counters)
			}
			if c := p.a.l.Port.Counters; c.TxNative+c.TxDropNoPartner > 0 || p.b.l.Port.Counters.RxNativeDropped > 0 {
				t.Errorf("a sent %d frames native and dropped %d; b dropped %d", c.TxNative, c.TxDropNoPartner,
					p.b.l.Port.Counters.RxNativeDropped)
			}
			p.a.between.keeps = nil
			if err := p.trickle(time.Second); err != nil {
				t.Fatal(err)
			}
			got := p.a.l.remedy().Text
			if !p.a.l.Partner.Present() || p.b.gaps > 0 || p.a.delivered+100 < p.b.sent || got != problem {
				t.Errorf("the link is not whole again: %q\na: %v\nb: %v", got, p.a, p.b)
			}
		})
	}
}

// The frames of a class keep their virtual channel to a partner that was known.
func TestOutageOfOneDirectionKeepsTheChannels(t *testing.T) {
	p := up(t, flushing(priorities(8)))
	p.acquainted(t)
	p.a.between.keeps = func([]byte) bool { return true }
	p.pass(2 * partner.Silence)
	var channels [32]int
	p.b.between.keeps = func(f []byte) bool {
		if shim, fault := wire.ParseData(f, wire.DialectSeed); wire.EtherType(f) == wire.EtherTypeData {
			if channels[shim.VC]++; fault != wire.NoFault {
				t.Errorf("a data frame with %v", fault)
			}
		}
		return false
	}
	if !p.crosses(tagged(5, 1)) || channels[5] != 1 {
		t.Errorf("sent on %v", channels)
	}
}

// lost is a lone end that has forgotten the partner that it knew.
func lost(t *testing.T, o pairOptions) *lone {
	t.Helper()
	l := newLone(t, o)
	l.meetPartner()
	l.shims()
	l.silence()
	return l
}

// silence lets the partner be forgotten.
func (l *lone) silence() {
	l.pass(partner.Silence + time.Second)
}

// pass lets time pass, in steps that are too short for a process that was stopped.
func (l *lone) pass(d time.Duration) {
	for end := l.p.now.Add(d); l.p.now < end; l.p.now = l.p.now.Add(10 * time.Millisecond) {
		l.step()
	}
}

// sendsNative reports whether the next frame of the host leaves native; otherwise it leaves in the shim.
func (l *lone) sendsNative(t *testing.T) bool {
	t.Helper()
	before := l.l.Port.Counters
	l.offer(l.sent + 1)
	l.step()
	native, bare := l.l.Port.Counters.TxNative-before.TxNative, l.l.Port.Counters.TxBare-before.TxBare
	if native+bare != 1 {
		t.Fatalf("%d frames left native, %d in the shim", native, bare)
	}
	return native == 1
}

// A frame without a shim shows that no uelink is at the other end any more: frames leave without a shim, too. A frame
// that any bridge may have sent, and one that is a damaged shim, show nothing.
func TestNativeFrameEndsTheShimToALostPartner(t *testing.T) {
	ordinary, reserved, ofLLDP := sized(100, 1), sized(100, 1), sized(100, 1)
	copy(reserved, []byte{1, 0x80, 0xC2, 0, 0, 0})
	copy(ofLLDP[12:], []byte{0x88, 0xCC})
	damaged := shimmed(wire.DialectSeed, wire.Preamble{FCS: true}, false)
	damaged[12] ^= 4
	for name, c := range map[string]struct {
		f      []byte
		native bool
	}{
		"an ordinary frame": {ordinary, true}, "of a bridge": {reserved, false}, "LLDP": {ofLLDP, false},
		"damaged": {damaged, false},
	} {
		l := lost(t, flushing(defaults()))
		if l.sendsNative(t) {
			t.Errorf("%s: frames leave native before it", name)
		}
		l.give(c.f)
		if got := l.sendsNative(t); got != c.native {
			t.Errorf("%s: the next frame leaves native: %v", name, got)
		}
	}
}

// A partner that died, whose host went on without uelink, is sent native frames as soon as it is forgotten.
func TestNativeFrameBeforeThePartnerIsForgotten(t *testing.T) {
	l := newLone(t, flushing(defaults()))
	l.meetPartner()
	l.shims()
	l.give(sized(100, 1))
	l.silence()
	if l.l.Port.Counters.RxNativeDropped != 1 || !l.sendsNative(t) {
		t.Errorf("frames leave in the shim: %+v", l.l.Port.Counters)
	}
	l.meetPartner()
	l.shims()
	l.silence()
	if l.sendsNative(t) {
		t.Error("frames leave native although the partner was heard since")
	}
}

// With LLR off, frames to a partner that is not known leave unchanged, as ever.
func TestLostPartnerWithoutLLR(t *testing.T) {
	l := lost(t, flushing(defaults()))
	l.l.AllowLocal(false, l.p.now)
	l.l.AllowRemote(false, l.p.now)
	l.pass(3 * time.Second) // until both directions have retired
	if !l.sendsNative(t) {
		t.Error("frames leave in the shim")
	}
}

// A partner that has taken leave and does not come back leaves a host behind that knows no shim.
func TestPartnerThatLeavesForGoodIsSentNativeFrames(t *testing.T) {
	p := loaded(t, flushing(defaults()))
	p.leaves(t, p.b)
	p.away(t, 2*partner.Silence)
	before := p.a.l.Port.Counters
	p.a.offer(p.a.sent + 8)
	p.pass(1e6)
	if c := p.a.l.Port.Counters; c.TxNative < before.TxNative+8 || c.TxBare > before.TxBare {
		t.Errorf("%d frames left native, %d in the shim", c.TxNative-before.TxNative, c.TxBare-before.TxBare)
	}
}

// The next station that is heard is the partner, whoever was known before.
func TestAnotherStationReplacesALostPartner(t *testing.T) {
	inOneGoroutine(t)
	p := deafened(t, flushing(addressed()))
	other := wire.MAC{2, 9, 9, 9, 9, 9}
	outer := p.b.watch()
	p.a.offer(p.a.sent + 1)
	p.pass(1e6)
	if outer[wire.AddressesOf(mac(p.b), mac(p.a))] == 0 {
		t.Errorf("no frame left to the partner that was known: %v", outer)
	}
	station := wire.Station{Start: 9, Takes: true, Addressed: true, Largest: 600}
	for range 2 {
		p.a.l.readControl(controlTo(wire.DiscoveryDA, other, station.Items(nil)...), p.now)
		p.pass(5e6)
	}
	clear(outer)
	p.a.offer(p.a.sent + 1)
	p.pass(1e6)
	if p.a.l.Partner.MAC() != other || outer[wire.AddressesOf(other, mac(p.a))] == 0 {
		t.Errorf("the partner is %v; sent %v", p.a.l.Partner.MAC(), outer)
	}
}

// A lossless channel has no credits from a lost partner: its frames leave best effort, and the channel is under credits
// again when the partner is back.
func TestOutageOfOneDirectionAndCredits(t *testing.T) {
	p := newPair(flushing(credited(16)), 7)
	p.lossless(t)
	p.a.between.keeps = func([]byte) bool { return true }
	p.pass(2 * partner.Silence)
	p.drained()
	came := 0
	for n := range uint32(200) {
		p.a.host.Send(tagged(uint8(1+n%2), n))
		p.pass(1e6)
		came += p.drained()
	}
	if c := p.b.l.Port.Counters; came != 200 || c.RxDropLossless > 0 {
		t.Errorf("%d of 200 frames came; %d dropped for want of room", came, c.RxDropLossless)
	}
	p.a.between.keeps = nil
	p.lossless(t)
	if !p.crosses(tagged(1, 1)) {
		t.Error("the channel carries nothing")
	}
	p.atRest(t, 1)
}

// drained returns how many frames the host of b has got.
func (p *pair) drained() (n int) {
	for p.b.host.Recv() != nil {
		n++
	}
	return n
}
