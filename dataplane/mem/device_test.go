package mem

import (
	"bytes"
	"errors"
	"runtime"
	"slices"
	"testing"

	"uelink/dataplane/frame"
)

var _ frame.Device = (*Device)(nil)

var small = frame.Geometry{ChunkSize: 2048, RX: 8, TX: 8}

// post fills a slot and posts it.
func post(t *testing.T, d *Device, slot uint32, octets []byte) {
	t.Helper()
	addr := d.Geometry().SlotAddr(slot)
	copy(d.Area()[addr:], octets)
	if n := d.Transmit([]frame.Desc{{Addr: addr, Len: uint32(len(octets))}}); n != 1 {
		t.Fatalf("Transmit took %d frames, want 1", n)
	}
}

func kick(t *testing.T, d *Device) {
	t.Helper()
	if err := d.Kick(); err != nil {
		t.Fatalf("Kick: %v", err)
	}
}

func receiveAll(d *Device) (descs []frame.Desc, frames [][]byte) {
	descs = make([]frame.Desc, 64)
	descs = descs[:d.Receive(descs)]
	for _, desc := range descs {
		frames = append(frames, bytes.Clone(d.Area()[desc.Addr:][:desc.Len]))
	}
	return descs, frames
}

func completedSlots(d *Device) []uint32 {
	addrs := make([]uint64, 64)
	var slots []uint32
	for _, a := range addrs[:d.Completed(addrs)] {
		slots = append(slots, d.Geometry().Slot(a))
	}
	return slots
}

func TestFramesCrossBothWaysInOrder(t *testing.T) {
	a, b := NewPair(small, frame.Geometry{ChunkSize: 4096, RX: 4, TX: 4}, 8)
	for i := range uint32(3) {
		post(t, a, i, []byte{byte(i), 1, 2})
		post(t, b, i, []byte{byte(i), 9})
	}
	if d, _ := receiveAll(b); len(d) != 0 {
		t.Fatal("frames arrived before Kick")
	}
	kick(t, a)
	kick(t, b)
	_, atB := receiveAll(b)
	_, atA := receiveAll(a)
	for i := range 3 {
		if !bytes.Equal(atB[i], []byte{byte(i), 1, 2}) || !bytes.Equal(atA[i], []byte{byte(i), 9}) {
			t.Errorf("frame %d: at b % x, at a % x", i, atB[i], atA[i])
		}
	}
	if got := completedSlots(a); !slices.Equal(got, []uint32{0, 1, 2}) {
		t.Errorf("completed slots %v", got)
	}
}

func TestReceivedFrameLiesBehindHeadroom(t *testing.T) {
	a, b := NewPair(small, small, 8)
	post(t, a, 0, []byte{1})
	kick(t, a)
	descs, _ := receiveAll(b)
	if descs[0].Addr%2048 != Headroom || descs[0].Addr >= b.Geometry().SlotAddr(0) {
		t.Errorf("frame at %d", descs[0].Addr)
	}
}

func TestSlotIsReadAtKick(t *testing.T) {
	a, b := NewPair(small, small, 8)
	post(t, a, 2, []byte("early"))
	copy(a.Area()[a.Geometry().SlotAddr(2):], "later")
	kick(t, a)
	if _, frames := receiveAll(b); string(frames[0]) != "later" {
		t.Errorf("arrived: %q", frames[0])
	}
}

func TestSlotPostedTwiceCompletesTwice(t *testing.T) {
	a, b := NewPair(small, small, 8)
	post(t, a, 5, []byte("x"))
	post(t, a, 5, []byte("x"))
	kick(t, a)
	if _, frames := receiveAll(b); len(frames) != 2 {
		t.Errorf("%d frames arrived", len(frames))
	}
	if got := completedSlots(a); !slices.Equal(got, []uint32{5, 5}) {
		t.Errorf("completed slots %v", got)
	}
}

func TestTxRoomCountsWhatHasNotCompleted(t *testing.T) {
	a, b := NewPair(small, small, 4)
	want := func(n int) {
		t.Helper()
		if got := a.TxRoom(); got != n {
			t.Fatalf("TxRoom %d, want %d", got, n)
		}
	}
	want(4)
	desc := frame.Desc{Addr: a.Geometry().SlotAddr(1), Len: 60}
	if n := a.Transmit([]frame.Desc{desc, desc, desc, desc, desc}); n != 4 {
		t.Fatalf("Transmit took %d, want 4", n)
	}
	want(0)
	kick(t, a)
	want(0)
	if n := a.Completed(make([]uint64, 3)); n != 3 {
		t.Fatalf("Completed gave %d", n)
	}
	want(3)
	if d, _ := receiveAll(b); len(d) != 4 {
		t.Errorf("%d frames arrived", len(d))
	}
}

func TestEmptyFillRingDropsAndCounts(t *testing.T) {
	a, b := NewPair(small, frame.Geometry{ChunkSize: 2048, RX: 2, TX: 1}, 8)
	for i := range uint32(3) {
		post(t, a, i, []byte{byte(i)})
	}
	kick(t, a)
	if got, _ := b.Stats(); got != (frame.Stats{RxDropped: 1, RxFillRingEmpty: 1}) {
		t.Errorf("stats %+v", got)
	}
	descs, frames := receiveAll(b)
	if len(frames) != 2 || frames[1][0] != 1 {
		t.Errorf("arrived: %v", frames)
	}
	if got := completedSlots(a); len(got) != 3 {
		t.Errorf("%d completed: a lost frame completes too", len(got))
	}
	b.Recycle(descs)
	post(t, a, 3, []byte{7})
	kick(t, a)
	if _, frames := receiveAll(b); len(frames) != 1 || frames[0][0] != 7 {
		t.Errorf("after Recycle arrived: %v", frames)
	}
}

func TestFullRxRingDropsAndCounts(t *testing.T) {
	a, b := NewPair(small, small, 2)
	for round := range 2 {
		for i := range uint32(2) {
			post(t, a, i, []byte{byte(round)})
		}
		kick(t, a)
		completedSlots(a)
	}
	if got, _ := b.Stats(); got != (frame.Stats{RxRingFull: 2}) {
		t.Errorf("stats %+v", got)
	}
	if _, frames := receiveAll(b); len(frames) != 2 || frames[0][0] != 0 {
		t.Errorf("arrived: %v", frames)
	}
}

func TestFrameLongerThanChunkLessHeadroomIsDropped(t *testing.T) {
	a, b := NewPair(small, small, 8)
	post(t, a, 0, make([]byte, 2048-Headroom+1))
	post(t, a, 1, make([]byte, 2048-Headroom))
	kick(t, a)
	if got, _ := b.Stats(); got != (frame.Stats{RxDropped: 1}) {
		t.Errorf("stats %+v", got)
	}
	if _, frames := receiveAll(b); len(frames) != 1 || len(frames[0]) != 2048-Headroom {
		t.Errorf("%d frames arrived", len(frames))
	}
}

func TestRecycleTakesAnyAddressInTheChunk(t *testing.T) {
	a, b := NewPair(small, frame.Geometry{ChunkSize: 2048, RX: 1, TX: 1}, 8)
	for range 3 {
		post(t, a, 0, []byte("abc"))
		kick(t, a)
		completedSlots(a)
		descs, frames := receiveAll(b)
		if len(frames) != 1 {
			t.Fatal("nothing arrived")
		}
		descs[0].Addr += 77
		b.Recycle(descs)
	}
}

func TestShuffledCompletionsAllComeOnce(t *testing.T) {
	geometry := frame.Geometry{ChunkSize: 2048, RX: 32, TX: 32}
	outOfOrder := false
	for seed := range uint64(8) {
		a, _ := NewPair(geometry, geometry, 32)
		a.ShuffleCompletions(seed)
		for i := range uint32(32) {
			post(t, a, i, []byte{1})
		}
		kick(t, a)
		var got []uint32
		for range 32 {
			got = append(got, completedSlots(a)...)
		}
		outOfOrder = outOfOrder || !slices.IsSorted(got)
		slices.Sort(got)
		for i := range uint32(32) {
			if len(got) != 32 || got[i] != i {
				t.Fatalf("seed %d: completed slots %v", seed, got)
			}
		}
	}
	if !outOfOrder {
		t.Error("completions came in order for every seed")
	}
}

func TestDownKeepsPostedFramesAndLosesArrivingOnes(t *testing.T) {
	a, b := NewPair(small, small, 8)
	a.SetUp(false)
	post(t, a, 0, []byte("waits"))
	if err := a.Kick(); !errors.Is(err, frame.ErrDown) {
		t.Fatalf("Kick: %v", err)
	}
	post(t, b, 0, []byte("lost"))
	kick(t, b)
	if got := completedSlots(a); got != nil || a.Up() {
		t.Fatalf("completed %v while down", got)
	}
	a.SetUp(true)
	kick(t, a)
	if _, frames := receiveAll(b); len(frames) != 1 || string(frames[0]) != "waits" {
		t.Errorf("arrived at b: %q", frames)
	}
	if _, frames := receiveAll(a); len(frames) != 0 {
		t.Errorf("arrived at a: %q", frames)
	}
}

func TestGoneIsForGood(t *testing.T) {
	a, b := NewPair(small, small, 8)
	a.SetGone()
	a.SetUp(true)
	if err := a.Kick(); !errors.Is(err, frame.ErrGone) {
		t.Fatalf("Kick: %v", err)
	}
	post(t, b, 0, []byte("lost"))
	kick(t, b)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	post(t, b, 0, []byte("lost"))
	kick(t, b)
	if got, _ := a.Stats(); got.RxDropped != 2 {
		t.Errorf("stats %+v", got)
	}
}

func TestEndsBelongToGoroutinesOfTheirOwn(t *testing.T) {
	const frames = 2000
	a, b := NewPair(small, small, 8)
	done := make(chan struct{})
	go func() {
		defer close(done)
		var descs [4]frame.Desc
		for got := 0; got < frames; {
			n := b.Receive(descs[:])
			b.Recycle(descs[:n])
			got += n
			runtime.Gosched()
		}
	}()
	host := NewHost(a)
	for sent := 0; sent < frames; runtime.Gosched() {
		if host.Send([]byte{1, 2, 3}) {
			sent++
		}
	}
	<-done
}

func TestNoAllocationPerFrame(t *testing.T) {
	a, b := NewPair(small, small, 8)
	a.ShuffleCompletions(1)
	a.WatchSlots()
	b.WatchSlots()
	host := NewHost(b)
	tx := []frame.Desc{{Addr: a.Geometry().SlotAddr(0), Len: 1000}}
	rx, addrs, octets := make([]frame.Desc, 4), make([]uint64, 4), make([]byte, 100)
	n := testing.AllocsPerRun(100, func() {
		a.Transmit(tx)
		_ = a.Kick()
		a.Completed(addrs)
		host.Recv()
		host.Send(octets)
		a.Recycle(rx[:a.Receive(rx)])
	})
	if n != 0 {
		t.Errorf("%v allocations per round", n)
	}
}
