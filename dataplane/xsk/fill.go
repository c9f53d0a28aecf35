package xsk

import (
	"sync/atomic"

	"golang.org/x/sys/unix"

	"uelink/dataplane/frame"
)

// fillRing is the ring by which RX chunks go to the kernel.
//
// The kernel shows frames on the RX ring before it frees the entries of the fill ring that held their chunks;
// drivers with zero copy free entries even later. So all chunks can be on the way back while all entries still seem
// taken, and the fill ring has twice as many entries as there are chunks: room never runs out.
//
// Unless the queue is bounded, all chunks circulate, also chunks that the caller may keep for long. An earlier design,
// which kept half of the chunks back here and gave them out last in, first out, made frames of 1500 octets slower by a
// sixth on veth.
type fillRing struct {
	producer[uint64]
	chunk   uint64      // octets of a chunk
	out     int         // chunks that the caller has
	unwoken bool        // chunks were added since the last wakeup of the kernel
	bound   *queueBound // nil: the queue of received frames is not bounded
}

// newFillRing returns the state to put chunks on a mapped fill ring, which may hold chunks already.
func newFillRing(r ring[uint64], o Options) fillRing {
	return fillRing{
		producer: newProducer(r), chunk: uint64(o.Geometry.ChunkSize), unwoken: true, bound: newQueueBound(o),
	}
}

// fillAll puts every RX chunk on an empty fill ring.
func fillAll(r ring[uint64], g frame.Geometry) {
	p := newProducer(r)
	for i := range g.RX {
		p.entries[p.next&uint32(len(p.entries)-1)] = uint64(i) * uint64(g.ChunkSize)
		p.next++
	}
	p.publish()
}

// recycle puts the chunks of received frames on the fill ring again, or keeps some back while the queue is bounded.
// More chunks than were received make it panic.
func (f *fillRing) recycle(rx []frame.Desc) {
	if len(rx) == 0 {
		return
	}
	if f.out -= len(rx); f.out < 0 {
		panic("xsk: a frame was recycled that had not been received")
	}
	f.unwoken = true
	if f.bound != nil && f.bound.on {
		f.bound.recycle(f, rx)
		return
	}
	for i := range rx {
		f.put(f.chunkOf(rx[i].Addr))
	}
	f.publish()
}

// chunkOf returns the address of the chunk in which a frame lies.
func (f *fillRing) chunkOf(at uint64) uint64 { return at &^ (f.chunk - 1) }

// put writes the address of a chunk to the ring, for the next publish.
func (f *fillRing) put(chunk uint64) {
	f.entries[f.next&uint32(len(f.entries)-1)] = chunk
	f.next++
}

// wantsWakeup reports whether the kernel ran out of chunks and sleeps although the fill ring has chunks now. A result
// of false is not final until a wakeup was made: the kernel may run out of chunks, and set the flag, only after this
// check.
func (f *fillRing) wantsWakeup() bool {
	return f.unwoken && atomic.LoadUint32(f.flags)&unix.XDP_RING_NEED_WAKEUP != 0
}
