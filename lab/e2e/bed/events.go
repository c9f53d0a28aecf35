package bed

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"uelink/control/api"
)

// Events is the events of a daemon received by a watcher.
type Events struct {
	t        testing.TB
	mu       sync.Mutex
	received []api.Event
}

// Watch subscribes to the daemon's events and collects them until the end of the test; events after its return are
// not missed.
func (d *Daemon) Watch() *Events {
	d.T.Helper()
	w, err := d.Client.Watch(d.T.Context())
	Must(d.T, err)
	e := &Events{t: d.T}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			event, err := w.Next()
			if err != nil {
				return
			}
			e.mu.Lock()
			e.received = append(e.received, event)
			e.mu.Unlock()
		}
	}()
	d.T.Cleanup(func() { w.Close(); <-ended })
	return e
}

// Await waits until an event of this kind has been received whose text contains text.
func (e *Events) Await(kind, text string) {
	e.t.Helper()
	Eventually(e.t, "event "+kind+": "+text, func() string {
		e.mu.Lock()
		defer e.mu.Unlock()
		match := func(o api.Event) bool { return o.Kind == kind && strings.Contains(o.Text, text) }
		if slices.ContainsFunc(e.received, match) {
			return ""
		}
		return fmt.Sprintf("there were only %v", e.received)
	})
}

// Of returns the events received so far whose kind begins with one of kinds.
func (e *Events) Of(kinds ...string) (list []api.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, event := range e.received {
		if slices.ContainsFunc(kinds, func(kind string) bool { return strings.HasPrefix(event.Kind, kind) }) {
			list = append(list, event)
		}
	}
	return list
}
