package guest

import "testing"

func TestLossIsRight(t *testing.T) {
	for _, c := range []struct {
		name                string
		sent, lost, dropped uint64
		share               float64
		right               bool
	}{
		{"none", 10_000, 0, 0, 0, true},
		{"none, and a question for an address", 10_000, 0, 1, 0, true},
		{"one of a wire without loss", 10_000, 1, 1, 0, false},
		{"a tenth", 10_000, 1_058, 1_059, 0.1, true},
		{"a fifth", 10_000, 2_000, 2_000, 0.1, false},
		{"none of a tenth", 10_000, 0, 0, 0.1, false},
		{"lost elsewhere", 10_000, 1_000, 900, 0.1, false},
		{"dropped, and not missed", 10_000, 1_000, 1_100, 0.1, false},
	} {
		if err := lossIsRight(c.sent, c.lost, c.dropped, c.share); (err == nil) != c.right {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
