package dataplane

import "uelink/dataplane/frame"

// queue is the bounded queue of one virtual channel: frames that have come in
// at an edge port and still lie in its RX chunks. What has left keeps its place
// until its chunk has gone back. The indices only grow.
//
//	   freed          head      tail
//	     | to be freed | waiting |
//	-----+-------------+---------+-----> index
type queue struct {
	ring              []frame.Desc
	freed, head, tail uint32
}

// newQueue returns a queue for up to n frames, a power of two.
func newQueue(n int) queue { return queue{ring: make([]frame.Desc, n)} }

func (q *queue) len() int  { return int(q.tail - q.head) }
func (q *queue) room() int { return len(q.ring) - int(q.tail-q.freed) }

// push appends a frame; the caller has seen that there is room.
func (q *queue) push(d frame.Desc) {
	q.ring[q.tail&uint32(len(q.ring)-1)] = d
	q.tail++
}

// front is the frame that leaves next; the queue is not empty.
func (q *queue) front() *frame.Desc { return &q.ring[q.head&uint32(len(q.ring)-1)] }

// pop removes the front.
func (q *queue) pop() { q.head++ }

// free returns frames that have left, all of one RX queue, whose chunks are to
// go back; it is empty when there are no more.
func (q *queue) free() []frame.Desc {
	mask := uint32(len(q.ring) - 1)
	from := q.freed & mask
	end := from
	for q.freed != q.head && end <= mask && q.ring[end].Options == q.ring[from].Options {
		end++
		q.freed++
	}
	return q.ring[from:end]
}
