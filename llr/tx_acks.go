package llr

import (
	"time"

	"uelink/wire"
)

// misfitsMax is the number of times that the partner must acknowledge the same number outside the window until it
// counts as having lost our numbers, if outstanding frames get no answer.
const misfitsMax = 3

// misfit counts acknowledgements of one and the same number outside the window.
type misfit struct {
	seq  uint32    // the number
	runs int       // how often it was counted; 0: no such number
	at   wire.Time // when it was last counted
}

// add records an acknowledgement of number seq, if the time apart has passed since the last that counts, and reports
// whether misfitsMax in succession have had this number.
func (m *misfit) add(seq uint32, apart time.Duration, now wire.Time) bool {
	switch {
	case m.runs == 0 || m.seq != seq:
		*m = misfit{seq: seq, runs: 1, at: now}
		return false
	case now < after(m.at, apart):
		return false
	}
	m.runs, m.at = min(m.runs+1, misfitsMax), now
	return m.runs == misfitsMax
}

// acked returns acked_seq, the number before that of the oldest outstanding frame.
func (t *Tx) acked() uint32 { return t.space.add(t.seq, -1-int(t.window.outstanding())) }

// receivedAck handles an LLR_ACK. SAI-LLR: "All frames up to the sequence number in the LLR_ACK are removed from the
// replay buffer". A replay under way skips these frames.
// Clauses: UE-LINK/ack.10.
func (t *Tx) receivedAck(seq uint32, now wire.Time) {
	if _, ok := t.acceptAck(seq, now); ok {
		t.skipAcked()
	}
}

// receivedNack handles an LLR_NACK. SAI-LLR: "Retransmits those frames from the replay buffer whose sequence number
// is greater than the sequence number in the LLR_NACK". A new replay replaces the replay under way, unless the
// LLR_NACK was sent before any frame of that replay can have arrived, or is the copy of one that was received. r has
// the number of the LLR_NACK.
// Clauses: UE-LINK/nack.8, SAI-LLR/overview.5, SAI-LLR/go-back-n.8.
func (t *Tx) receivedNack(seq uint32, r wire.Received, now wire.Time) {
	copied := t.countNack(r)
	progress, ok := t.acceptAck(seq, now)
	if ok {
		t.nacked = r.Nack
	}
	switch {
	case !ok:
	case t.window.outstanding() == 0 || copied || t.replay.precedes(t.patience.least, now):
		t.skipAcked()
	case progress:
		t.replay.recordLoss(t.window.outstanding())
		t.beginReplay(now)
	case t.replay.row >= wholeReplays && now < after(t.replay.began, t.limits.timeout):
		// Too soon for one more replay without progress.
	default:
		if t.replay.acked > 0 {
			t.replay.recordLoss(t.window.outstanding())
		}
		t.replayForProgress(now)
	}
}

// countNack counts an LLR_NACK, as RxNackRepeated if it is a copy or asks again, and reports whether it is the copy of
// one that was received. r has its number.
func (t *Tx) countNack(r wire.Received) (copied bool) {
	copied = r.Nack > 0 && r.Nack == t.nacked
	if copied || r.Again {
		t.count.RxNackRepeated++
	} else {
		t.count.RxNackCtlOS++
	}
	return copied
}

// acceptAck applies the cumulative acknowledgement of an ACK or NACK: the window, the timers and the measurements of
// loop time and losses learn of it. progress is true if it covers outstanding frames. ok is false if the rest of the
// message must be ignored: LLR is not running, or the number is neither acked_seq nor that of an outstanding frame.
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
	t.sel.recordReleased(t.window.first)
	t.tail.recordProgress(t.window.outstanding(), now)
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
	if t.window.outstanding() > 0 && t.replay.expired &&
		t.misfit.add(seq, max(t.patience.apart(), t.limits.timeout/2), now) {
		t.initialiseAgain(reinitMisfit, now)
	}
}

// learn records the wait of an acknowledgement of the n oldest outstanding frames: the time since the first of these
// was pushed. The time of the last frame is a loop time, since that frame has only just arrived. The loop time
// replaces the wait where the first frame was sent again.
func (t *Tx) learn(n uint32, now wire.Time) {
	p, r := &t.patience, &t.replay
	if p.at = now; t.sel.on {
		return // the reports of the partner are measured: addEvidence
	}
	first, last := t.window.first, t.window.first+n-1
	wait := now.Sub(t.window.at(first).pushed)
	switch {
	case int32(last-r.repeatedTo) >= 0: // the last frame was sent once
		pushed := t.window.at(last).pushed
		t.addLoopTime(pushed, now)
		if int32(first-r.repeatedTo) < 0 {
			wait = now.Sub(pushed)
		}
		p.addWait(wait)
		p.maybe, r.timed = 0, false
	case !r.timed: // the replay timer has started no replay that may be needless
	case !r.overtakenBy(n, &t.window):
		r.timed = false
	case r.precedes(p.least, now):
		// The acknowledged frames were sent before the replay, perhaps before many replays: the wait doubles at most.
		p.addNeedless(min(wait, 2*max(p.slow, t.limits.timeout)))
	case p.counts && p.twice == p.before && p.maybe == 0:
		p.maybe = wait // counts if the partner's next count of duplicates has grown: receivedTwice
	}
}

// addLoopTime records the loop time of a frame that was sent once, at pushed, and is acknowledged now. A time in which
// the partner said that it was busy is no loop time. Nor is the time of a frame that was sent before the last replay:
// it waited for the replay, perhaps for the replay timer, which follows the loop time and would lengthen itself.
func (t *Tx) addLoopTime(pushed, now wire.Time) {
	t.patience.addLoopTime(now.Sub(pushed))
	if pushed < t.busy || t.replay.begun && pushed < t.replay.began {
		return
	}
	t.countLoopTime(now.Sub(pushed))
}

// countLoopTime counts a loop time among those that the advice follows. Every adviseEvery loop times window and replay
// timer are adapted.
func (t *Tx) countLoopTime(d time.Duration) {
	if t.loop.add(d); t.loop.total%adviseEvery == 0 {
		t.loop.late = time.Duration(t.loop.summary().P99)
		t.adapt()
	}
}
