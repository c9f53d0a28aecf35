// Package sched chooses the queue of a port that sends the next frame, and limits the rate of the port. Groups of
// queues have strict priority over each other, the queues of a group share by deficit-weighted round robin, and a
// token bucket limits the rate. The cost of a frame does not depend on the number of queues.
//
// A Scheduler is pure: it sees neither frames nor a clock. Its use:
//
//	for s.Open(now) {
//		q, ok := s.Next(ready)
//		if !ok {
//			break // no frame waits
//		}
//		n, ok := send(q)
//		if !ok {
//			break // no room; Next will return q again
//		}
//		s.Sent(q, n)
//	}
package sched

import (
	"math/bits"
	"slices"

	"uelink/wire"
)

// noQueue is the choice without a ready queue: bit 63 is never set in ready, which has 32 bits.
const noQueue = 63

// maxClass is the binary logarithm of the largest weight, rounded down.
const maxClass = 7

// Scheduler is the scheduler of a port, made by New; the zero Scheduler is invalid. It has no pointers. Only one
// goroutine at a time may use it.
type Scheduler struct {
	choice uint8 // the last result of Next, until the frame is sent
	groups int
	reach  [Queues]uint32       // reach[i] holds the queues of the groups 0 to i, the highest first
	rounds [Queues]round        // rounds of the groups, in the same order
	light  [maxClass + 1]uint32 // light[i] holds the queues with a weight below 2 << i
	weight [Queues]uint8
	credit [Queues]int64 // octets that a queue may send, below 0: owes; above 0 only for the queue whose turn it is
	length uint64        // no frame so far was longer than 1 << bits.Len64(length) octets
	bucket bucket
}

// New returns a scheduler of weighted and strict queues, with a full token bucket and a new round in each group.
func New(settings Settings) Scheduler {
	s := Scheduler{
		choice: noQueue,
		length: 1<<maxClass - 1, // makes every shift non-negative
		bucket: newBucket(settings.Rate, settings.Burst),
	}
	for _, level := range levels(&settings.Queues) {
		r := round{turn: Queues - 1}
		for q, queue := range settings.Queues {
			if queue.Group == level {
				r.queues |= 1 << q
			}
		}
		s.rounds[s.groups] = r
		s.reach[s.groups] = r.queues | s.reach[max(s.groups, 1)-1]
		s.groups++
	}
	for q, queue := range settings.Queues {
		s.weight[q] = max(queue.Weight, 1)
		for i := bits.Len8(s.weight[q]) - 1; i < len(s.light); i++ {
			s.light[i] |= 1 << q
		}
	}
	return s
}

// levels returns the values of Group that the queues use, without repetition, the highest first.
func levels(queues *[Queues]QueueSettings) []uint8 {
	list := make([]uint8, 0, Queues)
	for _, q := range queues {
		list = append(list, q.Group)
	}
	slices.Sort(list)
	slices.Reverse(list)
	return slices.Compact(list)
}

// Configure replaces the scheduler's state by that of New with the settings. The last choice is lost.
func (s *Scheduler) Configure(settings Settings) { *s = New(settings) }

// Next returns the queue to send from. Bit q of ready is set if queue q has a frame that may leave now: its gate is
// open. ok is false if ready is 0.
//
// The choice stays until Sent is called for its queue, or until Next is called while the queue is not ready, even if
// a queue of a higher group becomes ready.
func (s *Scheduler) Next(ready uint32) (queue uint8, ok bool) {
	if uint64(ready)>>(s.choice&63)&1 == 0 {
		s.choose(ready)
	}
	return s.choice, ready != 0
}

// choose sets the choice: the queue of the highest group with a ready queue that sends next in that group's round.
func (s *Scheduler) choose(ready uint32) {
	if ready == 0 {
		s.choice = noQueue
		return
	}
	r := &s.rounds[first(s.reach[:s.groups], ready)]
	ready &= r.queues
	if ready>>(r.turn&31)&1 == 0 || s.credit[r.turn&31] <= 0 {
		s.nextTurn(r, ready)
	}
	s.choice = r.turn
}

// first returns the index of the first set that has a queue of the bitmap ready. Each set contains the set before
// it, and the last has a ready queue.
func first(sets []uint32, ready uint32) int {
	if sets[0]&ready != 0 {
		return 0 // the usual case
	}
	low, high := 1, len(sets)-1
	for low < high {
		middle := int(uint(low+high) / 2)
		if sets[middle]&ready == 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// Sent charges a frame sent from queue: its octets as they count for the rate and for the shares, 1 to 65535. The
// caller chooses the octets to count. SAI counts the frame from its addresses on, without preamble and gap.
//
// A frame that Next did not choose, because no other frame waited, is charged to the rate only.
func (s *Scheduler) Sent(queue uint8, octets int) {
	n := uint32(max(octets, 1))
	s.bucket.charge(n)
	if queue != s.choice || queue >= Queues {
		return
	}
	s.choice = noQueue
	s.credit[queue] -= int64(n)
	s.length |= uint64(n - 1)
}

// Open reports whether the rate permits a frame of any length now: a bucket that is not in debt suffices, and may
// then owe part of the frame. now never goes back.
func (s *Scheduler) Open(now wire.Time) bool { return s.bucket.open(now) }

// Deadline returns when Open will be true again; wire.Never if it was true at its last call.
func (s *Scheduler) Deadline() wire.Time { return s.bucket.deadline() }
