package dataplane

import (
	"errors"
	"fmt"
	"time"

	"uelink/dataplane/model"
	"uelink/dataplane/path"
	"uelink/wire"
)

// ErrTraced is returned while another trace of the port's xconnect or bridge has not ended.
var ErrTraced = errors.New("frames of its xconnect or bridge are traced already: end that trace first")

// FramesTrace is a trace of the next frames that a port receives.
type FramesTrace struct {
	// Take returns the traced frames that have ended since the last call, and with all those under way, too. goesOn is
	// false if no more frames follow: all have ended, or the ports have changed.
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

// onDomain runs f on the worker of a port's domain, with the domain; with nil, on this thread, if the port has gone.
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
