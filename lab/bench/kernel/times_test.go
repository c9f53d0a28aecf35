package kernel

import (
	"testing"
	"time"
)

func TestQuantilesOfTimes(t *testing.T) {
	var d Times
	if got := d.Quantile(0.5); got != 0 {
		t.Errorf("median of nothing: %v", got)
	}
	d.raw.Fine[10] = 98   // 640 ns
	d.raw.Fine[100] = 1   // 6.4 µs
	d.raw.Coarse[100] = 1 // 6.5 ms
	for _, c := range []struct {
		q    float64
		want time.Duration
	}{{0, 672}, {0.5, 672}, {0.97, 672}, {0.98, 6432}, {0.99, 6586368}, {1, 6586368}} {
		if got := d.Quantile(c.q); got != c.want {
			t.Errorf("quantile %v: %d ns, want %d", c.q, got, c.want)
		}
	}
}

// TestTimesOfAWindow: Sub subtracts an earlier reading.
func TestTimesOfAWindow(t *testing.T) {
	var before, after Times
	before.raw.Fine[1], after.raw.Fine[1] = 5, 7
	after.raw.Coarse[3] = 1
	after.Sub(&before)
	if got := after.Count(); got != 3 {
		t.Errorf("%d times in the window, want 3", got)
	}
	after.Add(&before)
	if got := after.Count(); got != 8 {
		t.Errorf("%d times in all, want 8", got)
	}
}
