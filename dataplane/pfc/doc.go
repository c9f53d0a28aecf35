// Package pfc is priority-based flow control of one port (IEEE 802.1Qbb; the frame format is 802.3 annex 31D): a
// receiver that runs out of room stops single priorities of the sender at the other end, for a time that it renews,
// and then lets them resume.
//
// There is a machine for each side. A Pauser sits where frames wait, and returns the frames to send. A Paused sits
// where frames leave, and returns the priorities that may not send. Both are pure: now (a wire.Time, from 0) is an
// argument, a frame is a decoded wire.PFC, and a set of priorities is a bitmap. One goroutine owns a machine; only
// the constructors allocate.
//
// How a frame path drives a port, over and over:
//
//	if wire.MACControl(frame) { // 1  a received frame
//		if p, fault := wire.ParsePFC(frame); fault != wire.NoFault {
//			paused.ReceivedMalformed()
//		} else {
//			paused.ReceivedFrame(p, now)
//		}
//	}
//
//	pauser.SetLevel(priority, waiting) // 2  wherever the number of waiting frames changes
//
//	stopped := paused.Stopped(now) // 3  the priorities that may not send, once a batch
//	if stopped>>priority&1 == 0 { … }
//
//	if room { // 4  at the end of a batch, ahead of data; the frame from Poll must be sent
//		if p, ok := pauser.Poll(now); ok {
//			n := wire.PutPFC(slot, address, p)
//			…
//		}
//	}
//	if stuck := paused.Stuck(now); stuck != 0 { … } // 5  an event, once for each pause
//
//	sleep(min(pauser.Deadline(), paused.Deadline())) // 6
//
// Watermarks. A priority is stopped when XOff frames wait, and may resume when no more than XOn wait. Frames sent
// before the stop reaches the other end still arrive: room for a round trip, and for the content of the other end's
// rings, must be left above XOff.
//
// Losses. A lost PFC is repaired by the next: a stop is renewed before half of its time is over, and without the
// frame that ends a stop its time runs out.
package pfc

import (
	"time"

	"uelink/wire"
)

// pauseTime returns how long a pause of quanta (512 bit times each) lasts at a port of rate bit/s, rounded up.
func pauseTime(quanta uint16, rate int64) time.Duration {
	const bits = wire.QuantumBits * 1e9
	return time.Duration((int64(quanta)*bits + rate - 1) / rate)
}
