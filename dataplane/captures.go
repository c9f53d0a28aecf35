package dataplane

import (
	"errors"
	"fmt"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/dataplane/pcap"
	"uelink/wire"
)

// A capture begins and ends between two rounds of the worker: taps are put between the sockets and the worker, and
// taken away. The sockets stay open.

// newCapture is the file of a capture, or the reason why a configured capture has no file.
type newCapture struct {
	capture *pcap.Capture
	full    error // the disk is full or the quota exhausted
}

// makeCapture creates the file of a configured capture. On a full disk it returns no error, and c.full says why:
// the port works without the capture, and a fault reports that.
func makeCapture(s *model.PortSettings) (c newCapture, err error) {
	if s.Capture == "" {
		return c, nil
	}
	c.capture, err = pcap.Create(s.Capture, s.CaptureLimit)
	switch {
	case diskFull(err):
		return newCapture{full: err}, nil
	case err != nil:
		return c, configError("port %s: %w", s.Name, err)
	}
	return c, nil
}

// diskFull reports whether an error means a full disk or an exhausted quota.
func diskFull(err error) bool { return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) }

// startCapture creates the configured capture of a port whose interface has just been attached, unless the capture
// exists already.
func (h *host) startCapture() error {
	if h.capture != nil || h.uncaptured != nil {
		return nil
	}
	c, err := makeCapture(&h.settings)
	h.capture, h.uncaptured = c.capture, c.full
	return err
}

// captureError returns why the capture has ended or could not begin, and the number of frames written. A nil error
// means that the capture is running, or that none is configured.
func (h *host) captureError() (frames uint64, err error) {
	if h.capture == nil {
		return 0, h.uncaptured
	}
	return h.capture.Counts().Frames, h.capture.Err()
}

// tap sets the devices that the worker uses: the sockets, or, with a capture, taps that record the sockets'
// frames.
func (h *host) tap() {
	h.taps, h.devices = nil, nil
	for i, s := range h.sockets {
		var d frame.Device = s
		if i == 0 && h.super != nil {
			d = h.super
		}
		if h.capture != nil {
			tap := h.capture.Tap(d, fmt.Sprintf("%s queue %d", h.settings.Interface, s.Info().Queue))
			if h.settings.Role == model.RoleEdge {
				tap.AsCarried()
			}
			h.taps, d = append(h.taps, tap), tap
		}
		h.devices = append(h.devices, d)
	}
}

// retap makes the worker use the devices of h as they are to be now, with new taps.
func (g *group) retap(a *attachment) {
	taps := a.host.taps
	a.host.tap()
	g.worker.Do(func(wire.Time) {
		a.port.Replace(a.host.devices)
		g.worker.WatchDevices()
	})
	a.frames.tap(g, a)
	for _, tap := range taps {
		tap.Detach()
	}
}

// closeDevices makes the capture's taps pass their last frames to the capture. The sockets below the taps are
// closed already.
func (h *host) closeDevices() {
	for _, d := range h.devices {
		_ = d.Close()
	}
	h.taps, h.devices = nil, nil
}

// endCapture closes the file of a capture; nil is allowed.
func (h *host) endCapture(c *pcap.Capture) {
	if c == nil {
		return
	}
	if err := c.Close(); err != nil {
		h.log.Warn("capture", zap.Error(err))
	}
}

// makeCaptures creates, before a reload, the files of captures that begin on existing ports. After an error no new
// file is left.
func (d *Dataplane) makeCaptures(s Settings) error {
	d.made = map[string]newCapture{}
	for _, g := range d.groups {
		for _, a := range g.members {
			if a.host == nil || !a.goesOn(s) || s.port(a.settings.Name).Capture == a.settings.Capture {
				continue
			}
			p := s.port(a.settings.Name)
			c, err := makeCapture(&p)
			if err != nil {
				d.endMade()
				return err
			}
			d.made[p.Name] = c
		}
	}
	return nil
}

// endMade closes the capture files made for a reload that no port has taken over.
func (d *Dataplane) endMade() {
	for _, c := range d.made {
		if c.capture != nil {
			_ = c.capture.Close() // the file is empty
		}
	}
	d.made = nil
}

// changeCapture starts, ends or replaces the capture of a port by its new settings s. The file of a new capture is
// already created, in made.
func (g *group) changeCapture(a *attachment, s model.PortSettings, made map[string]newCapture) {
	if a.host == nil {
		return
	}
	was := &a.host.settings
	path, limit := was.Capture, was.CaptureLimit
	was.Capture, was.CaptureLimit = s.Capture, s.CaptureLimit
	if path == s.Capture {
		if a.host.capture != nil && limit != s.CaptureLimit {
			a.host.capture.SetLimit(s.CaptureLimit)
			a.monitor.CaptureFull = false
		}
		return
	}
	old, taps := a.host.capture, a.host.taps
	c := made[s.Name]
	delete(made, s.Name)
	a.host.capture, a.host.uncaptured = c.capture, c.full
	a.host.tap()
	g.worker.Do(func(wire.Time) { a.port.Replace(a.host.devices) })
	a.frames.tap(g, a)
	for _, tap := range taps {
		tap.Detach()
	}
	a.host.endCapture(old)
	a.monitor.ChangedCapture()
}
