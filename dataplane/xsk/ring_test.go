package xsk

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"uelink/dataplane/frame"
)

// sharedRing is a ring in memory of our own, with both indices at start.
func sharedRing(entries int, start uint32) ring[uint64] {
	r := ring[uint64]{producer: new(uint32), consumer: new(uint32), flags: new(uint32), entries: make([]uint64, entries)}
	*r.producer, *r.consumer = start, start
	return r
}

// nearWrap lets the 32-bit indices wrap soon.
const nearWrap = ^uint32(0) - 20

// TestRing writes and reads batches of random sizes: all entries come out once, in order, and never more than fit.
func TestRing(t *testing.T) {
	for _, start := range []uint32{0, nearWrap} {
		for _, size := range []int{1, 2, 8, 64} {
			r := sharedRing(size, start)
			p, c := newProducer(r), newConsumer(r)
			random := rand.New(rand.NewPCG(uint64(size), uint64(start)))
			var put, taken uint64
			for range 2000 {
				batch := make([]uint64, random.IntN(size+2))
				if room := p.room(len(batch)); room < len(batch) {
					if room != size-int(put-taken) {
						t.Fatalf("ring of %d: room %d with %d in it", size, room, put-taken)
					}
					batch = batch[:room]
				}
				for i := range batch {
					batch[i] = put
					put++
				}
				p.write(batch)
				if p.unread() != int(put-taken) {
					t.Fatalf("ring of %d: %d unread, want %d", size, p.unread(), put-taken)
				}
				into := make([]uint64, random.IntN(size+2))
				n := c.read(into)
				if n != min(len(into), int(put-taken)) {
					t.Fatalf("ring of %d: took %d of %d into %d", size, n, put-taken, len(into))
				}
				for _, v := range into[:n] {
					if v != taken {
						t.Fatalf("ring of %d: took %d, want %d", size, v, taken)
					}
					taken++
				}
			}
		}
	}
}

// BenchmarkRing writes and reads a batch. ns/op is the time for one entry.
func BenchmarkRing(b *testing.B) {
	const batch = 64
	r := sharedRing(1024, nearWrap)
	p, c := newProducer(r), newConsumer(r)
	var entries [batch]uint64
	for done := 0; done < b.N; done += batch {
		if p.room(batch) < batch {
			b.Fatal("the ring is full")
		}
		p.write(entries[:])
		if n := c.read(entries[:]); n != batch {
			b.Fatalf("took %d entries", n)
		}
	}
}

// TestRingBetweenThreads runs the two ends on two threads, as with the kernel.
func TestRingBetweenThreads(t *testing.T) {
	const total = 200000
	r := sharedRing(64, nearWrap)
	var writer sync.WaitGroup
	var stop atomic.Bool
	writer.Go(func() {
		p := newProducer(r)
		for put := uint64(0); put < total && !stop.Load(); {
			batch := make([]uint64, min(p.room(16), 16, int(total-put)))
			for i := range batch {
				batch[i] = put
				put++
			}
			p.write(batch)
		}
	})
	defer writer.Wait()
	defer stop.Store(true)
	c, into := newConsumer(r), make([]uint64, 24)
	for taken := uint64(0); taken < total; {
		for _, v := range into[:c.read(into)] {
			if v != taken {
				t.Fatalf("took %d, want %d", v, taken)
			}
			taken++
		}
	}
}

// TestFillMasks: recycle puts back the address of the chunk, wherever in it the frame lay.
func TestFillMasks(t *testing.T) {
	g := frame.Geometry{ChunkSize: 2048, RX: 4, TX: 1}
	r := sharedRing(8, nearWrap)
	fillAll(r, g)
	kernel := newConsumer(r)
	var got [4]uint64
	kernel.read(got[:])
	if want := [4]uint64{0, 2048, 4096, 6144}; got != want {
		t.Errorf("filled with %v, want %v", got, want)
	}
	f := newFillRing(r, Options{Geometry: g})
	f.out = 3
	f.recycle([]frame.Desc{{Addr: 2048 + 256}, {Addr: 0}, {Addr: 6144 + 2047}})
	n := kernel.read(got[:])
	if want := []uint64{2048, 0, 6144}; !slices.Equal(got[:n], want) {
		t.Errorf("recycled %v, want %v", got[:n], want)
	}
}

// TestFillWhileKernelLags: all chunks come back before the kernel has given back
// a single entry of the ring; none is overwritten.
func TestFillWhileKernelLags(t *testing.T) {
	for _, chunks := range []int{1, 3, 48, 63, 64} {
		o := Options{RingSize: 64, Geometry: frame.Geometry{ChunkSize: 2048, RX: chunks, TX: 1}}
		r := sharedRing(o.sizes().fill, nearWrap)
		fillAll(r, o.Geometry)
		f := newFillRing(r, o)
		f.out = chunks
		rx := make([]frame.Desc, chunks)
		for i := range rx {
			rx[i].Addr = uint64(2048*i) + 256
		}
		f.recycle(rx)
		got := make([]uint64, 3*chunks)
		kernel := newConsumer(r)
		n := kernel.read(got)
		if n != 2*chunks || !slices.Equal(got[:chunks], got[chunks:n]) {
			t.Errorf("%d chunks: the kernel reads %v", chunks, got[:n])
		}
	}
}

// FuzzRing reads each octet as an operation: the low half is the number of entries, the high half whether they are
// written or read.
func FuzzRing(f *testing.F) {
	f.Add([]byte{0x08, 0x88, 0x0F, 0x84, 0x0F, 0x8F}, uint32(nearWrap))
	f.Fuzz(func(t *testing.T, deeds []byte, start uint32) {
		r := sharedRing(8, start)
		p, c := newProducer(r), newConsumer(r)
		var in, out []uint64
		for _, deed := range deeds {
			batch := make([]uint64, deed&15)
			if deed&0x80 != 0 {
				out = append(out, batch[:c.read(batch)]...)
				continue
			}
			batch = batch[:min(len(batch), p.room(len(batch)))]
			for i := range batch {
				batch[i] = uint64(len(in))
				in = append(in, batch[i])
			}
			p.write(batch)
		}
		rest := make([]uint64, 8)
		out = append(out, rest[:c.read(rest)]...)
		if !slices.Equal(in, out) {
			t.Errorf("in %v\nout %v", in, out)
		}
	})
}
