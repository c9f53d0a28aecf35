package pfc

import (
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"uelink/wire"
)

// line is a sender and a receiver with a wire between them: data one way, PFC the other. Time
// goes in steps of 1 us.
type line struct {
	t      *rapid.T
	random *rand.Rand
	pauser *Pauser
	paused *Paused
	delay  time.Duration // one way
	now    wire.Time

	offered [wire.Priorities]float64 // frames a step
	drained [wire.Priorities]float64 // frames a step
	lossy   bool                     // half of the PFC frames are lost
	lost    bool                     // one has been

	waiting [wire.Priorities]int
	most    [wire.Priorities]int // of waiting
	data    []flight[int]
	pfc     []flight[wire.PFC]
	above   [wire.Priorities]time.Duration // how long it has been above XOff without a break
	frames  int                            // PFC frames sent
}

// flight is something on the wire.
type flight[T any] struct {
	arrives wire.Time
	what    T
}

const step = us

func newLine(t *rapid.T) *line {
	seed := rapid.Uint64().Draw(t, "seed")
	s := PauserSettings{
		Priorities: 0xFF,
		Rate:       rapid.SampledFrom([]int64{1e9, 10e9, 100e9}).Draw(t, "rate"),
		Quanta:     rapid.SampledFrom([]uint16{2000, 4000, MaxQuanta / 10}).Draw(t, "quanta"),
	}
	for i := range s.XOff {
		s.XOff[i] = rapid.IntRange(1, 200).Draw(t, "xoff")
		s.XOn[i] = rapid.IntRange(0, s.XOff[i]-1).Draw(t, "xon")
	}
	l := &line{t: t, random: rand.New(rand.NewPCG(seed, 0))}
	l.delay = time.Duration(rapid.Int64Range(0, 50).Draw(t, "delay")) * step
	var err error
	if l.pauser, err = NewPauser(s); err != nil {
		t.Fatal(err)
	}
	if l.paused, err = NewPaused(PausedSettings{Priorities: 0xFF, Rate: s.Rate}); err != nil {
		t.Fatal(err)
	}
	return l
}

// load draws how fast frames come and go from now on.
func (l *line) load() {
	for i := range l.offered {
		l.offered[i] = l.random.Float64()
		l.drained[i] = l.random.Float64() * float64(l.random.IntN(2))
	}
}

// amount is how many of a rate of frames a step there are in this step.
func (l *line) amount(rate float64) int {
	n := int(rate)
	if l.random.Float64() < rate-float64(n) {
		n++
	}
	return n
}

func (l *line) step() {
	l.renew()
	l.now = l.now.Add(step)
	l.send(l.paused.Stopped(l.now))
	for ; len(l.data) > 0 && l.data[0].arrives <= l.now; l.data = l.data[1:] {
		l.waiting[l.data[0].what]++
	}
	for i := range l.waiting {
		l.most[i] = max(l.most[i], l.waiting[i])
		l.waiting[i] = max(0, l.waiting[i]-l.amount(l.drained[i]))
		l.pauser.SetLevel(i, l.waiting[i])
	}
	if f, ok := l.pauser.Poll(l.now); ok {
		l.frames++
		if l.lossy && l.random.IntN(2) == 0 {
			l.lost = true
		} else {
			l.pfc = append(l.pfc, flight[wire.PFC]{l.now.Add(l.delay), f})
		}
	}
	for ; len(l.pfc) > 0 && l.pfc[0].arrives <= l.now; l.pfc = l.pfc[1:] {
		l.paused.ReceivedFrame(l.pfc[0].what, l.now)
	}
}

func (l *line) send(stopped uint8) {
	for i := range l.offered {
		if stopped>>i&1 == 1 {
			continue
		}
		for range l.amount(l.offered[i]) {
			l.data = append(l.data, flight[int]{l.now.Add(l.delay), i})
		}
	}
}

// check demands that who has been above his high watermark for the way of a PFC frame is
// stopped: so he is open for a round trip at most from the frame that was too much.
func (l *line) check() {
	stopped := l.paused.Stopped(l.now)
	for i := range l.waiting {
		if l.waiting[i] < l.pauser.settings.XOff[i] {
			l.above[i] = 0
			continue
		}
		if l.above[i] += step; l.above[i] > l.delay+2*step && stopped>>i&1 == 0 {
			l.t.Fatalf("%d us: priority %d has %d waiting, above %d for %d us, one way is %d us, and is not stopped",
				l.now/us, i, l.waiting[i], l.pauser.settings.XOff[i], l.above[i]/us, l.delay/us)
		}
	}
}

// drain ends all sending, and demands that all is open when what waits is gone: at once, or
// when the time of a stop is over whose lift was lost.
func (l *line) drain() {
	l.offered = [wire.Priorities]float64{}
	for i := range l.drained {
		l.drained[i] = 1
	}
	for steps := 0; len(l.data) > 0 || l.waiting != [wire.Priorities]int{}; steps++ {
		if l.step(); steps > 20_000 {
			l.t.Fatalf("still waiting: %v", l.waiting)
		}
	}
	until := l.now.Add(l.pauser.spacing).Add(l.delay).Add(step)
	if l.lost {
		until = until.Add(l.pauser.settings.pause())
	}
	for l.now < until {
		l.step()
	}
	if stopped := l.paused.Stopped(l.now); stopped != 0 || l.pauser.Stopped() != 0 {
		l.t.Fatalf("%08b is stopped, and %08b was told so, while nothing waits", stopped, l.pauser.Stopped())
	}
	if d := min(l.pauser.Deadline(), l.paused.Deadline()); d != wire.Never {
		l.t.Fatalf("a deadline at %d with nothing to do", d)
	}
}

// On a wire that loses nothing nobody is open above his watermark, and so what waits has a
// bound. There is no storm, and in the end all is open.
func TestSimulationOverAGoodWire(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLine(t)
		for range 5 {
			l.load()
			for range 1000 {
				l.step()
				l.check()
			}
		}
		for i, most := range l.most {
			// Offered is under one frame a step, and what leaves in a round trip still comes.
			if bound := l.pauser.settings.XOff[i] + int(2*l.delay/step) + 4; most > bound {
				t.Fatalf("priority %d had %d waiting: more than %d", i, most, bound)
			}
		}
		l.drain()
		l.noStorm()
	})
}

// noStorm bounds the frames sent by the spacing of lifts and the renewals.
func (l *line) noStorm() {
	lifts := int(l.now/wire.Time(l.pauser.spacing)) + 1
	renewals := int(l.now/wire.Time(l.pauser.refresh)) + 1
	if most := lifts*(wire.Priorities+1) + renewals; l.frames > most {
		l.t.Fatalf("%d PFC frames in %d us: more than %d", l.frames, l.now/us, most)
	}
}

// While PFC is lost the promise cannot hold. When the wire is good again, one renewal later it
// holds again, whatever was lost before.
func TestSimulationRepairsWhatWasLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLine(t)
		l.load()
		l.lossy = true
		for range 1500 {
			l.step()
		}
		l.lossy = false
		for until := l.now.Add(l.pauser.refresh).Add(l.delay).Add(2 * step); l.now < until; {
			l.step()
		}
		for range 1500 {
			l.step()
			l.check()
		}
		l.drain()
	})
}
