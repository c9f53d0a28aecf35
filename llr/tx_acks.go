package llr

import "uelink/wire"

// misfitsMax is the number of times that the partner must acknowledge the same number outside the window until it
// counts as having lost our numbers, if outstanding frames get no answer.
const misfitsMax = 3

// misfit is a repeated acknowledgement outside the window.
type misfit struct {
	seq  uint32
	runs int
	at   wire.Time // when it was last counted
}

// acked returns acked_seq, the number before that of the oldest outstanding frame.
func (t *Tx) acked() uint32 { return t.space.add(t.seq, -1-int(t.window.outstanding())) }

// receivedAck handles an LLR_ACK. SAI-LLR: "All frames up to the sequence number in the LLR_ACK are removed from the
// replay buffer".
// Clauses: UE-LINK/ack.10.
func (t *Tx) receivedAck(seq uint32, now wire.Time) {
	if _, ok := t.acceptAck(seq, now); ok {
		t.skipAcked()
	}
}

// receivedNack handles an LLR_NACK. SAI-LLR: "Retransmits those frames from the replay buffer whose sequence number
// is greater than the sequence number in the LLR_NACK". A new replay replaces the replay under way, unless the
// LLR_NACK was sent before any frame of that replay can have arrived, or is the copy of one that was received.
// Clauses: UE-LINK/nack.8, SAI-LLR/overview.5, SAI-LLR/go-back-n.8.
func (t *Tx) receivedNack(seq uint32, r wire.Received, now wire.Time) {
	copied := t.countNack(r)
	progress, ok := t.acceptAck(seq, now)
	if ok {
		t.nacked = r.Nack
	}
	switch {
	case !ok:
	case t.window.outstanding() == 0 || copied || t.knownLoss(now):
		t.skipAcked()
	case progress:
		t.replay.recordLoss(t.window.outstanding())
		t.beginReplay(now)
	case t.replay.row >= wholeReplays && now < after(t.replay.began, t.limits.timeout):
	default:
		if t.replay.acked > 0 {
			t.replay.recordLoss(t.window.outstanding())
		}
		t.replayForProgress(now)
	}
}

// countNack counts an LLR_NACK, and reports whether it is the copy of one that was received.
func (t *Tx) countNack(r wire.Received) (copied bool) {
	copied = r.Nack > 0 && r.Nack == t.nacked
	if copied || r.Again {
		t.count.RxNackRepeated++
	} else {
		t.count.RxNackCtlOS++
	}
	return copied
}

// knownLoss reports whether an LLR_NACK received now must be older than the partner's first answer to the last replay.
// Such an LLR_NACK starts no other replay, because the last replay posts the missing frames anyway.
func (t *Tx) knownLoss(now wire.Time) bool {
	return t.replay.begun && t.patience.least != forever && now < after(t.replay.began, t.patience.least)
}

// acceptAck applies the cumulative acknowledgement of an ACK or NACK. progress is true if it covers outstanding
// frames. ok is false if the rest of the message must be ignored: LLR is not running, or the number is neither
// acked_seq nor that of an outstanding frame.
// Clauses: SAI-LLR/ack.1,2, SAI-LLR/replay-timer.3.
func (t *Tx) acceptAck(seq uint32, now wire.Time) (progress, ok bool) {
	t.now = now
	if !t.running() {
		return false, false
	}
	n := t.space.distance(t.acked(), seq)
	if n > t.window.outstanding() {
		t.countMisfit(seq, now)
		return false, false
	}
	t.partnerHeard(now)
	if n == 0 {
		return false, true
	}
	t.learn(n, now)
	t.room.crossed = max(t.room.crossed, t.window.release(n))
	if int32(t.replay.repeatedTo-t.window.first) < 0 {
		t.replay.repeatedTo = t.window.first
	}
	t.recordReleased()
	t.replay.recordProgress(n, t.patience.least, now)
	t.timer, t.misfit, t.notLive, t.hold.forgiven = now, misfit{}, wire.Never, false
	return true, true
}

// countMisfit counts an acknowledgement of a frame that is not outstanding, and ignores it. The same number repeated
// without progress shows that the partner's numbers differ from ours, and LLR initialises again: no replay can change
// that. But anybody can send such a number, and a wire that holds frames back brings old ones for as long as it holds
// them. So only numbers count that come after the replay timer has expired, half a timer apart: an answer to a replay
// would have come by then, and a partner that acknowledges frames has not lost its numbers.
func (t *Tx) countMisfit(seq uint32, now wire.Time) {
	t.count.RxAckNackSeqError++
	m := &t.misfit
	switch {
	case t.window.outstanding() == 0 || !t.replay.expired:
	case m.runs == 0 || m.seq != seq:
		*m = misfit{seq: seq, runs: 1, at: now}
	case now < after(m.at, max(t.patience.apart(), t.limits.timeout/2)):
	default:
		m.runs, m.at = min(m.runs+1, misfitsMax), now
		if m.runs == misfitsMax {
			t.initialiseAgain(reinitMisfit, now)
		}
	}
}
