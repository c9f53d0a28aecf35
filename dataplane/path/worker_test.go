package path

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/dataplane/frame/frametest"
	"uelink/dataplane/model"
	"uelink/wire"
)

// workerAtRest has so many links, which are up and at rest now. It is not running.
func workerAtRest(t *testing.T, links int, o pairOptions) (w *Worker, pairs []*pair, now wire.Time) {
	t.Helper()
	w, err := NewWorker(0, 0, &model.Hub{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.waiter.close)
	w.Clock = func() wire.Time { return now }
	for range links {
		p := up(t, o)
		if !p.until(func() bool { return p.a.x.rest > p.now.Add(maxSleep/10) }, maxSleep) {
			t.Fatal("the link does not come to rest")
		}
		pairs, now = append(pairs, p), max(now, p.now)
		w.Add(p.a.x)
	}
	for i := range w.turns {
		w.turns[i].until = w.turns[i].domain.rest
	}
	return w, pairs, now
}

// send has a frame come to the edge port of a link.
func (p *pair) send(t *testing.T) {
	t.Helper()
	var buf [256]byte
	if !p.a.host.Send(frametest.Numbered(buf[:], 1)) {
		t.Fatal("the edge port has no room")
	}
}

// taken is how many frames have come in at the edge port of each link.
func taken(pairs []*pair) (frames [2]uint64) {
	for i, p := range pairs {
		frames[i] = p.a.edge.Counters.RxFrames
	}
	return frames
}

// TestWorkerPassesOverThoseAtRest: a round is of those that have work, unless it looks
// at all.
func TestWorkerPassesOverThoseAtRest(t *testing.T) {
	w, pairs, now := workerAtRest(t, 2, defaults())
	before := taken(pairs)
	pairs[0].send(t)
	pairs[1].send(t)
	worked, deadline := w.step(now, false)
	if worked != 0 || taken(pairs) != before {
		t.Errorf("a round over links at rest moved %d frames", worked)
	}
	if earliest := min(pairs[0].a.x.rest, pairs[1].a.x.rest); deadline != earliest {
		t.Errorf("the worker may sleep until %d, and a link has something to do at %d", deadline, earliest)
	}
	w.step(now, true)
	if got, want := taken(pairs), [2]uint64{before[0] + 1, before[1] + 1}; got != want {
		t.Errorf("a look at all has taken %d frames, want %d", got, want)
	}
	pairs[1].send(t)
	w.step(now, false)
	if got, want := taken(pairs), [2]uint64{before[0] + 1, before[1] + 2}; got != want {
		t.Errorf("a link that had work has taken %d frames, want %d", got, want)
	}
}

// TestWorkerIsToldWhoseTurnItIs: by the waiter, and a command is a turn for all.
func TestWorkerIsToldWhoseTurnItIs(t *testing.T) {
	w, pairs, now := workerAtRest(t, 2, defaults())
	before := taken(pairs)
	fds := openEventfds(t)
	defer closeAll(fds)
	sockets := owned(fds)
	sockets[0].owner, sockets[1].owner = 0, 1
	w.waiter.watch(sockets)
	pairs[0].send(t)
	for i, most := range []time.Duration{maxSleep, 0} {
		pairs[1].send(t)
		raise(t, fds[1])
		if !w.sleep(most) {
			t.Errorf("within %v: the worker does not know whose turn it is", most)
		}
		w.step(now, false)
		if got, want := taken(pairs), [2]uint64{before[0], before[1] + uint64(i) + 1}; got != want {
			t.Errorf("after the second link was told of the worker has taken %d frames, want %d", got, want)
		}
	}
	w.pending.Store(true)
	if !w.runCommands(now) {
		t.Fatal("the worker has ended")
	}
	w.step(now, false)
	if got, want := taken(pairs), [2]uint64{before[0] + 1, before[1] + 2}; got != want {
		t.Errorf("after a command the worker has taken %d frames, want %d", got, want)
	}
}

// TestTurns: with few links a turn is a batch; a link of many goes on while its batches
// are full, and then it is the next one's turn.
func TestTurns(t *testing.T) {
	o := defaults()
	o.ring, o.profile.MaxOutstandingFrames = 512, 512
	for _, c := range []struct {
		links int
		want  [2]uint64 // frames of the first turn and of the next one
	}{
		{fewLinks, [2]uint64{batch, batch}},
		{fewLinks + 1, [2]uint64{batchesInTurn * batch, 10}},
	} {
		w, pairs, now := workerAtRest(t, c.links, o)
		before := pairs[0].a.edge.Counters.RxFrames
		for range batchesInTurn*batch + 10 {
			pairs[0].send(t)
		}
		var got [2]uint64
		for i := range got {
			w.step(now, true)
			got[i] = pairs[0].a.edge.Counters.RxFrames - before
			before += got[i]
		}
		if got != c.want {
			t.Errorf("%d links: turns of %d frames, want %d", c.links, got, c.want)
		}
	}
}

// The CPU time of a worker is that of its thread, and grows while the worker runs.
func TestCPUOfWorker(t *testing.T) {
	w, err := NewWorker(0, time.Hour, &model.Hub{}) // it does not sleep
	if err != nil {
		t.Fatal(err)
	}
	if w.CPU() != 0 {
		t.Error("CPU time before the start")
	}
	go w.Run()
	defer w.Stop()
	for last, grown := time.Duration(0), 0; grown < 3; {
		if now := w.CPU(); now > last {
			last = now
			grown++
		}
		w.Do(func(wire.Time) {})
	}
}

// TestCommandAfterResumeWaitsForNoSleep: a command that comes while another one ends the worker's pause is not left
// waiting until the worker's sleep is over.
func TestCommandAfterResumeWaitsForNoSleep(t *testing.T) {
	w, err := NewWorker(0, 0, &model.Hub{})
	if err != nil {
		t.Fatal(err)
	}
	go w.Run()
	t.Cleanup(w.Stop)
	const times = 10
	began := time.Now()
	for range times {
		second := make(chan struct{})
		w.Do(func(wire.Time) { w.Pause() })
		w.Do(func(wire.Time) {
			w.Resume()
			go func() {
				w.Do(func(wire.Time) {})
				close(second)
			}()
			wakeUp := []unix.PollFd{{Fd: int32(w.waiter.command), Events: unix.POLLIN}}
			_, _ = unix.Poll(wakeUp, -1)
		})
		<-second
	}
	if took := time.Since(began); took >= times/2*maxSleep {
		t.Errorf("%d commands took %v: each waited until the worker's sleep of %v was over", times, took,
			maxSleep)
	}
}
