package xsk

import (
	"sync/atomic"

	"uelink/dataplane/frame"
)

// entry is an entry of a ring: an address in the UMEM (fill and completion) or a descriptor of a frame (RX and TX).
type entry interface{ uint64 | frame.Desc }

// ring is one mapped ring. The indices count entries since the socket was made, in 32 bits that wrap; entry i is
// entries[i modulo len(entries)], and len(entries) is a power of two.
type ring[T entry] struct {
	producer *uint32 // next entry to be written
	consumer *uint32 // next entry to be read
	flags    *uint32 // of the kernel: XDP_RING_NEED_WAKEUP
	entries  []T
	memory   []byte // the mapping, for unmap
}

// producer is the writing end of a ring, for the fill ring and the TX ring.
type producer[T entry] struct {
	ring[T]
	next uint32 // the writer's index of the next entry to be written, ahead of *producer until publish
	read uint32 // the kernel's index of the next entry to be read (*consumer), as last loaded
}

// newProducer returns the writing end of a mapped ring, at the ring's present indices.
func newProducer[T entry](r ring[T]) producer[T] {
	return producer[T]{ring: r, next: atomic.LoadUint32(r.producer), read: atomic.LoadUint32(r.consumer)}
}

// room returns how many entries of a ring can be written; a result below want is exact. The kernel's index is loaded
// only when the last value does not suffice: the cache line is the kernel's, perhaps on another CPU.
func (p *producer[T]) room(want int) int {
	free := len(p.entries) - int(p.next-p.read)
	if free < want {
		p.read = atomic.LoadUint32(p.consumer)
		free = len(p.entries) - int(p.next-p.read)
	}
	return free
}

// write copies entries to the ring, where room must have reported enough room, and lets the kernel see them.
func (p *producer[T]) write(from []T) {
	at := int(p.next) & (len(p.entries) - 1)
	n := copy(p.entries[at:], from)
	copy(p.entries, from[n:])
	p.next += uint32(len(from))
	p.publish()
}

// publish lets the kernel see the entries written to the ring so far.
func (p *producer[T]) publish() { atomic.StoreUint32(p.producer, p.next) }

// unread returns how many entries of the ring the kernel has not read yet.
func (p *producer[T]) unread() int {
	p.read = atomic.LoadUint32(p.consumer)
	return int(p.next - p.read)
}

// consumer is the reading end of a ring, for the RX ring and the completion ring.
type consumer[T entry] struct {
	ring[T]
	next    uint32 // the reader's index of the next entry to be read
	written uint32 // the kernel's index of the next entry to be written (*producer), as last loaded
}

// newConsumer returns the reading end of a mapped ring, at the ring's present indices.
func newConsumer[T entry](r ring[T]) consumer[T] {
	return consumer[T]{ring: r, next: atomic.LoadUint32(r.consumer), written: atomic.LoadUint32(r.producer)}
}

// waiting returns how many entries the kernel has put on the ring that were not read yet.
func (c *consumer[T]) waiting() int { return int(atomic.LoadUint32(c.producer) - c.next) }

// countLoaded returns how many entries wait that were on the ring when the kernel's index was last loaded.
func (c *consumer[T]) countLoaded() int { return int(c.written - c.next) }

// read copies up to len(into) entries from the ring, frees them for the kernel, and returns the number of entries
// read.
func (c *consumer[T]) read(into []T) int {
	ready := c.countLoaded()
	if ready < len(into) {
		c.written = atomic.LoadUint32(c.producer)
		ready = c.countLoaded()
	}
	if ready == 0 || len(into) == 0 {
		return 0
	}
	into = into[:min(ready, len(into))]
	at := int(c.next) & (len(c.entries) - 1)
	n := copy(into, c.entries[at:])
	copy(into[n:], c.entries)
	c.next += uint32(len(into))
	atomic.StoreUint32(c.consumer, c.next)
	return len(into)
}
