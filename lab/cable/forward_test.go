package cable

import (
	"bytes"
	"testing"

	"uelink/dataplane/fault"
	"uelink/dataplane/frame"
	"uelink/dataplane/mem"
	"uelink/wire"
)

// memWire is a wire in user space whose two sides end in memory.
type memWire struct {
	userWire
	hosts [2]*mem.Host
	ends  [2]*mem.Device // the cable's side
	now   wire.Time
}

func newMemWire(c fault.Config) *memWire {
	w := &memWire{}
	w.clock = func() wire.Time { return w.now }
	g := frame.Geometry{ChunkSize: 2048, RX: 128, TX: 64}
	for i := range 2 {
		far, near := mem.NewPair(g, g, 64)
		near.WatchSlots()
		w.hosts[i], w.ends[i] = mem.NewHost(far), near
	}
	for i := range 2 {
		w.outlets[i] = newOutlet(w.ends[i])
	}
	for i := range 2 {
		w.lanes = append(w.lanes, &lane{way: i, in: fault.New(w.ends[i], c, w.clock), out: w.outlets[1-i]})
	}
	return w
}

// settle carries until nothing is on the way.
func (w *memWire) settle(t *testing.T) {
	t.Helper()
	for range 1000 {
		worked, err := w.carryAll()
		must(t, err)
		switch due := w.next(); {
		case worked > 0:
		case due == wire.Never:
			w.publish()
			return
		default:
			w.now = max(w.now, due)
		}
	}
	t.Fatal("frames are still on the way after 1000 rounds")
}

func TestLanesCarryBothWaysAtOnce(t *testing.T) {
	w := newMemWire(fault.Config{})
	for round := range uint64(50) {
		for i := range uint64(20) {
			for _, h := range w.hosts {
				if !h.Send(numbered(20*round+i, 1514)) {
					t.Fatal("no room")
				}
			}
		}
		w.settle(t)
		for i := range uint64(20) {
			for side, h := range w.hosts {
				if got := h.Recv(); !bytes.Equal(got, numbered(20*round+i, 1514)) {
					t.Fatalf("round %d, frame %d, side %d: %d octets", round, i, side, len(got))
				}
			}
		}
	}
	for way, c := range w.snapshot {
		if c.Counters != (fault.Counters{Forwarded: 1000}) {
			t.Errorf("way %d: %+v", way, c)
		}
	}
}

func TestWhatIsSentToAnInterfaceThatIsDownIsLost(t *testing.T) {
	w := newMemWire(fault.Config{})
	send := func(n int) {
		for range n {
			if !w.hosts[0].Send(numbered(7, 60)) {
				t.Fatal("no room")
			}
		}
		w.settle(t)
	}
	w.ends[1].SetUp(false)
	send(10) // posted before anybody knows
	send(30)
	if c := w.snapshot[0].Counters; c != (fault.Counters{Forwarded: 10, Overrun: 30}) {
		t.Errorf("while down: %+v", c)
	}
	w.ends[1].SetUp(true)
	send(0) // notices
	send(5)
	if got := w.hosts[1].Pending(); got != 15 {
		t.Errorf("%d frames came", got)
	}
	if c := w.snapshot[0].Counters; c != (fault.Counters{Forwarded: 15, Overrun: 30}) {
		t.Errorf("after: %+v", c)
	}
}

func TestInterfaceThatIsGoneEndsTheWire(t *testing.T) {
	w := newMemWire(fault.Config{})
	w.ends[0].SetGone()
	w.hosts[1].Send(numbered(1, 60))
	if _, err := w.carryAll(); err == nil {
		t.Error("no error")
	}
}

// Frames that the kernel could not hand over are part of the report.
func TestOverrunsOfTheSocketAreCounted(t *testing.T) {
	w := newMemWire(fault.Config{})
	g := frame.Geometry{ChunkSize: 4096, RX: 4, TX: 4}
	far, near := mem.NewPair(g, frame.Geometry{ChunkSize: 4096, RX: 2, TX: 4}, 4)
	w.lanes[0].in = fault.New(near, fault.Config{}, w.clock)
	addr := g.SlotAddr(0)
	for range 3 { // into two chunks
		far.Transmit([]frame.Desc{{Addr: addr, Len: 60}})
	}
	must(t, far.Kick())
	w.settle(t)
	if c := w.snapshot[0].Counters; c != (fault.Counters{Forwarded: 2, Overrun: 1}) {
		t.Errorf("counted %+v", c)
	}
}

func TestCarryingAllocatesNothing(t *testing.T) {
	w := newMemWire(fault.Config{Loss: 0.1, Corrupt: 0.1, Duplicate: 0.1, Reorder: 0.1, Jitter: 100})
	octets := numbered(3, 1514)
	if n := testing.AllocsPerRun(1000, func() {
		for _, h := range w.hosts {
			h.Send(octets)
			h.Recv()
		}
		w.now += 1000
		if _, err := w.carryAll(); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations per batch", n)
	}
}
