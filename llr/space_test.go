package llr

import (
	"testing"

	"uelink/wire"
)

func TestSpaceArithmeticWraps(t *testing.T) {
	for _, s := range []space{7, 15, standard} {
		top := uint32(s)
		if s.add(top, 1) != 0 || s.add(0, -1) != top || s.distance(top, 1) != 2 || s.distance(1, top) != top-1 {
			t.Errorf("%d: %d, %d, %d, %d", s, s.add(top, 1), s.add(0, -1), s.distance(top, 1), s.distance(1, top))
		}
		if half := top / 2; !s.ahead(0, half) || s.ahead(0, half+1) || s.ahead(5, 5) || !s.ahead(top, 0) || s.ahead(0, top) {
			t.Errorf("%d: ahead", s)
		}
	}
}

// TestSpaceOfFewNumbers has a frame lost in each of 50 rounds through 8 sequence numbers.
func TestSpaceOfFewNumbers(t *testing.T) {
	p := Profile{
		MaxOutstandingFrames: 3, MaxOutstandingBytes: 1 << 20, MaxReplayTimer: 1e6, MaxReplayCount: NoReplayLimit,
		InitAction: Block, FlushAction: Block,
	}
	tx, rx := NewLinkOf(3, p, 6, [2]byte{}), NewLinkOf(3, p, 0, [2]byte{})
	rx.Rx.SetMode(true)
	tx.Tx.SetMode(true, 1)
	exchange := func() {
		rx.ReceivedControl(1, tx.Poll(1, true, nil)...)
		tx.ReceivedControl(1, rx.Poll(1, true, nil)...)
	}
	exchange()
	seq := [4]uint32{}
	for round := range 50 {
		for slot := range uint32(3) {
			if v := tx.Tx.Admit(60); v != Sequence {
				t.Fatalf("round %d: %v", round, v)
			}
			if seq[slot] = tx.Tx.Push(slot, 60, false, 1); seq[slot] != (6+uint32(3*round)+slot)&7 {
				t.Fatalf("round %d: number %d", round, seq[slot])
			}
		}
		rx.Rx.Receive(seq[1], wire.FCSGood, 60)
		exchange()
		for slot, ok := tx.Tx.Replay(); ok; slot, ok = tx.Tx.Replay() {
			if got := rx.Rx.Receive(seq[slot], wire.FCSGood, 60); got != Deliver {
				t.Fatalf("round %d, number %d: %v", round, seq[slot], got)
			}
		}
		exchange()
		for slot := range uint32(3) {
			if got, ok := tx.Tx.Free(); !ok || got != slot {
				t.Fatalf("round %d: %d, %v", round, got, ok)
			}
		}
	}
}
