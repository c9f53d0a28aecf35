package netem

import "time"

// Copy is the fate of a frame that is not lost, or of its duplicate.
type Copy struct {
	Corrupt bool
	Bit     uint32        // with Corrupt: the bit to flip, modulo the frame's length
	Ahead   bool          // reordered: it leaves at once, before all others
	Delay   time.Duration // without Ahead; may be negative
}

// Fate is the fate of a frame: no copy, one or two.
type Fate struct {
	N      int
	Marked bool // instead of being lost
	Copies [2]Copy
}

// random is the state of SplitMix64 (Steele, Lea, Flood 2014).
type random uint64

// draw returns the next random 32-bit number: the upper half of one of 64 bits.
func (r *random) draw() uint32 {
	*r += 0x9E3779B97F4A7C15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return uint32((z ^ z>>31) >> 32)
}

// chance draws an event whose probability may be correlated with the last draw.
type chance struct {
	Chance
	last uint32
}

// Model draws the fates of frames, frame by frame, and allocates nothing.
type Model struct {
	spec   Spec
	random random

	loss, duplicate, corrupt, reorder, delay chance
	state                                    uint8  // state of the loss model
	counter                                  uint32 // copies since the last that left ahead of others
}

// States of the loss models: the frame before was sent or lost, in a gap or in a burst.
const (
	sentInGap uint8 = iota // also the good state of Gilbert-Elliott
	sentInBurst
	lostInGap // also the bad state of Gilbert-Elliott
	lostInBurst
)

// NewModel returns a model that draws by a parsed Spec. Models with equal seeds draw equal fates.
func NewModel(s Spec, seed uint64) *Model {
	m := &Model{spec: s, random: random(seed)}
	for _, c := range []struct {
		to   *chance
		from Chance
	}{
		{&m.loss, s.Loss.Random}, {&m.duplicate, s.Duplicate}, {&m.corrupt, s.Corrupt}, {&m.reorder, s.Reorder},
		{&m.delay, Chance{Correlation: s.DelayCorrelation}},
	} {
		*c.to = chance{c.from, m.random.draw()} // as init_crandom
	}
	return m
}

// correlated draws a number that depends on the last one: the mean of both, weighted by the correlation (get_crandom).
// So a correlated number is no longer uniform, and a small probability becomes smaller, as in netem.
func (m *Model) correlated(c *chance) uint32 {
	if c.Correlation == 0 {
		return m.random.draw()
	}
	rho := uint64(c.Correlation) + 1
	c.last = uint32((uint64(m.random.draw())*(1<<32-rho) + uint64(c.last)*rho) >> 32)
	return c.last
}

// happens draws whether an event of a chance happens.
func (m *Model) happens(c *chance) bool { return c.P != 0 && uint32(c.P) >= m.correlated(c) }

// Next draws the fate of the next frame (netem_enqueue). A duplicate has its own fate, but no duplicate. capable says
// that the IP header can carry a mark of congestion: with the option ecn, such a frame is marked instead of lost.
func (m *Model) Next(capable bool) (f Fate) {
	copies := 1
	if m.happens(&m.duplicate) {
		copies++
	}
	if m.lostOrMarked(&f, capable) {
		copies--
	}
	if copies > 0 {
		f.Copies[0] = m.copy()
		f.N = 1
	}
	if copies > 1 && !m.lostOrMarked(&f, capable) {
		f.Copies[1] = m.copy()
		f.N = 2
	}
	return f
}

// lostOrMarked draws whether a frame is lost. With the option ecn, a capable frame is marked instead: f.Marked is set,
// and the frame is not lost.
func (m *Model) lostOrMarked(f *Fate, capable bool) bool {
	lost := m.lost()
	if lost && m.spec.ECN && capable {
		f.Marked = true
		return false
	}
	return lost
}

// copy draws the fate of one copy of a frame: damage, and whether it leaves ahead of all others. Without Gap no copy
// does, and with Gap at most one of Gap copies; all others get a delay.
func (m *Model) copy() (c Copy) {
	if m.happens(&m.corrupt) {
		c.Corrupt, c.Bit = true, m.random.draw()
	}
	if m.spec.Gap == 0 || m.counter < m.spec.Gap-1 || uint32(m.spec.Reorder.P) < m.correlated(&m.reorder) {
		m.counter++
		c.Delay = m.delayed()
		return c
	}
	m.counter = 0
	c.Ahead = true
	return c
}

// delayed draws a delay: the latency, and the jitter by the distribution (tabledist).
func (m *Model) delayed() time.Duration {
	s := &m.spec
	if s.Jitter == 0 {
		return s.Latency
	}
	return spread(s.Latency, s.Jitter, s.Table, m.correlated(&m.delay))
}

// spread returns mean plus or minus a part of jitter, for the random number r. table is the distribution of this part,
// in units of jitter/scale; a nil table is the uniform distribution.
func spread(mean, jitter time.Duration, table []int16, r uint32) time.Duration {
	width := uint64(2 * jitter)
	switch {
	case table == nil && width>>32 == 0:
		return mean - jitter + time.Duration(uint64(r)%width)
	case table == nil: // 2*jitter exceeds the 32 bits that the kernel's netem has
		return mean - jitter + time.Duration(uint64(r)*(width>>16)>>16)
	}
	t := int64(table[r%uint32(len(table))])
	part := int64(jitter) % scale * t
	if part >= 0 {
		part += scale / 2
	} else {
		part -= scale / 2
	}
	return mean + time.Duration(int64(jitter)/scale*t+part/scale)
}

// lost draws whether a frame is lost.
func (m *Model) lost() bool {
	switch m.spec.Loss.Model {
	case GilbertElliott:
		return m.lostGilbertElliott()
	case FourStates:
		return m.lostFourStates()
	case Random:
	}
	return m.happens(&m.loss)
}

// lostGilbertElliott draws by the model of two states (loss_gilb_ell). P and R are the probabilities of going to the
// bad and to the good state. A frame is lost with probability K in the good state, and 1-H in the bad; the state before
// this frame's change decides.
func (m *Model) lostGilbertElliott() bool {
	l := &m.spec.Loss
	if m.state == sentInGap {
		if m.random.draw() < uint32(l.P) {
			m.state = lostInGap
		}
		return m.random.draw() < uint32(l.K)
	}
	if m.random.draw() < uint32(l.R) {
		m.state = sentInGap
	}
	return m.random.draw() > uint32(l.H)
}

// lostFourStates draws by the model of four states (loss_4state): Pxy is the probability of going from state x to state
// y. States 3 (lost in a burst) and 4 (a lone loss in a gap, after which the gap goes on) have the names lostInGap and
// lostInBurst here, as in the kernel.
func (m *Model) lostFourStates() bool {
	l, r := &m.spec.Loss, uint64(m.random.draw())
	switch m.state {
	case sentInGap:
		if r < uint64(l.P14) {
			m.state = lostInBurst
			return true
		}
		if r < uint64(l.P14)+uint64(l.P13) {
			m.state = lostInGap
			return true
		}
	case sentInBurst:
		if r < uint64(l.P23) {
			m.state = lostInGap
			return true
		}
	case lostInGap:
		switch {
		case r < uint64(l.P32):
			m.state = sentInBurst
		case r < uint64(l.P32)+uint64(l.P31):
			m.state = sentInGap
		default:
			return true
		}
	case lostInBurst:
		m.state = sentInGap
	}
	return false
}
