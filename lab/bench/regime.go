package main

import "time"

// regime is the distance between the two CPUs of the virtual machine, as the host placed them.
type regime uint8

// The regimes. In each, a forwarder shares other resources with its load, and a frame that comes from the other CPU has
// another cost.
const (
	changed    regime = iota // the distance differs before and after a window
	oneCore                  // two threads of one core
	neighbours               // two cores with a common cache
	farApart                 // two cores without a common cache
	regimes                  // number of the values above
)

// Shortest round trips of a cache line in a regime. Measured: threads of one core 50 to 64 ns, neighbours some 85,
// far apart 270 to 400.
const (
	neighboursFrom = 75 * time.Nanosecond
	farApartFrom   = 200 * time.Nanosecond
)

// regimeOf returns how far apart the host has placed the two CPUs (same core, neighbours, or without a common
// cache), by the round trip time of a cache line between them.
func regimeOf(roundTrip time.Duration) regime {
	switch {
	case roundTrip < neighboursFrom:
		return oneCore
	case roundTrip < farApartFrom:
		return neighbours
	}
	return farApart
}

// during returns how far apart the two CPUs were in a window, by the round trip times of a cache line before and
// after it; changed if they disagree.
func during(before, after time.Duration) regime {
	if in := regimeOf(before); in == regimeOf(after) {
		return in
	}
	return changed
}

// String returns the distance of the CPUs in words, such as "neighbouring cores".
func (r regime) String() string {
	return [...]string{"moved meanwhile", "threads of one core", "neighbouring cores", "cores far apart"}[r]
}
