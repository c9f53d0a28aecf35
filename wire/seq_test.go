package wire

import (
	"testing"

	"pgregory.net/rapid"
)

const half = 1 << (SeqBits - 1)

func TestSeqArithmeticWraps(t *testing.T) {
	for _, c := range []struct {
		seq  uint32
		n    int
		want uint32
	}{
		{0, 1, 1}, {SeqMask, 1, 0}, {0, -1, SeqMask}, {0xFFFFE, 5, 3}, {3, -5, 0xFFFFE},
		{7, SeqMask + 1, 7}, {7, -SeqMask - 1, 7}, {0x7FFFF, 1, half},
	} {
		if got := SeqAdd(c.seq, c.n); got != c.want {
			t.Errorf("SeqAdd(%#x, %d) = %#x, want %#x", c.seq, c.n, got, c.want)
		}
	}
}

func TestSeqDistanceAndHalfSpace(t *testing.T) {
	// UE 1.0: d = (seq - next_rx_seq) mod 2^20; missing 0 < d < 2^19, duplicate d >= 2^19.
	for _, c := range []struct {
		a, b     uint32
		distance uint32
		behind   bool
	}{
		{0, 0, 0, false},
		{5, 6, 1, false},
		{SeqMask, 0, 1, false},
		{0, SeqMask, SeqMask, true},
		{0, half - 1, half - 1, false},
		{0, half, half, true},
		{SeqMask, half - 2, half - 1, false},
		{SeqMask, half - 1, half, true},
		{0xFFFF0, 0x0000F, 0x1F, false},
		{0x0000F, 0xFFFF0, SeqMask + 1 - 0x1F, true},
	} {
		if got := SeqDistance(c.a, c.b); got != c.distance {
			t.Errorf("SeqDistance(%#x, %#x) = %#x, want %#x", c.a, c.b, got, c.distance)
		}
		if got := SeqBehind(c.a, c.b); got != c.behind {
			t.Errorf("SeqBehind(%#x, %#x) = %v", c.a, c.b, got)
		}
	}
}

func TestSeqLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Uint32Range(0, SeqMask).Draw(t, "a")
		n := rapid.IntRange(-SeqMask, SeqMask).Draw(t, "n")
		b := SeqAdd(a, n)
		if b > SeqMask || SeqAdd(b, -n) != a {
			t.Fatalf("%#x + %d = %#x, and back %#x", a, n, b, SeqAdd(b, -n))
		}
		if got := SeqAdd(a, int(SeqDistance(a, b))); got != b {
			t.Fatalf("%#x and the distance to %#x is %#x", a, b, got)
		}
		if d := SeqDistance(a, b); d != 0 && d != half && SeqBehind(a, b) == SeqBehind(b, a) {
			t.Fatalf("%#x and %#x are on the same side of each other", a, b)
		}
	})
}
