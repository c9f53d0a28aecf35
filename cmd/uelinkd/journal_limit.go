package main

import (
	"time"

	"uelink/control/api"
)

// Events of one kind and port: journalBurst in a row are written, then one in journalEvery.
const (
	journalBurst = 20
	journalEvery = 5 * time.Second
)

// allowances limit the rate of written events for each port and kind.
type allowances map[eventSource]*allowance

// eventSource is a port and a kind of event.
type eventSource struct{ port, kind string }

// allowance is the right to write events of one port and kind.
type allowance struct {
	used    time.Duration // grows by journalEvery with each event written, and shrinks as time passes
	last    time.Time     // of the latest event, written or not
	omitted uint64        // events since the last one written
}

// limitFor returns the rate limit for events of the port and kind of e, and creates it at first use.
func (l allowances) limitFor(e api.Event) *allowance {
	key := eventSource{e.Port, e.Kind}
	a := l[key]
	if a == nil {
		a = &allowance{}
		l[key] = a
	}
	return a
}

// allow reports whether the rate limit allows an event to be written at time now. Each allowed event uses journalEvery,
// passing time gives it back, and at most journalBurst events are ahead of the time. A refused event counts as omitted.
// If the clock is set back, the limit stays as it was.
func (a *allowance) allow(now time.Time) bool {
	a.used = max(0, a.used-max(0, now.Sub(a.last)))
	a.last = now
	if a.used > (journalBurst-1)*journalEvery {
		a.omitted++
		return false
	}
	a.used += journalEvery
	return true
}

// forget deletes rate limits that are full again after a time without use, so ports that no longer exist take no
// memory.
func (l allowances) forget(now time.Time) {
	for key, a := range l {
		if a.omitted == 0 && now.Sub(a.last) >= journalBurst*journalEvery {
			delete(l, key)
		}
	}
}
