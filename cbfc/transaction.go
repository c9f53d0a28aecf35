package cbfc

import (
	"math/bits"
	"time"

	"uelink/wire"
)

// Times of a transaction.
const (
	askInterval = 10 * time.Millisecond // from a START or STOP to its repetition
	askLimit    = time.Second           // without an answer for this time the transaction fails
	underWay    = 10 * time.Millisecond // the longest time that a frame takes to arrive
	retryFirst  = time.Second           // from a failure to the next try, doubled each time
	retryLast   = 60 * time.Second      // longest time from a failure to the next try
)

// transaction is the progress of a sender's channel in starting or stopping.
// Clauses: UE-LINK/machines.4.
type transaction struct {
	phase   Phase
	op      wire.ChannelOp // the question: ChannelStart or ChannelStop
	number  uint8          // transaction number, one more for each transaction
	since   wire.Time      // when the phase began
	next    wire.Time      // when poll advances the channel: to send op again, or to give up
	failure Failure        // why the last START failed
	short   Short          // the numbers of the failure LimitTooLow
	retryAt wire.Time      // the transaction is not tried again before this time
	backoff time.Duration  // from the last failure to retryAt
}

// wanted reports whether a channel should use credits: the settings make it lossless, and the partner is known and
// has CBFC.
func (t *Sender) wanted(vc uint8) bool {
	return t.settings.On && t.settings.Lossless>>vc&1 != 0 && t.present && t.cbfc
}

// poll advances the channels that start or stop, and appends their START and STOP messages to out.
func (t *Sender) poll(now wire.Time, env *Env, out []wire.CtlOS) []wire.CtlOS {
	t.restartOutgrown(env.Largest, now)
	for rest := t.moving; rest != 0; rest &= rest - 1 {
		out = t.advance(uint8(bits.TrailingZeros32(rest)), now, env, out)
	}
	return t.repeatStops(now, out)
}

// restartOutgrown restarts channels whose limit has become less than the cost of a frame of largest octets: the start
// fails with a reason, instead of the frame being dropped as too long. It compares only if largest, or a limit
// (updateLimits), has changed since the last call.
func (t *Sender) restartOutgrown(largest int, now wire.Time) {
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

// repeatStops appends another STOP, each time after a longer wait, for the best-effort channels that owing returns: the
// partner has not yet answered that it holds no frame of them.
func (t *Sender) repeatStops(now wire.Time, out []wire.CtlOS) []wire.CtlOS {
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
		c.backOff(now)
		out = append(out, t.question(vc))
	}
	return out
}

// owing returns a bitmap of the best-effort channels that still use credits of the total shared by channels, and
// that the settings do not make lossless; none if the partner cannot be asked.
func (t *Sender) owing() (vcs uint32) {
	if !t.present || !t.cbfc {
		return 0
	}
	vcs = t.plain & t.pool.members
	if t.settings.On {
		vcs &^= t.settings.Lossless
	}
	return vcs
}

// updatePartner applies what env says about the partner: presence, start id, CBFC. If one of them has changed, the
// wanted channels start that are best effort, or all of them after a restart of the partner; without CBFC all become
// best effort. A partner that was absent and returns with the same start id has kept its counts.
func (t *Sender) updatePartner(env *Env, now wire.Time) {
	if !env.Known || t.present && env.Start == t.start && env.CBFC == t.cbfc {
		return
	}
	restarted := t.met && env.Start != t.start
	t.present, t.met, t.start, t.cbfc = true, true, env.Start, env.CBFC
	for vc := range uint8(VCs) {
		c := &t.vc[vc].channel
		if restarted {
			t.pool.remove(vc)
		}
		switch {
		case !t.cbfc:
			t.stayBestEffort(vc)
		case t.wanted(vc) && (restarted || c.phase == BestEffort):
			c.backoff = 0
			t.begin(vc, wire.ChannelStart, now)
		case restarted && c.phase != BestEffort:
			t.stayBestEffort(vc)
		}
	}
}

// full reports whether a control frame has no room for another control ordered set.
func full(list []wire.CtlOS) bool { return len(list) == cap(list) }

// begin starts a transaction of a channel: its gate is shut, and START or STOP, as op says, is sent once all
// earlier frames of the channel have arrived.
// Clauses: UE-LINK/machines.5,6.
func (t *Sender) begin(vc uint8, op wire.ChannelOp, now wire.Time) {
	c := &t.vc[vc].channel
	c.phase, c.op, c.since, c.next = Draining, op, now, now
	c.number++
	t.assign(vc, &t.moving)
}

// stayBestEffort makes a channel best effort without a later START: the settings do not make it lossless, or the
// partner has no CBFC. In the latter case the failure of the channel is NotByPartner, else it has none.
// Clauses: UE-LINK/machines.6.
func (t *Sender) stayBestEffort(vc uint8) {
	t.fallBack(vc)
	if c := &t.vc[vc].channel; !t.wanted(vc) {
		c.failure = NoFailure
		if t.present && t.settings.On && t.settings.Lossless>>vc&1 != 0 {
			c.failure = NotByPartner
		}
	}
}

// fallBack puts a channel to best effort. Its credits of a pool stay in use, for frames that the receiver may hold,
// until the receiver answers STOPPED or restarts.
func (t *Sender) fallBack(vc uint8) {
	if t.pool.use[vc] == 0 {
		t.pool.remove(vc)
	}
	c := &t.vc[vc].channel
	c.phase, c.since = BestEffort, t.now
	t.Unblock(vc, t.now)
	t.resetCounts(vc, 0)
	t.assign(vc, &t.plain)
}

// unexpectedUpdate handles a CF_Update of a channel without credits. If the CF_Update comes too late to be a copy from
// before the stop, the partner has missed the STOP for a second: STOP is sent again.
func (t *Sender) unexpectedUpdate(vc uint8, now wire.Time) {
	c := &t.vc[vc].channel
	if c.phase != BestEffort {
		return
	}
	t.vc[vc].counters.Unknown++
	if t.present && t.cbfc && !t.wanted(vc) && now >= c.since.Add(underWay) && now >= c.retryAt {
		t.begin(vc, wire.ChannelStop, now)
	}
}

// assign moves a channel into one of the sender's bitmaps plain (best effort), counted (under credits) or moving
// (starting or stopping).
func (t *Sender) assign(vc uint8, set *uint32) {
	t.plain &^= 1 << vc
	t.counted &^= 1 << vc
	t.moving &^= 1 << vc
	t.answeredHeld &^= 1 << vc
	*set |= 1 << vc
}

// advance moves one starting or stopping channel forward. DRAINING ends when the channel has no unacknowledged frame,
// without LLR not before underWay; in ASKING the START or STOP is appended when due, and the transaction fails after
// askLimit. While no partner is known the channel waits.
// Clauses: UE-LINK/machines.5.
func (t *Sender) advance(vc uint8, now wire.Time, env *Env, out []wire.CtlOS) []wire.CtlOS {
	c := &t.vc[vc].channel
	if !env.Known {
		c.since, c.next = now, now.Add(askInterval)
		return out
	}
	if c.phase == Draining {
		if env.Unacked>>vc&1 != 0 || (!env.LLR || env.Bare>>vc&1 != 0) && now.Sub(c.since) < underWay {
			c.next = now.Add(askInterval)
			return out
		}
		c.phase, c.since, c.next = Asking, now, now
	}
	if now.Sub(c.since) >= askLimit {
		t.fail(vc, NoAnswer, now)
		return out
	}
	if now < c.next || full(out) {
		return out
	}
	c.next = now.Add(askInterval)
	return append(out, t.question(vc))
}

// question returns the START or STOP message of a channel's transaction.
func (t *Sender) question(vc uint8) wire.CtlOS {
	c := &t.vc[vc].channel
	return wire.Channel{
		VC: vc, Op: c.op, Transaction: c.number, CreditSize: uint16(t.size.Credit), Overhead: int8(t.size.Overhead),
	}.CtlOS()
}

// backOff schedules the next try of a failed transaction, each time after twice the delay.
func (c *transaction) backOff(now wire.Time) {
	c.backoff = min(max(2*c.backoff, retryFirst), retryLast)
	c.retryAt = now.Add(c.backoff)
}

// fail ends a START or STOP without success: the channel becomes best effort, and the next try waits longer (backOff).
// A START counts as refused, for the reason failure, and is retried later.
func (t *Sender) fail(vc uint8, failure Failure, now wire.Time) {
	c := &t.vc[vc].channel
	c.backOff(now)
	if c.op == wire.ChannelStop {
		t.stayBestEffort(vc)
		return
	}
	t.fallBack(vc)
	t.vc[vc].counters.Refused++
	c.failure = failure
}

// retry starts again the lossless channels whose last START failed and whose delay has passed.
func (t *Sender) retry(now wire.Time) {
	for rest := t.plain & t.settings.Lossless; rest != 0; rest &= rest - 1 {
		vc := uint8(bits.TrailingZeros32(rest))
		if c := &t.vc[vc].channel; t.wanted(vc) && now >= c.retryAt {
			t.begin(vc, wire.ChannelStart, now)
		}
	}
}

// checkTimeouts counts the channels that have waited too long for credits, and restarts them if Settings.Reset is
// set.
func (t *Sender) checkTimeouts(now wire.Time) {
	for rest := t.counted & t.blocked; rest != 0; rest &= rest - 1 {
		vc := uint8(bits.TrailingZeros32(rest))
		v := &t.vc[vc]
		if v.timedOut || now.Sub(v.blockedAt) < t.settings.Timeout {
			continue
		}
		v.timedOut = true
		v.counters.Timeouts++
		if t.settings.Reset {
			t.begin(vc, wire.ChannelStart, now)
		}
	}
}
