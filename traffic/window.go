package traffic

import "time"

// patience is how many time-outs a frame is waited for when nothing sent after
// it has arrived either: the path may stand still without losing anything.
const patience = 4

// window is the closed loop: how far the sender may run ahead of the receiver.
// A frame that is written off only moves the window; should it still arrive, it
// is delivered like any other.
type window struct {
	size    uint64
	timeout int64   // ns after which a frame is written off when later ones have arrived
	base    uint64  // the lowest number neither arrived nor written off
	sentAt  []int64 // of the numbers from base on, a ring
}

func newWindow(size int, timeout time.Duration) window {
	ring := 1
	for ring < size {
		ring *= 2
	}
	return window{size: uint64(size), timeout: int64(timeout), sentAt: make([]int64, ring)}
}

// sent notes that a number left.
func (w *window) sent(number uint64, now int64) {
	w.sentAt[number%uint64(len(w.sentAt))] = now
}

// room moves the window on and says how many frames after next-1 may leave.
func (w *window) room(a *arrivals, next uint64, now int64) int {
	for w.base < next && (a.has(w.base) || w.overdue(a, now)) {
		w.base++
	}
	return int(w.base + w.size - next)
}

func (w *window) overdue(a *arrivals, now int64) bool {
	age := now - w.sentAt[w.base%uint64(len(w.sentAt))]
	if w.base < a.next { // a later one has arrived
		return age > w.timeout
	}
	return age > patience*w.timeout
}
