package path

import (
	"fmt"
	"testing"
	"time"

	"uelink/dataplane/model"
	"uelink/dataplane/negotiation"
	"uelink/dataplane/partner"
	"uelink/llr"
	"uelink/wire"
)

// agreedOn is what LLDP says when both ends offer LLR.
func agreedOn() Negotiated { return Negotiated{Local: true, Remote: true, Partner: "present"} }

func (e *end) agree(p *pair, n Negotiated) {
	e.l.Agree(n, p.now)
	e.x.rest = 0 // as after every command
}

func dynamicPair(t *testing.T) *pair {
	t.Helper()
	o := defaults()
	o.ports.LLR.Mode = model.LLRDynamic
	return newPair(o, 7)
}

// traffic is hosts that send some frames every 100 µs while things happen to the
// links.
type traffic struct {
	*pair
	t    *testing.T
	ends []*end // whose hosts send
	next wire.Time
}

// during lets traffic run until done says so.
func (f *traffic) during(phase string, done func() bool) {
	f.t.Helper()
	reached := f.until(func() bool {
		if f.now >= f.next {
			f.next = f.now + 100e3
			for _, e := range f.ends {
				e.offer(e.sent + 3)
			}
		}
		for _, e := range []*end{f.a, f.b} {
			if err := e.take(); err != nil {
				f.t.Fatalf("%s: %v", phase, err)
			}
		}
		return done()
	}, 30*time.Second)
	if !reached {
		f.t.Fatalf("not in 30 s: %s\na: %v\nb: %v", phase, f.a, f.b)
	}
}

// pass lets traffic run for a while.
func (f *traffic) pass(d time.Duration) {
	f.t.Helper()
	end := f.now.Add(d)
	f.during("time passes", func() bool { return f.now >= end })
}

// whole checks that every frame that was sent has come.
func (f *traffic) whole() {
	f.t.Helper()
	f.ends = nil
	f.during("everything arrives", func() bool { return f.a.delivered == f.b.sent && f.b.delivered == f.a.sent })
	for _, e := range []*end{f.a, f.b} {
		if e.gaps > 0 {
			f.t.Errorf("host %s: %d frames never came", e.name, e.gaps)
		}
		if err := e.invariant(); err != nil {
			f.t.Error(err)
		}
	}
}

func (e *end) off() bool {
	return e.l.LLR.Tx.State() == llr.TxOff && e.l.LLR.Rx.State() == llr.RxOff
}

// LLR comes up when it is agreed on, and goes off when it no longer is, without a
// frame lost, doubled or out of order, whoever hears of it first, whoever sends.
func TestNegotiatedLLRComesAndGoesWithoutLoss(t *testing.T) {
	inOneGoroutine(t)
	for _, lag := range []time.Duration{0, 50 * time.Microsecond, 20 * time.Millisecond, 4 * time.Second} {
		for _, senders := range []string{"both", "a", "b"} {
			t.Run(fmt.Sprintf("lag %v, senders %s", lag, senders), func(t *testing.T) {
				p := dynamicPair(t)
				f := &traffic{pair: p, t: t, ends: map[string][]*end{"both": {p.a, p.b}, "a": {p.a}, "b": {p.b}}[senders]}
				f.pass(time.Millisecond)
				p.a.agree(p, agreedOn())
				f.pass(lag)
				if lag > 0 && p.a.established() {
					t.Error("LLR is up before the other end has heard of it")
				}
				p.b.agree(p, agreedOn())
				f.during("LLR comes up", p.established)
				f.pass(10 * time.Millisecond)

				p.a.agree(p, Negotiated{Partner: "withdrawn"})
				f.pass(lag)
				p.b.agree(p, Negotiated{Partner: "withdrawn"})
				f.during("LLR goes off", func() bool { return p.a.off() && p.b.off() })
				f.pass(2 * partner.Silence)
				native := p.a.l.Port.Counters.TxNative + p.b.l.Port.Counters.TxNative
				f.pass(time.Millisecond)
				if now := p.a.l.Port.Counters.TxNative + p.b.l.Port.Counters.TxNative; now == native {
					t.Error("frames are not native again")
				}
				p.a.agree(p, agreedOn())
				p.b.agree(p, agreedOn())
				f.during("LLR comes up again", p.established)
				f.whole()
			})
		}
	}
}

// The command at one end makes that end give LLR up; it says so by LLDP, which
// makes the other one do the same.
func TestLLRGivenUpByCommand(t *testing.T) {
	p := dynamicPair(t)
	f := &traffic{pair: p, t: t, ends: []*end{p.a, p.b}}
	p.a.agree(p, agreedOn())
	p.b.agree(p, agreedOn())
	f.during("LLR comes up", p.established)
	p.a.l.AllowLocal(false, p.now)
	if n := p.a.l.negotiation(); !n.Retiring || n.WillingLocal || !n.AgreedLocal || !p.a.l.local() {
		t.Errorf("%+v, local %v", n, p.a.l.local())
	}
	f.pass(time.Millisecond)
	p.a.agree(p, Negotiated{Partner: "present"})
	p.b.agree(p, Negotiated{Partner: "present"})
	f.during("LLR goes off", func() bool { return p.a.off() && p.b.off() })
	p.a.l.AllowLocal(true, p.now)
	p.a.agree(p, agreedOn())
	p.b.agree(p, agreedOn())
	f.during("LLR comes up again", p.established)

	p.a.l.AllowRemote(false, p.now)
	f.during("one direction goes off", func() bool { return p.a.l.LLR.Tx.State() == llr.TxOff })
	f.pass(time.Millisecond)
	if p.b.l.LLR.Tx.State() != llr.TxAdvance {
		t.Errorf("the other direction: %v", p.b)
	}
	f.whole()
}

// Agreed again before all has been delivered, LLR just goes on.
func TestLLRAgreedAgainWhileItRetires(t *testing.T) {
	p := dynamicPair(t)
	f := &traffic{pair: p, t: t, ends: []*end{p.a, p.b}}
	p.a.agree(p, agreedOn())
	p.b.agree(p, agreedOn())
	f.during("LLR comes up", p.established)
	f.during("something is outstanding", func() bool { n, _ := p.a.l.LLR.Tx.Outstanding(); return n > 0 })
	p.a.agree(p, Negotiated{})
	p.a.agree(p, agreedOn())
	inits := p.a.l.LLR.Counters().TxInitCtlOS
	f.pass(10 * time.Millisecond)
	if !p.established() || p.a.l.LLR.Counters().TxInitCtlOS != inits {
		t.Errorf("LLR began anew: %v", p.a)
	}
	f.whole()
}

// The partner's transmitter begins anew while the receiver retires. What it sends without
// LLR until the handshake is over does not show that it is off.
func TestLLRBeginsAnewWhileTheReceiverRetires(t *testing.T) {
	inOneGoroutine(t)
	o := defaults()
	o.ports.LLR.Mode, o.profile.InitAction = model.LLRDynamic, llr.BestEffort
	p := newPair(o, 7)
	f := &traffic{pair: p, t: t}
	p.both(func(e *end) { e.agree(p, agreedOn()) })
	f.during("LLR comes up", p.established)
	p.both(func(e *end) { e.agree(p, Negotiated{Partner: "withdrawn"}) })
	f.during("the transmitter is off", func() bool { return p.b.l.LLR.Tx.State() == llr.TxOff })
	p.b.offer(p.b.sent + 3)
	p.b.agree(p, agreedOn())
	f.ends = []*end{p.b}
	f.pass(time.Second)
	if p.b.l.LLR.Tx.State() != llr.TxAdvance || p.b.l.Port.Counters.TxBare == 0 {
		t.Errorf("LLR was not begun among frames without it: %v", p.b)
	}
	p.b.agree(p, Negotiated{Partner: "withdrawn"})
	f.during("both ends are off", func() bool { return p.a.off() && p.b.off() })
	f.whole()
}

// An idle receiver goes off when it has been quiet for long enough.
func TestIdleLLRRetires(t *testing.T) {
	p := dynamicPair(t)
	p.a.agree(p, agreedOn())
	p.b.agree(p, agreedOn())
	if !p.until(p.established, time.Second) {
		t.Fatalf("LLR does not come up\na: %v\nb: %v", p.a, p.b)
	}
	p.a.agree(p, Negotiated{Partner: "withdrawn"})
	p.b.agree(p, Negotiated{Partner: "withdrawn"})
	began := p.now
	if !p.until(func() bool { return p.a.off() && p.b.off() }, 2*negotiation.Quiet) {
		t.Fatalf("still on\na: %v\nb: %v", p.a, p.b)
	}
	if p.now.Sub(began) < negotiation.Quiet {
		t.Errorf("off after %v", p.now.Sub(began))
	}
	p.until(func() bool { return !p.a.l.Partner.Present() }, 2*partner.Silence)
	if s := p.a.l.Port.State(0).LLR; s.PartnerKnown || s.PartnerProblem != "" || s.Negotiation.Partner != "withdrawn" ||
		s.Local || s.Remote {
		t.Errorf("%+v", s)
	}
}

// What a partner that has gone does not acknowledge is given up after a while.
func TestLLRRetiresWithoutPartner(t *testing.T) {
	p := dynamicPair(t)
	f := &traffic{pair: p, t: t, ends: []*end{p.a}}
	p.a.agree(p, agreedOn())
	p.b.agree(p, agreedOn())
	f.during("LLR comes up", p.established)
	p.a.offer(p.a.sent + 8)
	p.a.x.Step(p.now)
	p.a.agree(p, Negotiated{Partner: "withdrawn"})
	for end := p.now.Add(partner.Silence / 2); p.now < end; p.now += 1e6 {
		p.a.x.Step(p.now)
	}
	if p.a.l.LLR.Tx.State() == llr.TxOff {
		t.Error("given up at once")
	}
	for end := p.now.Add(2 * partner.Silence); p.now < end; p.now += 1e6 {
		p.a.x.Step(p.now)
	}
	if s := p.a.l.Port.State(0); s.LLR.TxStatus != llr.TxOff || s.LLR.OutstandingFrames != 0 || s.Counters.TxFlushed == 0 {
		t.Errorf("%+v", s)
	}
}

// A partner that LLDP no longer hears keeps its LLR; one that never spoke has none
// and is no problem. Static LLR is none of LLDP's business.
func TestWhatLLDPDoesNotChange(t *testing.T) {
	inOneGoroutine(t)
	p := dynamicPair(t)
	f := &traffic{pair: p, t: t, ends: []*end{p.a, p.b}}
	f.pass(2 * partner.Silence)
	if s := p.a.l.Port.State(0); s.LLR.TxStatus != llr.TxOff || s.LLR.PartnerProblem != "" ||
		s.LLR.Negotiation.Partner != "none" || s.Counters.TxControl != 0 {
		t.Errorf("a partner that is silent: %+v", s)
	}
	p.a.agree(p, agreedOn())
	p.b.agree(p, agreedOn())
	f.during("LLR comes up", p.established)
	p.a.agree(p, Negotiated{Local: true, Remote: true, Partner: "aged"})
	f.pass(time.Second)
	if !p.established() {
		t.Errorf("a partner that is no longer heard: %v", p.a)
	}
	f.whole()

	static := up(t, defaults())
	static.a.agree(static, Negotiated{})
	static.settleRounds()
	if !static.established() || static.a.l.Port.State(0).LLR.Negotiation != nil {
		t.Errorf("static: %v", static.a)
	}
}

// A reload from one mode to another.
func TestModeChangesByReload(t *testing.T) {
	p := dynamicPair(t)
	f := &traffic{pair: p, t: t, ends: []*end{p.a, p.b}}
	p.a.agree(p, agreedOn())
	p.b.agree(p, agreedOn())
	f.during("LLR comes up", p.established)
	s := p.a.l.Port.settings
	s.LLR.Mode = model.LLRStatic
	p.a.l.configure(s, p.o.profile, 2*time.Second, p.now)
	f.pass(time.Millisecond)
	if !p.established() {
		t.Errorf("dynamic to static: %v", p.a)
	}
	s.LLR.Mode = model.LLRDynamic
	p.a.l.configure(s, p.o.profile, 2*time.Second, p.now)
	f.pass(time.Millisecond)
	if !p.established() {
		t.Errorf("static to dynamic: %v", p.a)
	}
	s.LLR.Local, s.LLR.Remote = false, false
	p.a.l.configure(s, p.o.profile, 2*time.Second, p.now)
	p.b.agree(p, Negotiated{})
	f.during("an end that is no longer willing", func() bool { return p.a.off() && p.b.off() })
	f.whole()
}
