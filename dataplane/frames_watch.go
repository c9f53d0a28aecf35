package dataplane

import (
	"errors"
	"fmt"

	"uelink/dataplane/frame"
	"uelink/dataplane/pcap"
)

// ErrWatched says that somebody watches the frames of the port already.
var ErrWatched = errors.New("its frames are watched already: end that watch first")

// FramesWatch is a watch of the frames of a port.
type FramesWatch struct {
	// Begin has what the port sends and takes from now on be written to a capture too: one frame of
	// every. It goes on when the interface comes anew.
	Begin func(c *pcap.Capture, every uint64)
	// Stop ends the watch. It has to be called, and before the capture is closed.
	Stop func()
	// Ended is closed when the port goes away.
	Ended <-chan struct{}
}

// framesWatch is somebody who watches the frames of a port. While nobody does, the frame path has
// nothing of it: the taps are put between the sockets and the worker when a watch begins, and are
// taken away when it ends.
type framesWatch struct {
	capture *pcap.Capture // nil: not yet
	every   uint64
	taps    []*pcap.Device // on the devices that the port has, or has had last
	ended   chan struct{}  // closed when the port goes
}

// WatchFrames has the frames of a port be watched, by one at a time. Errors: ErrNoPort, ErrWatched.
func (d *Dataplane) WatchFrames(port string) (FramesWatch, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	g, a := d.find(port)
	switch {
	case a == nil:
		return FramesWatch{}, fmt.Errorf("%s: %w", port, ErrNoPort)
	case a.frames != nil:
		return FramesWatch{}, fmt.Errorf("port %s: %w", port, ErrWatched)
	}
	w := &framesWatch{ended: make(chan struct{})}
	a.frames = w
	return FramesWatch{
		Begin: func(c *pcap.Capture, every uint64) { d.ifWatched(a, w, func() { w.begin(g, a, c, every) }) },
		Stop:  func() { d.ifWatched(a, w, func() { w.stop(g, a) }) },
		Ended: w.ended,
	}, nil
}

// ifWatched does something with a watch that has not ended.
func (d *Dataplane) ifWatched(a *attachment, w *framesWatch, do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a.frames == w {
		do()
	}
}

func (w *framesWatch) begin(g *group, a *attachment, c *pcap.Capture, every uint64) {
	w.capture, w.every = c, every
	g.tapFrames(a)
}

// stop has the worker use the devices of the port as they are.
func (w *framesWatch) stop(g *group, a *attachment) {
	a.frames = nil
	if a.host != nil {
		g.worker.do(func(int64) { a.port.replace(a.host.devices) })
	}
}

// endFrames ends the watch of a port that goes away.
func (a *attachment) endFrames() {
	if a.frames != nil {
		close(a.frames.ended)
		a.frames = nil
	}
}

// tapFrames puts taps on the devices of a port that is watched, if it has some.
func (g *group) tapFrames(a *attachment) {
	w := a.frames
	if w == nil || w.capture == nil || a.host == nil {
		return
	}
	left := w.taps
	w.taps = nil
	var devices []frame.Device
	for i, d := range a.host.devices {
		queue := a.host.sockets[i].Info().Queue
		tap := w.capture.Sample(d, fmt.Sprintf("%s queue %d", a.settings.Interface, queue), w.every)
		w.taps, devices = append(w.taps, tap), append(devices, tap)
	}
	g.worker.do(func(int64) { a.port.replace(devices) })
	for _, tap := range left { // the capture takes what they have, and forgets them
		tap.Detach()
	}
}

// replace has a port use other devices with the same memory and rings: taps on its own, or its
// own again.
func (p *port) replace(devices []frame.Device) {
	for i, s := range p.sources {
		s.device = devices[i]
	}
}
