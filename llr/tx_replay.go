package llr

// When the partner acknowledges nothing new, replays change nothing either. The
// first wholeReplays of them are whole, and an LLR_NACK may start the next one at
// once. Later ones are REPLAY_TIMER_MAX apart and post shortReplay frames each, so
// that a frame that can never cross costs neither the CPU nor the wire much.
//
// A replay that the timer asks for posts no more than askingReplay frames at first: the
// partner may only be slow. The rest follows when it acknowledges one of them; if it
// acknowledges more than was posted again, it has the frames, and none follows.
const (
	wholeReplays = 3
	shortReplay  = 16
	askingReplay = 4
)

// Go-back-N sends everything again that was under way behind a lost frame. So where
// frames are lost often, or come out of order, few are to be under way: reachTimes as
// many as have lately been acknowledged between two losses, but at least reachLeast.
// Each frame that is acknowledged then makes room for one more.
const (
	reachTimes = 4
	reachLeast = 8
)

// replay is what is known of the replay under way, or the last one, and of those
// since there was progress. Progress is that acked_seq advances.
type replay struct {
	cursor  uint32 // REPLAY: position in the window of the next frame to post again
	again   uint32 // position after the last frame that was posted more than once
	reach   uint32 // how many frames may be under way
	apart   uint32 // frames between two losses, smoothed; 0 = there was none
	acked   uint32 // frames acknowledged since the last loss
	most    uint32 // frames that are posted before there is progress; 0 = all
	told    bool   // counted in TX_REPLAY
	byTimer bool   // the replay timer asked for it
	timed   bool   // so it did, and what it has brought is not known yet
	begun   bool   // there has been one since LLR is up
	began   int64  // when

	row       int   // replays in a row without progress
	count     int   // replay_ct: those of them that count, at least REPLAY_TIMER_MAX apart
	expired   bool  // the replay timer has asked for one of them
	countFrom int64 // when there was progress, or one counted
	stuckFrom int64 // when there was progress, or something to acknowledge again
}

// reset forgets all replays of a transmitter with nothing outstanding.
func (r *replay) reset(first uint32, now int64) {
	*r = replay{cursor: first, again: first, countFrom: now, stuckFrom: now, reach: MaxOutstandingFrames}
}

// lost notes that the partner has lost frames.
func (r *replay) lost() {
	if r.apart == 0 {
		r.apart = r.acked
	}
	r.apart = (3*r.apart + r.acked) / 4
	r.reach = max(reachLeast, min(r.reach, reachTimes*r.apart))
	r.acked = 0
}

// moved notes progress, or that waiting for it begins only now.
func (r *replay) moved(now int64) { r.countFrom, r.stuckFrom = now, now }

// progress notes that acked_seq has advanced by n.
func (r *replay) progress(n uint32, now int64) {
	r.acked = min(r.acked+n, MaxOutstandingFrames)
	r.reach = min(r.reach+n, MaxOutstandingFrames)
	r.row, r.count, r.expired, r.most = 0, 0, false, 0
	r.moved(now)
}

// replayForProgress begins a replay though the one before has brought nothing. One
// counts if REPLAY_TIMER_MAX has passed since the last that did, whoever asked for
// it: so neither the losses of a bad wire nor doubled LLR_NACK add up. SAI-LLR:
// FLUSH when "the number of replay attempts exceeds a configured maximum value". While
// the partner is silent FLUSH waits (hold).
func (t *Tx) replayForProgress(now int64) {
	r := &t.replay
	limit := int(t.profile.MaxReplayCount)
	if limit != NoReplayLimit && now >= after(max(r.countFrom, t.busy), t.timeout) {
		if r.count >= limit && !t.holds(now) {
			t.enterFlush(flushReplayCount, now)
			return
		}
		r.count = min(r.count+1, limit)
		r.countFrom = now
	}
	r.row++
	if r.most = 0; r.row > wholeReplays {
		r.most = shortReplay
	}
	t.beginReplay(now)
}

// beginReplay posts the outstanding frames again, of which there are some.
func (t *Tx) beginReplay(now int64) {
	r := &t.replay
	r.cursor, r.told, r.byTimer, r.timed, r.begun, r.began = t.window.first, false, false, false, true, now
	t.patience.maybe = 0
	t.state = TxReplay
}

// Replaying tells whether Replay has a slot to post.
func (t *Tx) Replaying() bool { return t.state == TxReplay && t.carrier && !t.pausing() }

// pausing tells whether as much of the replay is under way as may be.
func (t *Tx) pausing() bool {
	r := &t.replay
	far := r.cursor - t.window.first
	return far >= r.reach || r.most > 0 && far >= r.most
}

// Replay returns the next slot to post again, with the number it has. With the
// last one the replay ends, or pauses. ok is false when there is none.
func (t *Tx) Replay() (slot uint32, ok bool) {
	if !t.Replaying() {
		return 0, false
	}
	f := t.window.at(t.replay.cursor)
	t.replay.cursor++
	if int32(t.replay.cursor-t.replay.again) > 0 {
		t.replay.again = t.replay.cursor
	}
	t.sent(f.poisoned)
	t.endReplayIfDone()
	return f.slot, true
}

// skipAcked moves a replay past what was acknowledged meanwhile. One of the replay
// timer is over if that is more than it has posted.
func (t *Tx) skipAcked() {
	if t.state != TxReplay {
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

func (t *Tx) endReplayIfDone() {
	done := t.replay.cursor == t.window.tail
	if !done && !t.pausing() {
		return
	}
	if !t.replay.told {
		t.count.TxReplay++
		t.replay.told = true
	}
	t.timer, t.rearm = t.now, true
	if done {
		t.state = TxAdvance
	}
}
