package llr_test

import (
	"fmt"
	"time"

	"uelink/llr"
	"uelink/wire"
)

// Two ends and a wire that loses the second of three frames: an LLR_NACK and a replay bring the frame back.
func Example() {
	profile := llr.Profile{
		MaxOutstandingFrames: 16, MaxOutstandingBytes: 1 << 20, MaxReplayTimer: 2 * time.Millisecond, MaxReplayCount: 100,
		CtlOSSpacingBytes: 2048,
	}
	a := llr.NewLink(profile, 100, [2]byte{1, 2}) // numbers its frames from 100
	b := llr.NewLink(profile, 500, [2]byte{3, 4})
	now := wire.Time(1_000_000)
	a.Tx.SetCarrier(true, now)
	b.Tx.SetCarrier(true, now)
	a.Tx.SetMode(true, now) // LLR_MODE_REMOTE of the sender
	b.Rx.SetMode(true)      // LLR_MODE_LOCAL of the receiver

	// exchange passes the control frames of both ends to each other.
	exchange := func() {
		for range 2 {
			b.ReceivedControl(now, a.Poll(now, true, make([]wire.CtlOS, 0, llr.PollMax))...)
			a.ReceivedControl(now, b.Poll(now, true, make([]wire.CtlOS, 0, llr.PollMax))...)
		}
	}
	exchange() // LLR_INIT, LLR_INIT_ECHO
	fmt.Println(a.Tx.State(), b.Rx.State())

	const length = 1514
	sent := map[uint32]uint32{} // slot: number
	for slot := range uint32(3) {
		if a.Tx.Admit(length) == llr.Sequence {
			sent[slot] = a.Tx.Push(slot, length, false, now)
		}
	}
	for _, slot := range []uint32{0, 2} { // 1 is lost
		fmt.Println(sent[slot], b.Rx.Receive(sent[slot], wire.FCSGood, length) == llr.Deliver)
	}

	exchange() // LLR_NACK
	for a.Tx.Replaying() {
		slot, ok := a.Tx.Replay()
		if !ok {
			break
		}
		fmt.Println("again:", sent[slot], b.Rx.Receive(sent[slot], wire.FCSGood, length) == llr.Deliver)
	}

	exchange() // LLR_ACK
	for slot, ok := a.Tx.Free(); ok; slot, ok = a.Tx.Free() {
		fmt.Println("free:", slot)
	}
	// Output:
	// ADVANCE SEND_ACKS
	// 100 true
	// 102 false
	// again: 101 true
	// again: 102 true
	// free: 0
	// free: 1
	// free: 2
}
