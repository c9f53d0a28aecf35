package dataplane

import (
	"errors"
	"fmt"
	"time"

	"uelink/dataplane/model"
	"uelink/dataplane/path"
	"uelink/dataplane/pcap"
	"uelink/wire"
)

// ErrTraced is returned while another trace of the port's xconnect or bridge has not ended.
var ErrTraced = errors.New("frames of the port's xconnect or bridge are traced already: end the other trace first")

// FramesTrace is a trace of the next frames that a port receives.
type FramesTrace struct {
	// Take returns the traced frames that have ended since the last call; if all is true, also the frames that have not
	// ended. goesOn is false if no more frames follow: all have ended, or the ports have changed.
	Take func(all bool) (frames []model.TracedFrame, goesOn bool)
	// Stop ends the trace.
	Stop func()
}

// TraceFrames begins a trace of the next frames that a port receives; an xconnect or a bridge has one trace at a time.
// Errors: ErrNoPort, ErrNotLLR, ErrTraced.
func (d *Dataplane) TraceFrames(port string, s model.TraceSettings) (FramesTrace, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	g, a := d.find(port)
	switch {
	case a == nil:
		return FramesTrace{}, fmt.Errorf("%s: %w", port, ErrNoPort)
	case a.settings.Role == model.RoleLink && a.settings.Protocol != model.LLR:
		return FramesTrace{}, fmt.Errorf("%s: %w", port, ErrNotLLR)
	}
	var t *path.Trace
	g.worker.Do(func(now wire.Time) { t = g.domain.Trace(a.port, s, time.Now(), now) })
	if t == nil {
		return FramesTrace{}, fmt.Errorf("port %s: %w", port, ErrTraced)
	}
	return FramesTrace{
		Take: func(all bool) (frames []model.TracedFrame, goesOn bool) {
			d.onDomain(port, func(domain *path.Domain) {
				traces, over := domain != nil && domain.Traces(t), false
				frames, over = t.Take(all || !traces)
				goesOn = traces && !over
			})
			return frames, goesOn
		},
		Stop: func() {
			d.onDomain(port, func(domain *path.Domain) {
				if domain != nil {
					domain.EndTrace(t)
				}
			})
		},
	}, nil
}

// onDomain runs f with the domain of a port, on the domain's worker. If the port has gone, it runs f with nil on this
// thread.
func (d *Dataplane) onDomain(port string, f func(domain *path.Domain)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	g, _ := d.find(port)
	if g == nil {
		f(nil)
		return
	}
	g.worker.Do(func(wire.Time) { f(g.domain) })
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

// ErrWatched is returned while another watch of the port's frames has not ended.
var ErrWatched = errors.New("the port's frames are watched already: end the other watch first")
