package dataplane

import "uelink/wire"

// entry is a frame that waits in a queue: where its octets lie, and what is to be done to
// them on the way out. It is carried: addresses, and then the EtherType.
type entry struct {
	next   uint32 // in its queue, or in the list of free entries; 0 ends it
	addr   uint32 // in the area of its source
	length uint16
	source uint16 // its number in the domain
	retag  wire.Retag
	kept   bool // it is one of those that are kept for frames with an assured chunk
	trim   trimMark
}

// entries is the pool that the queues of a domain take their entries from. Entry 0 is
// never used.
type entries struct {
	all  []entry
	free uint32
	left int
	kept int // of these, only for frames with an assured chunk; below 0: more are taken than are to be kept
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

// has tells whether there is a free entry for a frame, with an assured chunk or without.
func (e *entries) has(assured bool) bool { return e.left > max(e.kept, 0) || assured && e.left > 0 }

// take removes a free entry; there is one.
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
	octets     int // of the frames that wait
	watermark  int // the most that octets has been
	bound      int // the most that octets may be; 0: what the room of the ingresses allows
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

// pop takes the front away; there is one. It is the caller's to give back.
func (q *queue) pop(e *entries) uint32 {
	i := q.head
	q.head = e.all[i].next
	q.length--
	q.octets -= int(e.all[i].length)
	return i
}
