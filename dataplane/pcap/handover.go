package pcap

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// A capture goes on in another process: the other process opens a capture on the same open file by Continue, Suspend
// writes the file up to a whole block, and the other process appends to it after GoOn and Resume. Since Suspend the
// taps must pass no frames.

// Handed is the progress of a capture for the process that continues it.
type Handed struct {
	Frames uint64
	Missed uint64
	Octets int64
	FullAt int64  // the limit that ended the capture; 0: it has not ended by its limit
	Failed string // error that stopped the capture
}

// pause is a request to the writing goroutine to write nothing until over is closed.
type pause struct {
	answer chan Handed
	over   chan struct{}
}

// errSlow is the error of a file that does not take writes in time.
var errSlow = errors.New("the file takes no writes: free space on its disk, or end the capture")

// File returns the open file of the capture, nil if the capture does not write to an *os.File, and the number of
// interfaces in it: the taps so far.
func (c *Capture) File() (f *os.File, interfaces uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, _ = c.file.(*os.File)
	return f, c.number
}

// Suspend writes all captured frames to the file, and stops the writing until Resume. It returns the capture's
// progress (counts of frames and octets). If the frames cannot be written within the given time, Suspend returns an
// error, and the capture goes on.
func (c *Capture) Suspend(within time.Duration) (h Handed, err error) {
	p, late := &pause{make(chan Handed, 1), make(chan struct{})}, time.After(within)
	select {
	case c.asks <- p:
	case <-late:
		return h, fmt.Errorf("capture %s: %w", c.name, errSlow)
	}
	select {
	case h = <-p.answer:
	case <-late:
		close(p.over)
		return h, fmt.Errorf("capture %s: %w", c.name, errSlow)
	}
	c.paused = p
	return h, nil
}

// Resume lets a suspended capture write frames again. On a capture that is not suspended it does nothing.
func (c *Capture) Resume() {
	if c.paused != nil {
		close(c.paused.over)
		c.paused = nil
	}
}

// state returns the capture's progress for another process: counts of frames and octets, and the error, if any. Only
// the writing goroutine may call it.
func (c *Capture) state() Handed {
	counts := c.Counts()
	h := Handed{Frames: counts.Frames, Missed: counts.Missed, Octets: counts.Octets}
	if counts.Full {
		h.FullAt = c.fullAt
	}
	if c.err != nil {
		h.Failed = c.err.Error()
	}
	return h
}

// Continue returns a capture that goes on writing the open file f of another process, which has that number of
// interfaces, after calls of GoOn and Resume. path names the file in errors, limit is the largest file size in octets.
func Continue(f *os.File, path string, limit int64, interfaces uint32) *Capture {
	c := newCapture(f, path, limit)
	c.number, c.reported = interfaces, make([]uint64, interfaces)
	c.paused = &pause{make(chan Handed, 1), make(chan struct{})}
	go func(p *pause) {
		select {
		case <-p.over:
		case <-c.quit:
		}
		c.run()
	}(c.paused)
	return c
}

// GoOn sets the progress of a capture made by Continue to that of the other process, which has suspended its capture.
func (c *Capture) GoOn(h Handed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts = Counts{Frames: h.Frames, Octets: h.Octets, Full: h.FullAt != 0}
	c.missed.Store(h.Missed)
	c.fullAt = h.FullAt
	if h.Failed != "" {
		c.err = errors.New(h.Failed)
	}
	c.stopped.Store(c.err != nil || c.counts.Full)
}
