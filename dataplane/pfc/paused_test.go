package pfc

import (
	"strings"
	"testing"
	"time"

	"uelink/wire"
)

func newTestPaused(t *testing.T, s PausedSettings) *Paused {
	t.Helper()
	p, err := NewPaused(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// quanta is a frame for one priority.
func quanta(priority int, n uint16) wire.PFC {
	f := wire.PFC{Enable: 1 << priority}
	f.Quanta[priority] = n
	return f
}

func wantPaused(t *testing.T, what string, p *Paused, now wire.Time, want uint8) {
	t.Helper()
	if got := p.Stopped(now); got != want {
		t.Errorf("%s: %08b is stopped, want %08b", what, got, want)
	}
}

func TestQuantumIs512BitTimes(t *testing.T) {
	for _, c := range []struct {
		rate   int64
		quanta uint16
		want   time.Duration
	}{
		{1e9, 1, 512}, {10e9, 1, 52}, {10e9, 10, 512}, {100e9, 1000, 5120}, {10e6, 1, 51_200},
		{1e9, 0xFFFF, gigabitPause()}, {RateMin, 0xFFFF, 1000 * gigabitPause()}, {RateMax, 1, 1},
	} {
		p := newTestPaused(t, PausedSettings{Priorities: 1 << 3, Rate: c.rate})
		p.ReceivedFrame(quanta(3, c.quanta), 7)
		if d := p.Deadline(); d != 7+min(wire.Time(c.want), wire.Time(StuckAfter)) {
			t.Errorf("%d quanta at %d bit/s end at %d, want %v", c.quanta, c.rate, d, c.want)
		}
		wantPaused(t, "before", p, 7+wire.Time(c.want)-1, 1<<3)
		wantPaused(t, "after", p, 7+wire.Time(c.want), 0)
	}
}

func TestPrioritiesStopAndGoOnEachByItself(t *testing.T) {
	p := newTestPaused(t, PausedSettings{Priorities: 0xFF, Rate: 1e9})
	p.ReceivedFrame(wire.PFC{Enable: 0b1010_0001, Quanta: [8]uint16{0: 10, 5: 20, 7: 30}}, 0)
	wantPaused(t, "three", p, 0, 0b1010_0001)
	p.ReceivedFrame(wire.PFC{Enable: 0b0010_0010, Quanta: [8]uint16{1: 15}}, 100)
	wantPaused(t, "5 goes on, 1 stops, the others stay", p, 100, 0b1000_0011)
	for _, c := range []struct {
		at   wire.Time
		want uint8
	}{{10*512 - 1, 0b1000_0011}, {10 * 512, 0b1000_0010}, {100 + 15*512, 0b1000_0000}, {30 * 512, 0}} {
		if c.want != 0b1000_0011 {
			if d := p.Deadline(); d != c.at {
				t.Errorf("deadline %d, want %d", d, c.at)
			}
		}
		wantPaused(t, "in time", p, c.at, c.want)
	}
	if d := p.Deadline(); d != wire.Never {
		t.Errorf("deadline %d with nothing stopped", d)
	}
	want := [8]time.Duration{10 * 512, 15 * 512, 0, 0, 0, 100, 0, 30 * 512}
	for i, c := range p.Counters(1 << 40).Priority {
		if c.Paused != want[i] {
			t.Errorf("priority %d was stopped for %d ns, want %d", i, c.Paused, want[i])
		}
	}
}

// Annex 31D: each frame sets the timer again, also to an earlier end.
func TestLastFrameSaysWhenItEnds(t *testing.T) {
	p := newTestPaused(t, PausedSettings{Priorities: 1 << 3, Rate: 1e9})
	p.ReceivedFrame(quanta(3, 1000), 0)
	p.ReceivedFrame(quanta(3, 10), 512)
	wantPaused(t, "the shorter one", p, 11*512, 0)
	p.ReceivedFrame(quanta(3, 10), 20*512)
	p.ReceivedFrame(quanta(3, 10), 25*512)
	wantPaused(t, "the longer one", p, 35*512-1, 1<<3)
	c := p.Counters(35*512 - 1).Priority[3]
	if want := (PriorityCounters{RxPause: 4, On2Off: 2, Paused: 11*512 + 15*512 - 1}); c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
}

func TestPrioritiesThatAreNotAgreedOnAreIgnoredAndCounted(t *testing.T) {
	p := newTestPaused(t, PausedSettings{Priorities: 1 << 3, Rate: 1e9})
	p.ReceivedFrame(wire.PFC{Enable: 0b0000_1110, Quanta: [8]uint16{1: 5, 3: 5}}, 0)
	wantPaused(t, "only 3", p, 0, 1<<3)
	c := p.Counters(0).Priority
	want := [8]PriorityCounters{1: {Ignored: 1}, 2: {Ignored: 1}, 3: {RxPause: 1, On2Off: 1}}
	if c != want {
		t.Errorf("%+v", c)
	}
	off := newTestPaused(t, PausedSettings{})
	off.ReceivedFrame(stops(0xFF, 0), 0)
	wantPaused(t, "nothing agreed on", off, 0, 0)
}

func TestPAUSEStopsAllIfItIsObeyed(t *testing.T) {
	p := newTestPaused(t, PausedSettings{Priorities: 1 << 3, Rate: 1e9})
	p.ReceivedFrame(wire.Pause(100), 0)
	wantPaused(t, "not obeyed", p, 0, 0)
	if c := p.Counters(0); c.PauseIgnored != 1 || c.RxPause != 0 {
		t.Errorf("%+v", c)
	}
	if err := p.Configure(PausedSettings{Pause: true, Rate: 1e9}, 0); err != nil {
		t.Fatal(err)
	}
	p.ReceivedFrame(wire.Pause(100), 0)
	wantPaused(t, "obeyed", p, 1, 0xFF)
	p.ReceivedFrame(wire.Pause(0), 10)
	wantPaused(t, "go on", p, 10, 0)
	want := PriorityCounters{RxPause: 1, RxResume: 1, On2Off: 1, Paused: 10}
	if c := p.Counters(10); c.RxPause != 2 || c.Priority[6] != want {
		t.Errorf("%+v", c)
	}
}

func TestPriorityThatIsWithdrawnGoesOn(t *testing.T) {
	p := newTestPaused(t, PausedSettings{Priorities: 0b1100, Rate: 1e9})
	p.ReceivedFrame(stops(0b1100, 0), 0)
	if err := p.Configure(PausedSettings{Priorities: 0b1000, Rate: 1e9}, ms); err != nil {
		t.Fatal(err)
	}
	wantPaused(t, "2 withdrawn", p, ms, 0b1000)
	p.LinkRestarted(2 * ms)
	wantPaused(t, "the link was down", p, 2*ms, 0)
	if c := p.Counters(9 * ms).Priority; c[2].Paused != ms || c[3].Paused != 2*ms {
		t.Errorf("%+v", c)
	}
	if d := p.Deadline(); d != wire.Never {
		t.Errorf("deadline %d", d)
	}
	p.ReceivedFrame(quanta(3, 1), 10*ms)
	p.LinkRestarted(20 * ms) // nobody has looked at it in between
	if c := p.Counters(20 * ms).Priority; c[3].Paused != 2*ms+512 {
		t.Errorf("%+v", c)
	}
	if err := p.Configure(PausedSettings{Priorities: 1}, 0); err == nil || !strings.Contains(err.Error(), "rate of 0") {
		t.Errorf("without a rate: %v", err)
	}
}

// PFC for ever is reported after a second, once.
func TestPauseWithoutABreakIsToldOnceAfterASecond(t *testing.T) {
	p := newTestPaused(t, PausedSettings{Priorities: 0xFF, Rate: 1e9})
	renew, now := gigabitPause(), wire.Time(0)
	for ; now < wire.Time(StuckAfter); now = now.Add(renew) {
		p.ReceivedFrame(stops(1<<3, 0), now) // at the very end of the one before
		if reported := p.Stuck(now); reported != 0 {
			t.Fatalf("told after %v", time.Duration(now))
		}
	}
	if d := p.Deadline(); d != wire.Time(StuckAfter) {
		t.Errorf("deadline %v", time.Duration(d))
	}
	if reported := p.Stuck(wire.Time(StuckAfter)); reported != 1<<3 {
		t.Errorf("told %08b", reported)
	}
	p.ReceivedFrame(stops(1<<3, 0), wire.Time(StuckAfter))
	if reported := p.Stuck(wire.Time(StuckAfter) + 1); reported != 0 || p.Counters(0).Stuck != 1 {
		t.Error("told twice")
	}
	p.ReceivedFrame(stops(0, 1<<3), 2*wire.Time(StuckAfter))
	p.ReceivedFrame(stops(1<<3, 0), 2*wire.Time(StuckAfter)) // a new one
	if reported := p.Stuck(2*wire.Time(StuckAfter) + 30*ms); reported != 0 {
		t.Error("a new pause has the time of the old one")
	}
	for now = 2 * wire.Time(StuckAfter); now < 3*wire.Time(StuckAfter); now = now.Add(renew / 2) {
		p.ReceivedFrame(stops(1<<3, 0), now)
	}
	if reported := p.Stuck(3 * wire.Time(StuckAfter)); reported != 1<<3 {
		t.Errorf("the new pause is told as %08b", reported)
	}
}

func TestPauseWithBreaksIsNotTold(t *testing.T) {
	p := newTestPaused(t, PausedSettings{Priorities: 0xFF, Rate: 1e9})
	for now := wire.Time(0); now < 3*wire.Time(StuckAfter); now = now.Add(gigabitPause() + 1) {
		p.ReceivedFrame(stops(1<<3, 0), now)
		if reported := p.Stuck(now); reported != 0 {
			t.Fatalf("told after %v", time.Duration(now))
		}
	}
}

func TestCountersClearedInAPauseCountTheRest(t *testing.T) {
	p := newTestPaused(t, PausedSettings{Priorities: 1 << 3, Rate: 1e9})
	p.ReceivedFrame(quanta(3, 100), 0)
	p.ReceivedMalformed()
	if c := p.Counters(512); c.Malformed != 1 || c.Priority[3].Paused != 512 {
		t.Errorf("%+v", c)
	}
	p.ClearCounters(512)
	if c := p.Counters(512); c != (PausedCounters{}) {
		t.Errorf("cleared: %+v", c)
	}
	if c := p.Counters(3 * 512); c.Priority[3].Paused != 2*512 {
		t.Errorf("in it: %+v", c)
	}
	wantPaused(t, "over", p, 1000*512, 0)
	if c := p.Counters(1000 * 512); c.Priority[3].Paused != 99*512 {
		t.Errorf("over: %+v", c)
	}
}
