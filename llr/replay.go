package llr

import (
	"time"

	"uelink/wire"
)

// replay is the state of the present or the last replay, and of the replays since the last progress. Progress is an
// advance of acked_seq.
type replay struct {
	cursor     uint32    // in state REPLAY: position in the window of the next frame to post again
	repeatedTo uint32    // position after the last frame that was posted more than once
	reach      uint32    // how many frames may be outstanding: fewer after losses, more with progress
	apart      uint32    // smoothed number of frames between two losses; 0 = no loss yet
	acked      uint32    // frames acknowledged since the last loss
	behind     uint32    // smoothed number of frames outstanding at a loss, which go-back-N sends again
	burst      burst     // the most frames acknowledged within the least loop time
	most       uint32    // frames that the replay posts before it waits for progress; 0 = all
	counted    bool      // the replay is counted in TX_REPLAY
	byTimer    bool      // the replay timer started the replay
	timed      bool      // the replay timer started the replay, and it is not known yet whether it was needless
	begun      bool      // there was a replay since LLR is up
	began      wire.Time // when the last replay began

	row       int       // replays in a row without progress
	count     int       // replay_ct: replays of the row that count towards REPLAY_COUNT_MAX, at least REPLAY_TIMER_MAX apart
	expired   bool      // the replay timer has started a replay of the row
	countFrom wire.Time // time of the last progress, or when count was last increased
	stuckFrom wire.Time // time of the last progress, or when frames were outstanding again
}

// reset forgets all replays; first is the position of the next frame, and nothing is outstanding.
func (r *replay) reset(first uint32, now wire.Time) {
	*r = replay{cursor: first, repeatedTo: first, countFrom: now, stuckFrom: now, reach: MaxOutstandingFrames}
}

// recordLoss records that the partner has missed frames while n are outstanding, and reduces how many frames may be
// outstanding (reach).
func (r *replay) recordLoss(n uint32) {
	if r.apart == 0 {
		r.apart, r.behind = r.acked, n
	}
	r.apart, r.behind = (3*r.apart+r.acked)/4, (3*r.behind+n)/4
	r.acked = 0
	r.burst.recordLoss()
	r.limitReach()
}

// restartWait makes the time that a replay waits for progress count from now.
func (r *replay) restartWait(now wire.Time) { r.countFrom, r.stuckFrom = now, now }

// recordProgress records that acked_seq has advanced by n frames: the row of replays without progress ends, and more
// frames may be outstanding (reach). least is the least loop time.
func (r *replay) recordProgress(n uint32, least time.Duration, now wire.Time) {
	r.acked = min(r.acked+n, MaxOutstandingFrames)
	r.burst.add(n, least, now)
	r.extendReach(n)
	r.row, r.count, r.expired, r.most = 0, 0, false, 0
	r.restartWait(now)
}

// precedes reports whether a message received now must be older than the partner's first answer to the last replay,
// where least is the least loop time. An LLR_NACK that is so old starts no other replay, because the last replay posts
// the missing frames anyway.
func (r *replay) precedes(least time.Duration, now wire.Time) bool {
	return r.begun && least != forever && now < after(r.began, least)
}

// overtakenBy reports whether an acknowledgement of the n oldest frames of the window may show that the last replay was
// needless: it covers more frames than the replay has posted so far, or all outstanding frames, which ends the replay.
// A replay that goes on makes frames arrive twice however fast the partner is, and shows nothing.
func (r *replay) overtakenBy(n uint32, w *window) bool {
	return n > r.cursor-w.first || n == w.outstanding()
}

// recordRepeated records that the frame at the position before end is posted again.
func (r *replay) recordRepeated(end uint32) {
	if int32(end-r.repeatedTo) > 0 {
		r.repeatedTo = end
	}
}

// pausing reports whether a replay of the window that begins at first pauses, because it has posted as many frames as
// may be posted without progress.
func (r *replay) pausing(first uint32) bool {
	far := r.cursor - first
	return far >= r.reach || r.most > 0 && far >= r.most
}
