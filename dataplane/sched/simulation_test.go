package sched

import (
	"math/rand/v2"
	"testing"
)

// Over random settings and random gates: the port is never idle while a queue is ready,
// the queue is ready and of the highest group, the choice stays until it is sent, and a
// queue of that group that stays ready has its turn within a bounded number of octets.
func TestSimulation(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 2))
		sim := simulation{t: t, seed: seed, renews: rand.New(rand.NewPCG(seed, 3))}
		for q := range sim.settings.Queues {
			sim.settings.Queues[q] = QueueSettings{
				Group:  uint8(random.IntN(1 + int(seed%8))),
				Weight: uint8(random.Uint32() >> random.IntN(32)),
			}
		}
		sim.s = New(sim.settings)
		for range 2000 {
			ready := random.Uint32()
			for range random.IntN(3) {
				ready &= random.Uint32()
			}
			for range random.IntN(20) {
				sim.step(ready, 60+random.IntN(3000), random.IntN(4) == 0)
			}
		}
	}
}

type simulation struct {
	t        *testing.T
	seed     uint64
	settings Settings
	s        Scheduler
	kept     bool // the choice has not been sent
	choice   uint8
	waited   [Queues]int // octets that others of the group have sent meanwhile
	renews   *rand.Rand
}

func (m *simulation) step(ready uint32, octets int, hold bool) {
	m.t.Helper()
	m.renew()
	q, ok := m.s.Next(ready)
	if ok != (ready != 0) {
		m.t.Fatalf("seed %d: ok is %v of %b", m.seed, ok, ready)
	}
	if !ok {
		m.kept = false
		return
	}
	if kept := m.kept && ready>>m.choice&1 == 1; kept && q != m.choice {
		m.t.Fatalf("seed %d: queue %d, not %d as before", m.seed, q, m.choice)
	} else if !kept {
		m.check(q, ready)
	}
	m.kept, m.choice = hold, q
	if !hold {
		m.s.Sent(q, octets)
		m.wait(q, ready, octets)
	}
}

func (m *simulation) check(q uint8, ready uint32) {
	m.t.Helper()
	if q >= Queues || ready>>q&1 == 0 {
		m.t.Fatalf("seed %d: queue %d is not among %b", m.seed, q, ready)
	}
	for other := range uint8(Queues) {
		if ready>>other&1 == 1 && m.settings.Queues[other].Group > m.settings.Queues[q].Group {
			m.t.Fatalf("seed %d: queue %d before %d of a higher group", m.seed, q, other)
		}
	}
}

// wait counts what the queues of the group have to wait for. It starts again for a queue
// that is not ready.
func (m *simulation) wait(sent uint8, ready uint32, octets int) {
	m.t.Helper()
	const round = Queues * 4 * 255 * 4096
	for q := range uint8(Queues) {
		switch {
		case q == sent || ready>>q&1 == 0:
			m.waited[q] = 0
		case m.settings.Queues[q].Group == m.settings.Queues[sent].Group:
			m.waited[q] += octets
		}
		if m.waited[q] > 2*round {
			m.t.Fatalf("seed %d: queue %d has waited for %d octets", m.seed, q, m.waited[q])
		}
	}
}
