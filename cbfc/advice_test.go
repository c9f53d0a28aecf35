package cbfc

import "testing"

// The frames that are dearest are found by looking at all lengths.
func TestDearestFrame(t *testing.T) {
	for credit := MinCreditSize; credit <= MaxCreditSize; credit *= 2 {
		for _, overhead := range []int{MinPacketOverhead, 0, 4, 20, MaxPacketOverhead} {
			for _, longest := range []int{60, 61, 1514, 9234} {
				s := Size{Credit: credit, Overhead: overhead}
				most := 0.0
				for n := leastLen; n <= longest; n++ {
					most = max(most, float64(s.Credits(n))/float64(n+wireOverhead))
				}
				c, n := s.dearest(longest)
				if got := float64(c) / float64(n+wireOverhead); c != s.Credits(n) || got != most {
					t.Errorf("%+v up to %d: %d credits for %d octets, %f an octet, want %f", s, longest, c, n, got, most)
				}
			}
		}
	}
}

func TestLimitForALoop(t *testing.T) {
	for _, c := range []struct {
		size            Size
		spacing         uint32
		octets, longest int
		want            int
	}{
		{Size{Credit: 2048}, 0, 84_000, 60, 1001 + 1},        // a credit for each frame of 84 octets
		{Size{Credit: 2048}, 8400, 84_000, 60, 1101 + 1},     // and for those until a CF_Update
		{Size{Credit: 2048}, 0, 84_000, 9212, 1001 + 5},      // a long frame needs its credits at once
		{Size{Credit: 64}, 0, 85_000, 1514, 2001 + 24},       // 65 octets cost twice as much as 64
		{Size{Credit: 64, Overhead: 4}, 0, 84, 60, 3 + 2},    // here 64 do
		{Size{Credit: 2048}, 0, 100 << 20, 1514, MaxLimit},   // more than can be counted
		{Size{Credit: 2048}, 6400, 0, 1514, 6400/84 + 1 + 1}, // a loop that takes no time
	} {
		s := Settings{Size: c.size, CFMinSpacing: c.spacing}
		if got := s.LimitFor(c.octets, c.longest); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
