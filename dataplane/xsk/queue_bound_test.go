package xsk

import (
	"math/rand/v2"
	"slices"
	"testing"

	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
)

// boundBed is a Socket over rings in memory whose queue is bounded, and the kernel's ends of its rings.
type boundBed struct {
	t       *testing.T
	s       *Socket
	free    consumer[uint64]     // fill ring
	arrived producer[frame.Desc] // RX ring
	dropped int                  // frames that found no chunk or no entry of the RX ring
	out     []frame.Desc         // received, not recycled
	next    uint32               // number of the next frame, its length
	expect  uint32               // number of the next frame received
}

const boundRing, boundChunks = 1024, 1500

func newBoundBed(t *testing.T) *boundBed {
	o := Options{RingSize: 256, RxRing: boundRing, Bind: attach.BindCopy, BoundQueue: true,
		Geometry: frame.Geometry{ChunkSize: 2048, RX: boundChunks, TX: 1}}
	fill := sharedRing(o.sizes().fill, nearWrap)
	fillAll(fill, o.Geometry)
	descs := func(n int) ring[frame.Desc] {
		return ring[frame.Desc]{producer: new(uint32), consumer: new(uint32), flags: new(uint32),
			entries: make([]frame.Desc, n)}
	}
	rx := descs(boundRing)
	return &boundBed{t: t, free: newConsumer(fill), arrived: newProducer(rx), s: &Socket{geometry: o.Geometry,
		fill: newFillRing(fill, o), rx: newConsumer(rx), tx: txRing{newProducer(descs(8))},
		completed: newConsumer(sharedRing(8, 0))}}
}

// arrive lets n frames arrive.
func (b *boundBed) arrive(n int) {
	for range n {
		var chunk [1]uint64
		if b.arrived.room(1) == 0 || b.free.read(chunk[:]) == 0 {
			b.dropped++
			continue
		}
		b.next++
		b.arrived.write([]frame.Desc{{Addr: chunk[0] + 256, Len: b.next}})
	}
}

// receive receives up to n frames and checks that they are in order.
func (b *boundBed) receive(n int) {
	b.t.Helper()
	into := make([]frame.Desc, n)
	into = into[:b.s.Receive(into)]
	for _, d := range into {
		if b.expect++; d.Len != b.expect {
			b.t.Fatalf("frame %d came, %d was due", d.Len, b.expect)
		}
	}
	b.out = append(b.out, into...)
}

// recycle gives back the first n received frames.
func (b *boundBed) recycle(n int) {
	b.s.Recycle(b.out[:n])
	b.out = b.out[n:]
}

// drain receives a batch of frames, recycles them, and reports whether there were any.
func (b *boundBed) drain() bool {
	b.t.Helper()
	b.receive(64)
	n := len(b.out)
	b.recycle(n)
	return n > 0
}

// check checks that each chunk is in one place.
func (b *boundBed) check() {
	b.t.Helper()
	seen := make([]bool, boundChunks)
	count := func(at uint64) {
		if i := at / 2048; seen[i] {
			b.t.Fatalf("chunk %d is in two places", i)
		} else {
			seen[i] = true
		}
	}
	fill, rx := &b.s.fill, &b.s.rx
	for i := *fill.consumer; i != *fill.producer.producer; i++ {
		count(fill.entries[i%uint32(len(fill.entries))])
	}
	for i := *rx.consumer; i != *rx.producer; i++ {
		count(rx.entries[i%boundRing].Addr)
	}
	for _, d := range b.out {
		count(d.Addr)
	}
	for _, at := range fill.bound.reserve {
		count(at)
	}
	if i := slices.Index(seen, false); i >= 0 {
		b.t.Fatalf("chunk %d is lost", i)
	}
}

// overload lets more frames arrive than are received, until the queue is bounded.
func (b *boundBed) overload() {
	b.t.Helper()
	for range 3*boundRing/64 + boundChunks/64 {
		b.arrive(2000)
		b.drain()
		b.check()
	}
	if b.s.Waiting() > BoundedQueue || b.s.fill.bound.times() != 1 {
		b.t.Fatalf("%d frames wait; the bound began %d times", b.s.Waiting(), b.s.fill.bound.times())
	}
}

// A burst that the RX ring holds, and one longer than it, are received as without a bound.
func TestBurstsCauseNoBound(t *testing.T) {
	b := newBoundBed(t)
	for range 10 {
		b.arrive(boundRing + 200)
		for b.drain() {
			b.check()
		}
	}
	if b.s.fill.bound.times() != 0 || b.dropped != 10*200 {
		t.Errorf("%d frames dropped, the bound began %d times", b.dropped, b.s.fill.bound.times())
	}
}

// Under overload few frames wait; when they have drained, the whole RX ring is there for a burst.
func TestOverloadBoundsTheQueue(t *testing.T) {
	b := newBoundBed(t)
	b.overload()
	for b.drain() {
		b.check()
	}
	b.dropped = 0
	b.arrive(boundRing)
	if b.s.fill.bound.on || b.dropped != 0 || b.s.Waiting() != boundRing {
		t.Errorf("bounded %v, %d of a burst dropped, %d wait", b.s.fill.bound.on, b.dropped, b.s.Waiting())
	}
}

// Frames that wait for room elsewhere do not take the chunks of those that arrive.
func TestWaitingFramesLeaveChunksToABoundedQueue(t *testing.T) {
	b := newBoundBed(t)
	b.overload()
	for range 8 {
		b.receive(64) // and none is recycled
		b.arrive(64)
		b.check()
	}
	if b.s.Waiting() < BoundedQueue-64 {
		t.Errorf("%d frames wait", b.s.Waiting())
	}
}

// A socket that is left has given all chunks to the kernel, so that another process can go on.
func TestLeaveKeepsNoChunk(t *testing.T) {
	b := newBoundBed(t)
	b.overload()
	if len(b.s.fill.bound.reserve) == 0 {
		t.Fatal("nothing was kept back")
	}
	b.s.Leave()
	b.check()
	if len(b.s.fill.bound.reserve) != 0 {
		t.Errorf("%d chunks are kept", len(b.s.fill.bound.reserve))
	}
}

// Whatever arrives, is received and given back, and however, each chunk is in one place.
func TestBoundedQueueLosesNoChunk(t *testing.T) {
	for seed := range uint64(40) {
		b, random := newBoundBed(t), rand.New(rand.NewPCG(seed, 0))
		often := 1 + random.IntN(100)
		for range 2000 {
			switch n := random.IntN(often); {
			case n < often/2:
				b.arrive(random.IntN(120))
			default:
				b.receive(random.IntN(65))
			}
			if random.IntN(3) > 0 {
				b.recycle(random.IntN(len(b.out) + 1))
			}
			b.check()
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// Between real sockets a queue is bounded under overload, no frame overtakes another, and afterwards the RX ring holds
// a burst.
func TestOverloadOfARealSocket(t *testing.T) {
	a, b := newWire(t).pair(Options{Opener: attach.OpenerNative, Bind: attach.BindCopy, RingSize: 256, RxRing: boundRing,
		BoundQueue: true, Geometry: frame.Geometry{ChunkSize: 2048, RX: boundChunks, TX: 256}})
	x, y := converse(t, a, b, []int{60, 1000}, nil)
	y.lost = true
	send := func(n int) {
		until(t, func() bool {
			x.send(x.sent+uint64(min(n, len(x.batch))), 1<<40)
			n -= len(x.batch)
			x.kick()
			x.work()
			return n <= 0
		})
	}
	until(t, func() bool {
		send(160)
		y.work()
		return b.fill.bound.times() == 1 && b.Waiting() <= BoundedQueue
	})
	if s, err := b.Stats(); err != nil || s.RxFillRingEmpty == 0 || s.RxRingFull == 0 || s.RxQueueBounded != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	until(t, func() bool { y.work(); return !b.fill.bound.on })
	until(t, func() bool { y.work(); return b.Waiting() == 0 })
	y.received, y.lost, y.next = 0, false, x.sent
	const burst = boundRing - 16
	send(burst)
	until(t, func() bool { y.work(); return y.received == burst })
}

// Under a bound, and when it ends, frames are received and recycled without an allocation.
func TestABoundedQueueAllocatesNothing(t *testing.T) {
	b := newBoundBed(t)
	b.overload()
	var into [64]frame.Desc
	if n := testing.AllocsPerRun(20, func() { b.s.Recycle(into[:b.s.Receive(into[:])]) }); n != 0 {
		t.Errorf("%v allocations a batch", n)
	}
	if b.s.fill.bound.on {
		t.Error("the bound has not ended")
	}
}
