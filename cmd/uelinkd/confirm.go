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
	done  chan struct{} // has an element when the time has ended, until the daemon has acted on that
}

func newConfirmation(limit time.Duration) *confirmation {
	return &confirmation{limit: limit, done: make(chan struct{}, 1)}
}

// begin starts, or restarts, the time within which "uelink confirm" must come; without --confirm it does nothing.
// takenBack says, for the log, what is undone when the time ends. The caller has already attached the interfaces.
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
	log.Warn("waiting for confirmation: "+takenBack+", unless \"uelink confirm\" comes within the time of --confirm",
		zap.Duration("confirm", c.limit))
}

// end stops the time for a confirmation, also a time that is over but not acted on, and reports whether the time
// was running. The lock is held.
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

// expire handles that the timer has fired: the time for a confirmation is over, unless it was stopped meanwhile. The
// lock is held.
func (c *confirmation) expire(timer *time.Timer) {
	if c.timer == timer {
		c.timer = nil
		c.done <- struct{}{}
	}
}

// over returns a channel that receives an element when the time for a confirmation is over.
func (c *confirmation) over() <-chan struct{} { return c.done }

// pending reports whether a confirmation is awaited, or its time is over and not acted on.
func (c *confirmation) pending() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.timer != nil || len(c.done) > 0
}

// Confirm confirms the start or reload, and reports whether a confirmation was awaited.
func (c *confirmation) Confirm() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.timer != nil && c.end()
}

// Left returns the remaining time for a confirmation; 0 if none is awaited.
func (c *confirmation) Left() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer == nil {
		return 0
	}
	return max(0, time.Until(c.until))
}

// stop ends the wait for a confirmation, if any: nothing is taken back.
func (c *confirmation) stop() { _ = c.Confirm() }

// refused returns the error with which the daemon ends after a start that was not confirmed in time.
func (c *confirmation) refused() error { return &unconfirmedError{c.limit} }

// unconfirmedError reports that the start was not confirmed in time.
type unconfirmedError struct{ limit time.Duration }

// Error returns a message that nobody confirmed the start in time, with the remedy.
func (e *unconfirmedError) Error() string {
	return fmt.Sprintf("not confirmed within %v: the daemon has undone its changes, and ends. If this host was still in "+
		"reach, start uelinkd again and type: uelink confirm", e.limit)
}

// ExitCode returns 4, the exit code of a start that nobody confirmed.
func (*unconfirmedError) ExitCode() int { return exitUnconfirmed }
