package llr

import (
	"testing"
	"time"

	"uelink/wire"
)

// ackBurst acknowledges n frames, one each step from now on, where the least loop time is 10 us.
func ackBurst(r *replay, n int, step time.Duration, now wire.Time) {
	for i := range n {
		r.recordProgress(1, 10*time.Microsecond, now.Add(time.Duration(i)*step))
	}
}

// A partner that waits for its CPU acknowledges many frames at once, and so many may be outstanding; one at the end of
// a wire with a queue acknowledges few within a loop.
func TestEnoughFollowsTheBurstsOfAcknowledgements(t *testing.T) {
	for _, c := range []struct {
		name        string
		n           int
		apart, step time.Duration
		want        uint32
	}{
		{"100 frames each 5 ms", 100, 5 * time.Millisecond, 0, 100*3/2 + reachMore},
		{"a frame each microsecond", 500, 500 * time.Microsecond, time.Microsecond, 10*3/2 + reachMore},
		{"a frame each 20 microseconds", 500, 10 * time.Millisecond, 20 * time.Microsecond, 1*3/2 + reachMore},
	} {
		var r replay
		r.reset(0, 0)
		if n := r.enough(); n != MaxOutstandingFrames {
			t.Errorf("%s: before the first loss %d frames are enough", c.name, n)
		}
		for i := range 40 {
			ackBurst(&r, c.n, c.step, wire.Time(0).Add(time.Duration(i)*c.apart))
			r.recordLoss(0)
		}
		if n := r.enough(); r.reach != n {
			t.Errorf("%s: %d frames may be outstanding, %d are enough", c.name, r.reach, n)
		}
		r.apart = 1 // the bursts alone decide
		if n := r.enough(); n != c.want {
			t.Errorf("%s: %d frames are enough, want %d", c.name, n, c.want)
		}
	}
}

// Selective replay is advised where losses make much more of go-back-N's frames old ones, after enough losses, and not
// to a profile that has it.
func TestAdvisedKindOfReplay(t *testing.T) {
	for _, c := range []struct {
		apart, behind uint32
		losses        int
		want          ReplayKind
	}{
		{100, 50, burstLosses, Selective}, {100, 50, burstLosses - 1, GoBackN}, {1000, 50, burstLosses, GoBackN},
	} {
		tx := NewTx(profile(), 1, testNonce)
		r := &tx.replay
		r.reset(0, 0)
		for i := range c.losses {
			r.recordProgress(c.apart, time.Microsecond, wire.Time(i)*ms)
			r.recordLoss(c.behind)
		}
		if kind := tx.AdviseReplay(); kind != c.want {
			goBackN, selective, ok := tx.Goodput()
			t.Errorf("%+v: %v by goodputs %v, %v, %v", c, kind, goBackN, selective, ok)
		}
		if tx.profile.Replay = Auto; tx.AdviseReplay() != Auto {
			t.Errorf("%+v: %v for a profile with auto", c, tx.AdviseReplay())
		}
	}
}

// Old bursts are forgotten after enough losses, and a time without losses makes room for all frames again.
func TestOldBurstsAreForgotten(t *testing.T) {
	var r replay
	r.reset(0, 0)
	ackBurst(&r, 400, 0, 0)
	for i := range 2 * burstLosses {
		r.recordLoss(0)
		ackBurst(&r, 4, ms, wire.Time(1+4*i)*ms)
	}
	if n := r.enough(); n > reachMore+2 {
		t.Errorf("%d frames are enough after bursts of one", n)
	}
	ackBurst(&r, apartShare*512, ms, 1000*ms)
	if r.reach < 512 {
		t.Errorf("%d frames may be outstanding after %d without a loss", r.reach, apartShare*512)
	}
}
