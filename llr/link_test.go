package llr

import (
	"testing"
	"time"

	"uelink/wire"
)

// profile is what most tests run with.
func profile() Profile {
	return Profile{MaxOutstandingFrames: 16, MaxOutstandingBytes: 1 << 20, MaxReplayTimer: time.Millisecond,
		MaxReplayCount: 3, InitAction: Block, FlushAction: Block, CtlOSSpacingBytes: 2048}
}

// pair is two ends with both modes on, joined by nothing.
func pair(t *testing.T, p Profile) (a, b *Link) {
	t.Helper()
	a, b = NewLink(p, 100, [2]byte{0xA, 1}), NewLink(p, 200, [2]byte{0xB, 1})
	for _, l := range []*Link{a, b} {
		l.Rx.SetMode(true)
		l.Tx.SetMode(true, 0)
	}
	return a, b
}

// exchange carries the control of both ends across until neither has more.
func exchange(a, b *Link, now wire.Time) {
	for {
		fromA, fromB := a.Poll(now, true, nil), b.Poll(now, true, nil)
		if len(fromA)+len(fromB) == 0 {
			return
		}
		for _, c := range fromA {
			b.ReceivedControl(now, c)
		}
		for _, c := range fromB {
			a.ReceivedControl(now, c)
		}
	}
}

func TestHandshakeGoesFromInitToAdvanceAtBothEnds(t *testing.T) {
	a, b := pair(t, profile())
	exchange(a, b, 0)
	if a.Tx.State() != TxAdvance || b.Tx.State() != TxAdvance {
		t.Fatalf("a is in %v, b in %v", a.Tx.State(), b.Tx.State())
	}
	if b.Rx.NextSeq() != 100 || a.Rx.NextSeq() != 200 {
		t.Fatalf("b expects %d, a expects %d", b.Rx.NextSeq(), a.Rx.NextSeq())
	}
}

func TestLostFrameIsReplayedOnNack(t *testing.T) {
	a, b := pair(t, profile())
	exchange(a, b, 0)
	for slot := range uint32(4) {
		if v := a.Tx.Admit(60); v != Sequence {
			t.Fatalf("Admit says %v", v)
		}
		if seq := a.Tx.Push(slot, 60, false, 0); seq != 101 {
			b.Rx.Receive(seq, wire.FCSGood, 60)
		}
	}
	exchange(a, b, 0)
	var again []uint32
	for a.Tx.Replaying() {
		slot, _ := a.Tx.Replay()
		again = append(again, slot)
		if v := b.Rx.Receive(100+slot, wire.FCSGood, 60); v != Deliver {
			t.Fatalf("slot %d: %v", slot, v)
		}
	}
	if len(again) != 3 || again[0] != 1 {
		t.Fatalf("replayed slots %v, want 1 to 3", again)
	}
	exchange(a, b, 0)
	if n, _ := a.Tx.Outstanding(); n != 0 {
		t.Fatalf("%d outstanding", n)
	}
}
