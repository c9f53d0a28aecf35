package sched

import "math/bits"

// round is the deficit-weighted round robin of a group, in the order of the queues.
//
// At its turn a queue gets its quantum and sends while it has credit. The last frame may be longer than the credit:
// the queue owes the difference, and has less at its next turn (surplus round robin). So the length of a frame need
// not be known in advance, and in the long run the octets are proportional to the weights, to within a frame and a
// round. A queue that is not ready loses its turn and its credit, but not its debt.
//
// A quantum is weight << shift. The shift makes the least quantum of the round as long as the longest frame so far,
// or up to four times as long. So each queue sends in each round, and the cost of a frame has a bound. Weights of 100
// and 200 make no longer rounds than 1 and 2. The shift is fixed for a round, so that all its quanta are proportional
// to the weights.
type round struct {
	queues uint32
	turn   uint8 // queue whose turn it is
	shift  uint8
}

// nextTurn ends the turn of a round's queue, which loses its credit and keeps its debt, and gives the turn and a
// quantum of octets to the next queue in the bitmap ready. Behind the last one a new round begins, with a shift by the
// longest frame so far and the least weight.
func (s *Scheduler) nextTurn(r *round, ready uint32) {
	s.credit[r.turn&31] = min(s.credit[r.turn&31], 0)
	for rest := ready &^ (2<<(r.turn&31) - 1); rest != 0; rest &= rest - 1 {
		if s.grant(r, rest) {
			return
		}
		// The quantum is too small for a queue of low weight that became ready during the round, or if frames have
		// become longer. The next round uses another shift.
	}
	r.shift = uint8(bits.Len64(s.length) - first(s.light[:], ready))
	s.grant(r, ready)
}

// grant lets the lowest queue of the bitmap ready send next, and adds its quantum to its credit. It returns false
// if the queue still owes more octets than that.
func (s *Scheduler) grant(r *round, ready uint32) bool {
	r.turn = uint8(bits.TrailingZeros32(ready))
	c := &s.credit[r.turn&31]
	*c += int64(s.weight[r.turn&31]) << (r.shift & 63)
	return *c > 0
}
