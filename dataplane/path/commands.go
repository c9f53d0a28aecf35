package path

import (
	"slices"

	"uelink/wire"
)

// runCommands runs the functions that wait to be run on the worker. It returns false if the worker must end.
func (w *Worker) runCommands(now wire.Time) bool {
	w.mu.Lock()
	w.pending.Store(false) // cleared under the lock: a command added after the unlock sets pending again
	commands, stopped := w.commands, w.stopped
	w.commands = nil
	w.mu.Unlock()
	// A command may close sockets or take long: no frame waits meanwhile for a larger batch.
	for i := range w.turns {
		t := &w.turns[i]
		t.domain.flushHeld()
		t.gathered = t.domain.gathered
	}
	w.flushGathered()
	for _, f := range commands {
		f(now)
	}
	for i := range w.turns {
		w.turns[i].domain.rest, w.turns[i].until = 0, 0 // a command may have made work in any domain
	}
	return !stopped
}

// Do runs f on the worker's thread between two rounds, and waits until f has returned. Once the worker has
// stopped, f is not run.
func (w *Worker) Do(f func(now wire.Time)) {
	done := make(chan struct{})
	w.mu.Lock()
	if w.stopped {
		w.mu.Unlock()
		return
	}
	w.commands = append(w.commands, func(now wire.Time) { f(now); close(done) })
	w.pending.Store(true)
	w.mu.Unlock()
	w.waiter.wake()
	<-done
}

// Queued returns the number of functions given to Do that wait for the next round.
func (w *Worker) Queued() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.commands)
}

// Stop ends the worker's thread and waits for the end.
func (w *Worker) Stop() {
	w.mu.Lock()
	w.stopped = true
	w.pending.Store(true)
	w.mu.Unlock()
	w.waiter.wake()
	<-w.exited
	w.waiter.close()
}

// Add adds a domain to the worker. Only the worker's thread calls Add.
func (w *Worker) Add(d *Domain) { w.turns = append(w.turns, turn{domain: d}) }

// Remove removes a domain from the worker. Only the worker's thread calls Remove.
func (w *Worker) Remove(d *Domain) {
	w.turns = slices.DeleteFunc(w.turns, func(t turn) bool { return t.domain == d })
	d.gathering = nil
	w.WatchDevices()
}

// Pause stops the worker's rounds (no frame moves) until Resume. Functions given to Do still run. Only the worker's
// thread calls it.
func (w *Worker) Pause() {
	w.Paused = true
	w.waiter.watch(nil)
}

// Resume starts the worker's rounds again after Pause. Only the worker's thread calls it.
func (w *Worker) Resume() {
	w.Paused = false
	w.WatchDevices()
}

// WatchDevices tells the waiter which sockets' frames must end the worker's sleep: those of all present devices. If
// there are more than maxPolled, the domains also leave few frames for the end of a round (gather). On a paused worker
// it does nothing. Only the worker's thread calls it.
func (w *Worker) WatchDevices() {
	if w.Paused {
		return
	}
	var sockets []watched
	for i, t := range w.turns {
		for _, s := range t.domain.sources {
			if s == nil || s.device == nil {
				continue
			}
			if fd := s.device.FD(); fd >= 0 {
				sockets = append(sockets, watched{fd: fd, owner: i, stalled: &s.port.stalled})
			}
		}
	}
	w.waiter.watch(sockets)
	w.gather(len(sockets) > maxPolled)
}

// gather makes the domains leave a port's frames, if they are few, for the end of a round (on), or send them at once.
func (w *Worker) gather(on bool) {
	for _, t := range w.turns {
		t.domain.gathering = nil
		if on {
			t.domain.gathering = w.Gathering
		}
	}
}
