package pfc

import (
	"testing"

	"uelink/wire"
)

func TestNothingAllocates(t *testing.T) {
	pauser := newTestPauser(t, gigabit(0xFF))
	paused := newTestPaused(t, PausedSettings{Priorities: 0xFF, Pause: true, Rate: 1e9})
	now, sent := wire.Time(0), 0
	round := func() {
		now += 50 * us
		for i := range wire.Priorities {
			pauser.SetLevel(i, int(now/us)*(i+1)%150)
		}
		if f, ok := pauser.Poll(now); ok {
			paused.ReceivedFrame(f, now)
			sent++
		}
		_ = paused.Stopped(now) | paused.Stuck(now)
		_, _ = min(pauser.Deadline(), paused.Deadline()), paused.Counters(now)
	}
	if n := testing.AllocsPerRun(1000, round); n != 0 || sent == 0 {
		t.Errorf("%v allocations a round, %d frames", n, sent)
	}
}
