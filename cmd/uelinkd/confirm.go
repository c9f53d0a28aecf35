package main

import (
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"
)

// confirmation waits, with --confirm, for "uelink confirm" after the start and after each reload that changes
// something: a proof that somebody can still reach the host. Its methods may be called from any goroutine.
type confirmation struct {
	limit time.Duration // 0: nothing has to be confirmed

	mu    sync.Mutex
	timer *time.Timer // nil: not begun, or confirmed
	until time.Time
	done  chan struct{} // has an element from the end of a time until the daemon has acted on it
}

func newConfirmation(limit time.Duration) *confirmation {
	return &confirmation{limit: limit, done: make(chan struct{}, 1)}
}

// begin starts the time, or starts it again. takenBack is the action at its end, for the log. The caller has attached
// the interfaces.
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

// end stops the time, also a time that is over but not acted on. The lock is held.
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

// expire reports the end of a time that was not stopped. The lock is held.
func (c *confirmation) expire(timer *time.Timer) {
	if c.timer == timer {
		c.timer = nil
		c.done <- struct{}{}
	}
}

// over returns a channel that gets an element when the time is over.
func (c *confirmation) over() <-chan struct{} { return c.done }

// pending reports whether a time runs, or is over and not acted on.
func (c *confirmation) pending() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.timer != nil || len(c.done) > 0
}

// Confirm stops the time, and reports whether a time was running.
func (c *confirmation) Confirm() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.timer != nil && c.end()
}

// Left returns the remaining time; 0 if nothing waits for confirmation.
func (c *confirmation) Left() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer == nil {
		return 0
	}
	return max(0, time.Until(c.until))
}

// stop stops the time because nothing waits for confirmation any more.
func (c *confirmation) stop() { _ = c.Confirm() }

// refused returns the error of a start that was not confirmed in time.
func (c *confirmation) refused() error { return &unconfirmedError{c.limit} }

// unconfirmedError reports that the start was not confirmed in time.
type unconfirmedError struct{ limit time.Duration }

// Error returns a message with the remedy.
func (e *unconfirmedError) Error() string {
	return fmt.Sprintf("not confirmed within %v: everything is as it was before. If this host was still in reach, "+
		"start again and type: uelink confirm", e.limit)
}

// ExitCode returns 4.
func (*unconfirmedError) ExitCode() int { return exitUnconfirmed }
