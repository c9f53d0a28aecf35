package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"uelink/control"
)

// events is the events of a daemon received by a watcher.
type events struct {
	t    testing.TB
	mu   sync.Mutex
	told []control.Event
}

// watch starts to receive events; events after its return are not missed.
func (d *daemon) watch() *events {
	d.t.Helper()
	w, err := d.client.Watch(d.t.Context())
	must(d.t, err)
	e := &events{t: d.t}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			event, err := w.Next()
			if err != nil {
				return
			}
			e.mu.Lock()
			e.told = append(e.told, event)
			e.mu.Unlock()
		}
	}()
	d.t.Cleanup(func() { w.Close(); <-ended })
	return e
}

// shows waits for an event of a kind with a text.
func (e *events) shows(kind, text string) {
	e.t.Helper()
	eventually(e.t, "event "+kind+": "+text, func() string {
		e.mu.Lock()
		defer e.mu.Unlock()
		is := func(o control.Event) bool { return o.Kind == kind && strings.Contains(o.Text, text) }
		if slices.ContainsFunc(e.told, is) {
			return ""
		}
		return fmt.Sprintf("there were only %v", e.told)
	})
}
