package llr

// hold is patience with a partner that is silent: its process is stopped, or starts again, or the wire is out. What is
// posted again meanwhile finds nobody, so REPLAY_COUNT_MAX says nothing about the frames. FLUSH by count then waits
// until HoldTimeout has passed since the partner was last heard.
//
// A partner that speaks and acknowledges nothing is not waited for: there REPLAY_COUNT_MAX decides alone. One that
// speaks again after a long silence gets all replays again to acknowledge, but once only until there is progress, so
// that a partner with little to say does not keep a dead direction alive.
type hold struct {
	heard    int64 // when something of the partner last came
	forgiven bool  // replays that found nobody were forgiven since there was progress
}

// partnerHeard notes that something of the partner has come: of its present start, and undamaged.
func (t *Tx) partnerHeard(now int64) {
	if t.longSilent(now) && t.replay.count > 0 && !t.hold.forgiven {
		t.replay.count, t.replay.countFrom, t.hold.forgiven = 0, now, true
	}
	t.hold.heard = now
}

// longSilent reports whether the partner has been silent for half of the time that it takes to count to
// REPLAY_COUNT_MAX.
func (t *Tx) longSilent(now int64) bool {
	counting := times(int64(t.profile.MaxReplayCount)+1, t.timeout)
	return t.profile.HoldTimeout > 0 && now-t.hold.heard >= counting/2
}

// holds reports whether FLUSH by count waits for a silent partner.
func (t *Tx) holds(now int64) bool {
	return t.longSilent(now) && !t.hold.forgiven && now < after(t.hold.heard, int64(t.profile.HoldTimeout))
}
