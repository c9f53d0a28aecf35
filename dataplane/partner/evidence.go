package partner

import (
	"math"
	"time"

	"uelink/wire"
)

// A partner does not report the longest probes if the wire carries no frame of that length, or if the wire has lost
// them like other frames. The fate of the other control frames decides between the two: if the wire loses frames of
// all lengths alike, the probes of n rounds are all lost with a probability of (share of lost)^n.
//
// The evidence is this probability in bits (20 bits: 2^-20), summed over the spans. A span is the time between two
// reports.
const (
	proof     = 20 // bits of evidence with which the wire counts as too short for the probes
	spanProof = 10 // most bits that one span adds: a short outage may hit the probes of one span and little else
)

// answerTime is the time after a round of probes in which a report may have been sent before the round arrived: such a
// report is no evidence. A partner answers a probe later than that (replyDelay).
const answerTime = 20 * time.Millisecond

// spanProbes is how many probes of a span are remembered by length. Further probes count as short, which weakens the
// evidence.
const spanProbes = 128

// evidence evaluates the reports of a partner that counts control frames. A span reaches from one report to the next.
type evidence struct {
	bits   float64            // evidence so far
	begun  bool               // a span has begun
	before uint16             // frames that the partner had received when the span began
	sent   uint32             // control frames sent since the span began
	rounds int                // probes of this span as long as the target
	last   wire.Time          // when the last round of such probes was sent
	probes [spanProbes]uint16 // lengths of the probes sent in this span, octets
	n      int                // number of probes
}

// beginSpan begins a span, the time between two STATION reports of the partner, in which lost probes are counted.
// came is the number of control frames that the partner reports as received.
func (e *evidence) beginSpan(came uint16) {
	e.begun, e.before, e.sent, e.rounds, e.n = true, came, 0, 0, 0
}

// sentProbe records that a control frame of octets was sent as a probe of the wire. whole is true if the probe is
// as long as the longest frame that must get across.
func (e *evidence) sentProbe(octets int, whole bool, now wire.Time) {
	if e.n < spanProbes {
		e.probes[e.n] = uint16(octets)
		e.n++
	}
	if whole {
		e.rounds++
		e.last = now
	}
}

// receivedReport evaluates the partner's report as evidence that the wire loses frames as long as the probes. came is
// the number of control frames that the partner has received, longest the longest of the recent ones in octets. From
// the share of lost frames up to longest follows the probability that all whole probes of the span were lost by chance:
// its bits are added.
func (e *evidence) receivedReport(came uint16, longest int, now wire.Time) {
	arrived := uint32(came - e.before)
	switch {
	case !e.begun || arrived > e.sent: // no span yet, or a report out of order: a span begins, without evidence
		e.beginSpan(came)
		return
	case e.rounds == 0 || now < e.last.Add(answerTime):
		return
	}
	short := e.sent
	for _, octets := range e.probes[:e.n] {
		if int(octets) > longest {
			short--
		}
	}
	lost := float64(short+1-min(arrived, short)) / float64(short+1)
	e.bits += min(spanProof, -math.Log2(lost)*float64(e.rounds))
	e.beginSpan(came)
}

// proven reports whether there is enough evidence that the wire carries no frames as long as the probes.
func (e *evidence) proven() bool { return e.bits >= proof }
