package chaos

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
	"uelink/wire"
)

const (
	// flowWindow is how many frames of a flow may be on their way before its host sends slower, as hosts with windows
	// do: the RX ring of an edge, which has 4096 places, holds them and those of some 30 s at the slower rate.
	flowWindow = 2000
	// flowEvery is the time from a frame to the next, flowTrickle that of a host whose window is full.
	flowEvery, flowTrickle = time.Millisecond, 20 * time.Millisecond
)

// chaosFlow is numbered frames from one host to the other, with the account of those that came: it is taken outside of
// the daemons, at the interfaces of the hosts.
type chaosFlow struct {
	t    testing.TB
	name string
	*bed.Stream
	at *bed.Talker

	next  atomic.Uint32 // number that may come next: all below have come, or never will
	lost  atomic.Uint64 // numbers that were passed over
	wrong atomic.Uint64 // frames that came twice, late or damaged
	mu    sync.Mutex
	first string // what was wrong with the first of these
}

// chaosFlows starts a flow each way between two hosts, until the end of the test.
func chaosFlows(t testing.TB, hostA, hostB *bed.Talker) (forth, back *chaosFlow) {
	t.Helper()
	forth, back = newChaosFlow(t, hostA, hostB), newChaosFlow(t, hostB, hostA)
	over := make(chan struct{})
	var running sync.WaitGroup
	for _, f := range []*chaosFlow{forth, back} {
		running.Go(func() { f.listen(over) })
		running.Go(func() { f.talk(over) })
	}
	t.Cleanup(func() { close(over); running.Wait() })
	return forth, back
}

func newChaosFlow(t testing.TB, from, to *bed.Talker) *chaosFlow {
	return &chaosFlow{t: t, name: from.Name + " to " + to.Name, Stream: &bed.Stream{From: from, DA: to.MAC}, at: to}
}

// ended reports whether a channel is closed.
func ended(over <-chan struct{}) bool {
	select {
	case <-over:
		return true
	default:
		return false
	}
}

// talk sends frames, slower while the window is full.
func (f *chaosFlow) talk(over <-chan struct{}) {
	for !ended(over) {
		number := f.Sent.Add(1) - 1
		if err := f.From.Write(f.Frame(number)); err != nil {
			f.t.Errorf("%s: %v", f.name, err)
			return
		}
		pause := flowEvery
		if number-f.next.Load() > flowWindow {
			pause = flowTrickle
		}
		time.Sleep(pause)
	}
}

// listen takes the account of what comes.
func (f *chaosFlow) listen(over <-chan struct{}) {
	for !ended(over) {
		got, err := f.at.Read()
		if err != nil {
			f.t.Errorf("%s: %v", f.name, err)
			return
		}
		if got != nil && wire.EtherType(got) == bed.ProbeType {
			f.take(got)
		}
	}
}

// take checks a frame and moves the account on.
func (f *chaosFlow) take(got []byte) {
	number, next := bed.ProbeNumber(got), f.next.Load()
	switch {
	case !bytes.Equal(got, f.Frame(number)):
		f.report("number %d came damaged: % x", number, got)
	case number < next:
		f.report("number %d came after number %d", number, next-1)
	default:
		f.lost.Add(uint64(number - next))
		f.next.Store(number + 1)
	}
}

// report counts a frame that should not have come, and keeps the first one's description.
func (f *chaosFlow) report(format string, args ...any) {
	f.wrong.Add(1)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.first == "" {
		f.first = fmt.Sprintf(format, args...)
	}
}

// description returns what was wrong with the first frame that should not have come.
func (f *chaosFlow) description() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.first
}

// onTheWay returns how many frames were sent and may still come.
func (f *chaosFlow) onTheWay() uint64 {
	next := f.next.Load() // read first, so that the difference is not below 0
	return uint64(f.Sent.Load() - next)
}

// settle waits until a frame has come that is sent after now: frames come in order, so all before it have come or are
// lost.
func (f *chaosFlow) settle(bound time.Duration) {
	f.t.Helper()
	mark := f.Sent.Load()
	bed.Within(f.t, bound, "a frame after number "+fmt.Sprint(mark)+" from "+f.name, func() string {
		if next := f.next.Load(); next <= mark {
			return fmt.Sprintf("number %d is awaited, %d were sent", next, f.Sent.Load())
		}
		return ""
	})
}

// unseen counts the frames of hosts that come to an interface while nothing of a daemon takes them there.
type unseen struct{ frames atomic.Uint64 }

// countUnseen counts at the edge of a namespace until the end of the test.
func countUnseen(t testing.TB, ns *netns.NS) *unseen {
	t.Helper()
	u, at, over := &unseen{}, bed.Open(t, ns, "edge0", bed.ProbeType), make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for !ended(over) {
			if f, err := at.Read(); err != nil {
				t.Errorf("edge0 without a daemon: %v", err)
				return
			} else if f != nil {
				u.frames.Add(1)
			}
		}
	})
	t.Cleanup(func() { close(over); running.Wait() })
	return u
}
