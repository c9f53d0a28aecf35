package wire

import (
	"testing"
	"time"
)

func TestTimeAddsAndSubtractsDurations(t *testing.T) {
	for _, c := range []struct {
		from Time
		d    time.Duration
		to   Time
	}{
		{0, 0, 0},
		{0, time.Second, 1_000_000_000},
		{1_000_000_000, -time.Millisecond, 999_000_000},
		{-5, 10, 5},
		{Never - 1, 1, Never},
	} {
		if got := c.from.Add(c.d); got != c.to {
			t.Errorf("%d.Add(%v) = %d, want %d", c.from, c.d, got, c.to)
		}
		if got := c.to.Sub(c.from); got != c.d {
			t.Errorf("%d.Sub(%d) = %v, want %v", c.to, c.from, got, c.d)
		}
	}
}
