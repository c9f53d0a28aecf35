package path

import (
	"testing"
	"time"

	"uelink/dataplane/fault"
	"uelink/llr"
	"uelink/wire"
)

// flushes works an end as a worker does that sleeps until the end's deadline, and tells
// when LLR has flushed; false if not until then.
func (e *end) flushes(p *pair, until wire.Time) (at wire.Time, ok bool) {
	for p.now < until {
		_, deadline := e.x.Step(p.now)
		if e.l.LLR.Tx.Flushes() > 0 {
			return p.now, true
		}
		p.now = max(p.now+1000, min(deadline, p.now.Add(maxSleep)))
	}
	return 0, false
}

// PCS_LOST_TIMEOUT and DATA_AGE_TIMEOUT are kept while the carrier is away: a worker that
// sleeps wakes for them.
func TestTimeoutsAreKeptWithoutCarrier(t *testing.T) {
	for name, set := range map[string]func(*llr.Profile){
		"PCS_LOST_TIMEOUT": func(p *llr.Profile) { p.PCSLostTimeout = 10 * time.Millisecond },
		"DATA_AGE_TIMEOUT": func(p *llr.Profile) { p.DataAgeTimeout = 10 * time.Millisecond },
	} {
		o := defaults()
		set(&o.profile)
		p := up(t, o)
		p.pass(100e6)
		p.b.setCarrier(p, false)
		p.a.offer(4)
		p.a.x.Step(p.now)
		began := p.now
		p.a.setCarrier(p, false)
		at, ok := p.a.flushes(p, p.now+2e9)
		if !ok || at.Sub(began) > 11e6 {
			t.Errorf("%s: FLUSH after %v", name, at.Sub(began))
		}
	}
}

// The carrier returns before anybody has looked, but too late.
func TestTimeoutIsKeptIfTheCarrierReturnsFirst(t *testing.T) {
	o := defaults()
	o.profile.PCSLostTimeout = 10 * time.Millisecond
	p := up(t, o)
	p.a.setCarrier(p, false)
	p.now += 20e6
	p.a.setCarrier(p, true)
	if p.a.l.LLR.Tx.FlushReason() != "pcs lost" {
		t.Errorf("reason %q", p.a.l.LLR.Tx.FlushReason())
	}
}

// Timers run also while the TX ring has no room: a device that sends nothing.
func TestTimersRunWithoutRoomToSend(t *testing.T) {
	o := defaults()
	o.profile.DataAgeTimeout = 10 * time.Millisecond
	p := up(t, o)
	p.a.link.SetUp(false) // nothing completes, though the carrier seems to be there
	for p.a.l.Port.txRoom() > 0 {
		p.a.offer(p.a.sent + 8)
		p.a.x.Step(p.now)
		p.now += 1000
	}
	began := p.now
	if at, ok := p.a.flushes(p, p.now+1e9); !ok || at.Sub(began) > 11e6 {
		t.Errorf("FLUSH after %v", at.Sub(began))
	}
}

// Reordering alone, a fifth of all frames: each is sent at most four times.
func TestReorderingCostsLittle(t *testing.T) {
	inOneGoroutine(t)
	for _, delay := range []time.Duration{0, 20 * time.Microsecond, 200 * time.Microsecond} {
		o := defaults()
		o.ring, o.profile.MaxOutstandingFrames = 1024, 512
		o.wire.Delay = delay
		p := up(t, o)
		p.both(func(e *end) { e.linkIn.SetConfig(fault.Config{Reorder: 0.2, Delay: delay, Seed: uint64(e.name[0])}) })
		p.carry(t, 8000)
		sent := float64(p.a.l.LLR.Counters().TxOK) / 8000
		t.Logf("delay %v: sent %.2f times", delay, sent)
		if sent > 4 {
			t.Errorf("delay %v: each frame was sent %.2f times", delay, sent)
		}
		if n := p.a.l.LLR.Tx.Flushes(); n > 0 {
			t.Errorf("delay %v: FLUSH %d times", delay, n)
		}
	}
}

// Forged LLR_NACK for the last acknowledged frame at full load: nothing is lost, no FLUSH,
// and at least half of the frames on the wire are new ones.
func TestForgedNacksAtFullLoad(t *testing.T) {
	inOneGoroutine(t)
	for _, rate := range []int64{1000, 20_000} {
		o := defaults()
		o.ring, o.profile.MaxOutstandingFrames, o.profile.MaxReplayCount = 512, 512, 8
		o.wire.Delay = 20 * time.Microsecond
		clean := tookUnder(t, up(t, o), 0)
		p := up(t, o)
		took := tookUnder(t, p, rate)
		n := p.a.l.LLR.Counters()
		t.Logf("%d a second: %v instead of %v, %.2f sent for each frame", rate, took, clean, float64(n.TxOK)/10000)
		if took > 2*clean || n.TxFlush+n.TxReinit > 0 {
			t.Errorf("%d a second: %v instead of %v; %+v", rate, took, clean, n)
		}
	}
}

// tookUnder is how long 10,000 frames each way take while a gets so many forged LLR_NACK a
// second.
func tookUnder(t *testing.T, p *pair, rate int64) time.Duration {
	t.Helper()
	began, next := p.now, p.now
	if err := p.runWith(10000, time.Minute, func() {
		if rate > 0 && p.now >= next {
			next = p.now.Add(time.Second / time.Duration(rate))
			acked := wire.SeqAdd(p.a.l.LLR.Tx.NextSeq(), -1)
			if frames, _ := p.a.l.LLR.Tx.Outstanding(); frames > 0 {
				acked = wire.SeqAdd(acked, -frames)
			}
			p.a.l.readControl(control(wire.CtlOS{Type: wire.LLRNack, Seq: acked}), p.now)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if p.a.gaps+p.b.gaps > 0 {
		t.Errorf("%d and %d frames never came", p.a.gaps, p.b.gaps)
	}
	return p.now.Sub(began)
}
