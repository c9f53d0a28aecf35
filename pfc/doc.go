// Package pfc is priority-based flow control of one port (IEEE 802.1Qbb; the frame is that of
// 802.3 annex 31D): a receiver that runs out of room stops single priorities of the sender at
// the other end, for a time that it renews, and lets them go on.
//
// There is a machine for each side. A Pauser sits where frames wait, and says what is to be
// sent. A Paused sits where frames leave, and says which priorities may not. Both are pure:
// now (nanoseconds, monotonic, from 0) is an argument, a frame is a decoded wire.PFC, and a
// set of priorities is a bitmap. One goroutine owns a machine; no call allocates but the
// constructors.
//
// How a frame path drives a port, over and over:
//
//	if wire.MACControl(frame) { // 1  what came
//		if p, fault := wire.ParsePFC(frame); fault != wire.NoFault {
//			paused.Malformed()
//		} else {
//			paused.Receive(p, now)
//		}
//	}
//
//	pauser.Level(priority, waiting) // 2  wherever the number of waiting frames changes
//
//	stopped := paused.Paused(now) // 3  what may leave, once a batch
//	if stopped>>priority&1 == 0 { … }
//
//	if room { // 4  at the end of a batch, ahead of data; what Poll gives has to be sent
//		if p, ok := pauser.Poll(now); ok {
//			n := wire.PutPFC(slot, address, p)
//			…
//		}
//	}
//	if told := paused.Stuck(now); told != 0 { … } // 5  an event, once for each pause
//
//	sleep(min(pauser.Deadline(), paused.Deadline())) // 6
//
// Watermarks. A priority is stopped when as many wait as XOff, and may go on when no more than
// XOn do. What the other end sends until the stop has reached it still comes: room for a round
// trip, and for what its own rings hold, has to be left above XOff.
//
// Losses. A PFC that is lost is repaired by the next: a stop is renewed before half of its time
// is over, and where a lift is lost the time runs out.
package pfc

import (
	"math"

	"uelink/wire"
)

// never is the deadline of a machine that waits for nothing.
const never = math.MaxInt64

// pauseTime is so many quanta at a port of rate bit/s, in ns, not less.
func pauseTime(quanta uint16, rate int64) int64 {
	const bits = wire.QuantumBits * 1e9
	return (int64(quanta)*bits + rate - 1) / rate
}
