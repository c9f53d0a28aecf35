package traffic

import (
	"slices"
	"testing"

	"uelink/dataplane/frame"
	"uelink/dataplane/mem"
	"uelink/wire"
)

// fault returns the frames that arrive in place of the i-th frame of a direction.
type fault func(direction, i int, octets []byte) [][]byte

// faultyWire joins the two ends of an engine in memory, with a fault between
// them. It has a clock of its own, which moves with each turn.
type faultyWire struct {
	t     testing.TB
	ends  [2]*mem.Device // the engine's
	inner [2]*mem.Device // the wire's
	slots [2]*frame.Pool
	count [2]int
	fault fault
	now   wire.Time
}

func newFaultyWire(t testing.TB, f fault) *faultyWire {
	w := &faultyWire{t: t, fault: f}
	g := frame.Geometry{ChunkSize: 2048, RX: 512, TX: 512}
	for i := range w.ends {
		w.ends[i], w.inner[i] = mem.NewPair(g, g, 512)
		w.ends[i].ShuffleCompletions(uint64(i))
		w.slots[i] = frame.NewPool(g.TX)
	}
	return w
}

// engine is one that sends over the wire.
func (w *faultyWire) engine(c Config) *engine {
	w.t.Helper()
	if err := c.Validate(); err != nil {
		w.t.Fatal(err)
	}
	devices := [2][]frame.Device{{w.ends[0]}, {w.ends[1]}}
	e, err := newEngine(c, devices, 1500, func() wire.Time { return w.now })
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

// play runs an engine to its end.
func (w *faultyWire) play(e *engine) Result {
	w.t.Helper()
	for turns := 0; !e.over(w.now); turns++ {
		if _, err := e.step(w.now); err != nil {
			w.t.Fatal(err)
		}
		w.turn()
		if turns > 10_000_000 {
			w.t.Fatal("the run does not end")
		}
	}
	r, err := e.result()
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// turn carries the frames sent so far and advances the clock.
func (w *faultyWire) turn() {
	w.now += 20_000
	w.carry(0)
	w.carry(1)
}

func (w *faultyWire) carry(direction int) {
	in, out, slots := w.inner[direction], w.inner[1-direction], w.slots[1-direction]
	var rx [64]frame.Desc
	n := in.Receive(rx[:])
	for _, r := range rx[:n] {
		octets := in.Area()[r.Addr : r.Addr+uint64(r.Len)]
		w.put(out, slots, octets, direction)
	}
	in.Recycle(rx[:n])
	if err := out.Kick(); err != nil {
		w.t.Fatal(err)
	}
	var done [512]uint64
	for _, addr := range done[:out.Completed(done[:])] {
		slots.Give(out.Geometry().Slot(addr))
	}
}

func (w *faultyWire) put(out *mem.Device, slots *frame.Pool, octets []byte, direction int) {
	frames := [][]byte{octets}
	if w.fault != nil {
		frames = w.fault(direction, w.count[direction], octets)
		w.count[direction]++
	}
	for _, f := range frames {
		slot, ok := slots.Take()
		if !ok {
			w.t.Fatal("the wire has no slot")
		}
		addr := out.Geometry().SlotAddr(slot)
		copy(out.Area()[addr:], f)
		if out.Transmit([]frame.Desc{{Addr: addr, Len: uint32(len(f))}}) != 1 {
			w.t.Fatal("the wire has no room")
		}
	}
}

// every makes a fault of the frames whose index is a multiple of n.
func every(n int, f func(octets []byte) [][]byte) fault {
	return func(_, i int, octets []byte) [][]byte {
		if i%n != 0 {
			return [][]byte{octets}
		}
		return f(octets)
	}
}

func lose([]byte) [][]byte             { return nil }
func duplicate(octets []byte) [][]byte { return [][]byte{octets, octets} }

// swap holds every n-th frame of a direction back until after the next one.
func swap(n int) fault {
	var waiting [2][]byte
	return func(direction, i int, octets []byte) [][]byte {
		if i%n == 0 {
			waiting[direction] = slices.Clone(octets)
			return nil
		}
		if h := waiting[direction]; h != nil {
			waiting[direction] = nil
			return [][]byte{octets, h}
		}
		return [][]byte{octets}
	}
}
