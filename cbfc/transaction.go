package cbfc

import (
	"math/bits"

	"uelink/wire"
)

// Times of a transaction, in nanoseconds.
const (
	askInterval = 10_000_000
	askLimit    = 1_000_000_000
	underWay    = 10_000_000 // how long a frame is under way at most
	retryFirst  = 1_000_000_000
	retryLast   = 60_000_000_000
)

// transaction is what a sender's channel is doing.
type transaction struct {
	phase   Phase
	op      wire.ChannelOp // that is asked: ChannelStart or ChannelStop
	number  uint8
	since   int64 // when the phase began
	next    int64 // when it goes on
	failure Failure
	short   Short // of LimitTooLow
	retryAt int64
	backoff int64
}

// wants tells whether a channel is to be under credits.
func (t *Sender) wants(vc uint8) bool {
	return t.settings.On && t.settings.Lossless>>vc&1 != 0 && t.known && t.cbfc
}

// poll moves what is on its way, and appends what it asks.
func (t *Sender) poll(now int64, env *Env, out []wire.CtlOS) []wire.CtlOS {
	t.outgrown(env.Largest, now)
	for rest := t.moving; rest != 0; rest &= rest - 1 {
		out = t.move(uint8(bits.TrailingZeros32(rest)), now, env, out)
	}
	return t.remind(now, out)
}

// outgrown begins channels anew whose limit is less than the largest frame costs by now: the start fails, and
// says why, where the frame would be dropped as too long.
func (t *Sender) outgrown(largest int, now int64) {
	if largest == t.largest {
		return
	}
	t.largest = largest
	for rest := t.counted; rest != 0; rest &= rest - 1 {
		if vc := uint8(bits.TrailingZeros32(rest)); t.vc[vc].limit < t.size.Credits(largest) {
			t.begin(vc, wire.ChannelStart, now)
		}
	}
}

// remind asks once more to end channels that use credits of a pool although they are best effort: the partner
// has not said yet that it holds nothing of them.
func (t *Sender) remind(now int64, out []wire.CtlOS) []wire.CtlOS {
	for rest := t.owing(); rest != 0 && !full(out); rest &= rest - 1 {
		vc := uint8(bits.TrailingZeros32(rest))
		c := &t.vc[vc].channel
		if now < c.retryAt {
			continue
		}
		if c.op != wire.ChannelStop {
			c.op = wire.ChannelStop
			c.number++
		}
		c.later(now)
		out = append(out, t.question(vc))
	}
	return out
}

// owing is the channels that use credits of a pool although they are best effort, and are to stay so, as a
// bitmap: none where the partner cannot be asked.
func (t *Sender) owing() (vcs uint32) {
	if !t.known || !t.cbfc {
		return 0
	}
	vcs = t.plain & t.pool.members
	if t.settings.On {
		vcs &^= t.settings.Lossless
	}
	return vcs
}

// meet takes who the partner is. One that was not there for a while, and is the same, has kept
// its counts. From one without CBFC no answer can come.
func (t *Sender) meet(env *Env, now int64) {
	if !env.Known || t.known && env.Start == t.start && env.CBFC == t.cbfc {
		return
	}
	again := t.met && env.Start != t.start
	t.known, t.met, t.start, t.cbfc = true, true, env.Start, env.CBFC
	for vc := range uint8(VCs) {
		c := &t.vc[vc].channel
		if again {
			t.pool.leave(vc)
		}
		switch {
		case !t.cbfc:
			t.rest(vc)
		case t.wants(vc) && (again || c.phase == BestEffort):
			c.backoff = 0
			t.begin(vc, wire.ChannelStart, now)
		case again && c.phase != BestEffort:
			t.rest(vc)
		}
	}
}

// full tells whether a control frame has no room for more.
func full(list []wire.CtlOS) bool { return len(list) == cap(list) }

// begin shuts the gate of a channel, to ask for something when it is drained.
func (t *Sender) begin(vc uint8, op wire.ChannelOp, now int64) {
	c := &t.vc[vc].channel
	c.phase, c.op, c.since, c.next = Draining, op, now, now
	c.number++
	t.set(vc, &t.moving)
}

// rest puts a channel to best effort that is to be so, or that the partner cannot have otherwise.
func (t *Sender) rest(vc uint8) {
	t.fallBack(vc)
	if c := &t.vc[vc].channel; !t.wants(vc) {
		c.failure = NoFailure
		if t.known && t.settings.On && t.settings.Lossless>>vc&1 != 0 {
			c.failure = NotByPartner
		}
	}
}

// fallBack puts a channel to best effort. Of a pool it still uses what the receiver may hold: until that says
// that it holds nothing, or is another start.
func (t *Sender) fallBack(vc uint8) {
	if t.pool.use[vc] == 0 {
		t.pool.leave(vc)
	}
	c := &t.vc[vc].channel
	c.phase, c.since = BestEffort, t.now
	t.Unblock(vc, t.now)
	t.clear(vc, 0)
	t.set(vc, &t.plain)
}

// unexpected is a CF_Update of a channel that has no credits. If it is none of before the channel
// stopped, the partner has not heard, in a second, that it has: it is told again.
func (t *Sender) unexpected(vc uint8, now int64) {
	c := &t.vc[vc].channel
	if c.phase != BestEffort {
		return
	}
	t.vc[vc].counters.Unknown++
	if t.known && t.cbfc && !t.wants(vc) && now >= c.since+underWay && now >= c.retryAt {
		t.begin(vc, wire.ChannelStop, now)
	}
}

// set makes a channel one of plain, counted or moving.
func (t *Sender) set(vc uint8, of *uint32) {
	t.plain &^= 1 << vc
	t.counted &^= 1 << vc
	t.moving &^= 1 << vc
	t.held &^= 1 << vc
	*of |= 1 << vc
}

// move works one channel that is on its way.
func (t *Sender) move(vc uint8, now int64, env *Env, out []wire.CtlOS) []wire.CtlOS {
	c := &t.vc[vc].channel
	if !env.Known {
		c.since, c.next = now, now+askInterval
		return out
	}
	if c.phase == Draining {
		if env.Unacked>>vc&1 != 0 || (!env.LLR || env.Bare>>vc&1 != 0) && now-c.since < underWay {
			c.next = now + askInterval
			return out
		}
		c.phase, c.since, c.next = Asking, now, now
	}
	if now-c.since >= askLimit {
		t.fail(vc, NoAnswer, now)
		return out
	}
	if now < c.next || full(out) {
		return out
	}
	c.next = now + askInterval
	return append(out, t.question(vc))
}

// question is what is asked of a channel.
func (t *Sender) question(vc uint8) wire.CtlOS {
	c := &t.vc[vc].channel
	return wire.Channel{
		VC: vc, Op: c.op, Transaction: c.number, CreditSize: uint16(t.size.Credit), Overhead: int8(t.size.Overhead),
	}.CtlOS()
}

// later puts the next try off, each time twice as long.
func (c *transaction) later(now int64) {
	c.backoff = min(max(2*c.backoff, retryFirst), retryLast)
	c.retryAt = now + c.backoff
}

// fail gives a question up. A start is tried again later.
func (t *Sender) fail(vc uint8, why Failure, now int64) {
	c := &t.vc[vc].channel
	c.later(now)
	if c.op == wire.ChannelStop {
		t.rest(vc)
		return
	}
	t.fallBack(vc)
	t.vc[vc].counters.Refused++
	c.failure = why
}

// retry begins again what has failed a while ago.
func (t *Sender) retry(now int64) {
	for rest := t.plain & t.settings.Lossless; rest != 0; rest &= rest - 1 {
		vc := uint8(bits.TrailingZeros32(rest))
		if c := &t.vc[vc].channel; t.wants(vc) && now >= c.retryAt {
			t.begin(vc, wire.ChannelStart, now)
		}
	}
}

// overdue begins a channel anew that has waited for credits for too long, if it is to, and
// counts it.
func (t *Sender) overdue(now int64) {
	for rest := t.counted & t.blocked; rest != 0; rest &= rest - 1 {
		vc := uint8(bits.TrailingZeros32(rest))
		v := &t.vc[vc]
		if v.told || now-v.blockedAt < t.settings.Timeout {
			continue
		}
		v.told = true
		v.counters.Timeouts++
		if t.settings.Reset {
			t.begin(vc, wire.ChannelStart, now)
		}
	}
}
