package llr

import (
	"time"

	"uelink/wire"
)

// Without new acknowledgements further replays change nothing. The first wholeReplays replays without progress are
// whole, and an LLR_NACK may start the next at once. Later replays are REPLAY_TIMER_MAX apart and post shortReplay
// frames each, so that a frame that can never cross costs little CPU and little of the wire.
//
// A replay started by the timer posts askingReplay frames first: the partner may only be slow. The rest follows when
// the partner acknowledges one of these frames. If it acknowledges more than was posted again, it has the frames, and
// the replay ends.
const (
	wholeReplays = 3
	shortReplay  = 16
	askingReplay = 4
)

// replay is the state of the replay under way, or of the last, and of the replays since there was progress. Progress
// is an advance of acked_seq.
type replay struct {
	cursor     uint32    // REPLAY: position in the window of the next frame to post again
	repeatedTo uint32    // position after the last frame that was posted more than once
	reach      uint32    // how many frames may be outstanding
	apart      uint32    // frames between two losses, smoothed; 0 = no loss yet
	acked      uint32    // frames acknowledged since the last loss
	behind     uint32    // frames outstanding at a loss, which go-back-N sends again, smoothed
	burst      burst     // frames acknowledged within the least loop time
	most       uint32    // frames that are posted until there is progress; 0 = all
	counted    bool      // counted in TX_REPLAY
	byTimer    bool      // the replay timer started it
	timed      bool      // the replay timer started it, and its result is not known yet
	begun      bool      // there was a replay since LLR is up
	began      wire.Time // when the last replay began

	row       int       // replays in a row without progress
	count     int       // replay_ct: replays of the row that count, at least REPLAY_TIMER_MAX apart
	expired   bool      // the replay timer has started a replay of the row
	countFrom wire.Time // time of the last progress, or of the last replay counted
	stuckFrom wire.Time // time of the last progress, or when frames were outstanding again
}

// reset forgets all replays; first is the position of the next frame, and nothing is outstanding.
func (r *replay) reset(first uint32, now wire.Time) {
	*r = replay{cursor: first, repeatedTo: first, countFrom: now, stuckFrom: now, reach: MaxOutstandingFrames}
}

// recordLoss records that the partner has missed frames while n are outstanding, and reduces how many frames a replay
// posts before progress (reach).
func (r *replay) recordLoss(n uint32) {
	if r.apart == 0 {
		r.apart, r.behind = r.acked, n
	}
	r.apart, r.behind = (3*r.apart+r.acked)/4, (3*r.behind+n)/4
	r.acked = 0
	r.burst.recordLoss()
	r.limitReach()
}

// restartWait makes the wait for progress of a replay begin now.
func (r *replay) restartWait(now wire.Time) { r.countFrom, r.stuckFrom = now, now }

// recordProgress records that acked_seq has advanced by n frames: replays have brought progress. least is the least
// loop time.
func (r *replay) recordProgress(n uint32, least time.Duration, now wire.Time) {
	r.acked = min(r.acked+n, MaxOutstandingFrames)
	r.burst.add(n, least, now)
	r.extendReach(n)
	r.row, r.count, r.expired, r.most = 0, 0, false, 0
	r.restartWait(now)
}

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

// countAttempt counts a replay without progress; it returns false if it has entered FLUSH instead.
func (t *Tx) countAttempt(now wire.Time) bool {
	r := &t.replay
	limit := int(t.profile.MaxReplayCount)
	if limit != NoReplayLimit && now >= after(max(r.countFrom, t.busy), t.limits.timeout) {
		if r.count >= limit && !t.holdsFlush(now) {
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
	t.dropLost()
	t.state = TxReplay
}

// Replaying reports whether Replay has a slot to post: of a replay that is running, or of the last frame.
func (t *Tx) Replaying() bool {
	return t.port.carrier && (t.state == TxReplay && (t.sel.posting || !t.pausing()) || t.tail.due)
}

// pausing reports whether the replay pauses, because it has posted as many frames as may be posted without
// progress.
func (t *Tx) pausing() bool {
	r := &t.replay
	far := r.cursor - t.window.first
	return far >= r.reach || r.most > 0 && far >= r.most
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

// nextReplayed returns the position of the frame that Replay returns next.
func (t *Tx) nextReplayed() uint32 {
	switch {
	case t.tail.due:
		return t.window.tail - 1
	case t.sel.posting:
		return t.sel.lost[t.sel.head]
	}
	return t.replay.cursor
}

// Poison records that the slot's owner has given the oldest outstanding frame a poisoned FCS image, because its copy
// has changed. The partner accepts the number and drops the frame, instead of asking for it without end.
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
		t.stampAgain(t.replay.cursor, t.now)
	}
	t.replay.cursor++
	t.tail.sent = t.now
	if int32(t.replay.cursor-t.replay.repeatedTo) > 0 {
		t.replay.repeatedTo = t.replay.cursor
	}
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
	if !done && !t.pausing() {
		return
	}
	if !t.replay.counted {
		t.count.TxReplay++
		t.replay.counted = true
	}
	t.timer, t.rearm = t.now, true
	if done {
		t.state = TxAdvance
	}
}
