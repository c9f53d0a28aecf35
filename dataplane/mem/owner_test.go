package mem

import (
	"strings"
	"testing"

	"uelink/dataplane/frame"
)

// wantPanic runs f and checks that it panics with a sentence that holds want.
func wantPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got, _ := recover().(string); !strings.Contains(got, want) {
			t.Errorf("panic %q, want one with %q", got, want)
		}
	}()
	f()
}

func TestMisuseIsNamed(t *testing.T) {
	desc := func(addr uint64, length uint32) []frame.Desc { return []frame.Desc{{Addr: addr, Len: length}} }
	firstSlot := small.SlotAddr(0)
	for name, c := range map[string]struct {
		want string
		do   func(a, b *Device)
	}{
		"recycle of a chunk that never left":  {"chunk 3 was recycled, but it was not handed out", func(a, _ *Device) { a.Recycle(desc(3*2048+256, 60)) }},
		"recycle of a chunk not yet received": {"was not handed out", func(_, b *Device) { b.Recycle(desc(256, 60)) }},
		"recycle of a TX slot":                {"it is no RX chunk", func(a, _ *Device) { a.Recycle(desc(firstSlot, 60)) }},
		"posting an RX chunk":                 {"it is in no TX slot", func(a, _ *Device) { a.Transmit(desc(firstSlot-1, 60)) }},
		"posting behind the area":             {"it is in no TX slot", func(a, _ *Device) { a.Transmit(desc(uint64(small.Size()), 60)) }},
		"posting nothing":                     {"slot 0 was posted with no octets", func(a, _ *Device) { a.Transmit(desc(firstSlot, 0)) }},
		"posting more than a slot":            {"slot 0 was posted with 2049 octets", func(a, _ *Device) { a.Transmit(desc(firstSlot, 2049)) }},
		"posting over the slot's end":         {"slot 1 was posted with 60 octets", func(a, _ *Device) { a.Transmit(desc(firstSlot+2*2048-59, 60)) }},
		"use after Close":                     {"a closed device was used", func(a, _ *Device) { _ = a.Close(); a.TxRoom() }},
		"write between posting and Kick":      {"slot 0 was written to", func(a, _ *Device) { a.Transmit(desc(firstSlot, 60)); a.Area()[firstSlot]++; _ = a.Kick() }},
		"write between Kick and Completed": {"slot 0 was written to", func(a, _ *Device) {
			a.Transmit(desc(firstSlot, 60))
			_ = a.Kick()
			a.Area()[firstSlot]++
			a.Completed(make([]uint64, 1))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := NewPair(small, small, 8)
			a.WatchSlots()
			host := NewHost(a)
			host.Send([]byte{1})
			wantPanic(t, c.want, func() { c.do(a, b) })
		})
	}
}

func TestRecycleTwiceIsNamed(t *testing.T) {
	a, b := NewPair(small, small, 8)
	NewHost(a).Send([]byte{1})
	descs, _ := receiveAll(b)
	b.Recycle(descs)
	wantPanic(t, "was not handed out", func() { b.Recycle(descs) })
}

func TestWatchSlotsSpoilsRecycledChunks(t *testing.T) {
	a, b := NewPair(small, small, 8)
	b.WatchSlots()
	NewHost(a).Send([]byte{1})
	descs, _ := receiveAll(b)
	b.Recycle(descs)
	if got := b.Area()[descs[0].Addr]; got == 1 {
		t.Error("a recycled frame can still be read")
	}
}

func TestImpossiblePairsAreNamed(t *testing.T) {
	wantPanic(t, "a ring of 6 entries is not a power of two", func() { NewPair(small, small, 6) })
	wantPanic(t, "a ring of 0 entries is not a power of two", func() { NewPair(small, small, 0) })
	wantPanic(t, "impossible geometry", func() { NewPair(small, frame.Geometry{ChunkSize: 256, RX: 1, TX: 1}, 8) })
	wantPanic(t, "impossible geometry", func() { NewPair(frame.Geometry{ChunkSize: 3000, RX: 1, TX: 1}, small, 8) })
}
