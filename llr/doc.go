// Package llr is UE link layer retry (SAI-LLR): a transmitter that numbers
// frames and keeps them until they are acknowledged, a receiver that lets them
// through exactly once and in order, and the control between two stations.
//
// The machines are pure. A frame is a slot number and a length, a control ordered set is a decoded wire.CtlOS, now
// (a wire.Time) and the carrier are arguments. A machine answers with verdicts, with slots to post or to
// free, with control ordered sets to send, and with its next deadline. One goroutine owns a Link. Only NewTx, NewRx,
// NewLink, a SetProfile that enlarges the window, and an LLR_INIT that begins another kind of replay allocate.
//
// How a frame path drives one end, over and over:
//
//	1  Link.ReceivedControl for every control frame received
//	2  Rx.Receive for every sequenced frame received, and Rx.Keep after the verdict Keep; then Rx.NextKept while
//	   there is room to deliver, and Rx.FreeKept until ok is false
//	3  Tx.Free until ok is false: the caller owns those slots again
//	4  Tx.Replay while Tx.Replaying and there is room to post
//	5  Tx.Admit for every waiting frame, and Tx.Push after the verdict Sequence
//	6  Link.Poll, and send the control ordered sets returned; idle when nothing was received for a while.
//	   Link.Expire instead while there is no room to send
//	7  sleep until a frame arrives or Link.Deadline
//
// A frame or an acknowledgement carries no nonce: a late copy from an earlier start of the partner cannot be
// recognised. After the next handshake the machines use its sequence number like any current number; init_seq is
// random for this reason. The start id in STATION reveals a restart of the partner; an older partner, without
// STATION, is recognised by a repeated LLR_INIT. The restart of an older partner with LLR_MODE_REMOTE off is noticed
// only when REPLAY_COUNT_MAX or DATA_AGE_TIMEOUT flushes, and never without such a limit.
package llr

import (
	"math"
	"time"

	"uelink/wire"
)

// forever is longer than every measured time. It stands for a shortest time that is not measured yet.
const forever time.Duration = math.MaxInt64

// after returns the instant that is d after t, or wire.Never if that would be later.
func after(t wire.Time, d time.Duration) wire.Time {
	if s := t.Add(d); s >= t {
		return s
	}
	return wire.Never
}
