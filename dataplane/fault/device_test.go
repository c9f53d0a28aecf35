package fault

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"uelink/dataplane/frame"
	"uelink/dataplane/mem"
	"uelink/wire"
)

// bench is a host that sends numbered frames to a decorated device.
type bench struct {
	t    testing.TB
	host *mem.Host
	dev  *Device
	now  wire.Time
	sent uint64
	into []frame.Desc
}

func newBench(t testing.TB, c Config) *bench {
	g := frame.Geometry{ChunkSize: 2048, RX: 64, TX: 4}
	a, z := mem.NewPair(g, g, 64)
	z.WatchSlots()
	b := &bench{t: t, host: mem.NewHost(a), into: make([]frame.Desc, 16)}
	b.dev = New(z, c, func() wire.Time { return b.now })
	return b
}

// send sends n frames of 64 octets: their number, and zeros.
func (b *bench) send(n int) {
	b.t.Helper()
	var octets [64]byte
	for range n {
		binary.BigEndian.PutUint64(octets[:], b.sent)
		if !b.host.Send(octets[:]) {
			b.t.Fatalf("frame %d found no free chunk", b.sent)
		}
		b.sent++
	}
}

// take receives once, and recycles the frames at once or, with keep, later.
func (b *bench) take(keep bool) (numbers []uint64, held []frame.Desc) {
	n := b.dev.Receive(b.into)
	for _, d := range b.into[:n] {
		numbers = append(numbers, binary.BigEndian.Uint64(b.dev.Area()[d.Addr:]))
	}
	if keep {
		return numbers, slices.Clone(b.into[:n])
	}
	b.dev.Recycle(b.into[:n])
	return numbers, nil
}

// drain receives until the line is empty, and moves the clock to the next due time.
func (b *bench) drain() (numbers []uint64) {
	for {
		got, _ := b.take(false)
		numbers = append(numbers, got...)
		switch next := b.dev.Next(); {
		case len(got) > 0:
		case next == wire.Never:
			return numbers
		default:
			b.now = max(b.now, next)
		}
	}
}

// allFree fails unless every RX chunk is with the kernel again.
func (b *bench) allFree() {
	b.t.Helper()
	b.dev.SetConfig(Config{})
	first := b.sent
	b.send(b.dev.Geometry().RX)
	got := b.drain()
	if len(got) != b.dev.Geometry().RX || got[0] != first {
		b.t.Fatalf("%d frames came, the first %v", len(got), got[:min(1, len(got))])
	}
}

func TestGoodWirePassesAllInOrder(t *testing.T) {
	b := newBench(t, Config{})
	for round := range 100 {
		b.send(10)
		got, _ := b.take(false)
		for i, n := range got {
			if n != uint64(10*round+i) {
				t.Fatalf("round %d: frames %v", round, got)
			}
		}
		if len(got) != 10 {
			t.Fatalf("round %d: %d frames", round, len(got))
		}
	}
	if c := b.dev.Counters(); c != (Counters{Forwarded: 1000}) {
		t.Errorf("counters %+v", c)
	}
	if b.dev.Next() != wire.Never {
		t.Error("something is due on an empty line")
	}
}

func TestCountersAreWhatIsSeen(t *testing.T) {
	b := newBench(t, Config{Loss: 0.1, Burst: 2, Duplicate: 0.1, Reorder: 0.1, Delay: time.Microsecond,
		Jitter: 3 * time.Microsecond, Seed: 5})
	seen := map[uint64]int{}
	highest, late, handed := int64(-1), uint64(0), uint64(0)
	for b.sent < 20_000 {
		b.send(7)
		b.now += 1000
		got, _ := b.take(false)
		got = append(got, b.drain()...)
		for _, n := range got {
			handed++
			seen[n]++
			if seen[n] == 1 && int64(n) < highest {
				late++
			}
			highest = max(highest, int64(n))
		}
	}
	var twice uint64
	for n, times := range seen {
		twice += uint64(times - 1)
		if times > 2 {
			t.Fatalf("frame %d came %d times", n, times)
		}
	}
	want := Counters{Forwarded: handed, Dropped: b.sent - uint64(len(seen)), Duplicated: twice}
	got := b.dev.Counters()
	if got.Reordered < late { // one that is overtaken only by another that was held back is not seen as late
		t.Errorf("%d reordered, but %d seen", got.Reordered, late)
	}
	if late == 0 || want.Dropped == 0 || twice == 0 {
		t.Errorf("late %d, dropped %d, twice %d", late, want.Dropped, twice)
	}
	want.Reordered = got.Reordered
	if got != want {
		t.Errorf("counters %+v, seen %+v", got, want)
	}
	b.allFree()
}

func TestCorruptedFramesAreCounted(t *testing.T) {
	b := newBench(t, Config{Corrupt: 0.3, Seed: 1})
	damaged := uint64(0)
	for range 500 {
		if !b.host.Send(make([]byte, 100)) {
			t.Fatal("no free chunk")
		}
		_, held := b.take(true)
		for _, o := range b.dev.Area()[held[0].Addr:][:100] {
			if o != 0 {
				damaged++
				break
			}
		}
		b.dev.Recycle(held)
	}
	if got := b.dev.Counters().Corrupted; got != damaged || damaged < 100 || damaged > 200 {
		t.Errorf("counted %d, seen %d of 500", got, damaged)
	}
}

func TestDuplicateIsRecycledWhenBothAreBack(t *testing.T) {
	b := newBench(t, Config{Duplicate: 1})
	b.send(2)
	numbers, held := b.take(true)
	if !slices.Equal(numbers, []uint64{0, 0, 1, 1}) {
		t.Fatalf("frames %v", numbers)
	}
	for _, order := range [][]int{{0, 2}, {3, 1}} {
		for _, i := range order {
			b.dev.Recycle(held[i : i+1])
		}
		// The memory wire overwrites a chunk when it is recycled.
		spoiled := binary.BigEndian.Uint64(b.dev.Area()[held[0].Addr:]) != 0
		if last := order[0] == 3; spoiled != last {
			t.Errorf("after %v: recycled %v", order, spoiled)
		}
	}
	b.allFree()
}

func TestReorderedFrameIsOvertakenByOneToThree(t *testing.T) {
	b := newBench(t, Config{Reorder: 1})
	b.send(1)
	if got, _ := b.take(false); len(got) != 0 {
		t.Fatalf("frame %v was not held back", got)
	}
	b.dev.SetConfig(Config{})
	b.send(5)
	got, _ := b.take(false)
	if at := slices.Index(got, 0); len(got) != 6 || at < 1 || at > 3 {
		t.Errorf("order %v", got)
	}
	if c := b.dev.Counters(); c.Reordered != 1 || c.Forwarded != 6 {
		t.Errorf("counters %+v", c)
	}
}

func TestLastFrameIsNotHeldForEver(t *testing.T) {
	b := newBench(t, Config{Reorder: 1})
	b.now = 1000
	b.send(1)
	b.take(false)
	if next := b.dev.Next(); next != 1000+wire.Time(holdFor) {
		t.Fatalf("next is due at %d", next)
	}
	b.now = b.dev.Next() - 1
	if got, _ := b.take(false); len(got) != 0 {
		t.Fatal("it came early")
	}
	b.now++
	if got, _ := b.take(false); !slices.Equal(got, []uint64{0}) {
		t.Fatalf("frames %v", got)
	}
	if c := b.dev.Counters(); c.Reordered != 0 { // nothing overtook it
		t.Errorf("counters %+v", c)
	}
	b.allFree()
}

// A frame has one owner at any time, whatever happens to it: with random faults,
// batch sizes and orders of recycling, no chunk is lost or given back twice (the
// memory wire panics on that), and none that is held is overwritten.
func TestOwnershipUnderAllFaults(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		b := newBench(t, Config{Loss: 0.1, Corrupt: 0.1, Duplicate: 0.2, Reorder: 0.2,
			Jitter: 20 * time.Microsecond, Seed: seed})
		var held []frame.Desc
		for range 2000 {
			for range random.IntN(4) {
				if b.host.Send([]byte{1, 2, 3, 4, 5, 6, 7, 8}) {
					b.sent++
				}
			}
			b.now += wire.Time(random.Int64N(10_000))
			n := b.dev.Receive(b.into[:random.IntN(len(b.into))])
			held = append(held, b.into[:n]...)
			random.Shuffle(len(held), func(i, j int) { held[i], held[j] = held[j], held[i] })
			back := random.IntN(len(held) + 1)
			b.dev.Recycle(held[:back])
			held = slices.Delete(held, 0, back)
		}
		b.dev.Recycle(held)
		b.drain()
		c := b.dev.Counters()
		if c.Forwarded+c.Dropped+c.Overrun != b.sent+c.Duplicated {
			t.Fatalf("seed %d: %d sent, counters %+v", seed, b.sent, c)
		}
		b.allFree()
	}
}

func TestSetConfigRefusesNonsense(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	newBench(t, Config{}).dev.SetConfig(Config{Loss: 2})
}

func TestCountersAdd(t *testing.T) {
	c := Counters{1, 2, 3, 4, 5, 6, 7, 8}
	c.Add(Counters{10, 20, 30, 40, 50, 60, 70, 80})
	if c != (Counters{11, 22, 33, 44, 55, 66, 77, 88}) {
		t.Errorf("%+v", c)
	}
}

func TestDeviceAllocatesNothing(t *testing.T) {
	b := newBench(t, Config{Loss: 0.1, Corrupt: 0.1, Duplicate: 0.1, Reorder: 0.1, Jitter: time.Microsecond, RateBPS: 1e9})
	octets := make([]byte, 64)
	if n := testing.AllocsPerRun(1000, func() {
		for range 8 {
			b.host.Send(octets)
		}
		b.now += 5000
		b.dev.Recycle(b.into[:b.dev.Receive(b.into)])
	}); n != 0 {
		t.Errorf("%v allocations per batch", n)
	}
}

func BenchmarkReceive(b *testing.B) {
	g := frame.Geometry{ChunkSize: 2048, RX: 64, TX: 32}
	near, far := mem.NewPair(g, g, 64)
	dev := New(far, Config{Loss: 0.01, Corrupt: 0.001, Duplicate: 0.001, Reorder: 0.001}, func() wire.Time { return 0 })
	var tx, into [32]frame.Desc
	var done [32]uint64
	for i := range tx {
		tx[i] = frame.Desc{Addr: g.SlotAddr(uint32(i)), Len: 60}
	}
	for b.Loop() { // 32 frames
		near.Transmit(tx[:])
		if err := near.Kick(); err != nil {
			b.Fatal(err)
		}
		near.Completed(done[:])
		dev.Recycle(into[:dev.Receive(into[:])])
	}
}
