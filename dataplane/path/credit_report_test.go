package path

import (
	"slices"
	"testing"
	"time"

	"uelink/cbfc"
	"uelink/dataplane/fault"
	"uelink/dataplane/model"
	"uelink/wire"
)

// heard is what the events of a kind have said since it was called last.
func (e *end) heard(kind string) (texts []string) {
	for {
		select {
		case ev := <-e.events:
			if ev.Kind == kind {
				texts = append(texts, ev.Text)
			}
		default:
			return texts
		}
	}
}

// A channel that comes under credits, leaves them, or does not get them is told, with why. A start that
// fails again for the same reason is not.
func TestPhasesOfChannelsAreTold(t *testing.T) {
	inOneGoroutine(t)
	o := creditedOn(0b0110)
	p := newPairOf(o, 7, func(s *model.PortSettings) { s.CBFC.Limit[2] = 0 })
	p.a.heard(model.EventVC)
	if !p.until(func() bool { return p.a.counted() == 0b0010 }, 5*time.Second) {
		t.Fatal("no channel comes under credits")
	}
	p.pass(10 * time.Second)
	texts := p.a.heard(model.EventVC)
	failed := "VC 2: best_effort: the partner grants this channel no credits"
	if !slices.Contains(texts, "VC 1: lossless") || !slices.Contains(texts, failed) {
		t.Errorf("%q", texts)
	}
	p.pass(10 * time.Second)
	if texts := p.a.heard(model.EventVC); len(texts) > 0 || p.a.vc(2).Counters.Refused < 3 {
		t.Errorf("told again after %d refusals: %q", p.a.vc(2).Counters.Refused, texts)
	}
	if err := p.a.l.SetVC(1, false, p.now); err != nil {
		t.Fatal(err)
	}
	p.pass(time.Second)
	if texts = p.a.heard(model.EventVC); len(texts) == 0 || texts[len(texts)-1] != "VC 1: best_effort" {
		t.Errorf("%q", texts)
	}
}

// A channel whose limit is too low tells why also when events are looked for between the partner's grant and the end of
// the transaction: the START has failed then, and the STOP is still on its way.
func TestLimitTooLowIsToldOnALongWire(t *testing.T) {
	o := credited(4) // of 1024 octets
	o.chunk, o.mtu = 4096, 9000
	o.wire = fault.Config{Delay: time.Millisecond}
	p := newPair(o, 7)
	p.setMTU(1500)
	p.lossless(t)
	p.a.heard(model.EventVC)
	p.setMTU(9000)
	p.pass(5 * time.Second)
	want := []string{
		"VC 1: best_effort: the partner's limit of 4 credits is less than the 9 that a frame of 9018 octets costs",
		"VC 2: best_effort: the partner's limit of 4 credits is less than the 9 that a frame of 9018 octets costs",
	}
	texts := p.a.heard(model.EventVC)
	for _, w := range want {
		n := 0
		for _, text := range texts {
			if text == w {
				n++
			}
		}
		if n != 1 {
			t.Errorf("told %d times instead of once: %s\nall: %q", n, w, texts)
		}
	}
}

func TestPartnerWithoutCBFCIsTold(t *testing.T) {
	p := newPairOf(creditedOn(0b0010), 7, func(s *model.PortSettings) { s.CBFC = cbfc.Settings{} })
	p.pass(time.Second)
	if texts := p.a.heard(model.EventVC); !slices.Contains(texts, "VC 1: best_effort: the partner does not speak CBFC") {
		t.Errorf("%q", texts)
	}
}

// A partner whose edge stops a queue returns no credits of its channel: told after credit_timeout, once
// for each frame that waits.
func TestPartnerThatReturnsNoCreditsIsTold(t *testing.T) {
	o := creditedOn(0b0010)
	o.ports.CBFC.Timeout = 100 * time.Millisecond
	p := up(t, o)
	p.follows(t, "start", 0b0010)
	p.b.edge.egress.halted = 1 << 1
	for i := range uint32(20) {
		p.a.host.Send(tagged(1, i))
		p.round()
	}
	p.pass(time.Second)
	texts := p.a.heard(model.EventCredits)
	want := "VC 1: the partner has returned no credits for 100ms, and a frame waits"
	if len(texts) != 1 || texts[0] != want {
		t.Errorf("%q, %+v", texts, p.a.vc(1))
	}
}

// On a wire that loses and damages frames LLR loses none: nothing seems to be wrong with the
// credits.
func TestLossIsNoDrift(t *testing.T) {
	inOneGoroutine(t)
	o := creditedOn(0b0110)
	o.wire.Loss, o.wire.Corrupt = 0.02, 0.02
	p := up(t, o)
	p.follows(t, "start", 0b0110)
	for i := range uint32(4000) {
		p.a.host.Send(tagged(uint8(i%3), i))
		p.round()
		for p.b.host.Recv() != nil {
		}
	}
	p.pass(time.Second)
	if texts := append(p.a.heard(model.EventCredits), p.b.heard(model.EventCredits)...); len(texts) > 0 {
		t.Errorf("%q", texts)
	}
	if p.b.l.LLR.Counters().RxMissingSeq == 0 {
		t.Error("the wire lost nothing")
	}
}

// A repair after a loss that is known of is none, nor is a single one without.
func TestDrift(t *testing.T) {
	type step struct {
		count  uint64
		lost   bool
		begins bool
	}
	for name, steps := range map[string][]step{
		"nothing":                  {{0, false, false}, {0, true, false}, {0, false, false}},
		"a loss":                   {{0, true, false}, {5, false, false}, {5, false, false}},
		"a loss, and no more":      {{0, true, false}, {5, false, false}, {6, false, false}},
		"a loss, and a drift":      {{0, true, false}, {5, false, false}, {6, false, false}, {7, false, true}, {8, false, false}},
		"drift":                    {{1, false, false}, {1, false, false}, {2, false, true}, {3, false, false}},
		"losses again and again":   {{1, true, false}, {2, true, false}, {3, true, false}, {4, false, false}},
		"suspect before a loss":    {{1, false, false}, {1, true, false}, {2, false, false}, {3, false, false}, {4, false, true}},
		"cleared, and still there": {{1, false, false}, {2, false, true}, {0, false, false}, {1, false, false}, {2, false, false}},
	} {
		var d drift
		for i, s := range steps {
			if begins, over := d.update(s.count, s.lost, wire.Time(i)); begins != s.begins || over {
				t.Errorf("%s, step %d: told %v, over %v", name, i, begins, over)
			}
		}
	}
}

// A drift is over when no credits were missing for a while, and begins again like the first.
func TestDriftIsOver(t *testing.T) {
	var d drift
	for i, s := range []struct {
		count       uint64
		at          time.Duration
		begins, end bool
	}{{1, 0, false, false}, {2, time.Second, true, false}, {2, driftLast, false, false}, {3, driftLast, false, false},
		{3, 2*driftLast - 1, false, false}, {3, 2 * driftLast, false, true}, {3, 4 * driftLast, false, false},
		{4, 5 * driftLast, false, false}, {5, 5 * driftLast, true, false}} {
		if begins, over := d.update(s.count, false, wire.Time(s.at)); begins != s.begins || over != s.end {
			t.Errorf("step %d: begins %v, over %v", i, begins, over)
		}
	}
}

// A partner that starts anew is told, not one that is met first, or that was silent for a while.
func TestPartnerThatStartsAnewIsTold(t *testing.T) {
	p := up(t, creditedOn(0b0010))
	p.follows(t, "start", 0b0010)
	if texts := p.a.heard(model.EventStart); len(texts) > 0 {
		t.Errorf("met first: %q", texts)
	}
	p.restart(p.b)
	p.follows(t, "again", 0b0010)
	if texts := p.a.heard(model.EventStart); len(texts) != 1 {
		t.Errorf("started anew: %q", texts)
	}
	p.setCarrier(false)
	p.pass(10 * time.Second)
	p.setCarrier(true)
	p.follows(t, "after a silence", 0b0010)
	if texts := p.a.heard(model.EventStart); len(texts) > 0 {
		t.Errorf("after a silence: %q", texts)
	}
}

// Looking at the channels allocates nothing where there is nothing to tell.
func TestLookingAtCreditsAllocatesNothing(t *testing.T) {
	p := up(t, creditedOn(0b0110))
	p.follows(t, "start", 0b0110)
	p.pass(10e6)
	if n := testing.AllocsPerRun(100, func() {
		p.now = p.now.Add(dropsEvery)
		p.a.l.creditReports.report(p.a.l, p.a.hub, p.now)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
