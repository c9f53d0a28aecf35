package links

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
	"uelink/llr"
)

// Both daemons measure the loop time of their link, and a profile that leaves window and replay
// timer to it loses nothing over a bad wire.
func TestLoopTimeIsMeasuredAndFollowed(t *testing.T) {
	top := bed.Cabled(t)
	top.Cable("--loss", "0.001")
	p := top.Daemons(bed.Settings{Profile: "max_replay_count: 255, init_action: block, flush_action: block, " +
		"max_outstanding_frames: auto, max_replay_timer: auto"})
	c := top.Between()
	c.Frames, c.Size = 50_000, "imix"
	bed.Untouched(t, c)
	for _, d := range []*bed.Daemon{p.A, p.B} {
		l := d.LLR()
		if l.LoopTime == nil {
			t.Fatalf("%s does not know the loop time", d.Name)
		}
		t.Logf("%s: loop time %+v ns; %d frames and %v in force, %d and %v recommended", d.Name, *l.LoopTime,
			l.MaxOutstandingFrames, l.MaxReplayTimer, l.RecommendedOutstandingFrames, l.RecommendedReplayTimer)
		if q := l.LoopTime; q.Min <= 0 || q.P50 < q.Min || q.P99 < q.P50 || q.Max < q.P99 || q.Max > int64(bed.Patience) {
			t.Errorf("%s: %+v", d.Name, *q)
		}
		// What is in force follows a while later: a shorter loop may have been measured since.
		if n := l.MaxOutstandingFrames; n < 64 || n > llr.AutoReplaySlots {
			t.Errorf("%s: %d frames in force", d.Name, n)
		}
		if l.MaxReplayTimer < 100*time.Microsecond {
			t.Errorf("%s: a replay timer of %v", d.Name, l.MaxReplayTimer)
		}
	}
}

// A loop of 100 ms that 2048 frames do not fill gets more room while frames cross, and none is lost.
func TestLongLoopGetsRoom(t *testing.T) {
	top := bed.Cabled(t)
	top.Cable("--delay", "50ms")
	p := top.Daemons(bed.Settings{Profile: "max_replay_count: 255, init_action: block, flush_action: block, " +
		"max_outstanding_frames: auto, max_replay_timer: auto, max_outstanding_bytes: 64MiB"})
	c := top.Between()
	c.Window, c.RingSize, c.LossTimeout = 4000, 4096, bed.Patience
	load := bed.NewLoad(t, c)
	for _, d := range []*bed.Daemon{p.A, p.B} {
		bed.Eventually(t, "room for the loop at "+d.Name, func() string {
			l := d.Link()
			if n := l.LLR.MaxOutstandingFrames; n != llr.AutoReplaySlotsMost || !strings.Contains(l.Notice, "room for 32768") {
				return fmt.Sprintf("%d frames in force; %s", n, l.Notice)
			}
			return ""
		})
	}
	load.Reach(load.Least() + 8000)
	bed.NothingLost(t, load.End())
	p.NoFlush(t)
}
