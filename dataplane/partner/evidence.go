package partner

import "math"

// When the partner does not report the longest probes, either the wire carries none so long, or it has lost them as it
// loses others. What came of the other control frames meanwhile decides between the two: had the wire lost frames of
// all lengths alike, the probes of n rounds would all have been among the lost with a chance of (share of lost)^n.
//
// proof is how small that chance has to be, in bits, until the wire is taken for a short one; spanProof is how much the
// time between two reports adds at most, for a short outage may hit the probes of one span and little else.
const (
	proof     = 20
	spanProof = 10
)

// answerTime is how long, in nanoseconds, a round is given to come there, and the report of it to come back. A partner
// reports replyDelay after a probe, which is more.
const answerTime = 20_000_000

// spanProbes is how many probes of a span are remembered by their length. More count as if they had been short, which
// makes the evidence weaker.
const spanProbes = 128

// evidence weighs the reports of a partner that counts control frames, from one to the next: a span.
type evidence struct {
	bits   float64
	begun  bool
	before uint16 // frames that had come to the partner when the span began
	sent   uint32 // control frames sent since then
	rounds int    // of probes among these that were as long as the target
	last   int64  // when the last such round was sent
	probes [spanProbes]uint16
	n      int // of probes
}

// begin begins a span with a report that came control frames have come.
func (e *evidence) begin(came uint16) {
	e.begun, e.before, e.sent, e.rounds, e.n = true, came, 0, 0, 0
}

// probed notes a probe of a length in octets that is sent; whole: it is as long as the target.
func (e *evidence) probed(octets int, whole bool, now int64) {
	if e.n < spanProbes {
		e.probes[e.n] = uint16(octets)
		e.n++
	}
	if whole {
		e.rounds++
		e.last = now
	}
}

// reported weighs a report that came control frames have come, none lately that was longer than longest octets.
func (e *evidence) reported(came uint16, longest int, now int64) {
	arrived := uint32(came - e.before)
	switch {
	case !e.begun || arrived > e.sent: // an old report, or one that comes after an old one
		e.begin(came)
		return
	case e.rounds == 0 || now < e.last+answerTime:
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
	e.begin(came)
}

// proves reports whether the wire carries no frames as long as the probes.
func (e *evidence) proves() bool { return e.bits >= proof }
