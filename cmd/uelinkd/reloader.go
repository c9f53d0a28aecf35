package main

import (
	"errors"
	"time"

	"uelink/control/api"
)

// reloader passes requests of the API to reload to the daemon's main goroutine.
type reloader struct{ requests chan chan api.Reload }

func newReloader() reloader { return reloader{make(chan chan api.Reload)} }

// Reload makes the daemon read its configuration file again, and returns the outcome. It returns an error if the daemon
// does not begin within busyTimeout.
func (r reloader) Reload() (api.Reload, error) {
	outcome := make(chan api.Reload, 1)
	select {
	case r.requests <- outcome:
		return <-outcome, nil
	case <-time.After(busyTimeout):
		return api.Reload{}, errors.New("the daemon is busy with another reload, an upgrade, or its end: try again")
	}
}
