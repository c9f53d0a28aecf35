package fault

import (
	"math/bits"
	"math/rand/v2"
	"time"
)

const (
	maxFlips    = 3 // bits of a corrupted frame
	maxOvertake = 3 // frames that pass one that is held back
)

// Fate is what happens to one frame.
type Fate struct {
	Drop      bool
	Duplicate bool
	Flips     int           // bits to be flipped: 0 to 3
	Overtaken int           // frames that pass it: 0 to 3
	Delay     time.Duration // until it may leave
}

// Model decides the fate of frames, one after the other. It allocates nothing.
type Model struct {
	random rand.PCG

	inBurst                     bool
	enter, leave                uint64 // chances, see chance
	corrupt, duplicate, reorder uint64
	delay, jitter               time.Duration
}

// NewModel returns the model of a valid Config.
func NewModel(c Config) *Model {
	enter, leave := c.Bursts()
	return &Model{
		random: *rand.NewPCG(c.Seed, 0x7765), // any second word will do
		enter:  chance(enter), leave: chance(leave),
		corrupt: chance(c.Corrupt), duplicate: chance(c.Duplicate), reorder: chance(c.Reorder),
		delay: c.Delay, jitter: c.Jitter,
	}
}

// chance is a probability in units of 2^-63.
func chance(p float64) uint64 { return uint64(p * (1 << 63)) }

func (m *Model) happens(c uint64) bool { return c != 0 && m.random.Uint64()>>1 < c }

// below is a random number from 0 to n-1.
func (m *Model) below(n uint64) uint64 {
	high, _ := bits.Mul64(m.random.Uint64(), n)
	return high
}

// Next decides the fate of the next frame.
func (m *Model) Next() Fate {
	var f Fate
	if m.inBurst {
		m.inBurst = !m.happens(m.leave)
	} else {
		m.inBurst = m.happens(m.enter)
	}
	if m.inBurst {
		return Fate{Drop: true}
	}
	if m.happens(m.corrupt) {
		f.Flips = 1 + int(m.below(maxFlips))
	}
	f.Duplicate = m.happens(m.duplicate)
	if m.happens(m.reorder) {
		f.Overtaken = 1 + int(m.below(maxOvertake))
	}
	f.Delay = m.delay
	if m.jitter > 0 {
		f.Delay += time.Duration(m.below(uint64(m.jitter) + 1))
	}
	return f
}

// Corrupt flips n different bits of a frame, anywhere in it.
func (m *Model) Corrupt(octets []byte, n int) {
	size := uint64(len(octets)) * 8
	var flipped [maxFlips]uint64
	for i := range min(n, maxFlips, len(octets)) {
		bit := m.below(size)
		for taken(flipped[:i], bit) {
			bit = (bit + 1) % size
		}
		flipped[i] = bit
		octets[bit/8] ^= 1 << (bit % 8)
	}
}

func taken(bits []uint64, bit uint64) bool {
	for _, b := range bits {
		if b == bit {
			return true
		}
	}
	return false
}
