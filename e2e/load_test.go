package e2e

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"uelink/traffic"
)

// load is numbered frames between the hosts, both ways, until it is ended.
type load struct {
	t         testing.TB
	stop      context.CancelFunc
	delivered [2]atomic.Uint64
	ended     chan struct{}
	result    traffic.Result
	err       error
}

// load starts one and waits until frames flow both ways. A frame that has not come
// after lossTimeout, four times as long if none comes at all, is written off and
// replaced by a new one.
func (top *topology) load(t testing.TB, lossTimeout time.Duration) *load {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	l := &load{t: t, stop: stop, ended: make(chan struct{})}
	c := top.between()
	c.Frames, c.LossTimeout, c.GiveUp, c.Size = 0, lossTimeout, patience, "imix"
	go func() {
		defer close(l.ended)
		l.result, l.err = traffic.Run(ctx, c, func(p traffic.Progress) {
			for i, d := range p.Directions {
				l.delivered[i].Store(d.Delivered)
			}
		})
	}()
	t.Cleanup(func() { stop(); <-l.ended })
	eventually(t, "frames both ways", func() string {
		if l.delivered[0].Load() == 0 || l.delivered[1].Load() == 0 {
			return "none has arrived"
		}
		return ""
	})
	return l
}

// end ends it and returns what became of the frames.
func (l *load) end() []traffic.Direction {
	l.t.Helper()
	l.stop()
	<-l.ended
	must(l.t, l.err)
	for _, d := range l.result.Directions {
		l.t.Logf("%s to %s: sent %d, lost %d, duplicated %d, reordered %d", d.From, d.To, d.Sent, d.Lost, d.Duplicated, d.Reordered)
	}
	return l.result.Directions
}

// neverTwice demands that whatever was delivered came once, in order and
// unchanged.
func neverTwice(t testing.TB, directions []traffic.Direction) {
	t.Helper()
	for _, d := range directions {
		if d.Duplicated+d.Reordered+d.CorruptedDelivered > 0 {
			t.Errorf("%s to %s: %+v", d.From, d.To, d)
		}
	}
}

// nothingLost demands that in addition everything was delivered.
func nothingLost(t testing.TB, directions []traffic.Direction) {
	t.Helper()
	neverTwice(t, directions)
	for _, d := range directions {
		if d.Lost > 0 {
			t.Errorf("%s to %s lost %d", d.From, d.To, d.Lost)
		}
	}
}

// resumption is the bound of what has to resume by itself. The aim is a second;
// the bound leaves room for a machine that is busy.
const resumption = 3 * time.Second

// resume waits until both daemons have delivered many more frames, and logs how
// long after an event that was.
func (p pair) resume(t testing.TB, what string, since time.Time) {
	t.Helper()
	const many = 500
	before := [2]uint64{p.a.edge().Counters.TxFrames, p.b.edge().Counters.TxFrames}
	bound := resumption - time.Since(since)
	within(t, bound, "frames both ways after "+what, func() string {
		if p.a.edge().Counters.TxFrames < before[0]+many || p.b.edge().Counters.TxFrames < before[1]+many {
			return "they have not resumed"
		}
		return ""
	})
	t.Logf("%d frames more each way %v after %s", many, time.Since(since).Round(time.Millisecond), what)
}
