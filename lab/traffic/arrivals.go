package traffic

// historyBits sets the history: the last 2^22 numbers are distinguished exactly. They take half a megabyte; only the
// words at the newest numbers are in the cache.
const historyBits = 22

const history = 1 << historyBits

// arrivals records which numbers have arrived. Numbers count from 0. newArrivals makes it; the zero value has no
// memory for the history.
type arrivals struct {
	seen []uint64 // one bit for each of the last history numbers
	next uint64   // one more than the highest number that has arrived

	unique     uint64 // different numbers that arrived
	duplicated uint64 // arrivals of a number that had arrived before
	reordered  uint64 // first arrivals after an arrival of a higher number
}

func newArrivals() arrivals { return arrivals{seen: make([]uint64, history/64)} }

// add records that the frame with a number has arrived, and reports whether it was the first with that number. A
// number older than the history counts as reordered and not as a first arrival, so it stays in the count of lost
// frames.
func (a *arrivals) add(number uint64) (first bool) {
	switch {
	case number >= a.next:
		a.forget(a.next, number)
		a.next = number + 1
	case a.next-number > history:
		a.reordered++
		return false
	case a.contains(number):
		a.duplicated++
		return false
	default:
		a.reordered++
	}
	a.seen[number%history/64] |= 1 << (number % 64)
	a.unique++
	return true
}

// forget clears the bits of the numbers from first to last in the history, a ring of bits, where each bit still
// stands for a number 2^22 lower.
func (a *arrivals) forget(first, last uint64) {
	if last-first >= history {
		clear(a.seen)
		return
	}
	for n := first; n <= last; n++ {
		a.seen[n%history/64] &^= 1 << (n % 64)
	}
}

// contains reports whether the frame with a number, one of the latest 2^22, has arrived.
func (a *arrivals) contains(number uint64) bool {
	return number < a.next && a.seen[number%history/64]&(1<<(number%64)) != 0
}
