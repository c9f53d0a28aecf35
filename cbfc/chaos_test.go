package cbfc

import (
	"math/rand/v2"
	"time"
)

// chaos is a wire and an operator with bad intentions, drawn from a seed.
type chaos struct {
	rng  *rand.Rand
	net  *network
	over bool // all is good from now on

	latency, jitter time.Duration
	loss, corrupt   float64 // shares of the packets
	duplicate, late float64
	lateCounts      float64 // share of the CC_Updates that come late, without LLR: behind some of those that follow
	events          float64 // chance of an event in a millisecond
	llr             bool    // both directions have LLR
	restarts        bool
	stops           bool // channels stop and start
	stalls          bool // readers stand still
	total           uint16
	size            Size
}

// newChaos draws everything. One seed in eight has no LLR: then only credits are repaired.
func newChaos(seed uint64) *chaos {
	rng := rand.New(rand.NewPCG(seed, 2))
	pick := func(v ...float64) float64 { return v[rng.IntN(len(v))] }
	c := &chaos{
		rng: rng, llr: seed%8 != 0, restarts: seed%3 == 0, stops: rng.IntN(2) == 0, stalls: rng.IntN(2) == 0,
		latency: time.Duration(pick(2_000, 20_000, 200_000)), loss: pick(0, 0.001, 0.01, 0.1), corrupt: pick(0, 0.001, 0.01, 0.1),
		duplicate: pick(0, 0.001, 0.05), late: pick(0, 0.001, 0.05), events: pick(0.02, 0.1, 0.3),
		size: Size{Credit: 64 << rng.IntN(3), Overhead: []int{0, -4, 20}[rng.IntN(3)]},
	}
	c.jitter = c.latency * time.Duration(1+rng.IntN(4))
	if !c.llr {
		c.lateCounts = pick(0, 0.3, 0.9)
	}
	if rng.IntN(3) == 0 {
		c.total = uint16(100 + rng.IntN(200))
	}
	return c
}

// newMachine is an end with settings of the seed's.
func (c *chaos) newMachine(name string) *machine {
	s := Settings{
		On: true, Size: c.size, Total: c.total, CCTimer: 10 * ms, CFMinSpacing: uint32(800 + c.rng.IntN(6000)),
		CFMaxSpacing: 65536,
		Lossless:     uint32(1 + c.rng.IntN(1<<simVCs-1)),
	}
	if c.rng.IntN(3) == 0 {
		s.Timeout, s.Reset = time.Duration(1+c.rng.IntN(100))*ms, c.rng.IntN(2) == 0
	}
	m := &machine{name: name, local: c.llr, remote: c.llr, slots: make([]packet, 64)}
	for vc := range simVCs {
		s.Limit[vc] = uint16(30 + c.rng.IntN(100))
		if c.total > 0 {
			s.Profile[vc] = Profile{Reserved: uint16(c.rng.IntN(int(c.total-30) / simVCs))}
		}
		m.last[vc] = -1
		m.buffer[vc].period = []time.Duration{0, 1000, 20_000, 500_000}[c.rng.IntN(4)]
	}
	if c.rng.IntN(4) == 0 {
		m.bare = 1 << c.rng.IntN(simVCs)
		s.Lossless &^= m.bare
	}
	m.profile = simProfile(1+c.rng.IntN(60), 2*(c.latency+c.jitter)+1+time.Duration(c.rng.Int64N(ms)))
	m.settings = s
	return m
}

// fate of a packet.
func (c *chaos) fate(p *packet, delays []time.Duration) []time.Duration {
	switch {
	case c.over:
		return append(delays, c.latency)
	case c.rng.Float64() < c.loss:
		return delays
	case c.rng.Float64() < c.corrupt:
		if p.control != nil {
			return delays // it has a CRC of its own
		}
		p.bad = true
	}
	if p.counts != nil && c.rng.Float64() < c.lateCounts {
		delays = append(delays, c.delay()+time.Duration(c.rng.Int64N(50*ms)))
	}
	delays = append(delays, c.delay())
	if c.rng.Float64() < c.duplicate {
		delays = append(delays, c.delay())
	}
	return delays
}

func (c *chaos) delay() time.Duration {
	if c.rng.Float64() < c.late {
		return c.latency + time.Duration(c.rng.Int64N(int64(c.jitter)))
	}
	return c.latency
}

// meddle does something, now and then.
func (c *chaos) meddle() {
	if c.rng.Float64() >= c.events {
		return
	}
	m := c.net.ends[c.rng.IntN(2)]
	switch c.rng.IntN(7) {
	case 0:
		if c.stops {
			s := m.settings
			s.Lossless ^= 1 << c.rng.IntN(simVCs) &^ m.bare
			m.configure(s)
		}
	case 1:
		if c.stops {
			s := m.settings
			s.Limit[c.rng.IntN(simVCs)] = uint16(c.rng.IntN(130))
			m.configure(s)
		}
	case 2:
		if c.restarts {
			c.restart(m)
		}
	case 3:
		if c.llr && c.restarts {
			m.link.Tx.Reinit(c.net.now)
			m.wake = c.net.now
		}
	case 4, 5:
		if c.stalls {
			buffer := &m.buffer[c.rng.IntN(simVCs)]
			most := []int64{5 * ms, 50 * ms, 2 * second}[c.rng.IntN(3)]
			buffer.next = c.net.now.Add(time.Duration(c.rng.Int64N(most)))
		}
	case 6:
		if c.stalls && c.stops && c.rng.IntN(4) == 0 {
			c.abandon(m)
		}
	}
}

// abandon has a channel no longer be wanted whose reader stands still: its end is asked for in vain.
func (c *chaos) abandon(m *machine) {
	vc := c.rng.IntN(simVCs)
	m.peer.buffer[vc].next = c.net.now + 2*second
	c.offer(c.rng.IntN(60))
	c.wait(5 * ms)
	s := m.settings
	s.Lossless &^= 1 << vc
	m.configure(s)
	c.wait(askLimit + 20*ms)
	c.offer(c.rng.IntN(60))
	c.wait(5 * ms)
}

// restart kills an end and starts another once what it had sent has left the wire, sometimes
// both ends at once, sometimes after the partner has given it up.
func (c *chaos) restart(m *machine) {
	m.dead, m.peer.dead = true, c.rng.IntN(3) == 0
	wait := 2 * (c.latency + c.jitter)
	if c.rng.IntN(8) == 0 {
		wait = 4 * second
	}
	c.wait(wait)
	for _, m := range c.net.ends {
		if m.dead {
			m.dead = false
			m.boot(c.rng.Uint32N(1 << 20))
		}
	}
}

// wait lets time pass.
func (c *chaos) wait(d time.Duration) { c.net.run(c.net.now.Add(d)) }

// offer gives both ends more frames to send.
func (c *chaos) offer(n int) {
	for _, m := range c.net.ends {
		for range n {
			m.offered[c.rng.IntN(simVCs)]++
		}
		m.wake = c.net.now
	}
}
