package xsk

import (
	"sync/atomic"

	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
)

// When the queue of received frames is bounded, to which length, and when the bound ends.
const (
	// BoundedQueue is the number of frames that wait at most while the RX queue is bounded: enough for two calls
	// that send live frames. Their chunks of 4096 octets take 2 MB, as much as caches hold.
	BoundedQueue = 512
	// fullLooks is how many looks in a row must find the RX ring full before the queue is bounded. Between two looks all
	// frames that waited at the first are read: if the ring is full again, as many have arrived meanwhile.
	fullLooks = 2
	// drained is the number of waiting frames below which the bound ends.
	drained = 64
)

// queueBound bounds the queue of received frames under overload. While more frames arrive than are forwarded, a queue
// of any length is full, and frames are dropped. In a long queue each frame waits behind thousands, and is no longer in
// the cache when its turn comes. So chunks are kept back from the kernel until the queue has drained. Meanwhile the
// kernel drops frames because it has no chunk for them (RxFillRingEmpty). A burst for which the RX ring has room does
// not begin the bound.
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

// look begins the bound after fullLooks looks in a row at a full RX ring, and ends it when few frames wait. waiting is
// the number of frames that wait in the RX ring, entries the size of the ring.
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

// lend gives the kernel kept chunks until it has BoundedQueue chunks, with those of waiting frames. The chunk that was
// kept last goes first, because the cache may still have it.
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
