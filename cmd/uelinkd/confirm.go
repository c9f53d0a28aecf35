package main

import (
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"
)

// confirmation is what --confirm asks for: that somebody who can still reach the host says so in time, after the start
// and after each reload that changes something. Its methods may be called from any goroutine.
type confirmation struct {
	limit time.Duration // 0: nothing has to be confirmed

	mu    sync.Mutex
	timer *time.Timer // nil: not begun, or nothing to wait for any more
	until time.Time
	done  chan struct{} // has an element from the end of a time on until that is seen to
}

func newConfirmation(limit time.Duration) *confirmation {
	return &confirmation{limit: limit, done: make(chan struct{}, 1)}
}

// begin has the time run, from its beginning if it runs already. takenBack says what happens at its end. It is called
// once the interfaces are taken.
func (c *confirmation) begin(log *zap.Logger, takenBack string) {
	if c.limit == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end()
	var timer *time.Timer
	timer = time.AfterFunc(c.limit, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.expire(timer)
	})
	c.timer, c.until = timer, time.Now().Add(c.limit)
	log.Warn("waiting for confirmation: "+takenBack+" after this time unless \"uelink confirm\" comes before",
		zap.Duration("confirm", c.limit))
}

// end ends the time, also one that is over already but was not seen to. The lock is held.
func (c *confirmation) end() (ran bool) {
	if ran = c.timer != nil; ran {
		c.timer.Stop()
	}
	c.timer = nil
	select {
	case <-c.done:
	default:
	}
	return ran
}

// expire is the end of a time that nobody has ended. The lock is held.
func (c *confirmation) expire(timer *time.Timer) {
	if c.timer == timer {
		c.timer = nil
		c.done <- struct{}{}
	}
}

// over gets an element when the time is over.
func (c *confirmation) over() <-chan struct{} { return c.done }

// pending tells whether a time runs, or is over and was not seen to.
func (c *confirmation) pending() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.timer != nil || len(c.done) > 0
}

// Confirm ends the time. It tells whether there was one that was not over yet.
func (c *confirmation) Confirm() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.timer != nil && c.end()
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

// stop ends the time because there is nothing to confirm any more.
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
