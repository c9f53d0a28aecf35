package trouble

import (
	"fmt"

	"uelink/dataplane/model"
)

// CaptureState is the state of a port's capture.
type CaptureState struct {
	Frames   uint64 // written
	Err      error  // why the capture has ended or could not begin; nil: it runs, or none is configured
	DiskFull bool   // Err means a full disk, or an exhausted quota
	Full     bool   // the capture has reached its limit
}

// CheckCapture begins a trouble when the capture of a port has ended by an error or a full disk, and leaves a notice
// when the capture has reached its limit.
func (m *Monitor) CheckCapture(c CaptureState) {
	switch {
	case m.texts[Capture] != "" || m.CaptureFull:
	case c.DiskFull:
		m.Begin(Capture, fmt.Sprintf("%v: the disk is full: the capture has ended after %d frames, and traffic goes on: "+
			"make room, then restart uelinkd, or name another capture and reload", c.Err, c.Frames))
	case c.Err != nil:
		m.Begin(Capture, fmt.Sprintf("%v: the capture has ended after %d frames, and traffic goes on", c.Err, c.Frames))
	case c.Full:
		m.CaptureFull = true
		m.Notify(model.NoticeCapture, fmt.Sprintf("the capture has reached its capture_limit after %d frames, and has ended",
			c.Frames))
	}
}

// ChangedCapture records that the port has another capture, or none any more.
func (m *Monitor) ChangedCapture() { m.CaptureFull, m.texts[Capture] = false, "" }
