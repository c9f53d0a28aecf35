package dataplane

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"uelink/internal/snapshot"
	"uelink/wire"
)

// A data plane is handed over to another process while frames arrive:
//
//	this process                             the other process
//	HandOver   describes the interfaces  ──► TakeOver  maps memory and rings, has ports and workers, moves no frame
//	Stop       stops between two batches ──► Restore   has the state of the frame path
//	                                         Resume    begins
//
// Only from Stop on do frames wait. Until the other process begins, this process can go on by Resume: no other of these
// calls changes anything that the kernel or a partner sees, except that Stop tells partners to wait.

// Handover describes the interfaces of a data plane, with the descriptors that belong to them.
type Handover struct {
	Ports []byte // the descriptions, as a snapshot (package snapshot) of handedPorts
	FDs   []int  // file descriptors of this process, in the order of the descriptions
}

// keeper is a place.Shelf that keeps open files without a name, so that another process gets them only by hand-over.
type keeper interface {
	// Files returns the open files by name.
	Files() map[string]*os.File
	// Adopt adds an open file of another process.
	Adopt(name string, f *os.File)
}

// ErrBusy is the error of Stop while frames lie outside the present sockets, just after a socket was reopened or an
// interface has gone. A later attempt succeeds.
var ErrBusy = errors.New("frames of closed sockets still wait: try again in a few seconds")

// HandOver describes the interfaces of the data plane for another process. Frames go on. Until Resume, or the end of
// the process, HandOver keeps the lock d.mu, and no method but Stop and Untouched may be called. After an error the
// data plane is as before.
func (d *Dataplane) HandOver() (h *Handover, err error) {
	d.mu.Lock()
	defer func() {
		if err != nil {
			d.startSupers()
			d.mu.Unlock()
		}
	}()
	if d.left {
		return nil, errors.New("the daemon is about to end")
	}
	// Super-frames end before anything is described: their packet socket is not handed over. They are off until Resume,
	// in this process or in the other one.
	for _, g := range d.groups {
		for _, a := range g.members {
			if !a.super.end(g, a) && !a.super.discard(g, a) {
				return nil, ErrBusy
			}
		}
	}
	// All ports are checked before the first descriptor is collected: a refusal leaves nothing behind.
	for _, g := range d.groups {
		for _, a := range g.members {
			if err := a.canHandOver(); err != nil {
				return nil, fmt.Errorf("port %s: %w", a.settings.Name, err)
			}
		}
	}
	h = &Handover{}
	ports := handedPorts{Origin: d.origin}
	for _, g := range d.groups {
		for _, a := range g.members {
			if err := a.handOver(&ports, h); err != nil {
				return nil, err
			}
		}
	}
	if k, ok := d.shelf.(keeper); ok {
		files := k.Files()
		for _, name := range slices.Sorted(maps.Keys(files)) {
			ports.Places, h.FDs = append(ports.Places, name), append(h.FDs, int(files[name].Fd()))
		}
	}
	h.Ports = snapshot.Save("ports", &ports)
	return h, nil
}

// Stop stops the rounds of all workers between two batches, after HandOver, and returns the state of the frame path
// for the other process. Link partners are told to wait. Until Resume, or the end of the process, no frame moves. Also
// after an error, Resume must be called.
func (d *Dataplane) Stop() (state []byte, err error) {
	d.stopped = true // first: Resume must undo the steps below after an error of any of them
	for _, g := range d.groups {
		for _, a := range g.members {
			a.push.pause(g, a) // while the workers run: they ask for the frames of hosts
			a.pushWaits = a.host != nil
			g.hold(a)
		}
	}
	for _, w := range d.workers {
		w.Do(func(wire.Time) {}) // a round sends the partners the request to wait, which a paused worker could not
	}
	if !d.pause() { // before the positions in rings and files are read: only now do they stand still
		return nil, ErrBusy
	}
	for _, g := range d.groups {
		for _, a := range g.members {
			if err := a.stop(); err != nil {
				return nil, fmt.Errorf("port %s: %w", a.settings.Name, err)
			}
		}
	}
	return snapshot.Save("dataplane", d), nil
}

// Resume starts the rounds of the workers of a data plane made by TakeOver, or of one that goes on after HandOver or
// Stop.
func (d *Dataplane) Resume() {
	if d.stopped {
		d.stopped = false
		d.resume()
	}
	d.mu.Unlock()
}

// resume starts the rounds of all workers again after a handover, resumes captures, and lets link partners send
// again. When it returns, each worker has completed a round.
func (d *Dataplane) resume() {
	// Captures come first: the first round has frames for them.
	for _, g := range d.groups {
		for _, a := range g.members {
			if a.host != nil && a.host.recording.capture != nil {
				a.host.recording.capture.Resume()
			}
		}
	}
	// The hold ends before the rounds begin, so that the first round already lets the partners send.
	for _, g := range d.groups {
		for _, a := range g.members {
			g.endHold(a)
		}
	}
	for _, w := range d.workers {
		w.Do(func(wire.Time) { w.Resume() })
	}
	for _, w := range d.workers {
		w.Do(func(wire.Time) {}) // all workers have begun before the first is waited for
	}
	// Hosts come last: their frames need workers that move them.
	for _, g := range d.groups {
		for _, a := range g.members {
			if a.pushWaits {
				a.pushWaits = false
				a.push.start(g, a)
			}
			a.super.tryAgain() // super-frames begin at the next look: to begin now would let the former process wait
		}
	}
}

// pause stops the rounds of all workers after handing all posted frames to the kernel. It returns false if some
// frames lie in memory outside the present sockets, and so cannot be handed over.
func (d *Dataplane) pause() bool {
	settled := true
	for _, w := range d.workers {
		w.Do(func(wire.Time) {
			w.Pause()
			for _, g := range d.groups {
				if g.worker == w && !g.domain.Settle() {
					settled = false
				}
			}
		})
	}
	return settled
}

// Untouched reports whether no other process has moved a frame since Stop: the rings of all sockets are at the
// positions at which Stop left them.
func (d *Dataplane) Untouched() bool {
	for _, g := range d.groups {
		for _, a := range g.members {
			if a.host != nil && !a.host.untouched() {
				return false
			}
		}
	}
	return true
}

// monotonic returns CLOCK_MONOTONIC in nanoseconds. All processes of a machine have the same.
func monotonic() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // never fails for this clock
	return t.Nano()
}

// Publish publishes an event of the daemon itself to the subscribers; port may be "".
func (d *Dataplane) Publish(port, kind, text string) { d.hub.Publish(port, kind, text) }

// startSupers makes the edge ports whose settings ask for super-frames take them.
func (d *Dataplane) startSupers() {
	for _, g := range d.groups {
		for _, a := range g.members {
			a.super.start(g, a)
		}
	}
}

// Restore sets the state of a data plane made by TakeOver to the state that Stop has returned in the other process.
// Resume starts the rounds. After an error this process must end without Close.
func (d *Dataplane) Restore(state []byte) error {
	d.stopped = true
	return snapshot.Restore("dataplane", state, d)
}
