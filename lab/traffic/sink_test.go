package traffic

import (
	"strings"
	"testing"
	"time"

	"uelink/wire"
)

// sinkConfig is 20,000 frames a second of a few priorities each way, to a sink that takes 2,000
// of priority 3.
func sinkConfig(priorities ...uint8) Config {
	c := testConfig()
	c.Priorities, c.Rate, c.Frames, c.Size, c.Window = priorities, 20_000, 0, "100", 32
	c.Duration, c.LossTimeout = 500*time.Millisecond, time.Second
	c.SinkRate[3] = 2000
	return c
}

// playFor runs an engine for its duration, on the clock of the wire.
func (w *faultyWire) playFor(e *engine) Result {
	w.t.Helper()
	for w.now < e.until {
		if _, err := e.step(w.now); err != nil {
			w.t.Fatal(err)
		}
		w.turn()
	}
	e.govern(w.t.Context(), w.now)
	return w.play(e)
}

// dropPauses is a wire on which no PFC comes through.
func dropPauses(_, _ int, octets []byte) [][]byte {
	if wire.MACControl(octets) {
		return nil
	}
	return [][]byte{octets}
}

func TestSlowSinkStopsItsSenderAndLosesNothing(t *testing.T) {
	w := newFaultyWire(t, nil)
	r := w.playFor(w.engine(sinkConfig(3)))
	slow, back := r.Directions[0], r.Directions[1]
	if !slow.Clean() || slow.EdgeOverrun != 0 {
		t.Errorf("%+v", slow)
	}
	// 1000 in half a second, and what waits at its end; the rest of 10,000 was not let out.
	if slow.Sent < 1000 || slow.Sent > 1300 || slow.HeldBack+slow.Sent < 9_990 || slow.HeldBack+slow.Sent > 10_000 {
		t.Errorf("sent %d, held back %d", slow.Sent, slow.HeldBack)
	}
	if slow.PausesSent == 0 || slow.ResumesSent == 0 || slow.PausesSent != slow.PausesReceived ||
		slow.ResumesSent != slow.ResumesReceived || slow.PausedSeconds < 0.4 || slow.PausedSeconds > 0.6 {
		t.Errorf("%+v", slow)
	}
	if !back.Clean() || back.Sent < 9_990 || back.paused() {
		t.Errorf("the other direction: %+v", back)
	}
}

// Without PFC the same run loses the frames that the queue has no room for, and counts them.
func TestSlowSinkWithoutPFCOverruns(t *testing.T) {
	w := newFaultyWire(t, dropPauses)
	r := w.playFor(w.engine(sinkConfig(3)))
	d := r.Directions[0]
	if d.Sent < 9_990 || d.EdgeOverrun < 8000 || d.Lost != d.EdgeOverrun || d.PausesReceived != 0 || d.PausesSent == 0 {
		t.Errorf("%+v", d)
	}
}

// Waiting frames leave half of the RX chunks to arriving frames.
func TestWhatWaitsLeavesRoomForWhatComes(t *testing.T) {
	c := sinkConfig(0, 3, 5)
	c.SinkRate = [wire.Priorities]float64{1, 1, 1, 1, 1, 1, 1, 1}
	e, waiting := newFaultyWire(t, nil).engine(c), 0
	for _, f := range e.ports[1].ends {
		waiting += len(f.queue.frames)
	}
	if chunks := e.ports[1].unit.RX; waiting > chunks/2 || waiting < chunks/2-len(e.ports[1].ends) {
		t.Errorf("%d of %d chunks", waiting, chunks)
	}
}

// A run does not end while frames wait, however long it takes until the next one is taken.
func TestSinkIsWaitedFor(t *testing.T) {
	c := sinkConfig(3)
	c.Rate, c.Duration, c.Frames, c.SinkRate[3], c.LossTimeout = 0, 0, 20, 10, 10*time.Millisecond
	w := newFaultyWire(t, nil)
	r := w.play(w.engine(c))
	checkDirections(t, r, want{delivered: 20})
	if d := r.Directions[0]; d.Seconds < 1.8 || d.Seconds > 2.1 {
		t.Errorf("%+v", d)
	}
}

// A slow priority stops itself, and the others keep their rate.
func TestSlowPriorityLeavesTheOthersAlone(t *testing.T) {
	w := newFaultyWire(t, nil)
	r := w.playFor(w.engine(sinkConfig(0, 1, 3, 7)))
	for i, d := range r.Directions {
		slow := i == 4
		if want := []uint8{0, 0, 1, 1, 3, 3, 7, 7}[i]; d.Priority != want || !d.Clean() {
			t.Errorf("direction %d: %+v", i, d)
		}
		if d.paused() != slow || !slow && d.Sent < 9_990 || slow && d.Sent > 1300 {
			t.Errorf("direction %d, of priority %d: %+v", i, d.Priority, d)
		}
	}
}

// A lost pause is repeated before the queue is full.
func TestSlowSinkRepeatsPausesThatWereLost(t *testing.T) {
	seen := 0
	w := newFaultyWire(t, func(_, _ int, octets []byte) [][]byte {
		if wire.MACControl(octets) {
			if seen++; seen%2 == 1 {
				return nil
			}
		}
		return [][]byte{octets}
	})
	r := w.playFor(w.engine(sinkConfig(3)))
	if d := r.Directions[0]; !d.Clean() || d.EdgeOverrun != 0 || d.PausesReceived >= d.PausesSent {
		t.Errorf("%+v", d)
	}
}

func TestSinkTakesAtItsRateAndSavesNothingUp(t *testing.T) {
	q := newQueue(8, 1000, 0)
	at := func(ms int) (n int) {
		for {
			if _, ok := q.pop(wire.Time(ms) * wire.Time(time.Millisecond)); !ok {
				return n
			}
			n++
		}
	}
	fill := func() {
		for q.put(waiting{}) {
		}
	}
	at(1000) // nothing was there
	fill()
	if q.overrun != 1 || q.len() != 8 {
		t.Errorf("%d wait, %d did not fit", q.len(), q.overrun)
	}
	for _, step := range []struct {
		ms   int
		want int
	}{{1000, 0}, {1001, 1}, {1004, 3}, {1004, 0}, {1100, 4}} {
		if n := at(step.ms); n != step.want {
			t.Errorf("at %d ms: took %d, want %d", step.ms, n, step.want)
		}
	}
}

func TestEngineWithASlowSinkDoesNotAllocate(t *testing.T) {
	c := sinkConfig(0, 3)
	c.Duration = 0
	now := wire.Time(0)
	e := directEngine(t, c, func() wire.Time { return now })
	step := func() {
		if _, err := e.step(now); err != nil {
			t.Fatal(err)
		}
		now += 20_000
	}
	for range 5000 { // into the first pauses
		step()
	}
	if n := testing.AllocsPerRun(5000, step); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
	if c := e.ports[0].paused.Counters(now).Priority[3]; c.RxPause == 0 || c.RxResume == 0 {
		t.Errorf("nobody was stopped: %+v", c)
	}
}

// An end that takes nothing of a priority for a while stops its sender by PFC: nothing is lost, the
// other priority keeps its rate, and all goes on when the while is over.
func TestSinkThatStandsStillForAWhile(t *testing.T) {
	c := sinkConfig(2, 3)
	c.SinkRate[3] = 0
	c.Stall = Stall{Priority: 3, Begin: 100 * time.Millisecond, Duration: 200 * time.Millisecond}
	w := newFaultyWire(t, nil)
	r := w.playFor(w.engine(c))
	for _, d := range r.Directions {
		stalled := d.Priority == 3 && d.From == r.Directions[0].From
		switch {
		case !d.Clean() || d.EdgeOverrun != 0:
			t.Errorf("%+v", d)
		case stalled && (d.DeliveredInStall != 0 || d.PausedSeconds < 0.15 || d.Sent < 5_000 || d.Sent > 7_000):
			t.Errorf("the one that stood still: %+v", d)
		case !stalled && (d.DeliveredInStall < 3_900 || d.DeliveredInStall > 4_100):
			t.Errorf("another one: %+v", d)
		}
	}
	c.Stall.Priority = 4
	if err := c.Validate(); err == nil {
		t.Error("a stall of a priority that nobody sends is taken")
	}
}

// A silent flow is given up, but not during a stall of its sink: patience begins at the end of the stall.
func TestASinkThatStandsStillIsNotGivenUp(t *testing.T) {
	c := sinkConfig(2, 3)
	c.SinkRate[3] = 0
	c.GiveUp, c.Spin = 60*time.Millisecond, time.Hour
	c.Stall = Stall{Priority: 3, Begin: 100 * time.Millisecond, Duration: 200 * time.Millisecond}
	for _, cut := range []bool{false, true} {
		var w *faultyWire
		w = newFaultyWire(t, func(direction, _ int, octets []byte) [][]byte {
			if cut && direction == 0 && w.now > wire.Time(250*time.Millisecond) {
				return nil
			}
			return [][]byte{octets}
		})
		e := w.engine(c)
		e.clock = func() wire.Time {
			w.turn()
			return w.now
		}
		r, err := e.run(t.Context(), nil)
		if cut {
			if err == nil || !strings.Contains(err.Error(), "nothing sent by A arrived at B for 60ms") {
				t.Errorf("the wire was cut: %v", err)
			}
			continue
		}
		if err != nil || !r.Clean() || r.Directions[2].DeliveredInStall != 0 || r.Directions[2].Delivered < 4000 {
			t.Errorf("%v, %+v", err, r.Directions)
		}
	}
}
