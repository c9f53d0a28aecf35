package analyzer

import "uelink/wire"

// numbers is the numbers of one way and protocol that have arrived at the wire. Numbers repeat after a round; a
// position does not: it is a number plus a multiple of the round, and grows.
type numbers struct {
	round int64   // how many numbers there are
	ring  []entry // by position modulo the length, a power of two
	begun bool
	first int64 // position of the first number since the last restart
	next  int64 // position after the highest number that has arrived
}

// entry is what is known of the number at a position.
type entry struct {
	position int64
	at       wire.Time // when its last copy arrived
	lostAt   wire.Time // when its first lost copy arrived
	copies   uint32    // copies that have arrived
	whole    bool      // a good copy has left
	open     bool      // lost, neither acknowledged nor left whole since
	faulty   bool      // a copy was lost, late, or out of order, so a receiver may rightly ask for the number again
}

func newNumbers(round int64, entries int) numbers {
	n := numbers{round: round, ring: make([]entry, entries)}
	for i := range n.ring {
		n.ring[i].position = -1
	}
	return n
}

// reach returns the number of known positions behind the highest.
func (n *numbers) reach() int64 { return int64(len(n.ring)) }

// at returns the entry of a position; nil if its number has not arrived, or is out of reach.
func (n *numbers) at(position int64) *entry {
	if position < 0 {
		return nil
	}
	e := &n.ring[position&(n.reach()-1)]
	if e.position != position {
		return nil
	}
	return e
}

// put makes the entry of a number that has arrived for the first time.
func (n *numbers) put(position int64, now wire.Time) *entry {
	e := &n.ring[position&(n.reach()-1)]
	*e = entry{position: position, at: now, copies: 1}
	return e
}

// back returns how far a number is behind the next one, 0 to round-1: 0 is the next number itself.
func (n *numbers) back(number uint32) int64 {
	back := (n.next - int64(number)) % n.round
	if back < 0 {
		back += n.round
	}
	return back
}

// behind returns the last position of number that is not above the highest position that has arrived.
func (n *numbers) behind(number uint32) int64 {
	if back := n.back(number); back > 0 {
		return n.next - back
	}
	return n.next - n.round
}

// place returns the position of a number that arrives, and whether the position is above the highest so far. covered is
// the position after the highest acknowledged number. A number not yet acknowledged counts as a copy. So do 15/16 of
// the other numbers of a round, because the sender may have missed their acknowledgement. The rest counts as new: the
// sender seldom skips numbers.
func (n *numbers) place(number uint32, covered int64) (position int64, above bool) {
	back := n.back(number)
	waiting := min(n.next-covered, n.reach())
	switch {
	case back == 0:
		return n.next, true
	case back < n.round-(n.round-waiting)/16:
		return n.next - back, false
	}
	return n.next + n.round - back, true
}

// restart forgets all numbers; number is the next to arrive.
func (n *numbers) restart(number uint32) {
	n.begun = true
	n.next += 2*n.reach() + n.round - 1 // no old entry has a position from here on
	n.next -= (n.next - int64(number)) % n.round
	n.first = n.next
}

// fits returns the position of a number in an answer of the receiver; ok is false if the answer is about nothing that
// has arrived.
func (n *numbers) fits(number uint32) (position int64, ok bool) {
	position = n.behind(number)
	return position, n.begun && position >= n.first-1 && n.next-position <= n.reach()
}
