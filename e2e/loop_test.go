package e2e

import (
	"testing"
	"time"

	"uelink/llr"
)

// Both daemons measure the loop time of their link, and a profile that leaves window and replay
// timer to it loses nothing over a bad wire.
func TestLoopTimeIsMeasuredAndFollowed(t *testing.T) {
	top := cabled(t)
	top.cable("--loss", "0.001")
	p := top.daemons(settings{profile: "max_replay_count: 255, init_action: block, flush_action: block, " +
		"max_outstanding_frames: auto, max_replay_timer: auto"})
	c := top.between()
	c.Frames, c.Size = 50_000, "imix"
	untouched(t, c)
	for _, d := range []*daemon{p.a, p.b} {
		l := d.llr()
		if l.LoopTime == nil {
			t.Fatalf("%s does not know the loop time", d.name)
		}
		t.Logf("%s: loop time %+v ns; %d frames and %v in force, %d and %v recommended", d.name, *l.LoopTime,
			l.MaxOutstandingFrames, l.MaxReplayTimer, l.RecommendedOutstandingFrames, l.RecommendedReplayTimer)
		if q := l.LoopTime; q.Min <= 0 || q.P50 < q.Min || q.P99 < q.P50 || q.Max < q.P99 || q.Max > int64(patience) {
			t.Errorf("%s: %+v", d.name, *q)
		}
		// What is in force follows a while later: a shorter loop may have been measured since.
		if n := l.MaxOutstandingFrames; n < 64 || n > llr.AutoReplaySlots {
			t.Errorf("%s: %d frames in force", d.name, n)
		}
		if l.MaxReplayTimer < 100*time.Microsecond {
			t.Errorf("%s: a replay timer of %v", d.name, l.MaxReplayTimer)
		}
	}
}
