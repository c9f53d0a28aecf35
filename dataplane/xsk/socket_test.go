package xsk

import (
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
)

// expectStats compares the kernel's counters with the expected values.
func expectStats(t *testing.T, s *Socket, want frame.Stats) {
	t.Helper()
	got, err := s.Stats()
	if err != nil {
		t.Fatal(err)
	}
	got.TxRingEmpty = 0 // counts every look of the kernel's at a ring that is empty
	if got != want {
		t.Errorf("statistics %+v, want %+v", got, want)
	}
}

func TestExchange(t *testing.T) {
	forOpeners(t, func(t *testing.T, opener attach.Opener) {
		for _, tags := range [][]uint16{nil, {0x2005}, {0xE123, 0x0001}} {
			w := newWire(t)
			a, b := w.pair(small(opener))
			x, y := converse(t, a, b, []int{60, 61, 64, 256, 1500, 1514}, tags)
			exchange(x, y, 5000, 32)
			expectStats(t, a, frame.Stats{})
			expectStats(t, b, frame.Stats{})
			if a.Kicks() == 0 || a.Kicks() > 2*5000 {
				t.Errorf("%d kicks for 5000 frames", a.Kicks())
			}
		}
	})
}

// TestSizes sends every size up to the largest that a veth takes in driver mode.
func TestSizes(t *testing.T) {
	forOpeners(t, func(t *testing.T, opener attach.Opener) {
		const mtu = 3506
		w := newWire(t)
		w.mtu(mtu)
		a, b := w.pair(small(opener))
		var sizes []int
		for n := 60; n <= mtu+14; n++ {
			sizes = append(sizes, n)
		}
		x, y := converse(t, a, b, sizes, nil)
		exchange(x, y, uint64(len(sizes)), 32)
	})
}

// TestLargest fills a chunk of 2048 octets to the last: 256 are headroom. A frame one octet longer is sent, and
// dropped at the receiver.
func TestLargest(t *testing.T) {
	forOpeners(t, func(t *testing.T, opener attach.Opener) {
		const largest = 2048 - unix.XDP_PACKET_HEADROOM
		o := small(opener)
		o.Geometry.ChunkSize = 2048
		w := newWire(t)
		w.mtu(2000)
		a, b := w.pair(o)
		x, y := converse(t, a, b, []int{60, largest - 1, largest}, nil)
		exchange(x, y, 300, 32)
		addr := a.Geometry().SlotAddr(0)
		a.Transmit([]frame.Desc{{Addr: addr, Len: largest + 1}, {Addr: addr, Len: 60}})
		var got [2]frame.Desc
		until(t, func() bool { x.kick(); return b.Receive(got[:]) > 0 })
		if got[0].Len != 60 {
			t.Errorf("received %d octets, want the 60 that came last", got[0].Len)
		}
		expectStats(t, b, frame.Stats{RxDropped: 1})
	})
}

func TestGenericMode(t *testing.T) {
	forOpeners(t, func(t *testing.T, opener attach.Opener) {
		w := newWire(t)
		o := small(opener)
		o.Bind = attach.BindCopy
		a := w.open(w.a, 0, w.attach(w.a, attach.ModeGeneric), o)
		b := w.open(w.b, 0, w.attach(w.b, attach.ModeGeneric), o)
		x, y := converse(t, a, b, []int{60, 1514}, []uint16{7})
		exchange(x, y, 2000, 32)
	})
}

// TestQueues opens a socket on each of two queues of one interface.
func TestQueues(t *testing.T) {
	forOpeners(t, func(t *testing.T, opener attach.Opener) {
		w := newWire(t)
		pa, pb := w.attach(w.a, attach.ModeAuto), w.attach(w.b, attach.ModeAuto)
		for queue := range 2 {
			x, y := converse(t, w.open(w.a, queue, pa, small(opener)), w.open(w.b, queue, pb, small(opener)), []int{60}, nil)
			exchange(x, y, 200, 32)
		}
		if _, err := Open(w.a, 2, small(opener)); err == nil ||
			!strings.Contains(err.Error(), "the interface has 2 RX queues") {
			t.Errorf("a socket on a queue that is not there: %v", err)
		}
	})
}

// TestAllocations makes every call of the frame path.
func TestAllocations(t *testing.T) {
	forOpeners(t, func(t *testing.T, opener attach.Opener) {
		w := newWire(t)
		a, b := w.pair(small(opener))
		x, y := converse(t, a, b, []int{60}, nil)
		exchange(x, y, 100, 32)
		tx := make([]frame.Desc, 8)
		for i := range tx {
			tx[i] = frame.Desc{Addr: a.Geometry().SlotAddr(uint32(i)), Len: 60}
		}
		rx, addrs := make([]frame.Desc, 8), make([]uint64, 8)
		var device frame.Device = a
		allocations := testing.AllocsPerRun(1000, func() {
			device.Transmit(tx[:min(len(tx), device.TxRoom())])
			if device.Kick() != nil {
				t.Fatal("Kick")
			}
			device.Completed(addrs)
			b.Recycle(rx[:b.Receive(rx)])
			if b.Kick() != nil {
				t.Fatal("Kick")
			}
		})
		if allocations != 0 {
			t.Errorf("%v allocations a batch", allocations)
		}
	})
}

// TestRecycleTwice: a chunk recycled twice would hold two frames at once.
func TestRecycleTwice(t *testing.T) {
	w := newWire(t)
	a, b := w.pair(small(attach.OpenerNative))
	x, y := converse(t, a, b, []int{60}, nil)
	exchange(x, y, 100, 32)
	defer func() {
		if recover() == nil {
			t.Error("a chunk that had not been received was taken")
		}
	}()
	a.Recycle([]frame.Desc{{Addr: 0}})
}

// TestCapabilitiesSuffice: sockets and programs of a daemon that is not root.
func TestCapabilitiesSuffice(t *testing.T) {
	forOpeners(t, func(t *testing.T, opener attach.Opener) {
		w := newWire(t)
		if err := keepCapabilities(unix.CAP_NET_ADMIN, unix.CAP_NET_RAW, unix.CAP_BPF); err != nil {
			t.Fatal(err)
		}
		a, b := w.pair(small(opener))
		x, y := converse(t, a, b, []int{60, 1514}, nil)
		exchange(x, y, 1000, 32)
	})
}

// TestOpenAtOnce opens and closes sockets of either kind from several threads.
func TestOpenAtOnce(t *testing.T) {
	var all sync.WaitGroup
	for i := range 6 {
		opener := []attach.Opener{attach.OpenerAsavie, attach.OpenerNative}[i%2]
		all.Go(func() {
			t.Run(opener.String(), func(t *testing.T) {
				w := newWire(t)
				a, b := w.pair(small(opener))
				x, y := converse(t, a, b, []int{60}, nil)
				exchange(x, y, 500, 32)
			})
		})
	}
	all.Wait()
	if left := socketMappings("self"); len(left) != 0 {
		t.Errorf("closed sockets left %v", left)
	}
}
