package control

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// History has the events that are kept on disk.
type History interface {
	// Events returns the events kept, in the order in which they came.
	Events() []Event
}

// nothing is a History without events.
type nothing struct{}

func (nothing) Events() []Event { return nil }

// SetHistory gives the server the events that are kept on disk. Call it before Serve.
func (s *Server) SetHistory(h History) { s.history = h }

// Bounds of the number of past events in one answer.
const (
	lastEvents = 512
	mostEvents = 100_000
)

// getEvents answers a request with past events, the oldest first: those kept on disk, and the latest, which are in
// memory also where the disk keeps none.
func (s *Server) getEvents(w http.ResponseWriter, r *http.Request) error {
	values, err := parameters(r, "last", "since")
	if err != nil {
		return err
	}
	last, since := lastEvents, time.Time{}
	if text := values.Get("last"); text != "" {
		if last, err = strconv.Atoi(text); err != nil || last < 1 || last > mostEvents {
			return badRequest("last", "query: last %q: a number from 1 to %d is wanted", text, mostEvents)
		}
	}
	if text := values.Get("since"); text != "" {
		if since, err = time.Parse(time.RFC3339Nano, text); err != nil {
			return badRequest("since", "query: since %q: a time as in RFC 3339 is wanted, such as 2026-11-26T08:00:00Z", text)
		}
	}
	list := slices.DeleteFunc(s.past(), func(e Event) bool { return e.Time.Before(since) })
	return reply(w, http.StatusOK, list[max(0, len(list)-last):])
}

// past returns all past events that are known: those on disk in their order, and between them, by time, the latest in
// memory that the disk does not have. The data plane and LLDP keep their latest events apart, so that neither pushes
// out the other's.
func (s *Server) past() []Event {
	var recent []Event
	for _, e := range s.backend.Recent() {
		recent = append(recent, PortEvent(e))
	}
	for _, e := range s.lldp.Recent() {
		recent = append(recent, LLDPEvent(e))
	}
	slices.SortStableFunc(recent, func(a, b Event) int { return a.Time.Compare(b.Time) })
	return mergeEvents(s.history.Events(), recent)
}

// mergeEvents returns the events kept with those of recent that are not among them. Each of those stands before the
// first kept event that is later. Kept events stay in their order also where their times go back: the clock was set.
func mergeEvents(kept, recent []Event) []Event {
	have := make(map[eventKey]bool, len(kept))
	for _, e := range kept {
		have[e.key()] = true
	}
	all := make([]Event, 0, len(kept)+len(recent))
	for _, e := range recent {
		if have[e.key()] {
			continue
		}
		for len(kept) > 0 && !kept[0].Time.After(e.Time) {
			all, kept = append(all, kept[0]), kept[1:]
		}
		all = append(all, e)
	}
	return append(all, kept...)
}

// eventKey tells events apart.
type eventKey struct {
	at               int64
	port, kind, text string
}

func (e Event) key() eventKey { return eventKey{e.Time.UnixNano(), e.Port, e.Kind, e.Text} }

// Same reports whether two events, from a watch or from the past, are one and the same.
func (e Event) Same(other Event) bool { return e.key() == other.key() }

// Events returns the latest 512 past events of the ports and of LLDP, the oldest first.
func (c *Client) Events(ctx context.Context) ([]Event, error) {
	return c.EventsSince(ctx, time.Time{}, lastEvents)
}

// EventsSince returns the last n past events of the ports and of LLDP that are not before since, the oldest first.
func (c *Client) EventsSince(ctx context.Context, since time.Time, n int) ([]Event, error) {
	path := fmt.Sprintf("/v1/events?last=%d", n)
	if !since.IsZero() {
		path += "&since=" + url.QueryEscape(since.Format(time.RFC3339Nano))
	}
	return get[[]Event](ctx, c, path)
}
