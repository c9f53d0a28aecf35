package xsk

import (
	"testing"

	"uelink/dataplane/frame"
)

// TestFillRingHasRoomToSpare: the kernel lets go of fill ring entries only after
// it has shown the frames, so a chunk can come back while its entry still counts
// as taken. With no more entries than chunks there would be no room for it.
func TestFillRingHasRoomToSpare(t *testing.T) {
	for _, rx := range []int{1, 63, 64, 1000, 1024, 2048} {
		got := Options{RingSize: 64, Geometry: frame.Geometry{ChunkSize: 4096, RX: rx, TX: 1}}.sizes().fill
		if got <= rx || got&(got-1) != 0 {
			t.Errorf("%d RX chunks: a fill ring of %d entries, want a power of two above %d", rx, got, rx)
		}
	}
}
