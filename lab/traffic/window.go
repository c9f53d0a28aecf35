package traffic

import (
	"time"

	"uelink/wire"
)

// patience is how many loss time-outs a frame may be missing while no later frame arrives: the path may be stalled
// without loss.
const patience = 4

// window is the closed loop: how far the sender may run ahead of the receiver. Writing a frame off only moves the
// window. If the frame arrives later, it still counts as delivered.
type window struct {
	size    uint64        // largest number of frames in flight
	timeout time.Duration // time after which a frame is written off if later frames have arrived
	base    uint64        // the lowest number that has neither arrived nor been written off
	sentAt  []wire.Time   // time of sending of each number from base on, a ring
}

// newWindow returns a window of size frames, whose frames are written off after timeout.
func newWindow(size int, timeout time.Duration) window {
	ring := 1
	for ring < size {
		ring *= 2
	}
	return window{size: uint64(size), timeout: timeout, sentAt: make([]wire.Time, ring)}
}

// sent records the time at which the frame with a number was sent.
func (w *window) sent(number uint64, now wire.Time) {
	w.sentAt[number%uint64(len(w.sentAt))] = now
}

// room moves the window past frames that have arrived or are written off as overdue, and returns how many more
// frames may be sent. next is the number of the next frame to send.
func (w *window) room(a *arrivals, next uint64, now wire.Time) int {
	for w.base < next && (a.contains(w.base) || w.overdue(a, now)) {
		w.base++
	}
	return int(w.base + w.size - next)
}

// overdue reports whether the frame with number base has been missing for so long that it is written off.
func (w *window) overdue(a *arrivals, now wire.Time) bool {
	age := now.Sub(w.sentAt[w.base%uint64(len(w.sentAt))])
	if w.base < a.next { // a later frame has arrived
		return age > w.timeout
	}
	return age > patience*w.timeout
}
