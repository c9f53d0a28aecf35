package dataplane

import (
	"errors"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"uelink/dataplane/model"
	"uelink/dataplane/pcap"
	"uelink/wire"
)

// A capture begins and ends between two rounds of the worker: taps are put between the sockets and the worker, and
// taken away. The sockets stay open.

// recording is the capture of a port.
type recording struct {
	capture    *pcap.Capture  // nil: no capture
	progress   pcap.Handed    // what the capture had written when it was suspended for another process
	uncaptured error          // why a configured capture does not exist
	taps       []*pcap.Device // of the capture: devices in front of the sockets
}

// newCapture is the file of a capture, or the reason why a configured capture has no file.
type newCapture struct {
	capture *pcap.Capture
	full    error // why a configured capture has no file: the disk is full, or the quota exhausted
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

// start creates the configured capture of a port whose interface has just been attached, unless the capture
// exists already.
func (r *recording) start(s *model.PortSettings) error {
	if r.capture != nil || r.uncaptured != nil {
		return nil
	}
	c, err := makeCapture(s)
	r.capture, r.uncaptured = c.capture, c.full
	return err
}

// failure returns why the capture has ended or could not begin, and the number of frames written. A nil error
// means that the capture is running, or that none is configured.
func (r *recording) failure() (frames uint64, err error) {
	if r.capture == nil {
		return 0, r.uncaptured
	}
	return r.capture.Counts().Frames, r.capture.Err()
}

// close closes the file of c, the present or a former capture of the port, and logs an error; c may be nil.
func (r *recording) close(c *pcap.Capture, log *zap.Logger) {
	if c == nil {
		return
	}
	if err := c.Close(); err != nil {
		log.Warn("capture", zap.Error(err))
	}
}

// newCaptures is, by port, the new captures of ports that go on in a reload.
type newCaptures map[string]newCapture

// makeCaptures creates, before a reload, the files of captures that begin on existing ports. After an error no new
// file is left.
func makeCaptures(groups []*group, s Settings) (newCaptures, error) {
	captures := newCaptures{}
	for _, g := range groups {
		for _, a := range g.members {
			if a.host == nil || !a.goesOn(s) || s.port(a.settings.Name).Capture == a.settings.Capture {
				continue
			}
			p := s.port(a.settings.Name)
			c, err := makeCapture(&p)
			if err != nil {
				captures.close()
				return nil, err
			}
			captures[p.Name] = c
		}
	}
	return captures, nil
}

// close closes the capture files made for a reload that no port has taken over.
func (n newCaptures) close() {
	for _, c := range n {
		if c.capture != nil {
			_ = c.capture.Close() // the file is empty
		}
	}
}

// change starts, ends or replaces the capture of a port by its new settings s; another limit alone changes the running
// capture. The file of a new capture has been created already, and change takes it out of captures.
func (r *recording) change(g *group, a *attachment, s model.PortSettings, captures newCaptures) {
	current := &a.host.settings
	path, limit := current.Capture, current.CaptureLimit
	current.Capture, current.CaptureLimit = s.Capture, s.CaptureLimit
	if path == s.Capture {
		if r.capture != nil && limit != s.CaptureLimit {
			r.capture.SetLimit(s.CaptureLimit)
			a.monitor.CaptureFull = false
		}
		return
	}
	old, taps := r.capture, r.taps
	c := captures[s.Name]
	delete(captures, s.Name)
	r.capture, r.uncaptured = c.capture, c.full
	a.host.tap()
	g.worker.Do(func(wire.Time) { a.port.Replace(a.host.devices) })
	a.frames.tap(g, a)
	for _, tap := range taps {
		tap.Detach()
	}
	r.close(old, a.host.log)
	a.monitor.ChangedCapture()
}
