package main

import (
	"errors"
	"time"
)

// turns runs functions for requests of the API in the daemon's main goroutine, one after the other.
type turns struct{ requests chan func() }

func newTurns() turns { return turns{make(chan func())} }

// run runs f in the main goroutine, and returns once it is done; or an error if the daemon does not begin within
// busyTimeout.
func (t turns) run(f func()) error {
	done := make(chan struct{})
	select {
	case t.requests <- func() { defer close(done); f() }:
		<-done
		return nil
	case <-time.After(busyTimeout):
		return errors.New("the daemon is busy with another reload, an upgrade, or its end: try again")
	}
}
