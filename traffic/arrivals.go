package traffic

// historyBits is how many numbers back an arrival is told apart exactly: 2^22,
// in half a megabyte, of which only the end that is being written is warm.
const historyBits = 22

const history = 1 << historyBits

// arrivals remembers which numbers have arrived. Numbers count from 0. The zero
// value needs its seen slice: newArrivals.
type arrivals struct {
	seen []uint64 // one bit for each of the last history numbers
	next uint64   // one past the highest number that arrived

	unique     uint64 // different numbers that arrived
	duplicated uint64 // arrivals of a number that had arrived before
	reordered  uint64 // first arrivals after a higher number
}

func newArrivals() arrivals { return arrivals{seen: make([]uint64, history/64)} }

// take notes an arrival and says whether it was the first of its number. A
// number further back than the history is taken for reordered and not for a
// first: its place in the count of the lost is not given back.
func (a *arrivals) take(number uint64) (first bool) {
	switch {
	case number >= a.next:
		a.forget(a.next, number)
		a.next = number + 1
	case a.next-number > history:
		a.reordered++
		return false
	case a.has(number):
		a.duplicated++
		return false
	default:
		a.reordered++
	}
	a.seen[number%history/64] |= 1 << (number % 64)
	a.unique++
	return true
}

// forget makes room for the numbers from first to last, whose bits still say
// what was a history ago.
func (a *arrivals) forget(first, last uint64) {
	if last-first >= history {
		clear(a.seen)
		return
	}
	for n := first; n <= last; n++ {
		a.seen[n%history/64] &^= 1 << (n % 64)
	}
}

// has says whether a number of the history has arrived.
func (a *arrivals) has(number uint64) bool {
	return number < a.next && a.seen[number%history/64]&(1<<(number%64)) != 0
}
