package llr

import (
	"testing"
	"time"

	"uelink/wire"
)

// auto is a profile that follows the loop time.
func auto() Profile {
	p := profile()
	p.MaxOutstandingFrames, p.MaxReplayTimer = 0, 0
	return p
}

func wantLimits(t *testing.T, l *Link, frames int, timer time.Duration) {
	t.Helper()
	if f, d := l.Tx.Limits(); f != frames || d != timer {
		t.Errorf("%d frames and %v are in force, want %d and %v", f, d, frames, timer)
	}
}

// At 10 Gb/s 14.88 frames of the smallest size leave in 1 µs; an LLR_ACK covers 34.
func TestAdviceFollowsLoopTimeAndSpeed(t *testing.T) {
	for _, c := range []struct {
		name   string
		loop   time.Duration
		speed  int64
		frames int
		timer  time.Duration
		octets int
	}{
		{"short loop", 5_000, 10e9, 183, 120 * time.Microsecond, 12_500},
		{"speed not known", 5_000, 0, 183, 120 * time.Microsecond, 12_500},
		{"slow port", 50_000, 1e9, 183, 300 * time.Microsecond, 12_500},
		{"no loop to speak of", 100, 1e9, leastFrames, 110 * time.Microsecond, 25},
		{"fast port", 20_000, 100e9, 5987, 180 * time.Microsecond, 500_000},
		{"far", 100_000_000, 10e9, MaxOutstandingFrames, 400_100 * time.Microsecond, 250_000_000},
		{"as far as the moon", 2_600_000_000, 100e9, MaxOutstandingFrames, timerMost, 65_000_000_000},
	} {
		p := profile()
		l := handshaken(p, c.loop)
		l.Tx.SetSpeed(c.speed)
		a, ok := l.Tx.Advice()
		if want := (Advice{c.frames, c.timer, c.octets}); !ok || a != want {
			t.Errorf("%s: %+v, want %+v", c.name, a, want)
		}
		wantLimits(t, l, p.MaxOutstandingFrames, p.MaxReplayTimer) // advised is not in force
	}
}

// With a replay timer below the loop time each frame is sent again, and acknowledgements that come late for that reason
// say nothing about the timer to advise.
func TestAdviceIgnoresTheReplaysOfATimerThatIsTooShort(t *testing.T) {
	p := profile()
	p.MaxReplayTimer = time.Microsecond
	l := handshaken(p, 20*time.Microsecond)
	for range 2 * adviseEvery {
		l.Tx.loop.add(4 * time.Second)
	}
	if a, _ := l.Tx.Advice(); a.MaxReplayTimer != 180*time.Microsecond {
		t.Errorf("the advice is %v", a.MaxReplayTimer)
	}
}

func TestAutoIsSafeBeforeTheLoopTimeIsKnown(t *testing.T) {
	l := NewLink(auto(), 0, testNonce)
	wantLimits(t, l, 512, 2*time.Millisecond)
	if _, ok := l.Tx.Advice(); ok {
		t.Error("there is advice before LLR is up")
	}
}

func TestAutoFollowsTheLoopTime(t *testing.T) {
	l := handshaken(auto(), 5_000)
	wantLimits(t, l, 183, 120*time.Microsecond)
	l.Tx.SetSpeed(1e9)
	wantLimits(t, l, leastFrames, 120*time.Microsecond)
	l.Tx.SetSpeed(100e9)
	now := wire.Time(1_000_000)
	for range adviseEvery {
		acked(l, 1, now, now+40_000)
		now += 50_000
	}
	if frames, timer := l.Tx.Limits(); frames != 1523 || timer < 260*time.Microsecond || timer > 290*time.Microsecond {
		t.Errorf("%d frames, %v: want the window of the shortest loop and the timer of the longest", frames, timer)
	}
	l.Tx.Reinit(now)
	wantLimits(t, l, 512, 2*time.Millisecond)
}

// The window is never larger than the replay buffer.
func TestAutoStaysWithinTheReplaySlots(t *testing.T) {
	if n := auto().ReplaySlots(); n != AutoReplaySlots {
		t.Errorf("%d slots, want %d", n, AutoReplaySlots)
	}
	l := handshaken(auto(), 1_000_000)
	wantLimits(t, l, AutoReplaySlots, 4100*time.Microsecond)
	for i := range AutoReplaySlots {
		if l.Tx.Admit(100) != Sequence {
			t.Fatalf("frame %d is not admitted", i)
		}
		l.Tx.Push(uint32(i), 100, false, 2_000_000)
	}
	if v := l.Tx.Admit(100); v != Wait {
		t.Errorf("one frame more than there are slots: %v", v)
	}
}

// Either may be left open alone.
func TestOneOfTwoFollowsTheLoopTime(t *testing.T) {
	p := auto()
	p.MaxOutstandingFrames = 16
	wantLimits(t, handshaken(p, 5_000), 16, 120*time.Microsecond)
	p = auto()
	p.MaxReplayTimer = time.Second
	wantLimits(t, handshaken(p, 5_000), 183, time.Second)
}

// A profile that comes while LLR runs is in force at once.
func TestAutoBySetProfile(t *testing.T) {
	l := handshaken(profile(), 5_000)
	l.SetProfile(auto())
	wantLimits(t, l, 183, 120*time.Microsecond)
	l.SetProfile(profile())
	wantLimits(t, l, 16, time.Millisecond)
}

// A replay timer for hardware, of a few microseconds, would run out before any acknowledgement.
func TestTimerForHardwareIsRaisedToTheLoopTime(t *testing.T) {
	for name, c := range map[string]struct {
		timer, loop, want time.Duration
		frames            int
		floor             bool
	}{
		"raised":                {10_000, 50_000, 8 * 50_000, 100, true},
		"window by loop time":   {10_000, 50_000, 8 * 50_000, 0, true},
		"long enough as it is":  {time.Second, 50_000, time.Second, 100, true},
		"without a floor":       {10_000, 50_000, 10_000, 100, false},
		"no loop time is known": {10_000, 0, startTimer, 100, true},
		"0 is by the loop time": {0, 5_000, 120 * time.Microsecond, 100, true},
	} {
		p := profile()
		p.MaxOutstandingFrames, p.MaxReplayTimer, p.TimerFloor = c.frames, c.timer, c.floor
		l := NewLink(p, 0, testNonce)
		if c.loop > 0 {
			l = handshaken(p, c.loop)
		}
		if _, timer := l.Tx.Limits(); timer != c.want {
			t.Errorf("%s: %v in force, want %v", name, timer, c.want)
		}
	}
}
