package dataplane

import (
	"errors"
	"fmt"

	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/dataplane/pcap"
	"uelink/wire"
)

// ErrWatched is returned while another watch of the port's frames has not ended.
var ErrWatched = errors.New("its frames are watched already: end that watch first")

// FramesWatch is a watch of the frames of a port.
type FramesWatch struct {
	// Begin starts writing the port's sent and received frames to a capture: every = n writes one of n frames. The
	// watch goes on when the interface is attached again.
	Begin func(c *pcap.Capture, every uint64)
	// Stop ends the watch. The caller must call Stop before closing the capture.
	Stop func()
	// Ended is closed when the port is removed.
	Ended <-chan struct{}
}

// framesWatch is a watch of a port's frames. Without a watch the frame path has no overhead: taps stand between the
// sockets and the worker from the begin of a watch to its end.
type framesWatch struct {
	capture *pcap.Capture // nil: Begin was not called yet
	every   uint64
	taps    []*pcap.Device // on the port's present devices, or its last
	ended   chan struct{}  // closed when the port is removed
}

// WatchFrames returns a watch of a port's frames, which the caller begins and stops; a port has one watch at a
// time. Errors: ErrNoPort, ErrWatched.
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

// ifWatched calls do if w is still the port's watch of frames.
func (d *Dataplane) ifWatched(a *attachment, w *framesWatch, do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a.frames == w {
		do()
	}
}

func (w *framesWatch) begin(g *group, a *attachment, c *pcap.Capture, every uint64) {
	w.capture, w.every = c, every
	a.frames.tap(g, a)
}

// stop ends a watch of frames: the worker uses the devices of the port without taps again.
func (w *framesWatch) stop(g *group, a *attachment) {
	a.frames = nil
	if a.host != nil {
		g.worker.Do(func(wire.Time) { a.port.Replace(a.host.devices) })
	}
}

// end ends the watch of frames, if any, of a port that is removed.
func (w *framesWatch) end(a *attachment) {
	if w != nil {
		close(w.ended)
		a.frames = nil
	}
}

// tap puts taps, which copy frames to the watch, between the worker and the devices of a watched port.
func (w *framesWatch) tap(g *group, a *attachment) {
	if w == nil || w.capture == nil || a.host == nil {
		return
	}
	left := w.taps
	w.taps = nil
	var devices []frame.Device
	for i, d := range a.host.devices {
		queue := a.host.sockets[i].Info().Queue
		tap := w.capture.Sample(d, fmt.Sprintf("%s queue %d", a.settings.Interface, queue), w.every)
		if a.settings.Role == model.RoleEdge {
			tap.AsCarried()
		}
		w.taps, devices = append(w.taps, tap), append(devices, tap)
	}
	g.worker.Do(func(wire.Time) { a.port.Replace(devices) })
	for _, tap := range left { // the capture copies the frames left in the taps
		tap.Detach()
	}
}
