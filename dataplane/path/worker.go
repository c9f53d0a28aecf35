package path

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/dataplane/place"
	"uelink/wire"
)

// lookEvery is the time after which a worker with work checks the resting domains for frames, or asks the waiter about
// them. lookEvery is shorter than the handling of a full batch.
const lookEvery = 20 * time.Microsecond

// With more than fewLinks domains, a domain handles up to batchesInTurn full batches in a row, because its memory will
// have left the cache by its next turn. With fewLinks or fewer the turn changes after each batch.
const (
	batchesInTurn = 4
	fewLinks      = 4
)

// Worker owns domains and everything on the path of their frames. Only the worker's own thread touches them; other
// goroutines use do.
type Worker struct {
	ID   int
	spin time.Duration
	Hub  *model.Hub
	// Gathering sends the frames of many ports, few of each, by one call at the end of a round; nil: the frames of
	// each port leave by a call of their own. Gathering is set before Run.
	Gathering frame.Gathering
	turns     []turn
	waiter    *waiter
	Clock     func() wire.Time

	Paused bool // no rounds: only commands run; the worker's thread sets it

	// OnlyWorkers takes the threads of this process that are no workers out of a real-time class (the function
	// OnlyWorkers, of all workers); nil: nobody does. It is set before Run.
	OnlyWorkers func() bool
	class       realTime

	thread   atomic.Int32 // number of the worker's thread; 0: it has not begun
	pending  atomic.Bool  // commands wait
	mu       sync.Mutex
	commands []func(now wire.Time)
	stopped  bool
	exited   chan struct{}
}

// turn is a domain, with the facts for skipping the domain: a round reads every turn, and a resting domain has long
// left the cache.
type turn struct {
	domain   *Domain
	until    wire.Time // end of the domain's rest, by its last turn
	gathered bool      // the domain has left frames for the end of the round
}

// NewWorker returns a worker, not running, with an id. It polls for the time spin after its last work before it sleeps.
// Errors: ErrOldKernel, and those of the system calls.
func NewWorker(id int, spin time.Duration, h *model.Hub) (*Worker, error) {
	waiter, err := newWaiter()
	if err != nil {
		return nil, err
	}
	start := time.Now()
	return &Worker{
		ID: id, spin: spin, Hub: h, waiter: waiter, exited: make(chan struct{}),
		Clock: func() wire.Time { return wire.Time(time.Since(start)) },
	}, nil
}

// Run runs the worker on its own thread until Stop: it moves frames, spins a while after the last work, in which other
// threads of its CPU run first, then sleeps until a frame, a deadline or a command comes.
func (w *Worker) Run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(w.exited)
	place.ToleratesCuts()
	w.thread.Store(int32(unix.Gettid()))
	shortenSlice()
	var (
		lastWork wire.Time // when the last round with work was over
		lastLook wire.Time // time of the last check of all domains, or of the waiter's answer
		worked   int       // frames, in the round before
		named    bool      // the waiter has named the domains with frames
		yield    yields
	)
	for {
		now := w.Clock()
		// Commands run between two rounds, also while the worker is paused, and before the round that shall know of them.
		if w.pending.Load() && !w.runCommands(now) {
			return
		}
		if w.Paused {
			w.sleep(maxSleep)
			worked, named = 0, false
			continue
		}
		if worked > 0 {
			lastWork = now
		}
		if now >= w.class.next {
			now = w.heedClass(now)
		}
		all := false // every domain has a turn, because the waiter cannot name those with frames
		if !named && (worked == 0 || now.Sub(lastLook) >= lookEvery) {
			named = w.sleep(0)
			all = !named
		}
		if all || named {
			lastLook = now
		}
		var deadline wire.Time
		worked, deadline = w.step(now, all)
		named = false
		switch {
		case worked > 0 || w.pending.Load(): // the sleep of 0 may have consumed the wake-up of a later command
		case now.Sub(lastWork) >= w.spin:
			named = w.idle(min(deadline.Sub(now), maxSleep))
		case yield.due(now):
			giveWay()
		}
	}
}

// idle sleeps for want of work, with the result of sleep. In a real-time class it also records the sleep, which may
// make the next sleep by realTime needless.
func (w *Worker) idle(d time.Duration) (named bool) {
	if !w.class.active {
		return w.sleep(d)
	}
	from := w.Clock()
	named = w.sleep(d)
	w.class.slept(from, w.Clock())
	return named
}

// AllowRealTime lets the worker's thread run in a real-time class. It is called before Run.
func (w *Worker) AllowRealTime(allowed bool) { w.class.allowed = allowed }

// Bits of the number of a thread's CPU clock (clock_gettime(2)): the clock of one thread, by the scheduler.
const (
	clockPerThread = 4
	clockScheduler = 2
)

// CPU returns the time that the worker's thread has run on a CPU. Any goroutine may call it.
func (w *Worker) CPU() time.Duration {
	thread := w.thread.Load()
	if thread == 0 {
		return 0
	}
	var t unix.Timespec
	if err := unix.ClockGettime(^thread<<3|clockPerThread|clockScheduler, &t); err != nil {
		return 0 // the thread has ended
	}
	return time.Duration(t.Nano())
}

// step handles one round: a turn of every domain (all), or of the domains that have work, and publishes their events.
// It returns the number of frames moved, and the time of the next work without a new frame.
func (w *Worker) step(now wire.Time, all bool) (worked int, deadline wire.Time) {
	deadline = wire.Never
	for i := range w.turns {
		t := &w.turns[i]
		if !all && now < t.until {
			deadline = min(deadline, t.until)
			continue
		}
		n, at := w.turn(t.domain, now)
		if n > 0 {
			now = w.Clock()
		}
		t.until = t.domain.rest
		worked += n
		deadline = min(deadline, at)
		t.gathered = t.domain.gathered
		t.domain.report(w.Hub, now)
	}
	w.flushGathered()
	return worked, deadline
}

// flushGathered hands the frames to the kernel that the domains have left for the end of the round. Only now may LLR
// acknowledge the frames of these domains.
func (w *Worker) flushGathered() {
	if w.Gathering == nil {
		return
	}
	w.Gathering.Flush()
	for i := range w.turns {
		if t := &w.turns[i]; t.gathered {
			t.gathered, t.domain.gathered = false, false
			t.domain.forwarded()
		}
	}
}

// turn handles the frames of one domain: a batch from each RX ring, or several if the worker has many domains. The
// results are as in step.
func (w *Worker) turn(d *Domain, now wire.Time) (worked int, deadline wire.Time) {
	worked, deadline = d.Step(now)
	if len(w.turns) <= fewLinks {
		return worked, deadline
	}
	for n, more := worked, batchesInTurn-1; n >= batch && more > 0; more-- {
		n, deadline = d.Step(w.Clock())
		worked += n
	}
	d.flushHeld() // other domains have their turns before the next one of d
	return worked, deadline
}

// sleep waits for frames or a command for at most d; 0 does not wait. It reports whether the kernel has named the
// sockets with frames, so that their domains have a turn in the next round.
func (w *Worker) sleep(d time.Duration) (named bool) {
	owners, named := w.waiter.wait(d)
	for _, i := range owners {
		w.turns[i].until = 0
	}
	return named
}
