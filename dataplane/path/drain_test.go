package path

import (
	"testing"
	"time"

	"uelink/dataplane/mem"
	"uelink/dataplane/model"
	"uelink/dataplane/negotiation"
	"uelink/dataplane/partner"
	"uelink/llr"
)

// outstanding brings a pair to a moment at which a has frames outstanding.
func outstanding(t *testing.T) (*pair, *traffic) {
	t.Helper()
	p := up(t, defaults())
	f := &traffic{pair: p, t: t, ends: []*end{p.a}}
	f.pass(time.Millisecond)
	p.b.between.keeps = func([]byte) bool { return true }
	p.a.offer(p.a.sent + 30)
	p.pass(100e3)
	p.b.between.keeps = nil
	if n, _ := p.a.l.LLR.Tx.Outstanding(); n == 0 {
		t.Fatal("nothing is outstanding")
	}
	return p, f
}

// What is outstanding is delivered when LLR is switched off, by command or by a reload.
func TestSwitchedOffLLRDeliversWhatIsOutstanding(t *testing.T) {
	inOneGoroutine(t)
	for name, off := range map[string]func(p *pair){
		"llr remote disable": func(p *pair) { p.a.l.AllowRemote(false, p.now) },
		"a reload from static to off": func(p *pair) {
			s := p.a.l.Port.settings
			s.LLR.Mode = model.LLROff
			p.a.l.configure(s, p.o.profile, 2*time.Second, p.now)
		},
		"a reload of both ends": func(p *pair) {
			s := p.a.l.Port.settings
			s.LLR.Mode = model.LLROff
			p.both(func(e *end) { e.l.configure(s, p.o.profile, 2*time.Second, p.now) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, f := outstanding(t)
			off(p)
			f.during("the transmitter is off", func() bool { return p.a.l.LLR.Tx.State() == llr.TxOff })
			if n := p.a.l.LLR.Counters().TxFlushedFrames; n != 0 {
				t.Errorf("%d frames were dropped", n)
			}
			f.pass(3 * time.Second)
			f.whole()
			if n := p.a.l.Port.Counters.TxBare + p.a.l.Port.Counters.TxNative; n == 0 {
				t.Error("nothing was sent without LLR")
			}
		})
	}
}

// A partner that has gone does not hold it up for longer than drain_timeout.
func TestSwitchedOffLLRWithoutPartner(t *testing.T) {
	p, _ := outstanding(t)
	p.b.between.keeps = func([]byte) bool { return true }
	p.a.l.AllowRemote(false, p.now)
	p.pass(1900e6)
	if s := p.a.l.LLR.Tx.State(); s == llr.TxOff {
		t.Error("off before drain_timeout")
	}
	p.pass(200e6)
	if s := p.a.l.LLR.Tx.State(); s != llr.TxOff {
		t.Errorf("still %v", s)
	}
}

// Switched on again while it retires, LLR goes on.
func TestSwitchedOnAgainWhileItRetires(t *testing.T) {
	p, f := outstanding(t)
	p.a.l.AllowRemote(false, p.now)
	p.a.l.AllowRemote(true, p.now)
	inits := p.a.l.LLR.Counters().TxInitCtlOS
	f.pass(10 * time.Millisecond)
	if p.a.l.LLR.Counters().TxInitCtlOS != inits || p.a.l.modes.transmitter != negotiation.On {
		t.Errorf("LLR began anew: %v", p.a)
	}
	f.whole()
}

// A link with LLR in one direction only notices that its partner has gone: a plain device
// in its place gets native frames, as soon as it has sent one.
func TestOneWayLinkForgetsAPartnerThatIsGone(t *testing.T) {
	inOneGoroutine(t)
	for _, local := range []bool{false, true} {
		o := defaults()
		o.profile.InitAction = llr.BestEffort
		p := newPair(o, 7)
		p.a.l.AllowLocal(local, p.now)
		p.a.l.AllowRemote(!local, p.now)
		p.b.l.AllowLocal(!local, p.now)
		p.b.l.AllowRemote(local, p.now)
		p.pass(100e6)
		if p.a.l.LLR.Tx.State() == llr.TxOff != local || p.a.l.LLR.Rx.Live() != local {
			t.Fatalf("local %v: %v, %v", local, p.a.l.LLR.Tx.State(), p.a.l.LLR.Rx.State())
		}
		p.carry(t, 200)
		p.pass(2 * partner.Silence)
		if !p.a.l.Partner.Present() {
			t.Errorf("local %v: a partner that is there was forgotten", local)
		}
		p.b.x.Detach(&p.b.l.Port, p.now)
		p.b.linkIn = nil
		p.pass(2 * partner.Silence)
		mem.NewHost(p.b.link).Send(sized(100, 9))
		p.pass(1e6)
		native := p.a.l.Port.Counters.TxNative
		p.a.host.Send(sized(100, 1))
		p.pass(1e6)
		if p.a.l.Partner.Present() || p.a.l.Port.Counters.TxNative != native+1 {
			t.Errorf("local %v: known %v, %d native frames more", local, p.a.l.Partner.Present(),
				p.a.l.Port.Counters.TxNative-native)
		}
	}
}
