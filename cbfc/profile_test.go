package cbfc

import "testing"

// SAI THRESHOLD_MODE_NONE: what is reserved for a channel, and nothing of what is shared.
func TestProfileWithoutThresholdHasOnlyWhatIsReserved(t *testing.T) {
	var p pool
	p.configure([VCs]Profile{1: {Reserved: 10, NoShared: true}, 2: {Reserved: 10}, 3: {Static: 5}}, 0b1110, 0)
	for _, vc := range []uint8{1, 2, 3} {
		p.add(vc, 100)
	}
	if p.maxUse(1) != 10 || p.maxUse(2) != 90 || p.maxUse(3) != 5 {
		t.Errorf("at most %d, %d and %d", p.maxUse(1), p.maxUse(2), p.maxUse(3))
	}
	for _, c := range []struct {
		vc      uint8
		used, n int
		want    bool
	}{
		{1, 0, 10, true}, {1, 0, 11, false}, {1, 9, 1, true}, {1, 10, 1, false},
		{2, 0, 11, true}, {2, 10, 80, true}, {2, 10, 81, false},
		{3, 0, 5, true}, {3, 0, 6, false},
	} {
		p.charge(c.vc, c.used)
		got := p.allows(c.vc, c.n)
		if p.charge(c.vc, -c.used); got != c.want {
			t.Errorf("VC %d with %d in use, and %d more: %v", c.vc, c.used, c.n, got)
		}
	}
}
