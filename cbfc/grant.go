package cbfc

import (
	"math/bits"

	"uelink/wire"
)

// ask takes a question of the partner. It is answered when this end holds nothing of the
// channel. One that comes twice gets the same answer twice; one of a transaction that is over
// gets none.
func (r *Receiver) ask(q wire.Channel) {
	v := &r.vc[q.VC&(VCs-1)]
	bit := uint32(1) << (q.VC & (VCs - 1))
	if r.forget&bit == 0 && int8(q.Transaction-v.tx) < 0 {
		v.counters.Stale++
		return
	}
	r.asked |= bit
	v.question = q
}

// newPartner says that the partner is another start, whose transactions have other numbers.
func (r *Receiver) newPartner() {
	r.forget, r.asked = 1<<VCs-1, 0
}

// answers appends the answers that can be given.
func (r *Receiver) answers(out []wire.CtlOS) []wire.CtlOS {
	for rest := r.asked; rest != 0 && !full(out); rest &= rest - 1 {
		vc := bits.TrailingZeros32(rest)
		if op, ok := r.decide(uint8(vc)); ok {
			r.asked &^= 1 << vc
			out = append(out, r.says(uint8(vc), op, r.vc[vc].tx))
		}
	}
	for ; r.unknown != 0 && !full(out); r.unknown &= r.unknown - 1 {
		vc := uint8(bits.TrailingZeros32(r.unknown))
		r.vc[vc].counters.Unknown++
		out = append(out, r.says(vc, wire.ChannelUnknown, r.vc[vc].tx))
	}
	return out
}

// says is what this end has to say of a channel.
func (r *Receiver) says(vc uint8, op wire.ChannelOp, number uint8) wire.CtlOS {
	return wire.Channel{
		VC: vc, Op: op, Transaction: number, CreditSize: uint16(r.settings.Size.Credit),
		Overhead: int8(r.settings.Size.Overhead), Limit: r.grants(vc),
	}.CtlOS()
}

// grants is the limit that a channel has here.
func (r *Receiver) grants(vc uint8) uint16 {
	switch {
	case !r.settings.On:
		return 0
	case r.settings.Total > 0 && r.settings.Limit[vc] > 0:
		return min(r.settings.Total, MaxLimit)
	}
	return min(r.settings.Limit[vc], MaxLimit)
}

// decide answers the question about a channel; ok is false while something is held.
func (r *Receiver) decide(vc uint8) (op wire.ChannelOp, ok bool) {
	v := &r.vc[vc]
	q := v.question
	bit := uint32(1) << vc
	switch {
	case q.Transaction == v.tx && r.forget&bit == 0 && q.Op == wire.ChannelStart && r.on&bit != 0:
		return r.startedOp(), true
	case q.Op == wire.ChannelStart && !r.fits(vc, q):
		r.took(vc, q)
		return wire.ChannelRefused, true
	case r.on&bit == 0 && q.Op == wire.ChannelStop:
		r.took(vc, q)
		return wire.ChannelStopped, true
	case v.held(r.space) != 0:
		return 0, false
	}
	r.took(vc, q)
	r.on &^= bit
	r.untold, r.due = r.untold&r.on, r.due&r.on
	v.cc, v.cf, v.told = 0, 0, 0
	if q.Op == wire.ChannelStop {
		return wire.ChannelStopped, true
	}
	v.limit = int(r.grants(vc))
	v.eighth = max(1, v.limit/8)
	r.on |= bit
	r.refresh = refreshFirst
	return r.startedOp(), true
}

func (r *Receiver) startedOp() wire.ChannelOp {
	if r.settings.Total > 0 {
		return wire.ChannelStartedTotal
	}
	return wire.ChannelStarted
}

// took notes which transaction is answered.
func (r *Receiver) took(vc uint8, q wire.Channel) {
	r.vc[vc].tx = q.Transaction
	r.forget &^= 1 << vc
}

// fits tells whether a channel can start as it is asked for.
func (r *Receiver) fits(vc uint8, q wire.Channel) bool {
	return r.grants(vc) > 0 && int(q.CreditSize) == r.settings.Size.Credit && int(q.Overhead) == r.settings.Size.Overhead
}
