package simulated_test

import (
	"fmt"

	"uelink/lab/simulated"
)

// A thousand frames cross a wire that loses two of a hundred frames: LLR replays the lost frames, and each frame
// arrives once and in order.
func Example() {
	o := simulated.Defaults()
	o.Wire.Loss = 0.02
	b := simulated.New(o)
	fmt.Println("LLR is up:", b.Establish())

	s := &simulated.Stream{From: b.A, To: b.B, Frames: 1000, Size: 256}
	b.Carry(s)
	fmt.Printf("delivered %d, lost %d, duplicated %d, reordered %d\n", s.Delivered, s.Lost(), s.Duplicated, s.Reordered)

	fmt.Println("replays:", b.A.Link().LLR.Counters.TxReplay > 0)
	// Output:
	// LLR is up: true
	// delivered 1000, lost 0, duplicated 0, reordered 0
	// replays: true
}
