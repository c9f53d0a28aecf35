// Package llr is UE link layer retry (SAI-LLR): a transmitter that numbers
// frames and keeps them until they are acknowledged, a receiver that lets them
// through exactly once and in order, and the control between two stations.
//
// The machines are pure. A frame is a slot number and a length, a control
// ordered set is a decoded wire.CtlOS, now (nanoseconds, monotonic) and the
// carrier are arguments. A machine answers with verdicts, with slots to post or
// to free, with control to send, and with the time at which it wants to be
// called again. One goroutine owns a Link; no call allocates but NewTx, NewRx,
// NewLink and a SetProfile that makes the window larger.
//
// How a frame path drives one end, over and over:
//
//	1  Link.Control for every control frame that came
//	2  Rx.Receive for every sequenced frame that came
//	3  Tx.Free until it has no more: those slots are the caller's again
//	4  Tx.Replay while Tx.Replaying and there is room to post
//	5  Tx.Admit, and if it says Sequence Tx.Push, for every frame that waits
//	6  Link.Poll, and send what it gives; idle when nothing has come for a while.
//	   Link.Expire instead while there is no room to send
//	7  sleep until something comes or Link.Deadline
//
// What the formats cannot tell, no machine can: a frame or an acknowledgement of a
// start of the partner that is over carries no nonce. If it comes after the next
// handshake is done, it is taken for what its number says, which is chosen at
// random for that reason. A partner that restarts is noticed by the start id of its
// STATION; an older one, which sends none, by an LLR_INIT that it repeats. If its
// LLR_MODE_REMOTE is off, that one is noticed only when REPLAY_COUNT_MAX or
// DATA_AGE_TIMEOUT flushes, and so never without a limit.
package llr

import "math"

// never is the deadline of a machine that waits for nothing.
const never = math.MaxInt64

// after is the time d nanoseconds past t, at most never.
func after(t, d int64) int64 {
	if s := t + d; s >= t {
		return s
	}
	return never
}
