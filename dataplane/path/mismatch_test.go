package path

import (
	"strings"
	"testing"
	"time"

	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/wire"
)

// Where two ends do not fit together a note and an event name the cause within two
// seconds, at both ends, also if no frame ever crosses.
func TestEndsThatDoNotFitAreTold(t *testing.T) {
	inOneGoroutine(t)
	for _, c := range []struct {
		name   string
		change func(s *model.PortSettings) // of b
		a, b   string                      // what each end says
	}{
		{"LLR off at b", func(s *model.PortSettings) { s.LLR.Mode = model.LLROff },
			"partner does not accept LLR from this port", "partner asks for LLR and this port does not accept it"},
		{"LLR one way", func(s *model.PortSettings) { s.LLR.Local = false },
			"partner does not accept LLR from this port", "partner asks for LLR and this port does not accept it"},
		{"EtherType of data", func(s *model.PortSettings) { s.EtherTypeData = 0x9101 },
			"partner sends data under EtherType 0x9101, this port under 0x88b5", "partner sends data under EtherType 0x88b5, this port under 0x9101"},
		{"EtherTypes swapped", func(s *model.PortSettings) { s.EtherTypeData, s.EtherTypeControl = s.EtherTypeControl, s.EtherTypeData },
			"partner sends under EtherType 0x88b5", "partner sends under EtherType 0x88b6"},
		{"both EtherTypes", func(s *model.PortSettings) { s.EtherTypeData, s.EtherTypeControl = 0x9101, 0x9102 },
			"partner sends under EtherType 0x9102", "partner sends under EtherType 0x88b6"},
		{"FCS image", func(s *model.PortSettings) { s.FCS = false },
			"partner sends no FCS image and this port demands one", "this port sends no FCS image and the partner demands one"},
		{"dialect", func(s *model.PortSettings) { s.Dialect = wire.DialectUE1 },
			"partner speaks dialect ue1, this port seed", "partner speaks dialect seed, this port ue1"},
	} {
		for _, action := range []llr.FrameAction{llr.Discard, llr.Block, llr.BestEffort} {
			o := defaults()
			o.profile.InitAction = action
			p := newPairOf(o, 7, c.change)
			p.pass(2e9)
			for _, e := range []struct {
				*end
				want string
			}{{p.a, c.a}, {p.b, c.b}} {
				if got := e.l.Port.State(0).LLR.PartnerProblem; !strings.Contains(got, e.want) {
					t.Errorf("%s, %s: the note is %q, want %q", c.name, e.name, got, e.want)
				}
				if !e.reports(model.EventPartner, e.want) {
					t.Errorf("%s, %s: no event", c.name, e.name)
				}
			}
			a, b := p.a.l.Port.State(p.now).PartnerProblemCommand, p.b.l.Port.State(p.now).PartnerProblemCommand
			if (a == "") == (b == "") {
				t.Errorf("%s: the command of one end alone: %q, %q", c.name, a, b)
			}
		}
	}
}

// Control frames arrive, data frames do not: an interface that takes no frames for other
// addresses, say.
func TestDataThatDoesNotArriveIsTold(t *testing.T) {
	inOneGoroutine(t)
	o := defaults()
	o.profile.MaxReplayCount = 8
	p := up(t, o)
	p.b.between.keeps = func(f []byte) bool { return wire.EtherType(f) == wire.EtherTypeData }
	f := &traffic{pair: p, t: t, ends: []*end{p.a}}
	f.pass(4 * time.Second)
	if text := p.a.l.remedy().Text; !strings.Contains(text, "no data frame") {
		t.Errorf("the note is %q", text)
	}
	p.b.between.keeps = nil
	f.pass(2 * time.Second)
	if text := p.a.l.remedy().Text; text != "" {
		t.Errorf("the note is still %q", text)
	}
}

// Two ends that fit have nothing to say, in any mode.
func TestEndsThatFitAreNotTold(t *testing.T) {
	inOneGoroutine(t)
	for _, mode := range []model.LLRMode{model.LLRStatic, model.LLRDynamic, model.LLROff} {
		o := defaults()
		o.ports.LLR.Mode = mode
		p := newPair(o, 7)
		if mode == model.LLRDynamic {
			p.both(func(e *end) { e.agree(p, agreedOn()) })
		}
		f := &traffic{pair: p, t: t, ends: []*end{p.a, p.b}}
		f.pass(8 * time.Second)
		if a, b := p.a.l.remedy().Text, p.b.l.remedy().Text; a+b != "" {
			t.Errorf("%s: %q and %q", mode, a, b)
		}
		f.whole()
	}
}
