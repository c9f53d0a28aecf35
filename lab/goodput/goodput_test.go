package goodput

import (
	"testing"
	"time"
)

// The loop times of the map: two switches' ports, two hosts, a wire of 20 km, one of 200 km.
var loops = []time.Duration{2 * time.Microsecond, 20 * time.Microsecond, 200 * time.Microsecond, 2 * time.Millisecond}

// cells returns the cells of the map, with the profile auto.
func cells() (list []cell) {
	for _, rate := range []float64{10, 25, 100} {
		for _, loop := range loops {
			for _, loss := range []float64{0, 1e-4, 1e-3, 1e-2, 5e-2} {
				list = append(list, at(rate, loop, loss))
			}
		}
	}
	return list
}

// at returns a cell of 1500 octets a frame, profile auto and a TX queue of 64 frames; rate is in Gbit/s.
func at(rate float64, loop time.Duration, loss float64) cell {
	c := cell{rate: rate * 1e9, loop: loop, loss: loss, octets: 1500, profile: "auto", queue: 64, seed: 6400}
	c.frames = amount(c, 20_000)
	return c
}

// The same seed gives the same figures.
func TestSameSeedSameFigures(t *testing.T) {
	c := at(10, 20*time.Microsecond, 1e-2)
	c.frames = 5000
	one, two := figure(t, c), figure(t, c)
	if one.goodput != two.goodput || one.copies != two.copies {
		t.Errorf("%v: %v and %v", c, one, two)
	}
}

// A wire without losses carries all of its rate but the shim, where the window holds a loop.
func TestGoodWireIsFull(t *testing.T) {
	for _, rate := range []float64{10, 100} {
		c := at(rate, 20*time.Microsecond, 0)
		if f := figure(t, c); f.goodput < 0.999*c.ceiling() || f.copies != 1 {
			t.Errorf("%v: goodput %.4f of %.4f, %v frames sent for each", c, f.goodput, c.ceiling(), f.copies)
		}
	}
}
