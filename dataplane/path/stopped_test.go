package path

import (
	"testing"
	"time"

	"uelink/dataplane/partner"
	"uelink/llr"
)

// Both daemons are stopped for longer than a partner may be silent, and go on one after the
// other: nobody is forgotten, and no frame is lost.
func TestBothEndsAreStoppedForAWhile(t *testing.T) {
	for _, first := range []string{"a", "b"} {
		o := defaults()
		o.profile.InitAction = llr.BestEffort
		p := up(t, o)
		p.carry(t, 100)
		p.pass(2 * time.Second) // at rest
		for range 20 {
			p.a.offer(p.a.sent + 1)
			p.b.offer(p.b.sent + 1)
		}
		p.now = p.now.Add(10 * time.Second)
		station := p.a
		if first == "b" {
			station = p.b
		}
		for range 100 {
			station.x.Step(p.now)
			p.now += 10e3
		}
		p.carry(t, p.a.sent+100)
		p.both(func(e *end) {
			if c := e.l.LLR.Counters(); !e.l.Partner.Present() || c.TxReinit > 0 || e.l.Port.Counters.TxNative > 0 {
				t.Errorf("%s first: end %s forgot its partner: %v", first, e.name, e)
			}
		})
	}
}

// A partner that is silent although this end runs is forgotten as ever.
func TestSilenceCountsWhileThisEndRuns(t *testing.T) {
	p := up(t, defaults())
	p.pass(time.Second)
	p.b.between.keeps = func([]byte) bool { return true }
	p.a.between.keeps = func([]byte) bool { return true }
	p.pass(2 * partner.Silence)
	if p.a.l.Partner.Present() {
		t.Error("a partner that is not there is known")
	}
}
