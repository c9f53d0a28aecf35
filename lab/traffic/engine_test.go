package traffic

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"uelink/dataplane/frame"
	"uelink/dataplane/mem"
	"uelink/wire"
)

// directEngine sends over a wire in memory with nothing between the ends.
func directEngine(t *testing.T, c Config, clock func() wire.Time) *engine {
	t.Helper()
	g := frame.Geometry{ChunkSize: 2048, RX: 256, TX: 256}
	a, b := mem.NewPair(g, g, 256)
	e, err := newEngine(c, [2][]frame.Device{{a}, {b}}, 1500, clock)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func testConfig() Config {
	c := DefaultConfig()
	c.From, c.To = End{Interface: "A"}, End{Interface: "B"}
	c.Frames, c.Size, c.RingSize = 5000, imix, 512
	c.LossTimeout = 10 * time.Millisecond // on the clock of the faulty wire
	return c
}

// want is the expected result of a direction.
type want struct{ delivered, lost, duplicated, reordered, corrupted uint64 }

func checkDirections(t *testing.T, r Result, w want) {
	t.Helper()
	for _, d := range r.Directions {
		got := want{d.Delivered, d.Lost, d.Duplicated, d.Reordered, d.CorruptedDelivered}
		if d.Sent != w.delivered+w.lost || got != w {
			t.Errorf("%s to %s: sent %d, %+v; want %+v", d.From, d.To, d.Sent, got, w)
		}
	}
	clean := w == want{delivered: w.delivered}
	if r.Clean() != clean {
		t.Errorf("clean: %v", r.Clean())
	}
}

func TestKnownFaultsAreCountedExactly(t *testing.T) {
	flip := func(at int) func([]byte) [][]byte {
		return func(octets []byte) [][]byte {
			octets[at] ^= 0x10
			return [][]byte{octets}
		}
	}
	for name, tc := range map[string]struct {
		fault fault
		want  want
	}{
		"none":                {nil, want{delivered: 5000}},
		"one of 50 lost":      {every(50, lose), want{delivered: 4900, lost: 100}},
		"one of 50 twice":     {every(50, duplicate), want{delivered: 5000, duplicated: 100}},
		"one of 50 late":      {swap(50), want{delivered: 5000, reordered: 100}},
		"payload changed":     {every(50, flip(55)), want{delivered: 4900, lost: 100, corrupted: 100}},
		"destination changed": {every(50, flip(0)), want{delivered: 4900, lost: 100, corrupted: 100}},
		"EtherType changed":   {every(50, flip(12)), want{delivered: 4900, lost: 100, corrupted: 100}},
		"identity changed":    {every(50, flip(16)), want{delivered: 4900, lost: 100, corrupted: 100}},
		"number changed":      {every(50, flip(30)), want{delivered: 4900, lost: 100, corrupted: 100}},
		"lengthened": {every(50, func(o []byte) [][]byte { return [][]byte{append(slices.Clone(o), 0)} }),
			want{delivered: 4900, lost: 100, corrupted: 100}},
		"shortened": {every(50, func(o []byte) [][]byte { return [][]byte{o[:len(o)-1]} }),
			want{delivered: 4900, lost: 100, corrupted: 100}},
		"cut to its header": {every(50, func(o []byte) [][]byte { return [][]byte{o[:14]} }),
			want{delivered: 4900, lost: 100, corrupted: 100}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFaultyWire(t, tc.fault)
			checkDirections(t, w.play(w.engine(testConfig())), tc.want)
		})
	}
}

// The last frames, and whole windows, are lost: the run goes on and ends.
func TestWindowMovesOnOverHoles(t *testing.T) {
	c := testConfig()
	w := newFaultyWire(t, func(_, i int, octets []byte) [][]byte {
		if i >= 1000 && i < 1000+c.Window || i >= 4990 {
			return nil
		}
		return [][]byte{octets}
	})
	lost := uint64(c.Window) + 10
	checkDirections(t, w.play(w.engine(c)), want{delivered: 5000 - lost, lost: lost})
}

// A frame that was written off and comes after all is late, not lost.
func TestWrittenOffAndStillDelivered(t *testing.T) {
	c := testConfig()
	var waiting [2][]byte
	w := newFaultyWire(t, func(direction, i int, octets []byte) [][]byte {
		switch i {
		case 100:
			waiting[direction] = slices.Clone(octets)
			return nil
		case 100 + 2*c.Window: // the window has moved past it
			return [][]byte{waiting[direction], octets}
		}
		return [][]byte{octets}
	})
	checkDirections(t, w.play(w.engine(c)), want{delivered: 5000, reordered: 1})
}

func TestForeignFramesAreIgnoredAndCounted(t *testing.T) {
	arp := append([]byte("\xff\xff\xff\xff\xff\xff\x02ue\x00\x00\x01\x08\x06"), make([]byte, 46)...)
	before := newFaultyWire(t, nil)
	var old []byte
	before.fault = func(_, _ int, octets []byte) [][]byte {
		old = slices.Clone(octets)
		return [][]byte{octets}
	}
	before.play(before.engine(testConfig()))
	w := newFaultyWire(t, every(100, func(octets []byte) [][]byte { return [][]byte{arp, octets, old} }))
	r := w.play(w.engine(testConfig()))
	checkDirections(t, r, want{delivered: 5000})
	if r.OtherFrames != 2*2*50 {
		t.Errorf("%d other frames, want 200", r.OtherFrames)
	}
}

func TestWindowBoundsWhatIsOnTheWay(t *testing.T) {
	c := testConfig()
	c.Window = 7
	w := newFaultyWire(t, nil)
	e := w.engine(c)
	for range 100 {
		if _, err := e.step(w.now); err != nil {
			t.Fatal(err)
		}
	}
	for i, f := range e.flows {
		if f.next != 7 {
			t.Errorf("flow %d sent %d frames with none arriving, want 7", i, f.next)
		}
	}
}

func TestRateIsKept(t *testing.T) {
	c := testConfig()
	c.Rate = 10_000 // a turn of the wire takes 20 µs
	w := newFaultyWire(t, nil)
	e := w.engine(c)
	for w.now < wire.Time(100*time.Millisecond) {
		if _, err := e.step(w.now); err != nil {
			t.Fatal(err)
		}
		w.turn()
	}
	if n := e.flows[0].next; n < 998 || n > 1000 {
		t.Errorf("%d frames in 0.1 s, want 999", n)
	}
	w.now = w.now.Add(time.Second) // a pause is not made up for
	if _, err := e.step(w.now); err != nil {
		t.Fatal(err)
	}
	if n := e.flows[0].next; n > 1000+maxBurst {
		t.Errorf("%d frames after a pause", n)
	}
}

func TestEverySizeAndTag(t *testing.T) {
	for _, vlans := range [][]uint16{nil, {100}, {100, 200}} {
		c := testConfig()
		c.Size, c.VLANs, c.Frames = sweep, vlans, 1455*2
		lengths := map[int]bool{}
		w := newFaultyWire(t, func(_, _ int, octets []byte) [][]byte {
			lengths[len(octets)] = true
			return [][]byte{octets}
		})
		checkDirections(t, w.play(w.engine(c)), want{delivered: c.Frames})
		if len(lengths) != 1455 || !lengths[60] || !lengths[1514] {
			t.Errorf("VLANs %v: %d lengths", vlans, len(lengths))
		}
	}
}

func TestOverrunIsReportedApart(t *testing.T) {
	g := frame.Geometry{ChunkSize: 2048, RX: 64, TX: 128}
	a, b := mem.NewPair(g, g, 128)
	c := testConfig()
	c.Frames, c.Rate, c.LossTimeout = 64, 1e9, time.Millisecond
	now := wire.Time(0)
	e, err := newEngine(c, [2][]frame.Device{{a}, {b}}, 1500, func() wire.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	for range 20 { // fill b's rings before the engine looks
		foreign := frame.Desc{Addr: g.SlotAddr(127), Len: 60}
		a.Transmit([]frame.Desc{foreign})
	}
	if err := a.Kick(); err != nil {
		t.Fatal(err)
	}
	var done [20]uint64
	a.Completed(done[:])
	now = now.Add(time.Second)
	e.ports[0].send(now)
	if err := e.ports[0].kick(); err != nil {
		t.Fatal(err)
	}
	for !e.over(now) {
		if _, err := e.step(now); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Millisecond)
	}
	r, err := e.result()
	if err != nil {
		t.Fatal(err)
	}
	if d := r.Directions[0]; d.EdgeOverrun != 20 || d.Lost != 20 {
		t.Errorf("overrun %d, lost %d; want 20 and 20", d.EdgeOverrun, d.Lost)
	}
}

func TestRunStopsWhenInterruptedAndReportsProgress(t *testing.T) {
	c := testConfig()
	c.Frames, c.Window = 0, 64
	start := time.Now()
	e := directEngine(t, c, func() wire.Time { return wire.Time(time.Since(start)) })
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var seen Progress
	r, err := e.run(ctx, func(p Progress) {
		seen = p
		cancel()
	})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Clean() || r.Directions[0].Sent == 0 || seen.Directions[0].Sent == 0 {
		t.Errorf("progress %+v, result %+v", seen, r)
	}
}

func TestDirectionWithoutArrivalsIsGivenUp(t *testing.T) {
	c := testConfig()
	c.GiveUp, c.LossTimeout = time.Second, 100*time.Millisecond
	w := newFaultyWire(t, func(direction, _ int, octets []byte) [][]byte {
		if direction == 1 {
			return nil
		}
		return [][]byte{octets}
	})
	e := w.engine(c)
	e.clock = func() wire.Time {
		w.turn()
		w.now = w.now.Add(10 * time.Millisecond)
		return w.now
	}
	r, err := e.run(context.Background(), nil)
	if err == nil || !strings.Contains(err.Error(), "nothing sent by B arrived at A for 1s") {
		t.Errorf("error %v", err)
	}
	if !r.Directions[0].Clean() || r.Directions[0].Sent != c.Frames || r.Directions[1].Delivered != 0 {
		t.Errorf("result %+v", r)
	}
}

func TestGoneInterfaceEndsTheRun(t *testing.T) {
	w := newFaultyWire(t, nil)
	e := w.engine(testConfig())
	w.ends[0].SetGone()
	if _, err := e.run(context.Background(), nil); err == nil ||
		!strings.Contains(err.Error(), "A: send: interface is gone") {
		t.Errorf("error %v", err)
	}
}

func TestLinkDownIsWaitedFor(t *testing.T) {
	w := newFaultyWire(t, nil)
	e := w.engine(testConfig())
	for range 3 {
		if _, err := e.step(w.now); err != nil {
			t.Fatal(err)
		}
		w.turn()
	}
	w.ends[0].SetUp(false)
	for range 100 {
		if _, err := e.step(w.now); err != nil {
			t.Fatal(err)
		}
		w.turn()
	}
	w.ends[0].SetUp(true)
	r := w.play(e)
	if d := r.Directions[0]; d.Sent != 5000 || d.Delivered != 5000 {
		t.Errorf("what was posted before did not leave: %+v", d)
	}
}

func TestEngineDoesNotAllocate(t *testing.T) {
	c := testConfig()
	c.Frames = 0
	now := wire.Time(0)
	e := directEngine(t, c, func() wire.Time { return now })
	step := func() {
		if _, err := e.step(now); err != nil {
			t.Fatal(err)
		}
		e.govern(context.Background(), now)
		now += 20_000
	}
	if n := testing.AllocsPerRun(1000, step); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
	if e.flows[0].arrivals.unique < 1000 {
		t.Errorf("only %d frames moved", e.flows[0].arrivals.unique)
	}
}
