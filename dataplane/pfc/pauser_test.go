package pfc

import (
	"strings"
	"testing"
	"time"

	"uelink/wire"
)

const (
	us = 1_000
	ms = 1_000_000
)

// gigabit is a port of 1 Gb/s, where 65535 quanta are 33.55 ms, with watermarks 100 and 40.
func gigabit(priorities uint8) PauserSettings {
	s := PauserSettings{Priorities: priorities, Rate: 1e9}
	for i := range s.XOff {
		s.XOff[i], s.XOn[i] = 100, 40
	}
	return s
}

func newTestPauser(t *testing.T, s PauserSettings) *Pauser {
	t.Helper()
	p, err := NewPauser(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// stops is a frame that stops some priorities for the longest time and lets others go on.
func stops(set, lifts uint8) wire.PFC {
	f := wire.PFC{Enable: set | lifts}
	for i := range f.Quanta {
		if set>>i&1 == 1 {
			f.Quanta[i] = MaxQuanta
		}
	}
	return f
}

// wantPoll checks the frame sent at a time; the zero frame stands for no frame.
func wantPoll(t *testing.T, what string, p *Pauser, now wire.Time, want wire.PFC) {
	t.Helper()
	got, ok := p.Poll(now)
	if got != want || ok != (want.Enable != 0) {
		t.Errorf("%s: %+v, %v; want %+v", what, got, ok, want)
	}
}

// An end that leaves stops all priorities with PFC, renews the stops, and lets none go on.
func TestEndThatLeavesStopsEveryPriority(t *testing.T) {
	p := newTestPauser(t, gigabit(1<<3|1<<5))
	p.SetLevel(3, 100)
	wantPoll(t, "one over its watermark", p, 0, stops(1<<3, 0))
	p.Leave()
	wantPoll(t, "it leaves", p, 0, stops(1<<3|1<<5, 0))
	p.SetLevel(3, 0)
	wantPoll(t, "below the watermark", p, 1*ms, wire.PFC{})
	wantPoll(t, "renewed", p, 20*ms, stops(1<<3|1<<5, 0))
}

func TestPriorityIsStoppedAtTheHighWatermarkAndGoesOnAtTheLowOne(t *testing.T) {
	p := newTestPauser(t, gigabit(1<<3))
	for _, step := range []struct {
		waiting int
		want    wire.PFC
	}{
		{0, wire.PFC{}}, {99, wire.PFC{}},
		{100, stops(1<<3, 0)}, {500, wire.PFC{}}, {99, wire.PFC{}}, {41, wire.PFC{}},
		{40, stops(0, 1<<3)}, {99, wire.PFC{}}, {0, wire.PFC{}}, {100, stops(1<<3, 0)},
	} {
		p.SetLevel(3, step.waiting)
		wantPoll(t, "level", p, ms, step.want)
	}
	if c := p.Counters()[3]; c.TxPause != 2 || c.TxResume != 1 || c.TxRefresh != 0 {
		t.Errorf("%+v", c)
	}
}

func TestPrioritiesOfOneMomentShareAFrame(t *testing.T) {
	p := newTestPauser(t, gigabit(0xFF))
	for _, priority := range []int{0, 3, 7} {
		p.SetLevel(priority, 100)
	}
	wantPoll(t, "three stop", p, 0, stops(1<<0|1<<3|1<<7, 0))
	p.SetLevel(3, 0)
	p.SetLevel(5, 100)
	wantPoll(t, "one stops, one goes on, two are renewed by the way", p, ms, stops(1<<0|1<<5|1<<7, 1<<3))
	if c := p.Counters(); c[0].TxRefresh != 1 || c[5].TxPause != 1 || c[3].TxResume != 1 || c[3].TxRefresh != 0 {
		t.Errorf("%+v", c)
	}
	if d, want := p.Deadline(), ms+wire.Time(gigabitPause())*3/8; d != want {
		t.Errorf("deadline %d, want %d: what was renewed has its whole time again", d, want)
	}
}

// gigabitPause is 65535 x 512 bits at 1 Gb/s.
func gigabitPause() time.Duration { return 65535 * 512 * time.Nanosecond }

func TestStopIsRenewedBeforeHalfOfItsTimeIsOver(t *testing.T) {
	p := newTestPauser(t, gigabit(1<<3))
	p.SetLevel(3, 100)
	wantPoll(t, "stop", p, 0, stops(1<<3, 0))
	now := wire.Time(0)
	for n := range uint64(10) {
		p.SetLevel(3, 41) // above the low watermark it stays stopped
		at := p.Deadline()
		if at.Sub(now) >= gigabitPause()/2 || at.Sub(now) < gigabitPause()/4 {
			t.Fatalf("renewed %v after the last frame, of %v", at.Sub(now), gigabitPause())
		}
		wantPoll(t, "too early", p, at-1, wire.PFC{})
		wantPoll(t, "renewed", p, at, stops(1<<3, 0))
		now = at
		if c := p.Counters()[3]; c.TxRefresh != n+1 || c.TxPause != 1 {
			t.Fatalf("%+v", c)
		}
	}
	p.SetLevel(3, 40)
	wantPoll(t, "go on", p, now+1, stops(0, 1<<3))
	if d := p.Deadline(); d != wire.Never {
		t.Errorf("deadline %d with nothing stopped", d)
	}
}

// A level that goes up and down all the time makes no storm: a lift waits, a stop does not.
func TestSpacingHoldsBackLiftsAndNeverStops(t *testing.T) {
	p := newTestPauser(t, gigabit(1<<3))
	spacing := wire.Time(DefaultSpacing)
	p.SetLevel(3, 100)
	wantPoll(t, "stop", p, ms, stops(1<<3, 0))
	p.SetLevel(3, 0)
	wantPoll(t, "the first lift has none before it", p, ms+1, stops(0, 1<<3))
	p.SetLevel(3, 100)
	if d := p.Deadline(); d != 0 {
		t.Errorf("deadline %d of a stop, want at once", d)
	}
	wantPoll(t, "stop at once", p, ms+2, stops(1<<3, 0))
	p.SetLevel(3, 0)
	if d := p.Deadline(); d != ms+1+spacing {
		t.Errorf("deadline %d of a lift, want %d", d, ms+1+spacing)
	}
	wantPoll(t, "too early", p, ms+spacing, wire.PFC{})
	p.SetLevel(3, 100)
	wantPoll(t, "it is still stopped", p, ms+spacing, wire.PFC{})
	p.SetLevel(3, 0)
	wantPoll(t, "lift", p, ms+1+spacing, stops(0, 1<<3))
}

func TestFlappingLevelsAreNoStorm(t *testing.T) {
	p := newTestPauser(t, gigabit(0xFF))
	frames, stopping := 0, 0
	const length = 100 * DefaultSpacing
	for now := wire.Time(0); now < wire.Time(length); now += 100 {
		for i := range wire.Priorities {
			p.SetLevel(i, int((now/100+wire.Time(i))%2)*100)
		}
		if f, ok := p.Poll(now); ok {
			frames++
			if f.Quanta != [wire.Priorities]uint16{} {
				stopping++
			}
		}
	}
	if most := 101 * (wire.Priorities + 1); frames > most || stopping == 0 {
		t.Errorf("%d frames in 100 spacings, of which %d stop; want at most %d", frames, stopping, most)
	}
}

func TestOnlyAgreedPrioritiesAreStopped(t *testing.T) {
	p := newTestPauser(t, gigabit(1<<3))
	for i := range wire.Priorities {
		p.SetLevel(i, 1000)
	}
	wantPoll(t, "all full", p, 0, stops(1<<3, 0))
	if err := p.Configure(gigabit(1 << 4)); err != nil {
		t.Fatal(err)
	}
	wantPoll(t, "3 withdrawn; 4 agreed on, its level is not known", p, 1, stops(0, 1<<3))
	p.SetLevel(4, 1000)
	wantPoll(t, "4", p, 2, stops(1<<4, 0))
	if err := p.Configure(PauserSettings{}); err != nil {
		t.Fatal(err)
	}
	wantPoll(t, "off", p, 1+wire.Time(DefaultSpacing), stops(0, 1<<4))
	wantPoll(t, "off", p, wire.Never, wire.PFC{})
}

func TestAfterALinkWasDownAllIsToldAnew(t *testing.T) {
	p := newTestPauser(t, gigabit(0xFF))
	p.SetLevel(1, 100)
	p.SetLevel(2, 100)
	wantPoll(t, "stop", p, 0, stops(1<<1|1<<2, 0))
	p.SetLevel(2, 0)
	p.LinkRestarted()
	if p.Stopped() != 0 {
		t.Errorf("told %08b", p.Stopped())
	}
	wantPoll(t, "up again", p, 1, stops(1<<1, 0))
}

func TestPauserSettingsThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *PauserSettings)
		want   string
	}{
		"watermarks":       {func(s *PauserSettings) { s.XOn[3] = 100 }, "priority 3: watermarks xoff 100, xon 100"},
		"below 0":          {func(s *PauserSettings) { s.XOn[3] = -1 }, "xon -1"},
		"no rate":          {func(s *PauserSettings) { s.Rate = 0 }, "rate of 0 bit/s"},
		"rate":             {func(s *PauserSettings) { s.Rate = 1e14 }, "rate of 100000000000000 bit/s"},
		"spacing":          {func(s *PauserSettings) { s.Spacing = -1 }, "spacing -1ns"},
		"too short a time": {func(s *PauserSettings) { s.Quanta = 19 }, "19 quanta at 1000000000 bit/s are 9.728µs"},
	} {
		s := gigabit(1 << 3)
		c.change(&s)
		p := newTestPauser(t, gigabit(1<<3))
		p.SetLevel(3, 100)
		if err := p.Configure(s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		wantPoll(t, name+": the settings of before", p, 0, stops(1<<3, 0))
		s.Priorities = 0
		if err := s.Validate(); err != nil {
			t.Errorf("%s, and nothing agreed on: %v", name, err)
		}
	}
	s := gigabit(1 << 3)
	s.XOn[4] = 1000 // nobody has agreed on 4
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
}

// At a fast port a stop is shorter than the spacing of lifts. What waits for its lift is kept
// stopped until then: if its time ran out, the partner would send and the machine not know.
func TestWhatWaitsForItsLiftIsKeptStopped(t *testing.T) {
	s := gigabit(1 << 3)
	s.Rate = 800e9 // 65535 quanta are 42 us
	p := newTestPauser(t, s)
	p.SetLevel(3, 100)
	wantPoll(t, "stop", p, 0, stops(1<<3, 0))
	p.SetLevel(3, 0)
	wantPoll(t, "lift", p, 1, stops(0, 1<<3))
	p.SetLevel(3, 100)
	wantPoll(t, "stop", p, 2, stops(1<<3, 0))
	p.SetLevel(3, 0)
	at := p.Deadline()
	if at > 22*us {
		t.Errorf("renewed at %d us of 42", at/us)
	}
	wantPoll(t, "renewed", p, at, stops(1<<3, 0))
	wantPoll(t, "lift", p, 1+wire.Time(DefaultSpacing), stops(0, 1<<3))
}
