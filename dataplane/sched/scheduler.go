// Package sched says which queue of a port sends its next frame, and when the
// port may send at all. Groups of queues have strict priority over each other, the
// queues of a group share by deficit-weighted round robin, and a token bucket
// limits the rate of the port. The cost of a frame does not depend on how many
// queues there are.
//
// A Scheduler is pure: it sees neither frames nor a clock. Its use:
//
//	for s.Open(now) {
//		q, ok := s.Next(ready)
//		if !ok {
//			break // nothing waits
//		}
//		n, ok := send(q)
//		if !ok {
//			break // not now; Next says q again
//		}
//		s.Sent(q, n)
//	}
package sched

import (
	"math/bits"
	"slices"
)

// none is the choice when there is none: ready, which has 32 bits, never has it.
const none = 63

// maxClass is the binary logarithm of the largest weight, rounded down.
const maxClass = 7

// Scheduler is the scheduler of a port. New makes one; the zero Scheduler is of no
// use. It has no pointers, and is not to be used by two goroutines at a time.
type Scheduler struct {
	choice uint8 // what Next said last, until it is sent
	groups int
	reach  [Queues]uint32       // reach[i] is the queues of the groups 0 to i, the highest first
	rounds [Queues]round        // of these groups
	light  [maxClass + 1]uint32 // light[i] is the queues with a weight below 2 << i
	weight [Queues]uint8
	credit [Queues]int64 // octets; above 0 only for the queue whose turn it is
	length uint64        // no frame so far had more than 1 << bits.Len64(length) octets
	bucket bucket
}

// New returns a scheduler with a full token bucket and a new round in each group.
func New(settings Settings) Scheduler {
	s := Scheduler{
		choice: none,
		length: 1<<maxClass - 1, // so that no shift is negative
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

// levels lists the values of Group that there are, the highest first.
func levels(queues *[Queues]QueueSettings) []uint8 {
	list := make([]uint8, 0, Queues)
	for _, q := range queues {
		list = append(list, q.Group)
	}
	slices.Sort(list)
	slices.Reverse(list)
	return slices.Compact(list)
}

// Configure starts again with other settings, as New does. The choice is gone.
func (s *Scheduler) Configure(settings Settings) { *s = New(settings) }

// Next is the queue to send from. Bit q of ready says that queue q has a frame that
// may leave now: its gate is open. ok is false when ready is 0.
//
// The choice stays, also when a queue of a higher group becomes ready, until Sent
// is called for it, or until Next is called while it is not ready.
func (s *Scheduler) Next(ready uint32) (queue uint8, ok bool) {
	if uint64(ready)>>(s.choice&63)&1 == 0 {
		s.choose(ready)
	}
	return s.choice, ready != 0
}

// choose finds the highest group with a queue that is ready, and goes on with its
// round.
func (s *Scheduler) choose(ready uint32) {
	if ready == 0 {
		s.choice = none
		return
	}
	r := &s.rounds[first(s.reach[:s.groups], ready)]
	ready &= r.queues
	if ready>>(r.turn&31)&1 == 0 || s.credit[r.turn&31] <= 0 {
		s.pass(r, ready)
	}
	s.choice = r.turn
}

// first is the first of the sets with a queue that is ready. Each set holds the one
// before it, and the last has such a queue.
func first(sets []uint32, ready uint32) int {
	if sets[0]&ready != 0 {
		return 0 // mostly
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

// Sent charges a frame that left from queue: its octets as they count for the rate
// and for the shares, 1 to 65535. Which octets these are is the caller's choice. SAI
// means the frame from its addresses on, without preamble and gap.
//
// A frame that Next did not choose, since nothing else waited, is charged to the
// rate alone.
func (s *Scheduler) Sent(queue uint8, octets int) {
	n := uint32(max(octets, 1))
	s.bucket.charge(n)
	if queue != s.choice || queue >= Queues {
		return
	}
	s.choice = none
	s.credit[queue] -= int64(n)
	s.length |= uint64(n - 1)
}

// Open is whether the rate lets a frame leave now, of whatever length: a bucket that
// is not empty is enough for it, and then owes what it lacked. now is in nanoseconds
// and never goes back.
func (s *Scheduler) Open(now int64) bool { return s.bucket.open(now) }

// Deadline is when Open is true again, in nanoseconds; math.MaxInt64 when it is true
// at the time of the last call of Open.
func (s *Scheduler) Deadline() int64 { return s.bucket.deadline() }
