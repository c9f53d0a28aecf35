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
// The kernel gets as many chunks as are not spare, first in first out. The others are kept
// here and given out last in first out, so that while none waits elsewhere the chunks in use
// are few and stay in the cache.
type fillRing struct {
	producer[uint64]
	chunk   uint64   // octets of a chunk
	chunks  int      // RX chunks in all
	least   int      // that the kernel is to have
	out     int      // chunks that the caller has
	spare   []uint64 // chunks that are kept here
	unwoken bool     // chunks were put here since the kernel was last woken for them
}

// newFillRing takes over a ring on which fillMost has put chunks.
func newFillRing(r ring[uint64], g frame.Geometry) fillRing {
	f := fillRing{
		producer: newProducer(r), chunk: uint64(g.ChunkSize), chunks: g.RX, least: g.RX - g.Spare,
		spare: make([]uint64, 0, g.Spare), unwoken: true,
	}
	for i := g.RX - 1; i >= g.RX-g.Spare; i-- {
		f.spare = append(f.spare, uint64(i)*f.chunk)
	}
	return f
}

// fillMost puts the RX chunks that are not spare on a ring that is empty.
func fillMost(r ring[uint64], g frame.Geometry) {
	p := newProducer(r)
	for i := range g.RX - g.Spare {
		p.entries[p.next&uint32(len(p.entries)-1)] = uint64(i) * uint64(g.ChunkSize)
		p.next++
	}
	p.publish()
}

// took notes that the caller has got frames, and gives the kernel spare chunks for theirs.
func (f *fillRing) took(n int) {
	f.out += n
	n = min(n, len(f.spare))
	if n == 0 {
		return
	}
	for range n {
		last := len(f.spare) - 1
		f.put(f.spare[last])
		f.spare = f.spare[:last]
	}
	f.publish()
	f.unwoken = true
}

func (f *fillRing) put(chunk uint64) {
	f.entries[f.next&uint32(len(f.entries)-1)] = chunk
	f.next++
}

// recycle puts the chunks of received frames back: as many as the kernel lacks on the ring.
func (f *fillRing) recycle(rx []frame.Desc) {
	if len(rx) == 0 {
		return
	}
	lacks := f.least - (f.chunks - f.out - len(f.spare))
	if f.out -= len(rx); f.out < 0 {
		panic("xsk: a frame was recycled that had not been received")
	}
	n := min(len(rx), lacks)
	for i := range rx[n:] {
		f.spare = append(f.spare, rx[n+i].Addr&^(f.chunk-1))
	}
	if n == 0 {
		return
	}
	for i := range rx[:n] {
		f.put(rx[i].Addr &^ (f.chunk - 1))
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
