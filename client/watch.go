package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"uelink/control/api"
	"uelink/dataplane/model"
)

// Watch is a stream of events from the daemon. It goes on with a process that takes over from the daemon.
type Watch struct {
	socket string
	open   func() (io.ReadCloser, error)
	recent func() ([]api.Event, error) // returns the daemon's latest events; nil: the daemon keeps none of this kind
	done   <-chan struct{}             // closed when the context of the watch ends
	body   io.ReadCloser
	events *json.Decoder
	ended  bool

	last    time.Time   // time of the last event returned
	between []api.Event // events published during the change to another process, not yet returned
	fetched []api.Event // all events fetched at the latest change to another process; the stream may deliver them again
}

// Watch subscribes to the events of the ports and of LLDP. Next of the returned Watch delivers every event from
// then on, until ctx ends or Close is called.
func (c *Client) Watch(ctx context.Context) (*Watch, error) {
	return c.watch(ctx, "/v1/watch", func() ([]api.Event, error) { return c.Events(ctx) })
}

// WatchLLDP subscribes to the events of LLDP only, with destination and neighbour, until ctx ends or Close is
// called.
func (c *Client) WatchLLDP(ctx context.Context) (*Watch, error) {
	return c.watch(ctx, "/v1/lldp/watch", nil)
}

// watch returns a Watch that reads events from an address of the daemon. recent returns the daemon's latest events, so
// that a Watch that connects again misses none; nil if the daemon keeps no events of this kind.
func (c *Client) watch(ctx context.Context, address string, recent func() ([]api.Event, error)) (*Watch, error) {
	w := &Watch{socket: c.socket, recent: recent, done: ctx.Done(), last: time.Now(),
		open: func() (io.ReadCloser, error) {
			response, err := c.send(ctx, http.MethodGet, address, nil)
			if err != nil {
				return nil, err
			}
			return response.Body, nil
		}}
	if err := w.begin(); err != nil {
		return nil, err
	}
	return w, nil
}

// begin connects to the daemon's stream of events and makes the Watch read from the new stream. After an error the
// Watch keeps its earlier stream, which Close closes.
func (w *Watch) begin() error {
	body, err := w.open()
	if err != nil {
		return err
	}
	w.body, w.events = body, json.NewDecoder(body)
	return nil
}

// Next waits for the next event and returns it. If the daemon ends the watch, Next returns an event of kind EventEnd
// and then io.EOF. If the connection breaks, Next returns another error. After an upgrade of the daemon Next returns
// an event of kind upgrade and then the events of the new process.
func (w *Watch) Next() (e api.Event, err error) {
	for {
		if len(w.between) > 0 {
			e, w.between = w.between[0], w.between[1:]
			return e, nil
		}
		switch e, err = w.next(); {
		case err != nil:
			return e, err
		case e.Kind == api.EventEnd && e.Text == api.EndUpgraded && w.follow(e) == nil:
		case w.isFetched(e):
		default:
			w.ended = e.Kind == api.EventEnd
			if e.Time.After(w.last) {
				w.last = e.Time
			}
			return e, nil
		}
	}
}

// next waits for the next event of the present stream and returns it; io.EOF after the stream's last event, or an
// error if the connection breaks.
func (w *Watch) next() (e api.Event, err error) {
	if w.ended {
		return e, io.EOF
	}
	err = w.events.Decode(&e)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return e, fmt.Errorf("%s: watch broken off: %w", w.socket, err)
	}
	return e, nil
}

// Times of a watch, or of a request, that goes on with another process.
const (
	followFor   = 2 * time.Second       // longest wait for the other process
	followEvery = 10 * time.Millisecond // between two attempts
)

// follow connects the Watch to the process that has taken over from the daemon, and fetches the events published
// since the last event that Next returned. upgraded is the event that ended the old stream.
func (w *Watch) follow(upgraded api.Event) error {
	_ = w.body.Close()
	if err := w.beginAgain(); err != nil {
		return err
	}
	if w.recent == nil {
		upgraded.Kind = model.EventUpgrade
		w.between = append(w.between, upgraded)
		return nil
	}
	w.fetched = nil
	list, err := w.recent()
	for _, e := range list {
		if e.Time.After(w.last) {
			w.between, w.fetched, w.last = append(w.between, e), append(w.fetched, e), e.Time
		}
	}
	return err
}

// beginAgain tries to open the stream of events each 10 ms, until a daemon answers, 2 s have passed or ctx ends; then
// it returns the last error.
func (w *Watch) beginAgain() error {
	for end := time.Now().Add(followFor); ; {
		err := w.begin()
		if err == nil || time.Now().After(end) {
			return err
		}
		select {
		case <-time.After(followEvery):
		case <-w.done:
			return err
		}
	}
}

// isFetched reports whether follow has already fetched an event that now arrives on the stream, so that Next must not
// return the event twice.
func (w *Watch) isFetched(e api.Event) bool {
	return slices.ContainsFunc(w.fetched, func(f api.Event) bool {
		return f.Time.Equal(e.Time) && f.Port == e.Port && f.Kind == e.Kind && f.Text == e.Text
	})
}

// Close ends the watch and closes its connection to the daemon.
func (w *Watch) Close() error { return w.body.Close() }

// WatchFrames streams the frames that a port sends and receives from now on, as pcapng. Only one frame in every is
// captured (every = 1: each frame); the pcapng statistics count the frames left out. The stream ends when ctx ends,
// the reader is closed or the port is removed. If the daemon ends the stream, the reader's last error is an *EndError
// with the reason.
func (c *Client) WatchFrames(ctx context.Context, port string, every uint64) (io.ReadCloser, error) {
	address := fmt.Sprintf("/v1/ports/%s/frames?every=%d", url.PathEscape(port), every)
	response, err := c.send(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	return &framesReader{response}, nil
}

// EndError is the reason for which the daemon has ended a stream of frames.
type EndError struct{ Reason string }

// Error returns the reason for which the daemon ended a stream of frames.
func (e *EndError) Error() string { return "the daemon has ended the stream: " + e.Reason }

// framesReader reads a stream of frames.
type framesReader struct{ response *http.Response }

// Read reads octets of the pcapng stream into b. If the daemon has ended the stream, the error is an *EndError with
// the reason.
func (f *framesReader) Read(b []byte) (n int, err error) {
	n, err = f.response.Body.Read(b)
	if reason := f.response.Trailer.Get(api.EndTrailer); errors.Is(err, io.EOF) && reason != "" {
		err = &EndError{reason}
	}
	return n, err
}

// Close ends the stream of captured frames.
func (f *framesReader) Close() error { return f.response.Body.Close() }

// Events returns the latest 512 past events of the ports and of LLDP, the oldest first.
func (c *Client) Events(ctx context.Context) ([]api.Event, error) {
	return c.EventsSince(ctx, time.Time{}, api.LastEvents)
}

// EventsSince returns the latest n of the past events of the ports and of LLDP from time since on (zero time: from
// any time), the oldest first.
func (c *Client) EventsSince(ctx context.Context, since time.Time, n int) ([]api.Event, error) {
	path := fmt.Sprintf("/v1/events?last=%d", n)
	if !since.IsZero() {
		path += "&since=" + url.QueryEscape(since.Format(time.RFC3339Nano))
	}
	return get[[]api.Event](ctx, c, path)
}
