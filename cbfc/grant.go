package cbfc

import (
	"math/bits"

	"uelink/wire"
)

// believedAfter is how often the same question has to come of a transaction that seems to be over
// until it is taken after all: then the later one was forged, or the partner has begun its numbers
// anew. A wire doubles a question that is over, but not so often.
const believedAfter = 5

// ask takes a question of the partner. It has let all that it sent under credits arrive before it
// asked. So what comes from now on has none, until the answer is given, which is when this end
// holds nothing of the channel. A question that comes twice gets the same answer twice; one of a
// transaction that is over gets none.
func (r *Receiver) ask(q wire.Channel) {
	v := &r.vc[q.VC&(VCs-1)]
	bit := uint32(1) << (q.VC & (VCs - 1))
	known := r.forget&bit == 0
	switch again := known && q.Transaction == v.question.Transaction && q.Op == v.question.Op; {
	case again && r.on&bit != 0 && v.cc|v.cf != 0:
		// Who asks has sent nothing yet: this is a late copy, or a partner that is another start.
		v.counters.Stale++
		return
	case !again && known && int8(q.Transaction-v.question.Transaction) <= 0 && !v.insists(q):
		v.counters.Stale++
		return
	case !again:
		r.off(bit)
	}
	v.question, v.doubted = q, wire.Channel{}
	r.forget &^= bit
	r.asked |= bit
	r.ready |= bit
	r.heard |= bit
}

// insists tells whether a question of a transaction that seems to be over is to be believed.
func (v *receiverVC) insists(q wire.Channel) bool {
	if q != v.doubted {
		v.doubted, v.sightings = q, 0
	}
	v.sightings++
	return v.sightings >= believedAfter
}

// off ends the credits of channels. What is held of them goes on counting until it is freed.
func (r *Receiver) off(vcs uint32) {
	r.on &^= vcs
	r.untold &= r.on
	r.due &= r.on
	r.left &= r.on
	r.outdated &= r.on
}

// newPartner says that the partner is another start, whose transactions have other numbers and
// which has asked for nothing yet. If it has, before that was known, it is told that it has no credits.
func (r *Receiver) newPartner() {
	r.forget, r.asked = 1<<VCs-1, 0
	r.unknown = r.on
	r.off(r.on)
	r.foreign = 1<<VCs - 1
}

// configure takes settings. Channels that are to have other limits or another size than they
// have started with are to start again, and their sender is told so.
func (r *Receiver) configure(s Settings) {
	r.unknown |= s.newGrants(&r.settings) &^ r.on
	if s.Total > 0 && r.settings.Total == 0 {
		r.foreign = 1<<VCs - 1
	}
	r.settings = s
	for rest := r.on; rest != 0; rest &= rest - 1 {
		vc := uint8(bits.TrailingZeros32(rest))
		total := r.vc[vc].started == wire.ChannelStartedTotal
		if v := &r.vc[vc]; v.limit != int(r.settings.grants(vc)) || v.size != s.Size || total != (s.Total > 0) {
			r.outdated |= 1 << vc
		}
	}
	r.unknown |= r.outdated
	if !s.On {
		r.off(r.on)
		r.asked = 0
	}
}

// answers appends the answers that can be given. A START that has to wait is told so by HELD, once for each time
// that it is asked.
func (r *Receiver) answers(out []wire.CtlOS) []wire.CtlOS {
	for rest := r.asked & r.ready; rest != 0 && !full(out); rest &= rest - 1 {
		vc := uint8(bits.TrailingZeros32(rest))
		bit := uint32(1) << vc
		r.ready &^= bit
		op, ok := r.decide(vc)
		if ok {
			r.asked &^= bit
		}
		if ok || r.heard&bit != 0 && r.vc[vc].question.Op == wire.ChannelStart {
			out = append(out, r.says(vc, op))
		}
		r.heard &^= bit
	}
	for ; r.unknown != 0 && !full(out); r.unknown &= r.unknown - 1 {
		out = append(out, r.says(uint8(bits.TrailingZeros32(r.unknown)), wire.ChannelUnknown))
	}
	return out
}

// presses tells whether there is something to be said at once.
func (r *Receiver) presses() bool { return r.asked&r.ready|r.unknown|r.left != 0 }

// says is what this end has to say of a channel: of one that has started what it has started with,
// of others what they would start with.
func (r *Receiver) says(vc uint8, op wire.ChannelOp) wire.CtlOS {
	v := &r.vc[vc]
	limit, size := r.settings.grants(vc), r.settings.Size
	if r.on>>vc&1 != 0 {
		limit, size = uint16(v.limit), v.size
	}
	return wire.Channel{
		VC: vc, Op: op, Transaction: v.question.Transaction, CreditSize: uint16(size.Credit),
		Overhead: int8(size.Overhead), Limit: limit,
	}.CtlOS()
}

// grants is the limit that a channel has here.
func (s *Settings) grants(vc uint8) uint16 {
	switch {
	case !s.On:
		return 0
	case s.Total > 0 && s.Limit[vc] > 0:
		return min(s.Total, MaxLimit)
	}
	return min(s.Limit[vc], MaxLimit)
}

// decide answers the question about a channel. While something is held it is HELD, and ok is false: the
// question stays.
func (r *Receiver) decide(vc uint8) (op wire.ChannelOp, ok bool) {
	v := &r.vc[vc]
	switch q := &v.question; {
	case r.on>>vc&1 != 0:
		return v.started, true
	case q.Op == wire.ChannelStart && !r.fits(vc, q):
		return wire.ChannelRefused, true
	case v.held(r.space) != 0, q.Op == wire.ChannelStart && r.crowded(vc):
		return wire.ChannelHeld, false
	case q.Op == wire.ChannelStop:
		return wire.ChannelStopped, true
	}
	v.cc, v.cf, v.told = 0, 0, 0
	v.limit, v.size, v.started = int(r.settings.grants(vc)), r.settings.Size, wire.ChannelStarted
	if r.settings.Total > 0 {
		v.started = wire.ChannelStartedTotal
	}
	v.eighth = max(1, v.limit/8)
	r.on |= 1 << vc
	r.unknown &^= 1 << vc
	r.refresh, r.again = refreshFirst, r.now+refreshFirst
	return v.started, true
}

// crowded tells whether the buffer has no room yet for what a channel is granted: others hold, or may send, more
// than what they are granted now, or hold what their sender does not count as part of a total.
func (r *Receiver) crowded(vc uint8) bool {
	if r.settings.Total > 0 {
		return r.outdated&^(1<<vc) != 0 || r.holdsForeign()
	}
	for other := range uint8(VCs) {
		most := r.vc[other].held(r.space)
		if r.on>>other&1 != 0 {
			most = max(most, r.vc[other].limit)
		}
		if other != vc && most > int(r.settings.grants(other)) {
			return true
		}
	}
	return false
}

// holdsForeign tells whether the buffer holds frames of a start of the partner that is over, or of when each channel
// had a limit: the sender does not know that they are part of the total.
func (r *Receiver) holdsForeign() bool {
	for rest := r.foreign; rest != 0; rest &= rest - 1 {
		vc := bits.TrailingZeros32(rest)
		if r.vc[vc].held(r.space) != 0 {
			return true
		}
		r.foreign &^= 1 << vc
	}
	return false
}

// newGrants is the channels that are granted otherwise than before, as a bitmap. The sender of one that has not
// started is told, for it may have been refused what it gets now, and would try again only after a while.
func (s *Settings) newGrants(was *Settings) (vcs uint32) {
	for vc := range uint8(VCs) {
		if n := s.grants(vc); n > 0 && (n != was.grants(vc) || s.Size != was.Size) {
			vcs |= 1 << vc
		}
	}
	return vcs
}

// fits tells whether a channel can start as it is asked for.
func (r *Receiver) fits(vc uint8, q *wire.Channel) bool {
	size := &r.settings.Size
	return r.settings.grants(vc) > 0 && int(q.CreditSize) == size.Credit && int(q.Overhead) == size.Overhead
}
