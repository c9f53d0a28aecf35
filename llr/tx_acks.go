package llr

// misfitsMax is how often the partner has to acknowledge the same number that does
// not fit before it is believed to have lost our numbers.
const misfitsMax = 3

// misfit is an acknowledgement outside the window that comes again and again.
type misfit struct {
	seq  uint32
	runs int
	at   int64 // when it was last counted
}

// acked is acked_seq: the number before that of the oldest outstanding frame.
func (t *Tx) acked() uint32 { return t.space.add(t.seq, -1-int(t.window.outstanding())) }

// ack is LLR_ACK. SAI-LLR: "All frames up to the sequence number in the LLR_ACK
// are removed from the replay buffer".
func (t *Tx) ack(seq uint32, now int64) {
	if _, ok := t.accept(seq, now); ok {
		t.skipAcked()
	}
}

// nack is LLR_NACK. SAI-LLR: "Retransmits those frames from the replay buffer
// whose sequence number is greater than the sequence number in the LLR_NACK". A
// replay that is under way is given up for the new one, unless the LLR_NACK was
// sent before anything of it can have arrived.
func (t *Tx) nack(seq uint32, now int64) {
	progress, ok := t.accept(seq, now)
	switch {
	case !ok:
	case t.window.outstanding() == 0 || t.knownLoss(now):
		t.skipAcked()
	case progress:
		t.replay.lost()
		t.beginReplay(now)
	case t.replay.row >= wholeReplays && now < after(t.replay.began, t.timeout):
	default:
		if t.replay.acked > 0 {
			t.replay.lost()
		}
		t.replayForProgress(now)
	}
}

// knownLoss tells whether an LLR_NACK that has come now is about what the last replay
// posts again anyway: no answer to that replay can be here yet.
func (t *Tx) knownLoss(now int64) bool {
	return t.replay.begun && t.patience.least != never && now < after(t.replay.began, t.patience.least)
}

// accept takes the cumulative acknowledgement out of an ACK or NACK. ok is false
// if there is nothing more to do: LLR is not running, or the number is neither
// acked_seq nor that of an outstanding frame.
func (t *Tx) accept(seq uint32, now int64) (progress, ok bool) {
	t.now = now
	if !t.running() {
		return false, false
	}
	n := t.space.distance(t.acked(), seq)
	if n > t.window.outstanding() {
		t.misfits(seq, now)
		return false, false
	}
	t.partnerHeard(now)
	if n == 0 {
		return false, true
	}
	t.learn(n, now)
	t.crossed = max(t.crossed, t.window.release(n))
	if int32(t.replay.again-t.window.first) < 0 {
		t.replay.again = t.window.first
	}
	t.replay.progress(n, now)
	t.timer, t.misfit, t.notLive, t.hold.forgiven = now, misfit{}, never, false
	return true, true
}

// misfits counts an acknowledgement outside the window. One that is repeated, a loop
// time apart and without progress, shows that the partner goes by other numbers
// than ours: no replay can change that.
func (t *Tx) misfits(seq uint32, now int64) {
	t.count.RxAckNackSeqError++
	m := &t.misfit
	switch {
	case m.runs == 0 || m.seq != seq:
		*m = misfit{seq: seq, runs: 1, at: now}
	case now < after(m.at, t.patience.apart()):
	default:
		m.runs, m.at = m.runs+1, now
		if m.runs >= misfitsMax {
			t.initialiseAgain(reinitMisfit, now)
		}
	}
}
