package cable

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"uelink/dataplane/fault/rule"
	"uelink/dataplane/pcap"
	"uelink/wire"
)

// DefaultCaptureLimit is the size at which a capture ends, in octets.
const DefaultCaptureLimit = 64 << 20

// Captured is the state of a capture file.
type Captured struct {
	File   string `json:"file"`
	Frames uint64 `json:"frames"` // frames in the file: each once at arrival and once at leaving
	Octets int64  `json:"octets"`
	Missed uint64 `json:"missed"` // frames not in the file, because writing was too slow
	Full   bool   `json:"full"`   // the capture has ended at the limit
	Error  string `json:"error,omitempty"`
}

// openCapture makes the capture file of the configuration, if any. An existing path is an error.
func (c *Cable) openCapture() (err error) {
	if c.config.Capture == "" {
		return nil
	}
	limit := c.config.CaptureLimit
	if limit == 0 {
		limit = DefaultCaptureLimit
	}
	c.capture, err = pcap.CreateNew(c.config.Capture, limit)
	return err
}

// discardCapture removes the capture file of a cable that could not be plugged in.
func (c *Cable) discardCapture() error {
	if c.capture == nil {
		return nil
	}
	return errors.Join(c.capture.Close(), os.Remove(c.config.Capture))
}

// closeCapture closes the capture file, and returns the error that has ended the capture before, if any.
func (c *Cable) closeCapture() error {
	if c.capture == nil {
		return nil
	}
	return c.capture.Close()
}

// record makes a wire write its frames to the capture.
func (w *userWire) record(capture *pcap.Capture, names [2]string) {
	if capture == nil {
		return
	}
	w.tap.record = &record{recorder: capture.Recorder(names[:]...), began: w.began}
	if w.rules != nil {
		_ = w.rule(func(rules *rule.Wire, _ wire.Time) error {
			rules.OnHit(w.tap.record.hit)
			return nil
		}) // no error: the wire has rules
	}
}

// captured returns the state of the capture; nil without one.
func (c *Cable) captured() *Captured {
	if c.capture == nil {
		return nil
	}
	n := c.capture.Counts()
	s := &Captured{File: c.config.Capture, Frames: n.Frames, Octets: n.Octets, Missed: n.Missed, Full: n.Full}
	if err := c.capture.Err(); err != nil {
		s.Error = err.Error()
	}
	return s
}

// ended returns in words why a capture has ended before the cable; "" if it has not.
func (s *Captured) ended() string {
	switch {
	case s == nil:
		return ""
	case s.Error != "":
		return s.Error
	case s.Full:
		return fmt.Sprintf("capture %s: has ended at its limit: %d octets", s.File, s.Octets)
	}
	return ""
}

// String returns the state in words.
func (s *Captured) String() string {
	text := fmt.Sprintf("capture %s: %d frames, %d octets", s.File, s.Frames, s.Octets)
	if s.Missed > 0 {
		text += fmt.Sprintf(", %d frames missed", s.Missed)
	}
	if s.Full {
		text += ", ended at its limit"
	}
	if s.Error != "" {
		text += ", ended by an error"
	}
	return text
}

// captureEvent reports that the capture has ended before the cable.
type captureEvent struct {
	Event string `json:"event"` // "capture"
	*Captured
}

// followCapture starts a goroutine that prints a line to stderr, once, if the capture ends before the cable. stop ends
// the goroutine and waits for its end.
func (p *printer) followCapture(c *Cable) (stop func()) {
	if c.captured() == nil {
		return func() {}
	}
	done, over := make(chan struct{}), sync.WaitGroup{}
	over.Go(func() {
		every := time.NewTicker(watchEvery)
		defer every.Stop()
		for {
			select {
			case <-done:
				return
			case <-every.C:
			}
			s := c.captured()
			if reason := s.ended(); reason != "" && p.json {
				json.NewEncoder(p.err).Encode(captureEvent{"capture", s})
				return
			} else if reason != "" {
				fmt.Fprintln(p.err, reason)
				return
			}
		}
	})
	return func() {
		close(done)
		over.Wait()
	}
}
