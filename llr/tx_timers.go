package llr

import "uelink/wire"

// poll lets the timers run and appends the LLR_INIT that is due.
func (t *Tx) poll(now int64, out []wire.CtlOS) []wire.CtlOS {
	t.now = now
	t.expire(now)
	if t.state == TxInit && t.carrier && now >= t.hello.due {
		t.count.TxInitCtlOS++
		out = append(out, t.hello.send(now))
	}
	return out
}

// expire acts on at most one timer: a flush leaves none of the others running.
func (t *Tx) expire(now int64) {
	if t.state != TxAdvance && t.state != TxReplay {
		return
	}
	if t.rearm {
		t.timer, t.rearm = now, false
	}
	switch {
	case now >= t.pcsLostAt():
		t.enterFlush(flushPCSLost, now)
	case now >= t.tooOldAt():
		t.enterFlush(flushDataAge, now)
	case now >= t.replayAt():
		t.replayTimerExpired(now)
	}
}

// replayTimerExpired begins a replay. Seed 001: "Can be performed multiple times
// (capped by REPLAY_COUNT_MAX) if no further LLR_ACKs are received", and FLUSH
// when "the number of replay attempts exceeds a configured maximum value".
func (t *Tx) replayTimerExpired(now int64) {
	if limit := int(t.profile.MaxReplayCount); limit != NoReplayLimit {
		if t.trials >= limit {
			t.enterFlush(flushReplayCount, now)
			return
		}
		t.trials++
	}
	t.enterReplay()
}

// maxPatience is how many times REPLAY_TIMER_MAX the replay timer lasts at most.
const maxPatience = 16

// took notes for how long the oldest of the frames that an acknowledgement is for has
// waited for it, or has since it was known to be lost. Two long waits on end count at
// once, one may have been a loss that only the replay timer found; short ones count
// little by little.
func (t *Tx) took(ns int64) {
	t.slow = max(min(ns, t.wait), t.slow-max(0, t.slow-ns)/8)
	t.wait = ns
}

// replayTimer is REPLAY_TIMER_MAX. For a partner that has lately taken longer, since
// its CPU has much to do, it is twice as long as that: frames that the partner has
// would only be sent again, and give it even more to do.
func (t *Tx) replayTimer() int64 {
	timer := int64(t.profile.MaxReplayTimer)
	return max(timer, min(2*t.slow, maxPatience*timer))
}

// replayAt is when the replay timer expires. It runs in ADVANCE while frames are
// outstanding and the carrier is there.
func (t *Tx) replayAt() int64 {
	if t.state != TxAdvance || !t.carrier || t.window.outstanding() == 0 {
		return never
	}
	return after(t.timer, t.replayTimer())
}

// pcsLostAt is when the carrier has been lost for PCS_LOST_TIMEOUT.
func (t *Tx) pcsLostAt() int64 {
	if t.carrier || t.profile.PCSLostTimeout <= 0 {
		return never
	}
	return after(t.downAt, int64(t.profile.PCSLostTimeout))
}

// tooOldAt is when the oldest outstanding frame reaches DATA_AGE_TIMEOUT.
func (t *Tx) tooOldAt() int64 {
	if t.profile.DataAgeTimeout <= 0 || t.window.outstanding() == 0 {
		return never
	}
	return after(t.window.at(t.window.first).pushed, int64(t.profile.DataAgeTimeout))
}

// deadline is when poll has something to do by itself.
func (t *Tx) deadline() int64 {
	switch t.state {
	case TxAdvance, TxReplay:
		return min(t.replayAt(), t.pcsLostAt(), t.tooOldAt())
	case TxInit:
		if t.carrier {
			return t.hello.due
		}
	}
	return never
}
