package dataplane

import "uelink/wire"

// entry is a frame that waits in a queue: the place of its octets, and the changes to make at sending. The frame is in
// carried form: addresses, then the EtherType.
type entry struct {
	next   uint32 // in its queue, or in the list of free entries; 0 ends the list
	addr   uint32 // in the area of its source
	length uint16
	source uint16 // number of the source in the domain
	retag  wire.Retag
	kept   bool // one of the entries reserved for frames with an assured chunk
	trim   trimMark
}

// entries is the pool of queue entries of a domain. Entry 0 is never used.
type entries struct {
	all  []entry
	free uint32
	left int
	kept int // of these, reserved for frames with an assured chunk; below 0: more are in use than reserved
}

// grow makes room for at least n entries.
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

// keep sets how many entries only frames with an assured chunk take.
func (e *entries) keep(n int) {
	for i := range e.all {
		if e.all[i].kept {
			n--
		}
	}
	e.kept = n
}

// has reports whether a free entry exists for a frame, with an assured chunk or without.
func (e *entries) has(assured bool) bool { return e.left > max(e.kept, 0) || assured && e.left > 0 }

// take removes a free entry; the pool must have one.
func (e *entries) take(assured bool) (uint32, *entry) {
	i := e.free
	f := &e.all[i]
	e.free = f.next
	e.left--
	f.kept = assured && e.kept > 0
	if f.kept {
		e.kept--
	}
	return i, f
}

func (e *entries) give(i uint32) {
	if e.all[i].kept {
		e.kept++
	}
	e.all[i] = entry{next: e.free}
	e.free = i
	e.left++
}

// queue is one queue of an egress, first in first out.
type queue struct {
	head, tail uint32 // 0: empty
	length     int
	octets     int // of the waiting frames
	watermark  int // largest value of octets
	bound      int // most octets; 0: bounded by the room of the ingresses only
}

// bounded tells whether a frame of n octets would be beyond the bound.
func (q *queue) bounded(n int) bool { return q.bound > 0 && q.octets+n > q.bound }

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

// pop removes the front, which must exist. The caller releases the entry.
func (q *queue) pop(e *entries) uint32 {
	i := q.head
	q.head = e.all[i].next
	q.length--
	q.octets -= int(e.all[i].length)
	return i
}
