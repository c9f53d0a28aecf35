package path

import (
	"math/rand/v2"
	"testing"
	"time"

	"uelink/cbfc"
	"uelink/dataplane/model"
	"uelink/wire"
)

// hears has an end take a control frame that its partner has not sent.
func (e *end) hears(now wire.Time, list ...wire.CtlOS) {
	e.l.readControl(control(list...), now)
	e.x.rest = 0
}

// A forged CF_Update has an end send more than it may. The partner counts and tells that. What is too much waits in the
// room that all share, the channel begins anew, and both ends count the same again.
func TestForgedCFUpdate(t *testing.T) {
	p := up(t, credited(16))
	p.lossless(t)
	p.b.edge.egress.halted = 1 << 1
	for n := range uint32(40) {
		p.a.host.Send(tagged(1, n))
		p.round()
	}
	p.pass(5e6)
	freed := wire.Credit{VC: 1, Count: uint16(p.a.vc(1).Sender.Freed) + 8}
	p.a.hears(p.now, wire.CtlOS{Type: wire.CFUpdate, CF: [2]wire.Credit{freed, freed}})
	p.pass(5e6)
	if v := p.b.vc(1); v.Counters.Overruns != 8 || v.Receiver.Held != 24 {
		t.Errorf("%+v", v)
	}
	if !p.b.reports(model.EventCredits, "the partner sends more than its credits") {
		t.Errorf("it is not told: %q", p.b.heard(model.EventCredits))
	}
	p.pass(20e6)
	if v := p.a.vc(1); v.Phase != cbfc.Asking || v.Failure != cbfc.StillHeld {
		t.Errorf("%+v", v)
	}
	p.b.edge.egress.halted = 0
	p.pass(50e6)
	var got [8]uint32
	if p.received(t, &got); got[1] != 40 {
		t.Errorf("%d frames of 40", got[1])
	}
	p.atRest(t, 1)
	if c := p.b.l.Port.Counters; c.RxDropNoBuffer+c.RxDropLossless > 0 {
		t.Errorf("%+v", c)
	}
}

// forged is anything that a station between two ends may say of credits.
func forged(r *rand.Rand) wire.CtlOS {
	if r.IntN(4) == 0 {
		half := wire.Credit{VC: uint8(1 + r.IntN(2)), Count: uint16(r.Uint32() & 0x7FFF)}
		return wire.CtlOS{Type: wire.CFUpdate, CF: [2]wire.Credit{half, half}}
	}
	return wire.Channel{
		VC: uint8(1 + r.IntN(2)), Op: wire.ChannelOp(r.IntN(8)), Transaction: uint8(r.IntN(16)), CreditSize: 1024,
		Limit: uint16(r.IntN(40)),
	}.CtlOS()
}

// A storm of forged messages about credits, with numbers as the ends use them, loses nothing where there is room;
// when it is over the channels are lossless again, with the limits of the partner.
func TestForgedCreditsUnderLoad(t *testing.T) {
	inOneGoroutine(t)
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 9))
		p := up(t, credited(16))
		p.lossless(t)
		var got [8]uint32
		sent := uint32(0)
		for range 2000 {
			if r.IntN(2) == 0 {
				p.a.hears(p.now, forged(r))
			} else {
				p.b.hears(p.now, forged(r))
			}
			if p.received(t, &got); sent < min(got[1], got[2])+8 {
				p.a.host.Send(tagged(1, sent))
				p.a.host.Send(tagged(2, sent))
				sent++
			}
			p.round()
		}
		ok := p.until(func() bool {
			p.received(t, &got)
			return p.a.phase(1) == cbfc.Lossless && p.a.phase(2) == cbfc.Lossless && got[1] == sent && got[2] == sent
		}, 70*time.Second) // it is tried again after a minute at most
		if !ok || sent < 40 {
			t.Fatalf("seed %d: got %v of %d; %+v, %+v", seed, got, sent, p.a.vc(1), p.a.vc(2))
		}
		p.stalls(t, &got, sent)
		for vc := 1; vc <= 2; vc++ {
			if v := p.a.vc(vc); v.Sender.Limit != 16 || v.Sender.Used+p.b.vc(vc).Receiver.Held != 0 {
				t.Errorf("seed %d: VC %d: %+v, there %+v", seed, vc, v, p.b.vc(vc))
			}
		}
	}
}

// stalls has more frames be sent on the channels 1 and 2 than the far edge takes for a while.
func (p *pair) stalls(t *testing.T, got *[8]uint32, sent uint32) {
	t.Helper()
	p.b.edge.egress.halted = 1<<1 | 1<<2
	for n := range uint32(24) {
		p.a.host.Send(tagged(1, sent+n))
		p.a.host.Send(tagged(2, sent+n))
		p.round()
	}
	p.pass(100e6)
	p.b.edge.egress.halted = 0
	p.pass(100e6)
	if p.received(t, got); got[1] != sent+24 || got[2] != sent+24 {
		t.Errorf("got %v of %d", got, sent+24)
	}
}
