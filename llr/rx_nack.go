package llr

import (
	"time"

	"uelink/wire"
)

// An LLR_NACK may be lost, too: the transmitter then learns of the gap only from its replay timer, which lasts many
// loop times. So the receiver sends a copy of each LLR_NACK, and asks again by another LLR_NACK if the expected frame
// does not arrive within the time in which replays usually begin to arrive. An LLR_NACK and its copy have the same
// number (wire.Received), by which the transmitter recognises a copy, however late it comes. A partner that does not
// know these numbers gets one LLR_NACK for a gap.
//
// The time from an LLR_NACK to the answer is measured (answer, spread: smoothed as in RFC 6298), only if the receiver
// has not asked again: else nobody knows which LLR_NACK is answered. Each further LLR_NACK for a gap doubles the wait
// before the next, and the doubled wait holds until an answer is measured.
const (
	copyAfter     = time.Microsecond       // from an LLR_NACK to its copy, so that the copy goes in another control frame
	answerUnknown = startTimer             // time until the receiver asks again, while no answer was measured
	answerMost    = 100 * time.Millisecond // longest time after which the receiver asks again
)

// repetition schedules the copy of the receiver's last LLR_NACK, and when the receiver asks again.
// Clauses: SAI-LLR/go-back-n.7.
type repetition struct {
	numbered bool          // the partner recognises a copy of an LLR_NACK by its number
	number   uint8         // number of the last LLR_NACK, 1..wire.NackMask; 0: none was sent
	copied   bool          // the copy of the last LLR_NACK was sent
	awaited  bool          // the answer to the last LLR_NACK was not seen yet
	late     bool          // the receiver has asked again since the gap was found
	slow     bool          // the receiver has asked again, and no answer was measured since: wait gets no shorter
	sent     wire.Time     // when the first LLR_NACK for the gap was sent
	due      wire.Time     // when the copy is due, or the receiver asks again, if the state is NACK_SENT
	wait     time.Duration // without an answer, the receiver asks again after this time
	answer   time.Duration // smoothed time from an LLR_NACK to its answer; 0 = not known
	spread   time.Duration // smoothed deviation of the time answer
}

// begin records that an LLR_NACK is sent now: it gets the next number, its copy is due after copyAfter, and wait is set
// by the measured answers, but gets no shorter while slow.
func (p *repetition) begin(now wire.Time) {
	p.awaited, p.late, p.sent = true, false, now
	p.number, p.copied, p.due = p.number%wire.NackMask+1, false, after(now, copyAfter)
	usual := max(copyAfter, 2*p.answer+4*p.spread)
	if p.answer == 0 {
		usual = answerUnknown
	}
	if !p.slow || p.wait < usual {
		p.wait = usual
	}
}

// repeat reports whether the LLR_NACK is sent again now, while the state is NACK_SENT. If so it is the copy, or, after
// the copy, another LLR_NACK with a number of its own that asks again; repeat schedules the following one.
func (p *repetition) repeat(now wire.Time) bool {
	switch {
	case now < p.due:
		return false
	case !p.copied:
		p.copied, p.due = true, after(now, p.wait)
	default:
		p.late, p.slow, p.wait = true, true, min(2*p.wait, answerMost)
		p.number, p.copied, p.due = p.number%wire.NackMask+1, false, after(now, copyAfter)
	}
	return true
}

// answered records that the answer to the LLR_NACK has arrived, at the latest now. If the receiver has not asked again
// meanwhile, the time of the answer is measured (answer, spread).
func (p *repetition) answered(now wire.Time) {
	p.awaited = false
	if p.late {
		return
	}
	p.slow = false
	d := now.Sub(p.sent)
	if p.answer == 0 {
		p.answer, p.spread = d, d/2
		return
	}
	p.spread += (max(d-p.answer, p.answer-d) - p.spread) / 4
	p.answer += (d - p.answer) / 8
}

// repeatsNack reports whether the receiver sends its last LLR_NACK again while no answer comes. Without room for the
// answer it does not: RoomAvailable sends another LLR_NACK.
func (r *Rx) repeatsNack() bool { return r.state == RxNackSent && r.nack.numbered && !r.overflowed }
