package xsk

import (
	"sync/atomic"

	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
)

const (
	// BoundedQueue is the number of frames that wait at most while the RX queue is bounded: enough for two calls
	// that send live frames. Their chunks of 4096 octets take 2 MB, as much as caches hold.
	BoundedQueue = 512
	// fullLooks is the number of looks in a row that find the RX ring full until the queue is bounded. Between two
	// looks all frames are read that waited at the first: as many have arrived again.
	fullLooks = 2
	// drained is the number of waiting frames below which the bound ends.
	drained = 64
)

// queueBound bounds the queue of received frames under overload. While more frames arrive than are forwarded, all
// entries of the RX ring are taken, and frames are dropped, however many may wait. In a long queue each frame waits
// behind thousands, and is no longer in the cache when its turn comes. So chunks are kept back from the kernel, which
// drops the frames for want of a chunk then (RxFillRingEmpty), until the queue has drained. A burst that the RX ring
// has room for causes no bound.
type queueBound struct {
	chunks  int           // RX chunks in all
	reserve []uint64      // addresses of the chunks kept back; has room for all
	full    int           // looks in a row that found the RX ring full
	on      bool          // chunks are kept back
	began   atomic.Uint64 // how often the bound began
}

// newQueueBound returns the state for a socket with these options; nil: its queue is not bounded.
func newQueueBound(o Options) *queueBound {
	if !o.BoundQueue || o.several() || o.Bind != attach.BindCopy || o.rxRing() < 2*BoundedQueue {
		return nil
	}
	return &queueBound{chunks: o.Geometry.RX, reserve: make([]uint64, 0, o.Geometry.RX)}
}

// look begins or ends the bound by the number of frames that wait in an RX ring of so many entries.
func (b *queueBound) look(f *fillRing, waiting, entries int) {
	switch {
	case waiting < drained:
		b.release(f)
	case waiting < entries:
		b.full = 0
	case !b.on:
		if b.full++; b.full == fullLooks {
			b.on = true
			b.began.Add(1)
		}
	}
}

// recycle takes back the chunks of received frames: the kernel gets as many as it may have, the rest are kept.
func (b *queueBound) recycle(f *fillRing, rx []frame.Desc) {
	for i := range rx {
		b.reserve = append(b.reserve, f.chunkOf(rx[i].Addr))
	}
	b.lend(f)
}

// lend gives the kernel so many of the kept chunks that it has BoundedQueue chunks, free ones and those of waiting
// frames; the chunk that was kept last goes first, because the cache may still have it.
func (b *queueBound) lend(f *fillRing) {
	n := min(len(b.reserve), BoundedQueue-(b.chunks-f.out-len(b.reserve)))
	for ; n > 0; n-- {
		last := len(b.reserve) - 1
		f.put(b.reserve[last])
		b.reserve = b.reserve[:last]
	}
	f.publish()
}

// release ends the bound, if there is one, and gives all kept chunks to the kernel.
func (b *queueBound) release(f *fillRing) {
	for _, chunk := range b.reserve {
		f.put(chunk)
	}
	if len(b.reserve) > 0 {
		f.publish()
	}
	b.reserve, b.full, b.on = b.reserve[:0], 0, false
}

// times returns how often the bound began. Any goroutine may call it.
func (b *queueBound) times() uint64 {
	if b == nil {
		return 0
	}
	return b.began.Load()
}
