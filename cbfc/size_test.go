package cbfc

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestCreditFormula is UE-LINK §4: ceil((length + overhead) / credit size), where length is that of the
// frame as sent: padded to 60 octets, and with its FCS.
func TestCreditFormula(t *testing.T) {
	for _, c := range []struct{ n, credit, overhead, want int }{
		{60, 64, 0, 1}, {61, 64, 0, 2}, {59, 64, 0, 1}, {14, 64, 0, 1}, {0, 64, 0, 1},
		{60, 64, 1, 2}, {60, 64, -1, 1}, {61, 64, -1, 1}, {60, 32, 0, 2}, {60, 32, 1, 3},
		{60, 32, -16, 2}, {60, 64, -16, 1}, {60, 2048, 127, 1}, {1514, 2048, 0, 1}, {9212, 2048, 0, 5},
		{9212, 32, 0, 288}, {9212, 32, 127, 292}, {1514, 256, -4, 6}, {1514, 256, 18, 6}, {1514, 256, 19, 7},
	} {
		if got := (Size{Credit: c.credit, Overhead: c.overhead}).Credits(c.n); got != c.want {
			t.Errorf("%d octets, credit size %d, overhead %d: %d credits, want %d", c.n, c.credit, c.overhead, got, c.want)
		}
	}
}

// TestCreditsOfEverySizeAndOverhead compares the formula with one in floating point.
func TestCreditsOfEverySizeAndOverhead(t *testing.T) {
	for credit := MinCreditSize; credit <= MaxCreditSize; credit *= 2 {
		for overhead := MinPacketOverhead; overhead <= MaxPacketOverhead; overhead++ {
			for _, n := range []int{14, 59, 60, 61, 124, 125, 128, 252, 508, 1514, 2044, 2048, 4092, 9212} {
				want := int(math.Ceil(float64(max(n, 60)+4+overhead) / float64(credit)))
				if got := (Size{Credit: credit, Overhead: overhead}).Credits(n); got != want || got < 1 {
					t.Fatalf("%d octets, credit size %d, overhead %d: %d credits, want %d", n, credit, overhead, got, want)
				}
			}
		}
	}
}

func TestLongerFramesNeverCostLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Size{
			Credit:   32 << rapid.IntRange(0, 6).Draw(t, "size"),
			Overhead: rapid.IntRange(MinPacketOverhead, MaxPacketOverhead).Draw(t, "overhead"),
		}
		n := rapid.IntRange(0, 9212).Draw(t, "octets")
		if one, more := s.Credits(n), s.Credits(n+1); more < one || more > one+1 {
			t.Fatalf("%+v: %d octets cost %d credits, one more %d", s, n, one, more)
		}
	})
}
