// Package fault models a bad wire: a seeded model that draws the fate of each frame, and a frame.Device that
// applies the fates to the frames which another device receives.
package fault

import (
	"errors"
	"fmt"
	"time"

	"uelink/dataplane/fault/netem"
)

// MaxDelay bounds Delay and Jitter.
const MaxDelay = 10 * time.Second

// Config sets how bad the wire is. Probabilities are per frame, 0 to 1. The zero value is a good wire.
type Config struct {
	Loss      float64 // average share of frames lost
	Burst     float64 // mean frames lost in a row (Gilbert-Elliott); 0 or 1: losses are independent (Bernoulli)
	Corrupt   float64 // frames with one to three bits flipped
	Duplicate float64 // a frame delivered twice
	Reorder   float64 // a frame overtaken by one to three later frames
	Delay     time.Duration
	Jitter    time.Duration // the most that is added to Delay, at random; frames keep their order
	RateBPS   uint64        // bits of frame octets per second, 0: no limit
	Queue     int           // frames on the wire at one time, with Delay, Jitter or RateBPS; 0: as many as there is memory
	Seed      uint64        // equal seeds draw equal fates for equal frames

	Netem *netem.Spec // the wire of netem, in place of all fields above but Seed; nil: none
}

// Validate returns an error that names the first wrong field.
func (c Config) Validate() error {
	for _, p := range []struct {
		name  string
		value float64
	}{{"loss", c.Loss}, {"corrupt", c.Corrupt}, {"duplicate", c.Duplicate}, {"reorder", c.Reorder}} {
		if !(p.value >= 0 && p.value <= 1) { // also NaN
			return fmt.Errorf("%s %v: a probability is from 0 to 1", p.name, p.value)
		}
	}
	if c.Burst != 0 && !(c.Burst >= 1) {
		return fmt.Errorf("burst %v: the mean length of a burst is at least 1 frame", c.Burst)
	}
	if enter, _ := c.Bursts(); enter > 1 {
		return fmt.Errorf("loss %v is not possible with burst %v: at least one frame arrives between two bursts", c.Loss,
			c.Burst)
	}
	if c.Delay < 0 || c.Delay > MaxDelay {
		return fmt.Errorf("delay %v: must be from 0 to %v", c.Delay, MaxDelay)
	}
	if c.Jitter < 0 || c.Jitter > MaxDelay {
		return fmt.Errorf("jitter %v: must be from 0 to %v", c.Jitter, MaxDelay)
	}
	if c.Queue < 0 {
		return fmt.Errorf("queue %d: the number of frames is at least 1, or 0 for no limit", c.Queue)
	}
	if other := c; c.Netem != nil {
		other.Netem, other.Seed, other.Burst = nil, 0, 0
		if other != (Config{}) || c.Burst > 1 {
			return errors.New("netem cannot be combined with other faults: leave the other faults out, or write them as " +
				"words of netem")
		}
	}
	if c.RateBPS > 0 && c.RateBPS < 1000 {
		return errors.New("rate: at least 1000 bits per second, or 0 for no limit")
	}
	return nil
}

// Stays reports whether frames stay on the wire for a time, by Delay, Jitter or RateBPS.
func (c Config) Stays() bool { return c.Delay > 0 || c.Jitter > 0 || c.RateBPS > 0 }

// Bursts returns the two probabilities of the Gilbert-Elliott model, per frame: to enter a burst of losses, and to
// leave it. Every frame inside a burst is lost, and none outside. Without bursts both probabilities are about one
// frame: enter is Loss, leave is 1 - Loss.
func (c Config) Bursts() (enter, leave float64) {
	if c.Burst <= 1 {
		return c.Loss, 1 - c.Loss
	}
	return c.Loss / (1 - c.Loss) / c.Burst, 1 / c.Burst
}
