package cbfc

import (
	"math/bits"

	"uelink/wire"
)

// receivedAnswer handles an answer of the partner (STARTED, STOPPED, REFUSED, HELD, UNKNOWN) to a START or STOP. All
// but UNKNOWN must have the number of the last transaction. While its question is open finishTransaction decides. Later
// a STOPPED frees the credits that a best-effort channel still uses of the pool, and an answer that contradicts the
// first makes a lossless channel start again. Other answers count as stale.
func (t *Sender) receivedAnswer(a wire.Channel, env *Env, now wire.Time) {
	v := &t.vc[a.VC&(VCs-1)]
	c := &v.channel
	switch {
	case a.Op == wire.ChannelUnknown:
		t.receivedUnknown(a.VC, now)
	case a.Transaction != c.number:
		v.counters.Stale++
	case c.phase == Asking:
		t.finishTransaction(a, env, now)
	case c.phase == BestEffort && a.Op == wire.ChannelStopped && c.op == wire.ChannelStop && t.pool.includes(a.VC):
		t.pool.remove(a.VC)
	case c.phase == Lossless && t.contradicts(a):
		v.counters.Stale++
		t.begin(a.VC, wire.ChannelStart, now)
	default:
		v.counters.Stale++
	}
}

// receivedUnknown handles the partner's answer UNKNOWN: the partner counts no credits of the channel, and may
// grant some. A lossless channel starts again, and a wanted best-effort channel asks again at the next Poll.
func (t *Sender) receivedUnknown(vc uint8, now wire.Time) {
	v := &t.vc[vc]
	switch c := &v.channel; {
	case c.phase == Lossless:
		v.counters.Unknown++
		t.begin(vc, wire.ChannelStart, now)
	case c.phase == BestEffort && t.wanted(vc):
		c.retryAt, c.backoff = now, 0
	}
}

// contradicts reports whether a second answer to the START of a lossless channel differs from the first. Either the
// first or the second was forged.
func (t *Sender) contradicts(a wire.Channel) bool {
	limit := min(int(a.Limit), MaxLimit)
	switch a.Op {
	case wire.ChannelStarted:
		return t.pool.granted > 0 && t.pool.includes(a.VC) || limit != t.vc[a.VC].granted
	case wire.ChannelStartedTotal:
		return !t.pool.includes(a.VC) || limit != t.pool.granted
	default:
		return false
	}
}

// finishTransaction handles an answer of the partner to this end's open START or STOP: the channel starts, stops,
// waits (HELD) or fails.
func (t *Sender) finishTransaction(a wire.Channel, env *Env, now wire.Time) {
	v := &t.vc[a.VC]
	c := &v.channel
	switch {
	case a.Op == wire.ChannelRefused:
		t.fail(a.VC, t.refusal(a), now)
	case a.Op == wire.ChannelHeld && c.op == wire.ChannelStart:
		c.since, c.failure = now, StillHeld
		t.answeredHeld |= 1 << a.VC
	case a.Op == wire.ChannelStopped && c.op == wire.ChannelStop:
		t.pool.remove(a.VC)
		t.stayBestEffort(a.VC)
	case (a.Op == wire.ChannelStarted || a.Op == wire.ChannelStartedTotal) && c.op == wire.ChannelStart:
		t.started(a, env, now)
	default:
		v.counters.Stale++
	}
}

// refusal returns why the partner refused a START: another credit size or overhead, or no credits.
func (t *Sender) refusal(a wire.Channel) Failure {
	if a.Limit > 0 && (int(a.CreditSize) != t.size.Credit || int(a.Overhead) != t.size.Overhead) {
		return OtherSize
	}
	return Refused
}

// started puts a channel under credits after the answer STARTED: the partner counts credits from here on. If the
// granted limit is too low for the largest frame, the start fails, and the partner gets a STOP. If the partner grants a
// total, or the settings say so (Pooled), the channel uses credits of the pool.
func (t *Sender) started(a wire.Channel, env *Env, now wire.Time) {
	v := &t.vc[a.VC]
	limit := min(int(a.Limit), MaxLimit)
	t.pool.remove(a.VC)
	v.granted = limit
	switch {
	case a.Op == wire.ChannelStartedTotal:
		t.pool.add(a.VC, limit)
		limit = t.pool.maxUse(a.VC)
		t.updateLimits()
	case t.settings.pooled(a.VC):
		t.pool.add(a.VC, 0)
		limit = min(limit, t.pool.maxUse(a.VC))
		t.updateLimits()
	}
	if cost := t.size.Credits(env.Largest); limit < cost {
		v.channel.short = Short{Limit: limit, Cost: cost, Octets: env.Largest}
		t.pool.remove(a.VC)
		t.fail(a.VC, LimitTooLow, now)
		t.begin(a.VC, wire.ChannelStop, now)
		return
	}
	t.resetCounts(a.VC, limit)
	v.channel.phase, v.channel.since = Lossless, now
	v.channel.failure, v.channel.backoff = NoFailure, 0
	v.counters.Starts++
	t.assign(a.VC, &t.counted)
}

// updateLimits recomputes the credit limit of each channel that is a member of the pool: the most that the pool lets
// the channel use, and no more than the partner grants to it. A limit may then be too low for the largest frame.
func (t *Sender) updateLimits() {
	t.largest = 0 // the next poll compares the limits with the largest frame again
	for rest := t.pool.members & t.counted; rest != 0; rest &= rest - 1 {
		vc := uint8(bits.TrailingZeros32(rest))
		t.vc[vc].limit = t.pool.maxUse(vc)
		if t.pool.granted == 0 {
			t.vc[vc].limit = min(t.vc[vc].limit, t.vc[vc].granted)
		}
	}
}
