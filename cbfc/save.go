package cbfc

import (
	"strconv"

	"uelink/internal/snapshot"
)

// PassState saves to snapshot s, or restores from it, the credits of both directions, with the transactions under way
// and the counters.
func (p *Port) PassState(s *snapshot.State) {
	s.Group("space", func(s *snapshot.State) {
		snapshot.Number(s, "count", &p.Tx.space.count)
		snapshot.Number(s, "update", &p.Tx.space.update)
		masks := p.Tx.space
		s.Check(masks.count >= 7 && masks.count&(masks.count+1) == 0 &&
			masks.update&(masks.update+1) == 0 && masks.update <= masks.count,
			"%d and %d are not masks (2^n-1) of credit counts", masks.count, masks.update)
	})
	s.Struct("settings", &p.Tx.settings)
	if s.Restoring() {
		p.Tx.size, p.Rx.settings, p.Rx.space = p.Tx.settings.Size, p.Tx.settings, p.Tx.space
	}
	credit := p.Tx.size.Credit
	s.Check(credit == 0 && !p.Tx.settings.On || credit >= MinCreditSize && credit <= MaxCreditSize &&
		credit&(credit-1) == 0, "a credit cannot have %d octets", credit)
	s.Group("tx", p.Tx.passState)
	s.Group("rx", p.Rx.passState)
	s.Struct("counters", &p.Count)
}

// passState saves to snapshot s, or restores from it, the state of the sender: each field that the type explains, by
// its name in snapshots. A restored state that cannot be, such as a wrong sum, makes the snapshot invalid.
func (t *Sender) passState(s *snapshot.State) {
	snapshot.Number(s, "plain", &t.plain)
	snapshot.Number(s, "counted", &t.counted)
	snapshot.Number(s, "moving", &t.moving)
	snapshot.Number(s, "held", &t.answeredHeld)
	snapshot.Number(s, "blocked", &t.blocked)
	snapshot.Number(s, "used", &t.Used)
	snapshot.Number(s, "watermark", &t.Watermark)
	snapshot.Number(s, "now", &t.now)
	snapshot.Number(s, "polled", &t.polled)
	snapshot.Number(s, "cc_at", &t.ccAt)
	s.Bool("astray", &t.astray)
	snapshot.Number(s, "start", &t.start)
	s.Bool("met", &t.met)
	s.Bool("known", &t.present)
	s.Bool("cbfc", &t.cbfc)
	snapshot.Number(s, "largest", &t.largest)
	s.Group("pool", func(s *snapshot.State) { t.pool.passState(s, &t.settings) })
	used := 0
	for vc := range t.vc {
		s.Group(strconv.Itoa(vc), t.vc[vc].passState)
		used += t.vc[vc].used
		s.Check(t.inSetOfPhase(uint8(vc)), "VC %d is in phase %v, but not in the set of this phase alone", vc,
			t.vc[vc].channel.phase)
	}
	s.Check(used == t.Used, "%d credits used in all, but the sum of the channels is %d", t.Used, used)
	s.Check(t.answeredHeld&^t.moving == 0 && t.blocked&t.plain == 0, "a channel without a transaction has "+
		"HELD, or a best-effort channel is blocked: HELD %b, blocked %b", t.answeredHeld, t.blocked)
}

// inSetOfPhase reports whether a channel is in the bitmap of its phase (plain, counted or moving) and in no other.
func (t *Sender) inSetOfPhase(vc uint8) bool {
	bit := uint32(1) << vc
	switch t.vc[vc].channel.phase {
	case BestEffort:
		return t.plain&bit != 0 && (t.counted|t.moving)&bit == 0
	case Lossless:
		return t.counted&bit != 0 && (t.plain|t.moving)&bit == 0
	case Draining, Asking:
		return t.moving&bit != 0 && (t.plain|t.counted)&bit == 0
	}
	return false
}

// passState saves to snapshot s, or restores from it, the sender's state of one virtual channel. Restored credits below
// 0 make the snapshot invalid.
func (v *senderVC) passState(s *snapshot.State) {
	snapshot.Number(s, "cc", &v.cc)
	snapshot.Number(s, "cf", &v.cf)
	snapshot.Number(s, "used", &v.used)
	snapshot.Number(s, "limit", &v.limit)
	if s.Restoring() {
		v.granted = v.limit // a snapshot of an older version, without pools, has no granted
	}
	snapshot.Number(s, "granted", &v.granted)
	snapshot.Number(s, "watermark", &v.watermark)
	snapshot.Number(s, "blocked_at", &v.blockedAt)
	s.Bool("timed_out", &v.timedOut)
	s.Group("channel", v.channel.passState)
	s.Struct("counters", &v.counters)
	s.Check(v.used >= 0 && v.limit >= 0, "%d credits of %d used", v.used, v.limit)
}

// passState saves to snapshot s, or restores from it, the progress of a transaction (a START or STOP of a channel).
func (c *transaction) passState(s *snapshot.State) {
	snapshot.Number(s, "phase", &c.phase)
	snapshot.Number(s, "op", &c.op)
	snapshot.Number(s, "number", &c.number)
	snapshot.Number(s, "since", &c.since)
	snapshot.Number(s, "next", &c.next)
	snapshot.Number(s, "failure", &c.failure)
	s.Struct("short", &c.short)
	snapshot.Number(s, "retry_at", &c.retryAt)
	snapshot.Number(s, "backoff", &c.backoff)
	s.Check(c.phase <= Lossless && c.failure <= StillHeld, "the phase %d or the failure %d of a channel is "+
		"unknown", c.phase, c.failure)
}

// passState saves to snapshot s, or restores from it, the credits that channels use of the shared pool. The profiles
// are in the settings.
func (p *pool) passState(s *snapshot.State, settings *Settings) {
	snapshot.Number(s, "size", &p.granted)
	snapshot.Number(s, "members", &p.members)
	snapshot.Numbers(s, "use", p.use[:])
	snapshot.Number(s, "used", &p.used)
	sum := 0
	for _, n := range p.use {
		s.Check(n >= 0 && n <= MaxLimit, "a channel cannot use %d credits of the pool", n)
		sum += n
	}
	s.Check(sum == p.used, "%d credits used in all, but the sum of the channels is %d", p.used, sum)
	if s.Restoring() {
		p.configure(settings.Profile, settings.Lossless, int(settings.Pool))
	}
}

// passState saves to snapshot s, or restores from it, the state of the receiver: each field that the type explains, by
// its name in snapshots.
func (r *Receiver) passState(s *snapshot.State) {
	snapshot.Number(s, "on", &r.on)
	snapshot.Number(s, "unreported", &r.unreported)
	snapshot.Number(s, "due", &r.due)
	snapshot.Number(s, "at", &r.at)
	snapshot.Number(s, "refresh", &r.refresh)
	snapshot.Number(s, "again", &r.repeatAt)
	snapshot.Number(s, "now", &r.now)
	snapshot.Number(s, "left", &r.left)
	snapshot.Number(s, "asked", &r.asked)
	snapshot.Number(s, "ready", &r.ready)
	snapshot.Number(s, "fresh", &r.fresh)
	snapshot.Number(s, "unknown", &r.unknown)
	snapshot.Number(s, "outdated", &r.outdated)
	snapshot.Number(s, "forget", &r.forget)
	snapshot.Number(s, "foreign", &r.foreign)
	snapshot.Number(s, "held", &r.Held)
	for vc := range r.vc {
		s.Group(strconv.Itoa(vc), r.vc[vc].passState)
	}
}

// passState saves to snapshot s, or restores from it, the receiver's state of one virtual channel. A restored question
// about a channel that does not exist makes the snapshot invalid.
func (v *receiverVC) passState(s *snapshot.State) {
	snapshot.Number(s, "cc", &v.cc)
	snapshot.Number(s, "cf", &v.cf)
	snapshot.Number(s, "reported", &v.reported)
	snapshot.Number(s, "limit", &v.limit)
	snapshot.Number(s, "eighth", &v.eighth)
	s.Struct("size", &v.size)
	snapshot.Number(s, "started", &v.started)
	s.Struct("question", &v.question)
	s.Struct("doubted", &v.doubted)
	snapshot.Number(s, "sightings", &v.sightings)
	s.Check(v.question.VC < VCs && v.doubted.VC < VCs, "a question about VC %d",
		max(v.question.VC, v.doubted.VC))
}
