package cbfc

import (
	"math/bits"

	"uelink/wire"
)

// A channel comes under credits and out of them by a transaction that its sender begins:
//
//	              wanted                   what was sent is                STARTED
//	                                       acknowledged
//	BEST_EFFORT ──────────► DRAINING ──────────────────────► ASKING ────────────────► LOSSLESS
//	     ▲                   ▲    ▲                            │                          │
//	     │                   │    └────────────────────────────┼──────────────────────────┘
//	     │                   │      no longer wanted (STOP), the partner is another start,
//	     │                   │      UNKNOWN, a reset (START)   │
//	     └───────────────────┴─────────────────────────────────┘
//	       STOPPED, REFUSED, or no answer in a second; a start that failed is tried again later
//
// In DRAINING and ASKING nothing leaves: the frames wait. So no frame without credits comes
// behind one that has them.

// Phase is where a channel of a sender is.
type Phase uint8

// The phases.
const (
	BestEffort Phase = iota // its frames need no credits, and may be dropped
	Draining
	Asking
	Lossless // its frames need credits
)

// String is the phase's word in the API.
func (p Phase) String() string {
	return [...]string{"best_effort", "draining", "asking", "lossless"}[p&3]
}

// MarshalText is String.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// Failure is why a channel did not start.
type Failure uint8

// The reasons.
const (
	NoFailure    Failure = iota
	Refused              // the partner grants this channel nothing
	OtherSize            // its credit size or its overhead is another
	LimitTooLow          // its limit is less than the largest frame costs
	NoAnswer             // for a second
	NotByPartner         // it does not speak CBFC
)

// String is the reason in words.
func (f Failure) String() string {
	return [...]string{
		"", "the partner grants it no credits", "the partner counts credits otherwise", "the partner's limit is less than the largest frame costs",
		"no answer from the partner", "the partner does not speak CBFC",
	}[min(f, NotByPartner)]
}

// MarshalText is String.
func (f Failure) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

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
	partner wire.Channel // what the partner last said of it
	retryAt int64
	backoff int64
}

// Env is what a link knows that its credits depend on.
type Env struct {
	Known   bool   // there is a partner that says who it is
	CBFC    bool   // and it speaks CBFC
	Start   uint32 // its start id
	LLR     bool   // frames are sequenced
	Unacked uint32 // channels of which frames are not acknowledged
	Largest int    // octets of the longest frame that may be sent
	Idle    bool   // nothing has come for a while
	Octets  uint64 // received on the link
}

// wants tells whether a channel is to be under credits.
func (t *Sender) wants(vc uint8) bool {
	return t.settings.On && t.settings.Lossless>>vc&1 != 0 && t.cbfc
}

// poll moves what is on its way, and appends what it asks.
func (t *Sender) poll(now int64, env *Env, out []wire.CtlOS) []wire.CtlOS {
	for rest := t.moving; rest != 0; rest &= rest - 1 {
		out = t.move(uint8(bits.TrailingZeros32(rest)), now, env, out)
	}
	return out
}

// meet takes who the partner is. One that was not there for a while, and is the same, has kept
// its counts. From one without CBFC no answer can come.
func (t *Sender) meet(env *Env, now int64) {
	if !env.Known || t.known && env.Start == t.start && env.CBFC == t.cbfc {
		return
	}
	again := t.known && env.Start != t.start
	t.known, t.start, t.cbfc = true, env.Start, env.CBFC
	for vc := range uint8(VCs) {
		c := &t.vc[vc].channel
		switch {
		case !t.cbfc:
			t.rest(vc)
			c.failure = NoFailure
			if t.settings.On && t.settings.Lossless>>vc&1 != 0 {
				c.failure = NotByPartner
			}
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

// rest puts a channel back to best effort.
func (t *Sender) rest(vc uint8) {
	t.vc[vc].channel.phase = BestEffort
	t.clear(vc, 0)
	t.set(vc, &t.plain)
}

// set makes a channel one of plain, counted or moving.
func (t *Sender) set(vc uint8, of *uint32) {
	t.plain &^= 1 << vc
	t.counted &^= 1 << vc
	t.moving &^= 1 << vc
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
		if env.Unacked>>vc&1 != 0 || !env.LLR && now-c.since < underWay {
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
	return append(out, wire.Channel{
		VC: vc, Op: c.op, Transaction: c.number, CreditSize: uint16(t.size.Credit), Overhead: int8(t.size.Overhead),
	}.CtlOS())
}

// fail gives a question up. A start is tried again later.
func (t *Sender) fail(vc uint8, why Failure, now int64) {
	c := &t.vc[vc].channel
	t.rest(vc)
	if c.op == wire.ChannelStop {
		return
	}
	t.vc[vc].counters.Refused++
	c.failure = why
	c.backoff = min(max(2*c.backoff, retryFirst), retryLast)
	c.retryAt = now + c.backoff
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

// answer takes what the partner answers.
func (t *Sender) answer(a wire.Channel, env *Env, now int64) {
	v := &t.vc[a.VC&(VCs-1)]
	c := &v.channel
	if a.Op == wire.ChannelUnknown {
		if c.phase == Lossless {
			v.counters.Unknown++
			t.begin(a.VC, wire.ChannelStart, now)
		}
		return
	}
	if c.phase != Asking || a.Transaction != c.number {
		v.counters.Stale++
		return
	}
	c.partner = a
	switch {
	case a.Op == wire.ChannelRefused:
		t.fail(a.VC, t.refusal(a), now)
	case a.Op == wire.ChannelStopped && c.op == wire.ChannelStop:
		t.rest(a.VC)
		c.failure = NoFailure
	case (a.Op == wire.ChannelStarted || a.Op == wire.ChannelStartedTotal) && c.op == wire.ChannelStart:
		t.started(a, env, now)
	}
}

// refusal finds out why the partner refused.
func (t *Sender) refusal(a wire.Channel) Failure {
	if a.Limit > 0 && (int(a.CreditSize) != t.size.Credit || int(a.Overhead) != t.size.Overhead) {
		return OtherSize
	}
	return Refused
}

// started puts a channel under credits.
func (t *Sender) started(a wire.Channel, env *Env, now int64) {
	v := &t.vc[a.VC]
	limit := min(int(a.Limit), MaxLimit)
	if limit < t.size.Credits(env.Largest) {
		t.fail(a.VC, LimitTooLow, now)
		return
	}
	t.clear(a.VC, limit)
	t.pool.join(a.VC, a.Op == wire.ChannelStartedTotal, limit)
	v.channel.phase, v.channel.since = Lossless, now
	v.channel.failure, v.channel.backoff = NoFailure, 0
	v.counters.Starts++
	t.set(a.VC, &t.counted)
}

// overdue begins a channel anew that has waited for credits for too long, if it is to, and
// counts it.
func (t *Sender) overdue(now int64) {
	for rest := t.counted; rest != 0; rest &= rest - 1 {
		vc := uint8(bits.TrailingZeros32(rest))
		v := &t.vc[vc]
		if v.told || v.blockedAt == 0 || now-v.blockedAt < t.settings.Timeout {
			continue
		}
		v.told = true
		v.counters.Timeouts++
		if t.settings.Reset {
			t.begin(vc, wire.ChannelStart, now)
		}
	}
}
