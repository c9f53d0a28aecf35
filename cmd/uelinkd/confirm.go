package main

import (
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"
)

// confirmation is what --confirm asks for: that somebody who can still reach the host says so in time. Its methods
// may be called from any goroutine.
type confirmation struct {
	limit time.Duration // 0: nothing has to be confirmed

	mu    sync.Mutex
	timer *time.Timer // nil: not begun, or nothing to wait for any more
	until time.Time
	done  chan struct{} // closed when the time is over
}

func newConfirmation(limit time.Duration) *confirmation {
	return &confirmation{limit: limit, done: make(chan struct{})}
}

// begin has the time run. It is called once the interfaces are taken.
func (c *confirmation) begin(log *zap.Logger) {
	if c.limit == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until = time.Now().Add(c.limit)
	c.timer = time.AfterFunc(c.limit, func() { close(c.done) })
	log.Warn("waiting for confirmation: everything is taken back after this time unless \"uelink confirm\" comes before",
		zap.Duration("confirm", c.limit))
}

// over is closed when the time is over.
func (c *confirmation) over() <-chan struct{} { return c.done }

// Confirm ends the time. It tells whether there was one that was not over yet.
func (c *confirmation) Confirm() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer == nil {
		return false
	}
	in := c.timer.Stop()
	c.timer = nil
	return in
}

// Left is how much of the time is left; 0 if nothing has to be confirmed.
func (c *confirmation) Left() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer == nil {
		return 0
	}
	return max(0, time.Until(c.until))
}

// stop is for a daemon that ends for another reason.
func (c *confirmation) stop() { _ = c.Confirm() }

// refused is the error of a time that is over.
func (c *confirmation) refused() error { return &unconfirmedError{c.limit} }

// unconfirmedError is why a daemon has ended that nobody has confirmed.
type unconfirmedError struct{ limit time.Duration }

// Error says what to do.
func (e *unconfirmedError) Error() string {
	return fmt.Sprintf("not confirmed within %v: everything is as it was before. If this host was still in reach, "+
		"start again and type: uelink confirm", e.limit)
}

// ExitCode is 4.
func (*unconfirmedError) ExitCode() int { return exitUnconfirmed }
