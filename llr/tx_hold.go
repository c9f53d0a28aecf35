package llr

import "uelink/wire"

// hold is the patience with a silent partner: its process is stopped or restarting, or the wire is down. Replays
// reach nobody then, so REPLAY_COUNT_MAX says nothing about the frames. FLUSH by count waits until HoldTimeout has
// passed since the partner was last heard.
//
// A partner that sends frames and acknowledges nothing is not waited for: REPLAY_COUNT_MAX alone decides. A partner
// heard again after a long silence gets the full number of replays again, but once only until there is progress, so
// that a partner with little to send does not keep a dead direction alive.
type hold struct {
	heard    wire.Time // when the last message or frame of the partner arrived
	forgiven bool      // the replay count was cleared after a silence, and there was no progress since
}

// partnerHeard records that an undamaged message or frame of the partner's present start has arrived.
func (t *Tx) partnerHeard(now wire.Time) {
	if t.longSilent(now) && t.replay.count > 0 && !t.hold.forgiven {
		t.replay.count, t.replay.countFrom, t.hold.forgiven = 0, now, true
	}
	t.hold.heard = now
}

// longSilent reports whether the partner has been silent for half of the time that counting to REPLAY_COUNT_MAX
// takes.
func (t *Tx) longSilent(now wire.Time) bool {
	counting := times(int64(t.profile.MaxReplayCount)+1, t.limits.timeout)
	return t.profile.HoldTimeout > 0 && now.Sub(t.hold.heard) >= counting/2
}

// holdsFlush reports whether FLUSH by REPLAY_COUNT_MAX must wait, because the partner is silent and its
// HoldTimeout is not over.
// Clauses: SAI-LLR/flush.1.
func (t *Tx) holdsFlush(now wire.Time) bool {
	return t.longSilent(now) && !t.hold.forgiven && now < after(t.hold.heard, t.profile.HoldTimeout)
}
