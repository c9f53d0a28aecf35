package llr

import (
	"time"

	"uelink/wire"
)

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

// longSilent reports whether the partner has been silent for half of the time that counting to REPLAY_COUNT_MAX
// takes, where the replay timer is timeout; never without a HoldTimeout.
func (h *hold) longSilent(p *Profile, timeout time.Duration, now wire.Time) bool {
	counting := times(int64(p.MaxReplayCount)+1, timeout)
	return p.HoldTimeout > 0 && now.Sub(h.heard) >= counting/2
}

// holdsFlush reports whether FLUSH by REPLAY_COUNT_MAX must wait, because the partner is silent and its
// HoldTimeout is not over.
// Clauses: SAI-LLR/flush.1.
func (h *hold) holdsFlush(p *Profile, timeout time.Duration, now wire.Time) bool {
	return h.longSilent(p, timeout, now) && !h.forgiven && now < after(h.heard, p.HoldTimeout)
}
