package partner

import (
	"math"
	"testing"

	"uelink/wire"
)

// counting is a partner that counts control frames, behind a wire.
type counting struct {
	p        Partner
	report   wire.Station
	came     longest
	now      wire.Time
	carries  func(octets int) bool
	lastSays wire.Time
	deaf     bool // nothing comes from the partner
}

func newCounting() *counting {
	c := &counting{p: probing(), report: other, carries: func(int) bool { return true }}
	c.report.Controls = 65_500 // a turn of the count is no matter
	return c
}

// send sends the partner a control frame.
func (c *counting) send(octets int) {
	c.p.SentControl()
	if c.carries(octets) {
		c.came.received(octets, c.now)
		c.report.Controls++
	}
}

// run lets time pass: probes go, and a short control frame each 10 ms. The partner reports each 100 ms.
func (c *counting) run(until wire.Time) {
	for ; c.now < until; c.now += 10 * ms {
		c.send(wire.MinFrameLen)
		for n, ok := c.p.Probe(c.now); ok; n, ok = c.p.Probe(c.now) {
			c.send(n)
		}
		if c.report.Longest = c.came.octets(c.now); !c.deaf && c.now.Sub(c.lastSays) >= 100*ms {
			says(&c.p, c.report, c.now)
			c.lastSays = c.now
		}
	}
}

// A wire that carries short frames only is found within two seconds.
func TestEvidenceOfAShortWire(t *testing.T) {
	c := newCounting()
	c.carries = func(octets int) bool { return octets <= 777 }
	c.run(2000 * ms)
	if got := c.p.MaxFrame(); got < 750 || got > 777 {
		t.Errorf("carries %d", got)
	}
}

// While nothing comes there, or little by little again, nothing is proven, however many rounds of probes are lost.
func TestWireThatIsOutIsNotShort(t *testing.T) {
	c := newCounting()
	c.run(3000 * ms)
	c.carries = func(int) bool { return false }
	c.run(63_000 * ms)
	c.carries = func(octets int) bool { return octets == wire.MinFrameLen && c.now%(200*ms) == 0 } // 5 %
	c.run(70_000 * ms)
	if c.p.probe.limit != 0 {
		t.Errorf("carries %d", c.p.MaxFrame())
	}
}

// Data frames that are acknowledged have crossed the wire, whatever becomes of probes.
func TestAcknowledgedDataIsNoShortWire(t *testing.T) {
	c := newCounting()
	c.carries = func(octets int) bool { return octets <= 777 }
	for now := wire.Time(0); now < 10_000*ms; now += 500 * ms {
		c.p.AckedFrame(1532, now)
		c.run(now + 500*ms)
	}
	if c.p.probe.limit != 0 {
		t.Errorf("carries %d", c.p.MaxFrame())
	}
	c.run(20_000 * ms)
	if c.p.probe.limit != 777 {
		t.Errorf("carries %d when none is acknowledged any more", c.p.MaxFrame())
	}
	c.p.AckedFrame(1000, c.now)
	if c.run(c.now + 500*ms); c.p.probe.limit != 1000 {
		t.Errorf("carries %d after one of 1000 octets was acknowledged", c.p.MaxFrame())
	}
}

// span is the evidence of one span with rounds of probes of 1500 octets and other control frames, of which some came.
func span(others, came, rounds int) float64 {
	var e evidence
	e.beginSpan(7)
	for range others {
		e.sent++
	}
	for range rounds {
		e.sent++
		e.sentProbe(1500, true, 0)
	}
	e.receivedReport(7+uint16(came), 60, wire.Time(answerTime))
	return e.bits
}

// The evidence of a span is the chance that the wire has lost all long probes by accident, in bits.
func TestEvidenceIsTheChanceOfAnAccident(t *testing.T) {
	for _, c := range []struct {
		others, came, rounds int
		want                 float64
	}{
		{9, 9, 1, math.Log2(10)}, {9, 0, 1, 0}, {9, 9, 0, 0}, {9, 9, 2, 2 * math.Log2(10)},
		{99, 49, 3, 3 * -math.Log2(0.51)}, {99, 99, 2, spanProof},
	} {
		if got := span(c.others, c.came, c.rounds); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%d of %d came, %d rounds: %.3f bits, want %.3f", c.came, c.others, c.rounds, got, c.want)
		}
	}
}

// An old report that comes late, or again, proves nothing, nor does the next one after it.
func TestOldReportsAreNoEvidence(t *testing.T) {
	var e evidence
	e.beginSpan(100)
	round := func() {
		for range 10 {
			e.sent++
		}
		e.sentProbe(1500, true, 0)
	}
	for i, came := range []uint16{90, 110, 110} {
		round()
		if e.receivedReport(came, 60, wire.Time(answerTime)); e.bits != 0 && i < 2 {
			t.Errorf("report %d: %.1f bits", i, e.bits)
		}
	}
	if e.bits != 0 {
		t.Errorf("the same report again: %.1f bits", e.bits)
	}
}

// A report that comes too soon after a round for the round to be in it is ignored.
func TestReportThatComesTooSoonIsPassedOver(t *testing.T) {
	var e evidence
	e.beginSpan(100)
	for range 10 {
		e.sent++
	}
	e.sentProbe(1500, true, 5)
	if e.receivedReport(109, 60, wire.Time(4+answerTime)); e.bits != 0 || e.rounds != 1 {
		t.Errorf("%.1f bits, %d rounds", e.bits, e.rounds)
	}
}

// A probe is replied to after replyDelay, once, and any other control frame is not.
func TestProbeIsRepliedTo(t *testing.T) {
	p := New(1)
	says(&p, other, 0)
	saidIn(&p, self, 0, 1000*ms, false)
	before := p.station.at
	p.ReceivedControl(controlFrame(9, 1500), other.Items(nil), before+100*ms)
	if n := saidIn(&p, self, before+100*ms, before+129*ms, false); n != 1 { // what is the longest has changed
		t.Errorf("said %d times at once", n)
	}
	p.ReceivedControl(controlFrame(9, 1500), other.Items(nil), before+129*ms)
	if d := p.Deadline(); d > before+130*ms {
		t.Errorf("the reply is due after %d ms", d.Sub(before)/ms-100)
	}
	if n := saidIn(&p, self, before+129*ms, before+500*ms, false); n != 1 {
		t.Errorf("said %d times in reply", n)
	}
	p.ReceivedControl(controlFrame(9, 76), append(other.Items(nil), wire.CtlOS{Type: wire.LLRAck}), before+500*ms)
	p.ReceivedControl(controlFrame(9, wire.MinFrameLen), other.Items(nil), before+500*ms)
	if n := saidIn(&p, self, before+500*ms, before+900*ms, false); n != 0 {
		t.Errorf("said %d times in reply to what is no probe", n)
	}
}

// An outage while a search is on does not make the limit shorter than the frames that came before the outage.
func TestOutageDuringASearch(t *testing.T) {
	c := newCounting()
	short := func(octets int) bool { return octets <= 1528 }
	c.carries = short
	c.run(900 * ms)
	c.carries, c.deaf = func(int) bool { return false }, true
	c.run(5000 * ms)
	c.carries, c.deaf = short, false
	for ; c.now < 8000*ms; c.run(c.now + 10*ms) {
		if got := c.p.MaxFrame(); got < 1400 {
			t.Fatalf("after %d ms frames of up to %d octets are carried", c.now/ms, got)
		}
	}
}
