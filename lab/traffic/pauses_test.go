package traffic

import (
	"context"
	"strings"
	"testing"
	"time"

	"uelink/wire"
)

// stopFor is the longest PFC: 65535 quanta of 512 ns at 1 Gb/s.
const stopFor = 65535 * 512

// turn is a step of the faulty wire.
const turn = 20_000

// pfcFrame returns a PFC frame of the other end, which pauses an engine.
func pfcFrame(p wire.PFC) []byte {
	b := make([]byte, wire.MinFrameLen)
	return b[:wire.PutPFC(b, macB, p)]
}

// stop has the wire send a PFC to end A.
func (w *faultyWire) stop(p wire.PFC) {
	w.t.Helper()
	w.put(w.inner[0], w.slots[0], pfcFrame(p), 1)
	if err := w.inner[0].Kick(); err != nil {
		w.t.Fatal(err)
	}
}

// sentWhile counts the frames that every flow sends in a number of ns.
func sentWhile(t *testing.T, w *faultyWire, e *engine, d time.Duration) (sent []uint64) {
	t.Helper()
	for _, f := range e.flows {
		sent = append(sent, f.next)
	}
	for until := w.now.Add(d); w.now < until; w.turn() {
		if _, err := e.step(w.now); err != nil {
			t.Fatal(err)
		}
	}
	for i, f := range e.flows {
		sent[i] = f.next - sent[i]
	}
	return sent
}

// atRate is an engine with frames of two priorities, 10,000 a second of each, and the wire
// that carries them.
func atRate(t *testing.T) (*faultyWire, *engine) {
	t.Helper()
	c := testConfig()
	c.Frames, c.Rate, c.Priorities, c.Window = 0, 10_000, []uint8{3, 5}, 64
	w := newFaultyWire(t, nil)
	return w, w.engine(c)
}

// --pfc-rate is the rate at which the quanta count: on a slower port the same pause is longer.
func TestPauseLastsItsQuantaAtThePFCRate(t *testing.T) {
	for rate, want := range map[int64]uint64{0: 66, 1e9: 66, 10e9: 97, 100e6: 0} { // of 100 frames in 100 ms
		c := testConfig()
		c.Frames, c.Rate, c.Priorities, c.Window, c.PFCRate = 0, 1000, []uint8{3}, 64, rate
		w := newFaultyWire(t, nil)
		e := w.engine(c)
		sentWhile(t, w, e, 10*time.Millisecond)
		w.stop(wire.PFC{Enable: 1 << 3, Quanta: [8]uint16{3: 0xFFFF}})
		if sent := sentWhile(t, w, e, 100*time.Millisecond)[0]; sent > want+1 || sent+1 < want {
			t.Errorf("at %d bit/s: %d frames, want %d", rate, sent, want)
		}
	}
}

// A slow sink renews a stop as often as the rate wants it that its sender counts at.
func TestSlowSinkRenewsItsStopsAtThePFCRate(t *testing.T) {
	renewed := map[int64]uint64{}
	for _, rate := range []int64{100e6, 10e9} {
		c := sinkConfig(3)
		c.PFCRate, c.SinkRate[3] = rate, 10
		d := newFaultyWire(t, nil)
		r := d.playFor(d.engine(c)).Directions[0]
		if renewed[rate] = r.PausesSent; !r.Clean() || r.EdgeOverrun != 0 {
			t.Errorf("at %d bit/s: %+v", rate, r)
		}
	}
	if renewed[10e9] < 50*renewed[100e6] {
		t.Errorf("stops that were sent, by rate: %v", renewed)
	}
}

func TestRateFlag(t *testing.T) {
	for text, want := range map[string]int64{"1Gbps": 1e9, "2.5Gbps": 25e8, "100Mbps": 1e8, "1Tbps": 1e12} {
		var f rateFlag
		if err := f.Set(text); err != nil || int64(f) != want {
			t.Errorf("%s: %d, %v", text, f, err)
		}
	}
	for _, text := range []string{"", "1", "Gbps", "-1Gbps", "1GiB", "NaNGbps", "1e30Tbps"} {
		var f rateFlag
		if err := f.Set(text); err == nil {
			t.Errorf("%q is %d", text, f)
		}
	}
}

// A pause stops the frames of its priority at its own end for its quanta at 1 Gb/s, and nothing
// else.
func TestPFCStopsItsPriorityForItsQuantaAtAGigabit(t *testing.T) {
	w, e := atRate(t)
	sentWhile(t, w, e, 10*time.Millisecond)
	w.stop(wire.PFC{Enable: 1 << 3, Quanta: [8]uint16{3: 0xFFFF}})
	sent := sentWhile(t, w, e, stopFor-turn)
	for i, name := range []string{"3 from A", "3 from B", "5 from A", "5 from B"} {
		if want := []uint64{0, 335, 335, 335}[i]; want == 0 && sent[i] > 0 || sent[i] > want+1 || sent[i]+1 < want {
			t.Errorf("%s: %d frames in the pause, want %d", name, sent[i], want)
		}
	}
	if sent = sentWhile(t, w, e, 10*time.Millisecond); sent[0] < 98 || sent[0] > 100 {
		t.Errorf("%d frames in the 10 ms after the pause: those of the pause are not made up for", sent[0])
	}
	r, err := e.result()
	if err != nil {
		t.Fatal(err)
	}
	d := r.Directions[0]
	if d.HeldBack < 334 || d.HeldBack > 337 || d.PausesReceived != 1 || d.ResumesReceived != 0 ||
		d.PausedSeconds != float64(stopFor)/1e9 {
		t.Errorf("%+v", d)
	}
	for _, d := range r.Directions[1:] {
		if d.paused() {
			t.Errorf("%+v", d)
		}
	}
}

// Frames that came due in a pause are not sent, even if the engine slept at the end of the pause.
func TestWhatCameDueInAPauseIsNotSentAtItsEnd(t *testing.T) {
	w, e := atRate(t)
	w.stop(wire.PFC{Enable: 1 << 3, Quanta: [8]uint16{3: 20_000}}) // 10 ms
	sentWhile(t, w, e, time.Millisecond)
	w.now = w.now.Add(10 * time.Millisecond)
	sent := sentWhile(t, w, e, turn)
	if sent[0] > 1 || sent[1] < 60 {
		t.Errorf("%d frames were sent, and %d of one that was not stopped", sent[0], sent[1])
	}
	if waiting := e.flows[0].postponed; waiting < 108 || waiting > 111 {
		t.Errorf("%d frames held back, want 110", waiting)
	}
}

func TestPFCThatLiftsAndPAUSE(t *testing.T) {
	w, e := atRate(t)
	for _, c := range []struct {
		p    wire.PFC
		want [4]bool // whether the flow sends in the 5 ms after it
	}{
		{wire.PFC{Enable: 1 << 5, Quanta: [8]uint16{5: 0xFFFF}}, [4]bool{true, true, false, true}},
		{wire.PFC{Enable: 1 << 5}, [4]bool{true, true, true, true}},
		{wire.PFC{Enable: 1 << 4, Quanta: [8]uint16{4: 0xFFFF}}, [4]bool{true, true, true, true}},
		{wire.Pause(0xFFFF), [4]bool{false, true, false, true}},
		{wire.Pause(0), [4]bool{true, true, true, true}},
	} {
		w.stop(c.p)
		sent := sentWhile(t, w, e, 5*time.Millisecond)
		for i, n := range sent {
			if n > 0 != c.want[i] {
				t.Errorf("after %+v flow %d sent %d frames", c.p, i, n)
			}
		}
	}
}

// What is no good PAUSE or PFC is counted with the frames that are not ours, and stops nobody.
func TestMalformedPausesStopNobody(t *testing.T) {
	reserved := pfcFrame(wire.PFC{Enable: 0xFF, Quanta: [8]uint16{1, 1, 1, 1, 1, 1, 1, 1}})
	reserved[16] = 1
	c := testConfig()
	w := newFaultyWire(t, every(100, func(octets []byte) [][]byte { return [][]byte{reserved, octets, reserved[:17]} }))
	r := w.play(w.engine(c))
	checkDirections(t, r, want{delivered: 5000})
	if r.OtherFrames != 2*2*50 || r.Directions[0].paused() {
		t.Errorf("%d other frames, want 200; %+v", r.OtherFrames, r.Directions[0])
	}
}

// A closed loop waits for the end of a pause and loses nothing; nothing is held back, for
// nothing was due.
func TestClosedLoopWaitsForAPause(t *testing.T) {
	stop := pfcFrame(wire.PFC{Enable: 1, Quanta: [8]uint16{0xFFFF}})
	c := testConfig()
	c.LossTimeout = time.Second
	w := newFaultyWire(t, func(direction, i int, octets []byte) [][]byte {
		if direction == 0 && i%1000 == 0 {
			return [][]byte{octets, stop}
		}
		return [][]byte{octets}
	})
	r := w.play(w.engine(c))
	checkDirections(t, r, want{delivered: 5000})
	if d := r.Directions[1]; d.PausesReceived != 5 || d.HeldBack != 0 || d.PausedSeconds < float64(stopFor)/1e9 {
		t.Errorf("%+v", d)
	}
}

func TestDirectionThatPFCStopsForEverIsGivenUpWithThatReason(t *testing.T) {
	stop := pfcFrame(wire.PFC{Enable: 1, Quanta: [8]uint16{0xFFFF}})
	c := testConfig()
	c.GiveUp, c.Rate, c.Frames = 2*time.Second, 1000, 4000
	w := newFaultyWire(t, func(direction, _ int, octets []byte) [][]byte {
		if direction == 0 {
			return [][]byte{octets, stop} // A's frames bring it to B
		}
		return [][]byte{octets}
	})
	e := w.engine(c)
	e.clock = func() wire.Time {
		w.turn()
		w.now = w.now.Add(time.Millisecond)
		return w.now
	}
	_, err := e.run(context.Background(), nil)
	const want = "nothing sent by B arrived at A for 2s: a pause has stopped priority 0 of B for more than 1s"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}
