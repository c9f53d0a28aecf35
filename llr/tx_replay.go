package llr

import "uelink/wire"

// Without new acknowledgements further replays change nothing. The first wholeReplays replays without progress post all
// outstanding frames, and an LLR_NACK may start the next at once. Later replays are REPLAY_TIMER_MAX apart and post
// shortReplay frames each, so that a frame that can never cross costs little CPU and little of the wire.
//
// A replay started by the timer posts askingReplay frames first: the partner may only be slow. The rest follows when
// the partner acknowledges one of these frames. If it acknowledges more than was posted again, it has the frames, and
// the replay ends.
const (
	wholeReplays = 3
	shortReplay  = 16
	askingReplay = 4
)

// replayForProgress begins a replay although the last brought no progress, or enters FLUSH after too many. A
// replay counts if REPLAY_TIMER_MAX has passed since the last counted replay, whoever started it: so neither the
// losses of a bad wire nor duplicated LLR_NACKs add up. SAI-LLR: FLUSH when "the number of replay attempts exceeds
// a configured maximum value". While the partner is silent FLUSH waits (hold).
// Clauses: SAI-LLR/replay-timer.6.
func (t *Tx) replayForProgress(now wire.Time) {
	if t.countAttempt(now) {
		t.beginReplay(now)
	}
}

// countAttempt counts a replay without progress in the row, and towards REPLAY_COUNT_MAX if the replay timer has passed
// since the last that counted. It returns false if it has entered FLUSH instead. After wholeReplays in a row a replay
// posts only shortReplay frames.
func (t *Tx) countAttempt(now wire.Time) bool {
	r := &t.replay
	limit := int(t.profile.MaxReplayCount)
	if limit != NoReplayLimit && now >= after(max(r.countFrom, t.busy), t.limits.timeout) {
		if r.count >= limit && !t.hold.holdsFlush(&t.profile, t.limits.timeout, now) {
			t.enterFlush(flushReplayCount, now)
			return false
		}
		r.count = min(r.count+1, limit)
		r.countFrom = now
	}
	r.row++
	if r.most = 0; r.row > wholeReplays {
		r.most = shortReplay
	}
	return true
}

// beginReplay enters REPLAY: the outstanding frames are posted again from the oldest on. At least one frame must
// be outstanding.
// Clauses: UE-LINK/nack.9, SAI-LLR/replay-timer.5.
func (t *Tx) beginReplay(now wire.Time) {
	r := &t.replay
	r.cursor, r.counted, r.byTimer, r.timed, r.begun, r.began = t.window.first, false, false, false, true, now
	t.patience.maybe, t.tail.wait, t.tail.due = 0, 0, false // the last frame is sent again anyway
	t.sel.dropLost()
	t.state = TxReplay
}

// Replaying reports whether Replay has a slot to post: of a replay that does not pause, or the copy of the last frame
// (tail).
func (t *Tx) Replaying() bool {
	return t.port.carrier && (t.state == TxReplay && (t.sel.posting || !t.replay.pausing(t.window.first)) || t.tail.due)
}

// Oldest returns the frame that Replay posts next, by slot, sequence number and octets carried, if it is the oldest
// outstanding one and not poisoned. The partner lacks this frame: the wire has lost it, or the copy in its slot has
// changed since it was first sent. So the slot's owner checks the copy.
func (t *Tx) Oldest() (slot, seq, length uint32, ok bool) {
	if !t.Replaying() || t.nextReplayed() != t.window.first {
		return 0, 0, 0, false
	}
	f := t.window.at(t.window.first)
	return f.slot, t.space.add(t.seq, -int(t.window.outstanding())), f.length, !f.poisoned
}

// nextReplayed returns the position of the frame that Replay returns next: of the probe, of the list sel.lost, or of a
// replay of all frames, in this order.
func (t *Tx) nextReplayed() uint32 {
	switch {
	case t.tail.due:
		return t.window.tail - 1
	case t.sel.posting:
		return t.sel.next()
	}
	return t.replay.cursor
}

// Poison records that the slot's owner has given the oldest outstanding frame a poisoned FCS image, because its copy
// has changed. The partner accepts the number and drops the frame, instead of asking for the frame without end.
func (t *Tx) Poison() { t.window.at(t.window.first).poisoned = true }

// Replay returns the next slot to post again, under its old number. After the last slot the replay ends or pauses. ok
// is false if there is no slot to post.
// Clauses: SAI-LLR/go-back-n.8, SAI-LLR/replay-timer.5.
func (t *Tx) Replay() (slot uint32, ok bool) {
	if !t.Replaying() {
		return 0, false
	}
	switch {
	case t.tail.due:
		return t.probe(), true
	case t.sel.posting:
		return t.repair(), true
	}
	f := t.window.at(t.replay.cursor)
	if t.sel.on {
		t.sel.stampAgain(t.replay.cursor, t.now)
	}
	t.replay.cursor++
	t.tail.sent = t.now
	t.replay.recordRepeated(t.replay.cursor)
	t.countAgain(f)
	t.endReplayIfDone()
	return f.slot, true
}

// skipAcked moves the replay past frames acknowledged meanwhile. A replay of the timer ends if more frames were
// acknowledged than it has posted.
func (t *Tx) skipAcked() {
	if t.state != TxReplay {
		return
	}
	if t.sel.posting {
		t.skipRepaired()
		return
	}
	if r := &t.replay; int32(r.cursor-t.window.first) < 0 {
		r.cursor = t.window.first
		if r.byTimer {
			r.cursor = t.window.tail
		}
	}
	t.endReplayIfDone()
}

// endReplayIfDone leaves REPLAY when all frames are posted again, and restarts the replay timer after the end or a
// pause.
func (t *Tx) endReplayIfDone() {
	done := t.replay.cursor == t.window.tail
	if !done && !t.replay.pausing(t.window.first) {
		return
	}
	t.stopPosting()
	if done {
		t.state = TxAdvance
	}
}

// stopPosting counts the replay, unless it was counted at an earlier pause, and restarts the replay timer.
func (t *Tx) stopPosting() {
	if !t.replay.counted {
		t.count.TxReplay++
		t.replay.counted = true
	}
	t.timer, t.rearm = t.now, true
}

// askByOldest sends the oldest frame again, because the replay timer has expired: the partner's report in the answer
// names the missing frames.
func (t *Tx) askByOldest(now wire.Time) {
	if t.countAttempt(now) {
		t.sel.lose(t.window.first)
		t.beginRepair(now)
	}
}

// beginRepair enters REPLAY: the frames of the list sel.lost are posted next. If all of them were acknowledged
// meanwhile, REPLAY ends at once. A replay under way goes on with the longer list.
func (t *Tx) beginRepair(now wire.Time) {
	r := &t.replay
	if t.state != TxReplay {
		r.counted, r.byTimer, r.timed, r.begun, r.began = false, false, false, true, now
		t.patience.maybe = 0
	}
	t.sel.posting, t.state = true, TxReplay
	t.skipRepaired()
}

// repair takes the next frame off the list sel.lost, records and counts that it is sent again, and returns its slot.
func (t *Tx) repair() (slot uint32) {
	p := t.sel.next()
	t.sel.head++
	f := t.window.at(p)
	t.sel.stampAgain(p, t.now)
	t.tail.sent = t.now
	t.replay.recordRepeated(p + 1)
	t.count.TxSelected++
	t.countAgain(f)
	t.skipRepaired()
	return f.slot
}

// skipRepaired skips the frames of the list sel.lost that were acknowledged meanwhile. At the end of the list it leaves
// REPLAY, and restarts the replay timer.
func (t *Tx) skipRepaired() {
	if t.sel.skipAcked(t.window.first) {
		return
	}
	t.sel.dropLost()
	t.stopPosting()
	t.state = TxAdvance
}

// probe records and counts that the last frame is sent again as a probe (tail), and returns its slot. A probe has no
// serial of its own: nobody knows which of the two sendings is answered.
func (t *Tx) probe() (slot uint32) {
	t.tail.due = false
	position := t.window.tail - 1
	f := t.window.at(position)
	if t.sel.on {
		t.sel.sending(position).copied = true
	}
	t.replay.repeatedTo = t.window.tail
	t.count.TxTailProbe++
	t.countAgain(f)
	return f.slot
}
