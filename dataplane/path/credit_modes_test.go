package path

import (
	"errors"
	"testing"
	"time"

	"uelink/cbfc"
	"uelink/dataplane/model"
)

// creditedOn is priorities with these channels under credits.
func creditedOn(lossless uint32) pairOptions {
	o := priorities(8)
	credits(&o, 8, lossless, 8)
	return o
}

// counted is the channels on which an end sends under credits.
func (e *end) counted() uint32 { return e.l.cbfc.Tx.Counted() }

// follows waits until both ends send exactly these channels under credits, and have settled.
func (p *pair) follows(t *testing.T, state string, want uint32) {
	t.Helper()
	settled := func(e *end) bool { return e.counted() == want && e.l.cbfc.Moving() == 0 }
	if !p.until(func() bool { return settled(p.a) && settled(p.b) }, 5*time.Second) {
		t.Fatalf("%s: %b and %b, want %b\n%+v", state, p.a.counted(), p.b.counted(), want, p.a.l.cbfc.State(p.now))
	}
}

// A command has a channel leave its credits, and come under them again, until the settings are read
// again.
func TestCommandSwitchesAChannel(t *testing.T) {
	p := newPair(creditedOn(0b0110), 7)
	p.follows(t, "start", 0b0110)
	set := func(vc int, lossless bool) {
		t.Helper()
		p.both(func(e *end) {
			if err := e.l.SetVC(vc, lossless, p.now); err != nil {
				t.Fatal(err)
			}
			e.x.rest = 0
		})
	}
	set(2, false)
	p.follows(t, "disabled", 0b0010)
	if !p.crosses(tagged(2, 1)) {
		t.Error("a frame of the channel that has left its credits is lost")
	}
	set(2, true)
	p.follows(t, "enabled", 0b0110)
	set(1, false)
	p.follows(t, "another", 0b0100)
	p.both(func(e *end) {
		e.l.configure(e.l.Port.settings, p.o.profile, time.Second, p.now)
		e.x.rest = 0
	})
	p.follows(t, "configured", 0b0110)
}

func TestCommandForAChannelThatIsNotThere(t *testing.T) {
	p := newPair(creditedOn(0b0110), 7)
	for _, vc := range []int{-1, 8, 32, 1 << 40} {
		if err := p.a.l.SetVC(vc, true, p.now); !errors.Is(err, ErrNoVC) {
			t.Errorf("VC %d: %v", vc, err)
		}
	}
	if err := newPair(priorities(8), 7).a.l.SetVC(1, true, 0); !errors.Is(err, ErrNoCBFC) {
		t.Errorf("without CBFC: %v", err)
	}
}

// agreedCredits is what LLDP says when both ends offer LLR, and these channels lossless.
func agreedCredits(vcs int, lossless uint32) Negotiated {
	n := agreedOn()
	n.CBFC = model.NegotiatedCBFC{On: true, VCs: vcs, Lossless: lossless}
	return n
}

// In mode dynamic CBFC is on while LLDP has agreed it, on the channels that are lossless at both ends,
// and of these those that there are. What is withdrawn leaves its credits before CBFC goes off,
// with frames on every channel, none of which is lost.
func TestNegotiatedCBFC(t *testing.T) {
	o := creditedOn(0b0111)
	o.ports.CBFCDynamic = true
	p := newPair(o, 7)
	if !p.until(p.established, time.Second) {
		t.Fatal("LLR does not come up")
	}
	p.pass(50e6)
	if p.a.counted() != 0 || p.a.l.Partner.CBFC() || p.a.l.cbfc.State(p.now).On {
		t.Error("on before LLDP has agreed it")
	}
	p.both(func(e *end) { e.agree(p, agreedCredits(2, 0b0110)) })
	p.follows(t, "agreed", 0b0010)
	p.both(func(e *end) { e.agree(p, agreedCredits(8, 0b0110)) })
	p.follows(t, "more is agreed", 0b0110)

	sent := 0
	for i := range uint32(30) {
		if p.a.host.Send(tagged(uint8(i%3), i)) {
			sent++
		}
		p.round()
	}
	p.both(func(e *end) { e.agree(p, agreedOn()) })
	got := 0
	off := p.until(func() bool {
		if p.a.counted()|p.a.l.cbfc.Moving() != 0 && !p.a.l.credit.on {
			t.Error("off before its channels have left their credits")
		}
		for p.b.host.Recv() != nil {
			got++
		}
		return !p.a.l.credit.on && !p.b.l.credit.on && got == sent
	}, 5*time.Second)
	if !off || p.a.counted() != 0 || sent == 0 {
		t.Errorf("withdrawn: on %v and %v, %d of %d frames", p.a.l.credit.on, p.b.l.credit.on, got, sent)
	}
	p.both(func(e *end) { e.agree(p, agreedCredits(8, 0b1111)) })
	p.follows(t, "again", 0b0111)
}

// A partner that never gives the credits up does not keep CBFC on for ever.
func TestWithdrawnCBFCGoesOffWhenTheTimeIsOver(t *testing.T) {
	o := creditedOn(0b0010)
	o.ports.CBFCDynamic = true
	p := newPair(o, 7)
	p.both(func(e *end) { e.agree(p, agreedCredits(8, 0b0010)) })
	p.follows(t, "agreed", 0b0010)
	p.a.agree(p, Negotiated{})
	if s := p.a.l.creditState(); !s.Leaving || !s.Settings.On || s.Settings.Limit != [cbfc.VCs]uint16{} {
		t.Errorf("%+v", s)
	}
	p.pass(p.a.l.modes.drain + 10e6)
	if p.a.l.credit.on || p.a.l.creditState().Leaving {
		t.Error("still on")
	}
	if p.a.l.self.CBFC {
		t.Error("the partner is told that it is on")
	}
}
