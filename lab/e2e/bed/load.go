package bed

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"uelink/lab/traffic"
)

// Load is a stream of numbered frames between two ends, in both directions, until End.
type Load struct {
	t         testing.TB
	stop      context.CancelFunc
	delivered []atomic.Uint64 // frames delivered, by direction
	gap       atomic.Int64    // longest time between two deliveries since the last call of LongestGap, ns
	reports   atomic.Uint64   // number of the traffic's reports so far
	ended     chan struct{}
	result    traffic.Result
	err       error
}

// Load sends numbered frames between hostA and hostB in the background until End, and returns when frames flow
// both ways. A frame that does not arrive within lossTimeout, four times as long if none arrives at all, is
// written off and replaced by a new one.
func (top *Topology) Load(t testing.TB, lossTimeout time.Duration) *Load {
	t.Helper()
	c := top.Between()
	c.LossTimeout, c.Size = lossTimeout, "imix"
	return NewLoad(t, c)
}

// NewLoad sends the traffic of c in the background until End, whatever number of frames c has, and returns when frames
// of each priority flow both ways.
func NewLoad(t testing.TB, c traffic.Config) *Load {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	l := &Load{t: t, stop: stop, ended: make(chan struct{})}
	l.delivered = make([]atomic.Uint64, 2*max(1, len(c.Priorities)))
	c.Frames, c.GiveUp = 0, max(c.GiveUp, Patience)
	go func() {
		defer close(l.ended)
		l.result, l.err = traffic.Run(ctx, c, func(p traffic.Progress) {
			for i, d := range p.Directions {
				l.delivered[i].Store(d.Delivered)
				if gap := int64(d.Gap); gap > l.gap.Load() {
					l.gap.Store(gap)
				}
			}
			l.reports.Add(1)
		})
	}()
	t.Cleanup(func() { stop(); <-l.ended })
	l.Reach(1)
	return l
}

// Least returns the number of frames that have arrived in the direction with the fewest.
func (l *Load) Least() uint64 {
	least := l.delivered[0].Load()
	for i := range l.delivered {
		least = min(least, l.delivered[i].Load())
	}
	return least
}

// Reach waits until the given number of frames has arrived in each direction.
func (l *Load) Reach(frames uint64) {
	l.t.Helper()
	Eventually(l.t, "frames both ways", func() string {
		if n := l.Least(); n < frames {
			return fmt.Sprintf("%d of %d have arrived", n, frames)
		}
		return ""
	})
}

// LongestGap waits for the next report of the traffic generator, and returns the longest time between two deliveries
// in one direction since the previous call of LongestGap, or since the start.
func (l *Load) LongestGap() time.Duration {
	l.t.Helper()
	before := l.reports.Load()
	Eventually(l.t, "a report of the traffic", func() string {
		if l.reports.Load() == before {
			return "there is none"
		}
		return ""
	})
	return time.Duration(l.gap.Swap(0))
}

// End ends the sending, waits for frames in flight and returns the counts of each direction.
func (l *Load) End() []traffic.Direction {
	l.t.Helper()
	l.stop()
	<-l.ended
	Must(l.t, l.err)
	for _, d := range l.result.Directions {
		l.t.Logf("%s to %s: sent %d, lost %d, duplicated %d, reordered %d", d.From, d.To, d.Sent, d.Lost,
			d.Duplicated, d.Reordered)
	}
	return l.result.Directions
}

// NeverTwice reports an error of the test if a frame of these directions came twice, out of order or changed. Lost
// frames are allowed.
func NeverTwice(t testing.TB, directions []traffic.Direction) {
	t.Helper()
	for _, d := range directions {
		if d.Duplicated+d.Reordered+d.CorruptedDelivered > 0 {
			t.Errorf("%s to %s: %+v", d.From, d.To, d)
		}
	}
}

// NothingLost reports an error of the test unless every frame of these directions was delivered once, in order and
// unchanged.
func NothingLost(t testing.TB, directions []traffic.Direction) {
	t.Helper()
	NeverTwice(t, directions)
	for _, d := range directions {
		if d.Lost > 0 {
			t.Errorf("%s to %s lost %d", d.From, d.To, d.Lost)
		}
	}
}

// Resumption bounds the time of anything that must resume by itself. The aim is a second; the bound leaves room for a
// busy machine.
const Resumption = 3 * time.Second

// Resume waits until the edges of both daemons have sent 500 more frames each, at most 3 s after an event, and logs the
// time since the event. since is the time of the event.
func (p Pair) Resume(t testing.TB, event string, since time.Time) {
	t.Helper()
	const frames = 500
	before := [2]uint64{p.A.Edge().Counters.TxFrames, p.B.Edge().Counters.TxFrames}
	bound := Resumption - time.Since(since)
	Within(t, bound, "frames in both directions after "+event, func() string {
		if p.A.Edge().Counters.TxFrames < before[0]+frames || p.B.Edge().Counters.TxFrames < before[1]+frames {
			return fmt.Sprintf("an edge has sent its host fewer than %d frames since this wait began", frames)
		}
		return ""
	})
	t.Logf("%v after %s: each edge has sent %d more frames", time.Since(since).Round(time.Millisecond), event, frames)
}
