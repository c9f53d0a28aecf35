package llr

import (
	"testing"

	"uelink/wire"
)

// TestExpectedFrameLostAgain: the replay that an LLR_NACK asked for loses the
// expected frame once more. SAI-LLR has one LLR_NACK for a gap; this is another
// gap, so it gets another one at once, and only one.
func TestExpectedFrameLostAgain(t *testing.T) {
	l := NewLink(Profile{MaxOutstandingFrames: 16, CtlOSSpacingBytes: 2048}, 0, [2]byte{})
	l.Rx.SetMode(true)
	l.ReceivedControl(0, wire.CtlOS{Type: wire.LLRInit, Seq: 100})
	l.Poll(0, true, nil)
	nacks := func(seqs ...uint32) (n int) {
		for _, seq := range seqs {
			l.Rx.Receive(seq, wire.FCSGood, 60)
			for _, c := range l.Poll(0, true, nil) {
				if c.Type == wire.LLRNack {
					n++
					if c.Seq != 99 {
						t.Errorf("LLR_NACK carries %d, want 99", c.Seq)
					}
				}
			}
		}
		return n
	}
	for _, step := range []struct {
		what string
		seqs []uint32
		want int
	}{
		{"100 is lost", []uint32{101, 102, 103}, 1},
		{"a duplicate of the wire", []uint32{103}, 0},
		{"the replay loses it again", []uint32{101, 102, 103}, 1},
		{"and again", []uint32{101, 102, 103}, 1},
	} {
		if got := nacks(step.seqs...); got != step.want {
			t.Errorf("%s: %d LLR_NACK, want %d", step.what, got, step.want)
		}
	}
	if v := l.Rx.Receive(100, wire.FCSGood, 60); v != Deliver || l.Rx.State() != RxSendAcks {
		t.Errorf("frame 100 is the next: %v, state %v", v, l.Rx.State())
	}
}

// A frame that comes again and again, and no other, is all that its sender has: it is told
// again what is expected here. One that the wire has duplicated changes nothing.
func TestFrameThatComesAgainAndAgainIsNacked(t *testing.T) {
	r := initialized(t)
	take(r, wire.FCSGood, 124)
	says(t, r, false, wire.LLRNack, 99)
	take(r, wire.FCSGood, 124, 124, 124)
	says(t, r, false, 0, 0)
	take(r, wire.FCSGood, 125, 125, 125, 125)
	says(t, r, false, 0, 0)
	take(r, wire.FCSGood, 125)
	says(t, r, false, wire.LLRNack, 99)
	for range repeatsMax {
		says(t, r, false, 0, 0)
		take(r, wire.FCSGood, 125)
	}
	says(t, r, false, wire.LLRNack, 99)
}
