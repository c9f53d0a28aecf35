package xsk

import (
	"testing"

	"uelink/dataplane/frame"
)

// TestRingSizes: the fill ring has room for all chunks while the entries of all
// still count as taken.
func TestRingSizes(t *testing.T) {
	for chunks, fill := range map[int]int{1: 2, 2: 4, 3: 8, 48: 128, 63: 128, 64: 128, 65: 256, 1000: 2048, 1024: 2048} {
		o := Options{RingSize: 64, Geometry: frame.Geometry{ChunkSize: 4096, RX: chunks, TX: 1}}
		if got, want := o.sizes(), (ringSizes{fill: fill, rx: 64, tx: 64, completion: 128}); got != want {
			t.Errorf("%d RX chunks: %+v, want %+v", chunks, got, want)
		}
		o.RxRing = 256
		if got, want := o.sizes(), (ringSizes{fill: fill, rx: 256, tx: 64, completion: 128}); got != want {
			t.Errorf("%d RX chunks and an RX ring of 256: %+v, want %+v", chunks, got, want)
		}
	}
}
