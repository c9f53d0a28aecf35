package sched

import (
	"math/rand/v2"
	"testing"
)

// member is a queue of the simulations that always has a frame.
type member struct {
	queue  uint8
	weight int
	length func() int // of its next frame, octets
	sent   int        // octets
}

// members draws queues with weights, and lengths of frames that differ between them: a
// scheduler that counted frames would favour the long ones.
func members(random *rand.Rand) (all []member, settings Settings, ready uint32) {
	heaviest := 1 << random.IntN(9)
	for q := range uint8(Queues) {
		if random.IntN(3) == 0 {
			continue
		}
		weight, least, longest := 1+random.IntN(min(heaviest, 255)), 60+random.IntN(1400), 1+random.IntN(8000)
		settings.Queues[q] = QueueSettings{Group: 5, Weight: uint8(weight)}
		all = append(all, member{queue: q, weight: weight, length: func() int { return least + random.IntN(longest) }})
		ready |= 1 << q
	}
	return all, settings, ready
}

// The octets of queues that always have a frame are as their weights, to within a round
// and a frame, however many frames are sent.
func TestSharesAreAsTheWeights(t *testing.T) {
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 0))
		all, settings, ready := members(random)
		s := New(settings)
		byQueue := [Queues]*member{}
		for i := range all {
			byQueue[all[i].queue] = &all[i]
		}
		for range 50_000 {
			q, _ := s.Next(ready)
			m := byQueue[q]
			n := m.length()
			m.sent += n
			s.Sent(q, n)
		}
		least := 255
		for _, m := range all {
			least = min(least, m.weight)
		}
		wantShares(t, seed, all, 4*frame/float64(least))
	}
}

// frame is longer than any frame of the simulations, octets.
const frame = 9460

// wantShares compares with the ideal, the same number of octets for each unit of weight,
// when a round has at most the given octets for each unit.
func wantShares(t *testing.T, seed uint64, all []member, round float64) {
	t.Helper()
	total, weights := 0, 0
	for _, m := range all {
		total += m.sent
		weights += m.weight
	}
	for _, m := range all {
		ideal := float64(total) * float64(m.weight) / float64(weights)
		allowed := round*float64(m.weight) + frame
		if off := float64(m.sent) - ideal; off > allowed || -off > allowed {
			t.Errorf("seed %d: queue %d of weight %d sent %d octets, ideal are %.0f, allowed %.0f more or less",
				seed, m.queue, m.weight, m.sent, ideal, allowed)
		}
	}
}

// Queues that come and go take nothing from the fairness among those that stay.
func TestSharesOfThoseThatStay(t *testing.T) {
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 1))
		all, settings, _ := members(random)
		if len(all) < 4 {
			continue
		}
		all = all[:2]
		stay := uint32(1<<all[0].queue | 1<<all[1].queue)
		s := New(settings)
		for range 50_000 {
			q, _ := s.Next(stay | random.Uint32()&random.Uint32())
			n := 60 + random.IntN(1500)
			for i := range all {
				if all[i].queue == q {
					n = all[i].length()
					all[i].sent += n
				}
			}
			s.Sent(q, n)
		}
		wantShares(t, seed, all, 4*frame) // what comes may have a weight of 1
	}
}

// A queue that has one frame at a time, and the next as soon as another queue has sent,
// gets no more than its weight, although it is never there when a round begins.
func TestOneFrameAtATimeIsNoAdvantage(t *testing.T) {
	for _, weight := range []uint8{1, 2, 7, 100, 255} {
		s := New(Settings{Queues: [Queues]QueueSettings{{Weight: weight}, {Weight: 1}}})
		all := []member{{queue: 0, weight: int(weight)}, {queue: 1, weight: 1}}
		ready := uint32(0b11)
		for range 100_000 {
			q, _ := s.Next(ready)
			s.Sent(q, 1500)
			all[q].sent += 1500
			ready = 0b11
			if q == 1 {
				ready = 0b01
			}
		}
		if more := all[1].sent*int(weight) - all[0].sent; more > 2*frame*int(weight) {
			t.Errorf("weight 1 sent %d octets, weight %d only %d", all[1].sent, weight, all[0].sent)
		}
	}
}
