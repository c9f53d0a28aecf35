package dataplane

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// maxSleep bounds how long a worker sleeps when nothing is due.
const maxSleep = 1e9 // ns

// worker owns xconnects and everything on their frames' path. Only its own
// thread touches them; others ask it by do.
type worker struct {
	id        int
	spin      int64 // ns
	hub       *hub
	xconnects []*xconnect
	waiter    *waiter

	pending  atomic.Bool // commands wait
	mu       sync.Mutex
	commands []func(now int64)
	stopped  bool
	exited   chan struct{}
}

func newWorker(id int, spin time.Duration, h *hub) (*worker, error) {
	waiter, err := newWaiter()
	if err != nil {
		return nil, err
	}
	return &worker{id: id, spin: int64(spin), hub: h, waiter: waiter, exited: make(chan struct{})}, nil
}

// run is the thread of the worker: work, spin a while after the last work, then
// sleep until a ring or a deadline has something to do.
func (w *worker) run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(w.exited)
	start := time.Now()
	var lastWork int64
	for {
		now := int64(time.Since(start))
		if w.pending.Load() && !w.obey(now) {
			return
		}
		worked, deadline := w.step(now)
		if worked > 0 {
			lastWork = now
			continue
		}
		if now-lastWork > w.spin {
			w.waiter.wait(min(deadline-now, maxSleep))
		}
	}
}

// step works one round over all that the worker owns. It returns how many
// frames it moved and when there is something to do without a frame coming in.
func (w *worker) step(now int64) (worked int, deadline int64) {
	deadline = math.MaxInt64
	for _, x := range w.xconnects {
		n, at := x.step(now)
		worked += n
		deadline = min(deadline, at)
		x.report(w.hub)
	}
	return worked, deadline
}

// obey runs the commands that wait; false ends the worker.
func (w *worker) obey(now int64) bool {
	w.mu.Lock()
	w.pending.Store(false)
	commands, stopped := w.commands, w.stopped
	w.commands = nil
	w.mu.Unlock()
	for _, f := range commands {
		f(now)
	}
	for _, x := range w.xconnects {
		x.rest = 0
	}
	return !stopped
}

// do has the worker run f between two rounds and waits for it. f is not run
// once the worker has stopped.
func (w *worker) do(f func(now int64)) {
	done := make(chan struct{})
	w.mu.Lock()
	if w.stopped {
		w.mu.Unlock()
		return
	}
	w.commands = append(w.commands, func(now int64) { f(now); close(done) })
	w.pending.Store(true)
	w.mu.Unlock()
	w.waiter.wake()
	<-done
}

// stop ends the worker's thread and waits for it.
func (w *worker) stop() {
	w.mu.Lock()
	w.stopped = true
	w.pending.Store(true)
	w.mu.Unlock()
	w.waiter.wake()
	<-w.exited
	w.waiter.close()
}

// watchDevices tells the waiter which devices to wait for. On the worker only.
func (w *worker) watchDevices() {
	var fds []int
	for _, x := range w.xconnects {
		for _, p := range []*port{&x.edge, &x.link.port} {
			for _, dev := range p.devices {
				if fd := dev.FD(); fd >= 0 {
					fds = append(fds, fd)
				}
			}
		}
	}
	w.waiter.watch(fds)
}

// remove takes an xconnect off the worker. On the worker only.
func (w *worker) remove(x *xconnect) {
	w.xconnects = slices.DeleteFunc(w.xconnects, func(o *xconnect) bool { return o == x })
	w.watchDevices()
}
