// Package spool writes lines to a descriptor whose reader may stand still or be gone, such as standard error behind a
// pipe: whoever writes a line never waits for the reader, and never ends because of it.
package spool

import (
	"bytes"
	"errors"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Bounds of a Spool.
const (
	room     = 256 << 10              // most octets that wait
	patience = 200 * time.Millisecond // longest wait of Sync and Close
)

// Spool is an io.Writer in front of a file. One goroutine owns the file and writes to it; Write only puts text into a
// bounded queue. When the queue is full, its oldest texts give way: so the last line of a process is never refused.
//
//	Write ──► pending ──► run ──► write(2), which may stand still
//	             │         └─────► an error (EPIPE, ENOSPC, EIO): the text is lost
//	             └ full: the oldest text is lost
//
// Lost lines are counted. Once the file takes text again, a notice with their number stands in their place.
type Spool struct {
	file *os.File
	fd   int
	wake chan struct{} // capacity 1: there may be work

	mu      sync.Mutex
	pending [][]byte
	size    int // octets in pending
	writing bool
	closed  bool
	waiting []chan struct{} // one for each call of Sync: closed once nothing is left to write
	state   State
	noticed uint64                   // of state.Lost
	notice  func(lost uint64) []byte // nil: no notice
}

// State is what became of the lines of a Spool.
type State struct {
	Lost  uint64    // lines that were not written
	Fault error     // error of the latest write; nil: it was written
	Since time.Time // since when a write stands still; zero: none does
}

// Start returns a Spool in front of f, which stays open and belongs to the caller.
func Start(f *os.File) *Spool {
	s := &Spool{file: f, fd: -1, wake: make(chan struct{}, 1)}
	// Unlike Fd, this leaves alone the mode of a description shared with other processes.
	if raw, err := f.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { s.fd = int(fd) }) // an error: f is closed, as each write will report
	}
	go s.run()
	return s
}

// File returns the file behind the Spool, so that callers can see what kind of file it is. Callers must not write to
// the file: their text would overtake the queue.
func (s *Spool) File() *os.File { return s.file }

// SetNotice sets the function that makes the notice which stands in the place of lost lines.
func (s *Spool) SetNotice(notice func(lost uint64) []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notice = notice
}

// Write puts a copy of text, one or several lines, into the queue. It never waits and returns no error. If the queue is
// full, the oldest texts are dropped and their lines counted as lost.
func (s *Spool) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return len(text), nil
	}
	s.pending, s.size = append(s.pending, bytes.Clone(text)), s.size+len(text)
	for s.size > room && len(s.pending) > 1 {
		s.state.Lost += lines(s.pending[0])
		s.size -= len(s.pending[0])
		s.pending = s.pending[1:]
	}
	select {
	case s.wake <- struct{}{}:
	default: // it is awake
	}
	return len(text), nil
}

// lines returns the number of lines in a text.
func lines(text []byte) uint64 { return uint64(max(1, bytes.Count(text, []byte{'\n'}))) }

// State returns the fate of the lines so far.
func (s *Spool) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Sync waits until everything is written, for 0.2 s at most: a process that ends does not wait for a reader. It returns
// os.ErrDeadlineExceeded if text is left.
func (s *Spool) Sync() error {
	s.mu.Lock()
	if !s.writing && len(s.pending) == 0 {
		s.mu.Unlock()
		return nil
	}
	idle := make(chan struct{})
	s.waiting = append(s.waiting, idle)
	s.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-time.After(patience):
		return os.ErrDeadlineExceeded
	}
}

// Close waits until everything is written, for 0.2 s at most as Sync does, and ends the goroutine once the queue is
// written. Text given to Write after Close is dropped.
func (s *Spool) Close() error {
	err := s.Sync()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		close(s.wake)
	}
	return err
}

// run writes the waiting text in the only goroutine that may block on the descriptor. It ends when wake is closed.
func (s *Spool) run() {
	for range s.wake {
		for {
			text, lost := s.next()
			if text == nil {
				break
			}
			s.written(text, lost, s.put(text))
		}
	}
}

// next returns the text to be written next; nil if nothing waits: then it wakes those who wait in Sync. If that text is
// the notice of lost lines, lost is their number, else 0. The notice comes before the queue, because the lost lines
// were older.
func (s *Spool) next() (text []byte, lost uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writing = len(s.pending) > 0; !s.writing {
		for _, idle := range s.waiting {
			close(idle)
		}
		s.waiting = nil
		return nil, 0
	}
	s.state.Since = time.Now()
	if lost = s.state.Lost - s.noticed; lost > 0 && s.notice != nil {
		return s.notice(lost), lost
	}
	text = s.pending[0]
	s.pending, s.size = s.pending[1:], s.size-len(text)
	return text, 0
}

// written records the outcome of writing text. lost is the number of lost lines if text is their notice, else 0. Text
// that was not written counts as lost.
func (s *Spool) written(text []byte, lost uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Since, s.state.Fault = time.Time{}, err
	switch {
	case err == nil:
		s.noticed += lost
	case lost == 0:
		s.state.Lost += lines(text)
	default: // the notice was refused, and the lines behind it would be refused, too
		for _, text := range s.pending {
			s.state.Lost += lines(text)
		}
		s.pending, s.size = nil, 0
	}
}

// put writes a whole text to the file. It calls write(2) itself: after EPIPE on descriptor 1 or 2 an os.File ends the
// process by SIGPIPE.
func (s *Spool) put(text []byte) error {
	for len(text) > 0 {
		n, err := unix.Write(s.fd, text)
		switch {
		case err == nil:
			text = text[n:]
		case errors.Is(err, unix.EAGAIN): // the file is open in non-blocking mode
			// An error of Poll is ignored: the next write returns the same error.
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLOUT}}, -1)
		case !errors.Is(err, unix.EINTR):
			return err
		}
	}
	return nil
}
