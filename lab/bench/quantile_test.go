package main

import "testing"

func TestQuantiles(t *testing.T) {
	values := []float64{5, 1, 4, 2, 3}
	for _, c := range []struct{ q, want float64 }{{0, 1}, {0.25, 2}, {0.5, 3}, {0.75, 4}, {1, 5}} {
		if got := quantile(values, c.q); got != c.want {
			t.Errorf("quantile %v: %v, want %v", c.q, got, c.want)
		}
	}
	if got := median(nil); got != 0 {
		t.Errorf("median of nothing: %v", got)
	}
	if values[0] != 5 {
		t.Error("the values were sorted in place")
	}
}

// TestRatiosAreOfTheSameRound: noise that two forwarders share cancels out.
func TestRatiosAreOfTheSameRound(t *testing.T) {
	got := ratios([]float64{1, 20, 3}, []float64{2, 40, 6})
	for i, r := range got {
		if r != 0.5 {
			t.Errorf("round %d: %v, want 0.5", i, r)
		}
	}
}
