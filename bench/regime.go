package main

import "time"

// regime is how far apart the host of a virtual machine has put its two CPUs.
type regime uint8

// The regimes: what a forwarder shares with its load, and what a frame costs that comes
// from the other CPU, is another matter in each.
const (
	changed    regime = iota // not the same before and after
	oneCore                  // two threads of one core
	neighbours               // two cores that share a cache
	farApart                 // two cores that share none
	regimes
)

// Round trips of a cache line between two CPUs, in which the regimes begin: threads of one
// core were seen to take 50 to 64 ns, neighbours some 85, others 270 to 400.
const (
	neighboursFrom = 75 * time.Nanosecond
	farApartFrom   = 200 * time.Nanosecond
)

// regimeOf is the regime of a round trip.
func regimeOf(roundTrip time.Duration) regime {
	switch {
	case roundTrip < neighboursFrom:
		return oneCore
	case roundTrip < farApartFrom:
		return neighbours
	}
	return farApart
}

// during is the regime of what was done between two round trips.
func during(before, after time.Duration) regime {
	if in := regimeOf(before); in == regimeOf(after) {
		return in
	}
	return changed
}

// String is what the CPUs were.
func (r regime) String() string {
	return [...]string{"moved meanwhile", "threads of one core", "neighbouring cores", "cores far apart"}[r]
}
