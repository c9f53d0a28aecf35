package main

import (
	"math"
	"testing"
	"time"
)

// A machine that becomes slower and slower changes no ratio, and a window that differs from both its neighbours shows
// by how much.
func TestWindowsAreComparedWithBothNeighbours(t *testing.T) {
	var windows []watched
	for i := range 2*pageWindows + 1 {
		frames := 1000_000 - 10_000*i
		if i%pageWindows == everybody {
			frames = frames * 9 / 10
		}
		windows = append(windows, watched{stretch: stretch{frames: uint64(frames), took: time.Second}})
	}
	for kind, want := range map[int]float64{everybody: 0.9, control: 1} {
		got := toNeighbours(windows, kind, func(w watched) float64 { return w.pps() })
		if len(got) != 2 {
			t.Fatalf("window %d of a round: %d ratios, want 2", kind, len(got))
		}
		for _, ratio := range got {
			if math.Abs(ratio-want) > 1e-6 {
				t.Errorf("window %d of a round: ratio %v, want %v", kind, ratio, want)
			}
		}
	}
}
