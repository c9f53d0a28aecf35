package xsk

import (
	"sync/atomic"

	"golang.org/x/sys/unix"

	"uelink/dataplane/frame"
)

// fillRing is the ring by which RX chunks go to the kernel.
//
// The kernel shows frames on the RX ring before it gives back the entries of this
// ring that their chunks came from; drivers with zero copy do so even later. So
// all chunks can be on their way back while the entries of all seem taken, and
// the ring has twice as many entries as there are chunks: then there is always room.
//
// All chunks go round, also those that may be kept for long. Half of them kept back here, to
// be given out last in first out, made frames of 1500 octets slower by a sixth on veth.
type fillRing struct {
	producer[uint64]
	chunk   uint64 // octets of a chunk
	out     int    // chunks that the caller has
	unwoken bool   // chunks were put here since the kernel was last woken for them
}

// newFillRing takes over a ring that may hold chunks already.
func newFillRing(r ring[uint64], g frame.Geometry) fillRing {
	return fillRing{producer: newProducer(r), chunk: uint64(g.ChunkSize), unwoken: true}
}

// fillAll puts every RX chunk on a ring that is empty.
func fillAll(r ring[uint64], g frame.Geometry) {
	p := newProducer(r)
	for i := range g.RX {
		p.entries[p.next&uint32(len(p.entries)-1)] = uint64(i) * uint64(g.ChunkSize)
		p.next++
	}
	p.publish()
}

// recycle puts the chunks of received frames back.
func (f *fillRing) recycle(rx []frame.Desc) {
	if len(rx) == 0 {
		return
	}
	if f.out -= len(rx); f.out < 0 {
		panic("xsk: a frame was recycled that had not been received")
	}
	mask := uint32(len(f.entries) - 1)
	for i := range rx {
		f.entries[f.next&mask] = rx[i].Addr &^ (f.chunk - 1)
		f.next++
	}
	f.publish()
	f.unwoken = true
}

// wantsWakeup is whether the kernel ran out of chunks and sleeps although there
// are some now. What was put here stays unwoken until it has been woken: it may
// run out, and say so, only after we looked.
func (f *fillRing) wantsWakeup() bool {
	return f.unwoken && atomic.LoadUint32(f.flags)&unix.XDP_RING_NEED_WAKEUP != 0
}
