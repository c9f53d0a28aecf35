package path

import "uelink/wire"

// entry is a frame that waits in a queue: the place of its octets, and the changes to make when it is sent. The frame
// is in carried form: addresses, then the EtherType.
type entry struct {
	next     uint32 // next entry of the queue, or of the list of free entries; 0 ends the list
	addr     uint32 // address of the frame in the area of its source
	length   uint16
	source   uint16 // number, in the domain, of the RX queue by which the frame arrived (see type source)
	retag    wire.Retag
	reserved bool // the entry is of those reserved for classes that have reserved chunks (headroom, minimum)
	trim     trimMark
}

// entries is the pool of queue entries of a domain. Entry 0 is never used.
type entries struct {
	all      []entry
	free     uint32 // first of the list of free entries
	left     int    // number of free entries
	reserved int    // free entries of those reserved (entry.reserved); below 0: too many are in use
}

// grow makes the pool hold at least n queue entries, each for a waiting frame.
func (e *entries) grow(n int) {
	if len(e.all) == 0 {
		e.all = make([]entry, 1, n+1)
	}
	for len(e.all) <= n {
		e.all = append(e.all, entry{next: e.free})
		e.free = uint32(len(e.all) - 1)
		e.left++
	}
}

// keep reserves n queue entries for frames in chunks that are reserved for their class. Reserved entries already
// in use count.
func (e *entries) keep(n int) {
	for i := range e.all {
		if e.all[i].reserved {
			n--
		}
	}
	e.reserved = n
}

// hasFree reports whether a frame can get a free queue entry; assured: the frame lies in a chunk reserved for its
// class.
func (e *entries) hasFree(assured bool) bool {
	return e.left > max(e.reserved, 0) || assured && e.left > 0
}

// take removes a free queue entry from the pool and returns it with its number; hasFree must have returned true. A
// frame in a reserved chunk (assured) takes one of the reserved entries while there are any.
func (e *entries) take(assured bool) (uint32, *entry) {
	i := e.free
	f := &e.all[i]
	e.free = f.next
	e.left--
	f.reserved = assured && e.reserved > 0
	if f.reserved {
		e.reserved--
	}
	return i, f
}

// give returns a queue entry to the pool.
func (e *entries) give(i uint32) {
	if e.all[i].reserved {
		e.reserved++
	}
	e.all[i] = entry{next: e.free}
	e.free = i
	e.left++
}

// queue is one queue of an egress, first in first out.
type queue struct {
	head, tail uint32 // 0: empty
	length     int
	octets     int // of all waiting frames
	watermark  int // largest value of octets since the counters were cleared
	bound      int // most octets that may wait; 0: bounded only by the chunks of the ports that received the frames
}

// bounded reports whether the queue has a bound in octets that a further frame of n octets would exceed.
func (q *queue) bounded(n int) bool { return q.bound > 0 && q.octets+n > q.bound }

// push appends the pool's entry i, a waiting frame, to the queue.
func (q *queue) push(e *entries, i uint32) {
	e.all[i].next = 0
	if q.length == 0 {
		q.head = i
	} else {
		e.all[q.tail].next = i
	}
	q.tail = i
	q.length++
	q.octets += int(e.all[i].length)
	q.watermark = max(q.watermark, q.octets)
}

// pop removes the first entry of the queue, which must not be empty, and returns its number in the pool. The
// caller gives the entry back to the pool.
func (q *queue) pop(e *entries) uint32 {
	i := q.head
	q.head = e.all[i].next
	q.length--
	q.octets -= int(e.all[i].length)
	return i
}
