package fault

import (
	"math/bits"
	"time"
)

// Bounds of a Fate.
const (
	maxFlips    = 3 // most bits flipped in a corrupted frame
	maxOvertake = 3 // most frames that overtake a frame to be reordered
)

// Fate is the damage and delay of one frame on the wire.
type Fate struct {
	Drop      bool
	Duplicate bool
	Flips     int           // bits to flip: 0 to 3
	Overtaken int           // how many later frames overtake the frame: 0 to 3
	Delay     time.Duration // time on the wire
}

// Model draws the fates of frames, frame by frame, and allocates nothing. The cable's XDP program makes the same draws
// in the same order, so a seed loses and damages the same frames in both.
type Model struct {
	random uint64 // state of SplitMix64

	inBurst                     bool   // the last frame was lost
	enter, leave                uint64 // chances, see chance
	corrupt, duplicate, reorder uint64
	delay, jitter               time.Duration
}

// NewModel returns a model that draws the fates of frames by the probabilities and the seed of a valid Config.
func NewModel(c Config) *Model {
	enter, leave, corrupt := c.Chances()
	return &Model{
		random: c.Seed,
		enter:  enter, leave: leave, corrupt: corrupt,
		duplicate: chance(c.Duplicate), reorder: chance(c.Reorder),
		delay: c.Delay, jitter: c.Jitter,
	}
}

// Chances returns the probabilities of entering and leaving a burst of losses and of corruption in units of 2^-63,
// as the model compares them with its draws.
func (c Config) Chances() (enter, leave, corrupt uint64) {
	in, out := c.Bursts()
	return chance(in), chance(out), chance(c.Corrupt)
}

func chance(p float64) uint64 { return uint64(p * (1 << 63)) }

// Stream returns a seed derived from seed for the wire with that number: wires with different numbers are
// independent.
func Stream(seed uint64, number int) uint64 {
	return mix(mix(seed) + uint64(number))
}

// draw returns the next random 64-bit number: SplitMix64 (Steele, Lea, Flood 2014).
func (m *Model) draw() uint64 {
	m.random += 0x9E3779B97F4A7C15
	return mix(m.random)
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

func (m *Model) happens(c uint64) bool { return c != 0 && m.draw()>>1 < c }

// below returns a random number from 0 to n-1.
func (m *Model) below(n uint32) uint32 { return uint32(m.draw() >> 32 * uint64(n) >> 32) }

// Next draws the fate of the next frame. In a burst of losses the frame is lost, and nothing else is drawn; any other
// frame may be damaged, duplicated, reordered and delayed.
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
		more, _ := bits.Mul64(m.draw(), uint64(m.jitter)+1)
		f.Delay += time.Duration(more)
	}
	return f
}

// Corrupt flips n different random bits of a frame.
func (m *Model) Corrupt(octets []byte, n int) {
	size := uint32(len(octets)) * 8
	var flipped [maxFlips]uint32
	for i := range min(n, maxFlips, len(octets)) {
		bit := m.below(size)
		for contains(flipped[:i], bit) {
			bit = (bit + 1) % size
		}
		flipped[i] = bit
		octets[bit/8] ^= 1 << (bit % 8)
	}
}

func contains(bits []uint32, bit uint32) bool {
	for _, b := range bits {
		if b == bit {
			return true
		}
	}
	return false
}
