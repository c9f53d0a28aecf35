package cbfc

import (
	"math/bits"

	"uelink/wire"
)

// answer takes what the partner answers.
func (t *Sender) answer(a wire.Channel, env *Env, now int64) {
	v := &t.vc[a.VC&(VCs-1)]
	c := &v.channel
	switch {
	case a.Op == wire.ChannelUnknown:
		t.unknown(a.VC, now)
	case a.Transaction != c.number:
		v.counters.Stale++
	case c.phase == Asking:
		t.answered(a, env, now)
	case c.phase == BestEffort && a.Op == wire.ChannelStopped && c.op == wire.ChannelStop && t.pool.has(a.VC):
		t.pool.leave(a.VC)
	case c.phase == Lossless && t.contradicts(a):
		v.counters.Stale++
		t.begin(a.VC, wire.ChannelStart, now)
	default:
		v.counters.Stale++
	}
}

// unknown takes that the partner counts no credits of a channel, and may grant some.
func (t *Sender) unknown(vc uint8, now int64) {
	v := &t.vc[vc]
	switch c := &v.channel; {
	case c.phase == Lossless:
		v.counters.Unknown++
		t.begin(vc, wire.ChannelStart, now)
	case c.phase == BestEffort && t.wants(vc):
		c.retryAt, c.backoff = now, 0
	}
}

// contradicts tells whether a second answer to the START of a lossless channel says otherwise than the first.
// One of the two was forged.
func (t *Sender) contradicts(a wire.Channel) bool {
	limit := min(int(a.Limit), MaxLimit)
	switch a.Op {
	case wire.ChannelStarted:
		return t.pool.has(a.VC) || limit != t.vc[a.VC].limit
	case wire.ChannelStartedTotal:
		return !t.pool.has(a.VC) || limit != t.pool.size
	}
	return false
}

// answered takes an answer to what is being asked.
func (t *Sender) answered(a wire.Channel, env *Env, now int64) {
	v := &t.vc[a.VC]
	c := &v.channel
	switch {
	case a.Op == wire.ChannelRefused:
		t.fail(a.VC, t.refusal(a), now)
	case a.Op == wire.ChannelHeld && c.op == wire.ChannelStart:
		c.since, c.failure = now, StillHeld
		t.held |= 1 << a.VC
	case a.Op == wire.ChannelStopped && c.op == wire.ChannelStop:
		t.pool.leave(a.VC)
		t.rest(a.VC)
	case (a.Op == wire.ChannelStarted || a.Op == wire.ChannelStartedTotal) && c.op == wire.ChannelStart:
		t.started(a, env, now)
	default:
		v.counters.Stale++
	}
}

// refusal finds out why the partner refused.
func (t *Sender) refusal(a wire.Channel) Failure {
	if a.Limit > 0 && (int(a.CreditSize) != t.size.Credit || int(a.Overhead) != t.size.Overhead) {
		return OtherSize
	}
	return Refused
}

// started puts a channel under credits. The receiver counts them by now: if the limit does not
// do, it is told to stop.
func (t *Sender) started(a wire.Channel, env *Env, now int64) {
	v := &t.vc[a.VC]
	limit := min(int(a.Limit), MaxLimit)
	t.pool.leave(a.VC)
	if a.Op == wire.ChannelStartedTotal {
		t.pool.join(a.VC, limit)
		limit = t.pool.reach(a.VC)
		t.relimit()
	}
	if cost := t.size.Credits(env.Largest); limit < cost {
		v.channel.short = Short{Limit: limit, Cost: cost, Octets: env.Largest}
		t.pool.leave(a.VC)
		t.fail(a.VC, LimitTooLow, now)
		t.begin(a.VC, wire.ChannelStop, now)
		return
	}
	t.clear(a.VC, limit)
	v.channel.phase, v.channel.since = Lossless, now
	v.channel.failure, v.channel.backoff = NoFailure, 0
	v.counters.Starts++
	t.set(a.VC, &t.counted)
}

// relimit gives the members of a pool the limits that follow from it, which may be too low for the largest frame.
func (t *Sender) relimit() {
	t.largest = 0
	for rest := t.pool.members & t.counted; rest != 0; rest &= rest - 1 {
		vc := uint8(bits.TrailingZeros32(rest))
		t.vc[vc].limit = t.pool.reach(vc)
	}
}
