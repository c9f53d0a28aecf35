package cbfc

import (
	"math/bits"

	"uelink/wire"
)

// believedAfter is how often the same question of a seemingly finished transaction must be received until it is
// accepted: either the later transaction was forged, or the partner has restarted its numbers. A wire duplicates an
// old question, but not as often.
const believedAfter = 5

// receivedQuestion handles a START or STOP of the partner. The partner asks when all its frames
// under credits have arrived, and sends frames without credits until it has the answer. The answer follows when this
// end holds no frame of the channel. A repeated question gets the same answer again; a question of a finished
// transaction gets no answer.
func (r *Receiver) receivedQuestion(q wire.Channel) {
	v := &r.vc[q.VC&(VCs-1)]
	bit := uint32(1) << (q.VC & (VCs - 1))
	numbered := r.forget&bit == 0 // the partner has not restarted since the last question: its numbers only grow
	switch repeat := numbered && q.Transaction == v.question.Transaction && q.Op == v.question.Op; {
	case repeat && r.on&bit != 0 && v.cc|v.cf != 0:
		// This copy of the question comes after frames under credits, which the partner sends only after the answer: it is
		// late, or comes from another start of the partner.
		v.counters.Stale++
		return
	case !repeat && numbered && int8(q.Transaction-v.question.Transaction) <= 0 && !v.believes(q):
		v.counters.Stale++ // of a finished transaction
		return
	case !repeat:
		r.endCredits(bit)
	}
	// The question is open from here on, and the next Poll looks for an answer.
	v.question, v.doubted = q, wire.Channel{}
	r.forget &^= bit
	r.asked |= bit
	r.ready |= bit
	r.fresh |= bit
}

// believes counts a START or STOP of a seemingly finished transaction, and reports whether the partner has repeated the
// same question often enough to be answered (believedAfter).
func (v *receiverVC) believes(q wire.Channel) bool {
	if q != v.doubted {
		v.doubted, v.sightings = q, 0
	}
	v.sightings++
	return v.sightings >= believedAfter
}

// endCredits takes channels, a bitmap, out of credits in the receiving direction. Frames held under credits count
// until they are freed.
// Clauses: UE-LINK/machines.6.
func (r *Receiver) endCredits(vcs uint32) {
	r.on &^= vcs
	r.unreported &= r.on
	r.due &= r.on
	r.left &= r.on
	r.outdated &= r.on
}

// partnerRestarted resets the transactions: a new start of the partner uses other transaction numbers and has asked for
// no channel yet. A channel under credits is reported UNKNOWN, because the new start may have asked for the channel
// before this end knew the new start id. Frames still held are foreign: the new start does not count them.
func (r *Receiver) partnerRestarted() {
	r.forget, r.asked = 1<<VCs-1, 0
	r.unknown = r.on
	r.endCredits(r.on)
	r.foreign = 1<<VCs - 1
}

// configure applies settings to the receiver. A channel that started with another limit or size must start again:
// its sender gets UNKNOWN. If this end speaks CBFC no more, all channels leave their credits.
func (r *Receiver) configure(s Settings) {
	r.unknown |= s.changedGrants(&r.settings) &^ r.on
	if s.Total > 0 && r.settings.Total == 0 {
		r.foreign = 1<<VCs - 1
	}
	r.settings = s
	for rest := r.on; rest != 0; rest &= rest - 1 {
		vc := uint8(bits.TrailingZeros32(rest))
		total := r.vc[vc].started == wire.ChannelStartedTotal
		if v := &r.vc[vc]; v.limit != int(r.settings.grant(vc)) || v.size != s.Size || total != (s.Total > 0) {
			r.outdated |= 1 << vc
		}
	}
	r.unknown |= r.outdated
	if !s.On {
		r.endCredits(r.on)
		r.asked = 0
	}
}

// appendAnswers appends the answers to the partner's STARTs and STOPs that are ready, and then the UNKNOWNs. A START
// that must wait is answered HELD, once each time the START is received; its question stays open. What finds no room in
// out waits for the next call.
func (r *Receiver) appendAnswers(out []wire.CtlOS) []wire.CtlOS {
	for rest := r.asked & r.ready; rest != 0 && !full(out); rest &= rest - 1 {
		vc := uint8(bits.TrailingZeros32(rest))
		bit := uint32(1) << vc
		r.ready &^= bit
		op, ok := r.decide(vc)
		if ok {
			r.asked &^= bit
		}
		if ok || r.fresh&bit != 0 && r.vc[vc].question.Op == wire.ChannelStart {
			out = append(out, r.channelMessage(vc, op))
		}
		r.fresh &^= bit
	}
	for ; r.unknown != 0 && !full(out); r.unknown &= r.unknown - 1 {
		out = append(out, r.channelMessage(uint8(bits.TrailingZeros32(r.unknown)), wire.ChannelUnknown))
	}
	return out
}

// urgent reports whether the receiver has an answer to a START or STOP, an UNKNOWN or a CF_Update to send at once.
func (r *Receiver) urgent() bool { return r.asked&r.ready|r.unknown|r.left != 0 }

// channelMessage returns the VC control ordered set of a channel. A started channel reports the limit and size it
// runs with; any other the configured limit and size.
func (r *Receiver) channelMessage(vc uint8, op wire.ChannelOp) wire.CtlOS {
	v := &r.vc[vc]
	limit, size := r.settings.grant(vc), r.settings.Size
	if r.on>>vc&1 != 0 {
		limit, size = uint16(v.limit), v.size
	}
	return wire.Channel{
		VC: vc, Op: op, Transaction: v.question.Transaction, CreditSize: uint16(size.Credit),
		Overhead: int8(size.Overhead), Limit: limit,
	}.CtlOS()
}

// grant returns the credits that this end grants to a channel: the channel's own limit, or the total if channels
// share one.
func (s *Settings) grant(vc uint8) uint16 {
	switch {
	case !s.On:
		return 0
	case s.Total > 0 && s.Limit[vc] > 0:
		return min(s.Total, MaxLimit)
	}
	return min(s.Limit[vc], MaxLimit)
}

// decide returns the answer to the partner's START or STOP of a channel, and starts the channel if the answer is
// STARTED; for a channel under credits the answer is that of its start. While frames of the channel are held, or a
// START finds no room in the buffer yet, the answer is HELD and ok is false: the question stays open.
// Clauses: UE-LINK/machines.5.
func (r *Receiver) decide(vc uint8) (op wire.ChannelOp, ok bool) {
	v := &r.vc[vc]
	switch q := &v.question; {
	case r.on>>vc&1 != 0:
		return v.started, true
	case q.Op == wire.ChannelStart && !r.acceptable(vc, q):
		return wire.ChannelRefused, true
	case v.heldCredits(r.space) != 0, q.Op == wire.ChannelStart && r.crowded(vc):
		return wire.ChannelHeld, false
	case q.Op == wire.ChannelStop:
		return wire.ChannelStopped, true
	}
	v.cc, v.cf, v.reported = 0, 0, 0
	v.limit, v.size, v.started = int(r.settings.grant(vc)), r.settings.Size, wire.ChannelStarted
	if r.settings.Total > 0 {
		v.started = wire.ChannelStartedTotal
	}
	v.eighth = max(1, v.limit/8)
	r.on |= 1 << vc
	r.unknown &^= 1 << vc
	r.refresh, r.repeatAt = refreshFirst, r.now.Add(refreshFirst)
	return v.started, true
}

// crowded reports whether the buffer has no room yet for the grant of a channel. Either other channels hold frames, or
// may send them, beyond their present grants, or frames are held that their sender does not count towards the total.
func (r *Receiver) crowded(vc uint8) bool {
	if r.settings.Total > 0 {
		return r.outdated&^(1<<vc) != 0 || r.holdsForeign()
	}
	for other := range uint8(VCs) {
		most := r.vc[other].heldCredits(r.space)
		if r.on>>other&1 != 0 {
			most = max(most, r.vc[other].limit)
		}
		if other != vc && most > int(r.settings.grant(other)) {
			return true
		}
	}
	return false
}

// holdsForeign reports whether the buffer holds frames of a former start of the partner, or from the time of separate
// limits: the sender does not count these frames towards the total.
func (r *Receiver) holdsForeign() bool {
	for rest := r.foreign; rest != 0; rest &= rest - 1 {
		vc := bits.TrailingZeros32(rest)
		if r.vc[vc].heldCredits(r.space) != 0 {
			return true
		}
		r.foreign &^= 1 << vc
	}
	return false
}

// changedGrants returns the channels with a new grant or size, as a bitmap. The sender of a channel not started gets
// UNKNOWN: its last START may have been refused, and without UNKNOWN it would retry only after a while.
func (s *Settings) changedGrants(old *Settings) (vcs uint32) {
	for vc := range uint8(VCs) {
		if n := s.grant(vc); n > 0 && (n != old.grant(vc) || s.Size != old.Size) {
			vcs |= 1 << vc
		}
	}
	return vcs
}

// acceptable reports whether this end has a limit of credits for the channel, and whether a partner that asks for the
// channel counts by the same credit size and overhead as this end.
func (r *Receiver) acceptable(vc uint8, q *wire.Channel) bool {
	size := &r.settings.Size
	return r.settings.grant(vc) > 0 && int(q.CreditSize) == size.Credit && int(q.Overhead) == size.Overhead
}
