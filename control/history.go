package control

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"uelink/control/api"
)

// History has the events that are kept on disk.
type History interface {
	// Events returns the events kept, in the order in which they came.
	Events() []api.Event
}

// nothing is a History without events.
type nothing struct{}

func (nothing) Events() []api.Event { return nil }

// SetHistory gives the server access to the events that the daemon keeps on disk. Call it before Serve.
func (s *Server) SetHistory(h History) { s.history = h }

// mostEvents is the largest number of past events in one answer.
const mostEvents = 100_000

// getEvents handles the request for past events, with the query parameters last (how many at most) and since (a
// time). It responds with events from disk and from memory, the oldest first.
func (s *Server) getEvents(w http.ResponseWriter, r *http.Request) error {
	values, err := parameters(r, "last", "since")
	if err != nil {
		return err
	}
	last, since := api.LastEvents, time.Time{}
	if text := values.Get("last"); text != "" {
		if last, err = strconv.Atoi(text); err != nil || last < 1 || last > mostEvents {
			return badRequest("last", "query: last %q: a number from 1 to %d is wanted", text, mostEvents)
		}
	}
	if text := values.Get("since"); text != "" {
		if since, err = time.Parse(time.RFC3339Nano, text); err != nil {
			return badRequest("since", "query: since %q: a time as in RFC 3339 is wanted, such as 2026-11-26T08:00:00Z",
				text)
		}
	}
	list := slices.DeleteFunc(s.past(), func(e api.Event) bool { return e.Time.Before(since) })
	return reply(w, http.StatusOK, list[max(0, len(list)-last):])
}

// past returns all known past events: those on disk in their order, and between them, by time, the latest events in
// memory that are not on disk. Data plane and LLDP each have their own memory, so that the events of one do not
// displace those of the other.
func (s *Server) past() []api.Event {
	var recent []api.Event
	for _, e := range s.backend.Recent() {
		recent = append(recent, api.PortEvent(e))
	}
	for _, e := range s.lldp.Recent() {
		recent = append(recent, api.LLDPEvent(e))
	}
	slices.SortStableFunc(recent, func(a, b api.Event) int { return a.Time.Compare(b.Time) })
	return mergeEvents(s.history.Events(), recent)
}

// mergeEvents returns the events stored (on disk) together with those events of recent (in memory) that stored lacks.
// An event of recent is inserted before the first stored event that is later. The order of stored never changes, even
// where its times go back because the clock was set.
func mergeEvents(stored, recent []api.Event) []api.Event {
	have := make(map[api.EventKey]bool, len(stored))
	for _, e := range stored {
		have[e.Key()] = true
	}
	all := make([]api.Event, 0, len(stored)+len(recent))
	for _, e := range recent {
		if have[e.Key()] {
			continue
		}
		for len(stored) > 0 && !stored[0].Time.After(e.Time) {
			all, stored = append(all, stored[0]), stored[1:]
		}
		all = append(all, e)
	}
	return append(all, stored...)
}
