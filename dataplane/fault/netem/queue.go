package netem

import (
	"time"

	"uelink/wire"
)

// entry is a frame in a queue.
type entry[T any] struct {
	frame  T
	at     wire.Time
	order  uint64 // orders frames with the same time
	number uint64 // place in the order of arrival
	size   int    // octets
}

// ahead is the time of reordered frames, before all others.
const ahead wire.Time = -1 << 63

func (e *entry[T]) before(o *entry[T]) bool {
	return e.at < o.at || e.at == o.at && e.order < o.order
}

// Queue holds frames until their times, and orders them by these times (tfifo of netem). It allocates nothing after
// NewQueue.
type Queue[T any] struct {
	rate    Rate
	perBit  float64    // nanoseconds for a bit; 0: no rate limit
	entries []entry[T] // a heap: the first to leave is at 0
	limit   int
	latest  wire.Time // latest time of a frame in the queue
	arrived uint64    // frames that have arrived
	left    uint64    // highest number, in the order of arrival, of a frame that has left
	slots   slots
}

// NewQueue returns a queue with memory for room frames. Queues with equal seeds draw equal slots.
func NewQueue[T any](s Spec, seed uint64, room int) *Queue[T] {
	q := &Queue[T]{entries: make([]entry[T], 0, room), slots: slots{random: random(seed)}}
	q.SetSpec(s)
	return q
}

// SetSpec changes limit and rate for later frames, and the slots. The limit is at most the room of the queue.
func (q *Queue[T]) SetSpec(s Spec) {
	q.slots.set(s.Slot)
	q.rate, q.perBit, q.limit = s.Rate, 0, min(s.Limit, cap(q.entries))
	if s.Rate.BPS > 0 {
		q.perBit = 1e9 / float64(s.Rate.BPS)
	}
}

// Len returns the number of frames in the queue.
func (q *Queue[T]) Len() int { return len(q.entries) }

// Put adds a frame of size octets at the time now; c says when it leaves: ahead of all others, or after a delay and the
// time that the rate limit takes. It returns false if the queue is full.
func (q *Queue[T]) Put(frame T, size int, c Copy, now wire.Time) bool {
	if len(q.entries) >= q.limit {
		return false
	}
	q.arrived++
	e := entry[T]{frame: frame, order: q.arrived, number: q.arrived, size: size}
	if c.Ahead {
		e.at = ahead
		e.order = -q.arrived
	} else {
		e.at = q.due(size, c.Delay, now)
		if len(q.entries) == 0 || e.at > q.latest {
			q.latest = e.at
		}
	}
	q.entries = append(q.entries, e)
	q.up(len(q.entries) - 1)
	return true
}

// due returns when a frame leaves. With a rate limit it begins to leave when the last frame in the queue has left: the
// time that it waits for that is part of its delay.
func (q *Queue[T]) due(size int, delay time.Duration, now wire.Time) wire.Time {
	if q.perBit == 0 {
		return now.Add(delay)
	}
	if q.waiting() {
		delay = max(0, delay-q.latest.Sub(now))
		now = q.latest
	}
	return now.Add(delay + q.duration(size))
}

// waiting reports whether the queue has a frame that is not reordered (a reordered frame has the time ahead).
func (q *Queue[T]) waiting() bool {
	for i := range q.entries { // reordered frames, few if any, are in front
		if q.entries[i].at != ahead {
			return true
		}
	}
	return false
}

// duration returns how long a frame of size octets is on a line of the rate, in cells if it has any.
func (q *Queue[T]) duration(size int) time.Duration {
	size += q.rate.PacketOverhead
	if q.rate.CellSize > 0 {
		cells := (size + q.rate.CellSize - 1) / q.rate.CellSize
		size = cells * (q.rate.CellSize + q.rate.CellOverhead)
	}
	return time.Duration(max(0, float64(size)*8*q.perBit))
}

// Next returns the earliest time at which Take may have a frame, in the past for a reordered one; wire.Never if the
// queue is empty.
func (q *Queue[T]) Next() wire.Time {
	if len(q.entries) == 0 {
		return wire.Never
	}
	return q.slots.next(q.entries[0].at)
}

// Take removes the first frame if its time, and a slot, has come. late reports whether a frame that arrived after it
// has left before.
func (q *Queue[T]) Take(now wire.Time) (frame T, late, ok bool) {
	if len(q.entries) == 0 || !q.slots.leaves(q.entries[0].at, q.entries[0].size, now) {
		return frame, false, false
	}
	frame, late = q.entries[0].frame, q.entries[0].number < q.left
	q.left = max(q.left, q.entries[0].number)
	last := len(q.entries) - 1
	q.entries[0] = q.entries[last]
	q.entries[last] = entry[T]{}
	q.entries = q.entries[:last]
	q.down()
	return frame, late, true
}

// up moves entry i up the heap until its parent leaves before it.
func (q *Queue[T]) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !q.entries[i].before(&q.entries[parent]) {
			return
		}
		q.entries[i], q.entries[parent] = q.entries[parent], q.entries[i]
		i = parent
	}
}

// down moves the first entry down the heap until both of its children leave after it.
func (q *Queue[T]) down() {
	for i := 0; ; {
		first := i
		for _, child := range []int{2*i + 1, 2*i + 2} {
			if child < len(q.entries) && q.entries[child].before(&q.entries[first]) {
				first = child
			}
		}
		if first == i {
			return
		}
		q.entries[i], q.entries[first] = q.entries[first], q.entries[i]
		i = first
	}
}
