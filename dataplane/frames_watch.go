package dataplane

import (
	"fmt"

	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/dataplane/pcap"
	"uelink/wire"
)

// framesWatch is a watch of a port's frames. Without a watch the frame path has no overhead: taps stand between the
// sockets and the worker from the begin of a watch to its end.
type framesWatch struct {
	capture *pcap.Capture  // nil: Begin was not called yet
	every   uint64         // one of this number of frames is written
	taps    []*pcap.Device // on the port's present devices, or its last
	ended   chan struct{}  // closed when the port is removed
}

// begin starts writing one of every so many frames of the port to the capture c.
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
	former := w.taps
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
	for _, tap := range former { // the capture copies the frames that are still in these taps
		tap.Detach()
	}
}
