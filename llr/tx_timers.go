package llr

import (
	"time"

	"uelink/wire"
)

// poll runs the transmitter's timers and appends to out the LLR_INIT, if one is due in INIT.
// Clauses: SAI-LLR/tx-status.2.
func (t *Tx) poll(now wire.Time, out []wire.CtlOS) []wire.CtlOS {
	t.now = now
	t.expire(now)
	if t.state == TxInit && t.port.carrier && now >= t.hello.due {
		t.count.TxInitCtlOS++
		out = append(out, t.hello.send(now))
	}
	return out
}

// expire handles the first expired timer in this order: those of FLUSH before those that send frames again, because a
// flush stops all others. Before all of them it changes the kind of replay, if that is due.
// Clauses: SAI-LLR/replay-timer.7.
func (t *Tx) expire(now wire.Time) {
	if !t.running() && !t.resume.on {
		return
	}
	if t.rearm {
		t.timer, t.rearm = now, false
	}
	switch {
	case t.drained():
		t.changeKind(now)
	case now >= t.pcsLostAt():
		t.enterFlush(flushPCSLost, now)
	case now >= t.tooOldAt():
		t.enterFlush(flushDataAge, now)
	case now >= t.resume.endAt(&t.profile, t.limits.timeout):
		t.enterFlush(flushNotResumed, now)
	case t.tooLong():
		t.enterFlush(flushTooLong, now)
	case now >= t.replayAt():
		t.replayTimerExpired(now)
	case now >= t.gapAt():
		t.repairGap(now)
	case now >= t.probeAt():
		t.tail.begin()
	}
}

// replayTimerExpired handles the end of the replay timer: it begins a replay, of the oldest frame in selective replay,
// else of all frames, askingReplay of them at first. SAI-LLR: "Can be performed multiple times (capped by
// REPLAY_COUNT_MAX) if no further LLR_ACKs are received".
// Clauses: SAI-LLR/error.3,4, SAI-LLR/replay-timer.4,6, SAI-LLR/flush.1.
func (t *Tx) replayTimerExpired(now wire.Time) {
	t.replay.expired = true
	if t.sel.on {
		t.askByOldest(now)
		return
	}
	t.replayForProgress(now)
	if t.state == TxReplay {
		t.replay.byTimer, t.replay.timed, t.replay.most = true, true, askingReplay
		t.patience.before, t.patience.maybe = t.patience.twice, 0
	}
}

// replayAt returns when the replay timer expires. The timer runs while frames are outstanding, no replay has slots to
// post, and the carrier is there.
//
// The timer lasts REPLAY_TIMER_MAX. The first time after progress it may last longer, up to patienceMax times, if the
// partner has lately been slow to acknowledge: its CPU is busy, it has the frames, and a replay would only add to its
// load. With a REPLAY_COUNT_MAX of N the first time lasts at most N + 2 times REPLAY_TIMER_MAX, so that a partner
// that has gone is given up within 2(N + 1) times REPLAY_TIMER_MAX.
// Clauses: SAI-LLR/replay-timer.1-4.
func (t *Tx) replayAt() wire.Time {
	if !t.port.carrier || t.window.outstanding() == 0 || t.state != TxAdvance && !t.pauses() {
		return wire.Never
	}
	timer := t.limits.timeout
	at := after(max(t.timer, t.busy), timer)
	if t.replay.expired || 2*t.patience.slow <= timer {
		return at
	}
	return max(at, min(after(t.timer, 2*t.patience.slow), after(t.replay.stuckFrom, t.patientTimer())))
}

// patientTimer returns the longest time that the replay timer waits for a slow partner, the first time after progress.
func (t *Tx) patientTimer() time.Duration {
	return times(min(patienceMax, int64(t.profile.MaxReplayCount)+2), t.limits.timeout)
}

// TimerReason is why the replay timer is as long as it is, as a word that programs can compare.
type TimerReason string

// The reasons for the length of the replay timer.
const (
	TimerConfigured TimerReason = "configured"   // REPLAY_TIMER_MAX of the profile
	TimerByLoop     TimerReason = "loop_time"    // the profile has no value, and the timer follows the loop time
	TimerUnknown    TimerReason = "start"        // the profile has no value, and no loop time is known yet
	TimerRaised     TimerReason = "raised"       // the profile's value, for hardware, is raised to some loop times
	TimerSlow       TimerReason = "slow_partner" // the partner has lately acknowledged late: twice its delay
)

// TimerReasons returns all reasons for the length of the replay timer.
func TimerReasons() []TimerReason {
	return []TimerReason{TimerConfigured, TimerByLoop, TimerUnknown, TimerRaised, TimerSlow}
}

// ReplayTimer returns how long the replay timer lasts at present, and the reason. It is the timer that
// Limits returns, or longer if the partner has been slow to acknowledge and the timer has not expired without progress.
func (t *Tx) ReplayTimer() (timer time.Duration, reason TimerReason) {
	if slow := min(2*t.patience.slow, t.patientTimer()); slow > t.limits.timeout && !t.replay.expired {
		return slow, TimerSlow
	}
	switch {
	case t.profile.MaxReplayTimer == 0 && !t.loop.hasTime():
		reason = TimerUnknown
	case t.profile.MaxReplayTimer == 0:
		reason = TimerByLoop
	case t.limits.timeout > t.profile.MaxReplayTimer:
		reason = TimerRaised
	default:
		reason = TimerConfigured
	}
	return t.limits.timeout, reason
}

// pauses reports whether a replay has sent as many frames as it may before the partner acknowledges one.
func (t *Tx) pauses() bool {
	return t.state == TxReplay && !t.sel.posting && t.replay.pausing(t.window.first)
}

// gapAt returns when the frame sel.gap counts as lost although no other report comes, or wire.Never. So few frames were
// sent after it, before a pause, that they may have overtaken it. Only the first sending of a frame is judged so: the
// replay timer takes care of a copy that is lost.
func (t *Tx) gapAt() wire.Time {
	if !t.sel.on || !t.port.carrier || t.state != TxAdvance || !t.sel.gapWaits(&t.window) {
		return wire.Never
	}
	f := t.sel.sending(t.sel.gap)
	if f.copied {
		return wire.Never
	}
	return max(t.patience.overdueAt(f), t.busy)
}

// repairGap sends the frame sel.gap again, which is overdue.
func (t *Tx) repairGap(now wire.Time) {
	t.sel.lose(t.sel.gap)
	t.beginRepair(now)
}

// probeAt returns when the last frame is sent again as a probe (tail), or wire.Never: the probe was sent, or must not
// be sent now.
// Clauses: SAI-LLR/replay-timer.1.
func (t *Tx) probeAt() wire.Time {
	if t.tail.probed || !t.port.carrier || t.state != TxAdvance || t.window.outstanding() == 0 ||
		!t.patience.probes(t.sel.on) {
		return wire.Never
	}
	return after(max(t.tail.sent, t.busy), max(t.patience.usual()+ackMargin, t.loop.late))
}

// times returns n times d, or forever if that would be more.
func times(n int64, d time.Duration) time.Duration {
	if d > forever/time.Duration(n) {
		return forever
	}
	return time.Duration(n) * d
}

// pcsLostAt returns when the carrier will have been lost for PCS_LOST_TIMEOUT, or wire.Never.
// Clauses: SAI-LLR/flush.2.
func (t *Tx) pcsLostAt() wire.Time {
	if t.port.carrier || t.profile.PCSLostTimeout <= 0 {
		return wire.Never
	}
	return after(t.port.downAt, t.profile.PCSLostTimeout)
}

// tooOldAt returns when the oldest outstanding frame reaches DATA_AGE_TIMEOUT, or wire.Never.
// Clauses: SAI-LLR/error.5, SAI-LLR/flush.3.
func (t *Tx) tooOldAt() wire.Time {
	if t.profile.DataAgeTimeout <= 0 || t.window.outstanding() == 0 {
		return wire.Never
	}
	return after(t.window.at(t.window.first).pushed, t.profile.DataAgeTimeout)
}

// tooLong reports whether the oldest frame stays unacknowledged because the wire carries no frame of its length.
func (t *Tx) tooLong() bool {
	f, replays := t.Stalled()
	return replays > 0 && f.Length > t.port.longest
}

// deadline returns when the transmitter's poll must run even if nothing arrives: at the earliest of its timers in the
// present state, or at once (the last time) if the kind of replay can change.
func (t *Tx) deadline() wire.Time {
	switch t.state {
	case TxAdvance, TxReplay:
		if t.drained() {
			return t.now
		}
		return min(t.replayAt(), t.gapAt(), t.probeAt(), t.pcsLostAt(), t.tooOldAt())
	case TxInit:
		d := wire.Never
		if t.port.carrier {
			d = t.hello.due
		}
		if t.resume.on {
			d = min(d, t.pcsLostAt(), t.tooOldAt(), t.resume.endAt(&t.profile, t.limits.timeout))
		}
		return d
	default: // TxOff, TxFlush
		return wire.Never
	}
}
