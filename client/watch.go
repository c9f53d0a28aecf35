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
	recent func() ([]api.Event, error) // nil: the daemon keeps no events of this form
	done   <-chan struct{}             // of the context of the watch
	body   io.ReadCloser
	events *json.Decoder
	ended  bool

	last    time.Time   // of the events returned
	between []api.Event // that came between two processes, to be returned
	fetched []api.Event // all of those, which may come again
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

func (c *Client) watch(ctx context.Context, address string, recent func() ([]api.Event, error)) (*Watch, error) {
	w := &Watch{socket: c.socket, recent: recent, done: ctx.Done(), last: time.Now(), open: func() (io.ReadCloser, error) {
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

// begin opens the stream of events. After an error the watch has its earlier stream, which Close closes.
func (w *Watch) begin() error {
	body, err := w.open()
	if err != nil {
		return err
	}
	w.body, w.events = body, json.NewDecoder(body)
	return nil
}

// Next waits for an event. If the daemon ends the watch, Next returns an event of kind EventEnd and then io.EOF; if
// the connection breaks, another error. After an upgrade of the daemon Next goes on with the new process: its event of
// kind upgrade says so.
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

// next returns the next event of the stream.
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

// Times of a watch that goes on with another process.
const (
	followFor   = 2 * time.Second // at most
	followEvery = 10 * time.Millisecond
)

// follow opens the stream of the process that has taken over, and fetches the events that have come since the last one.
// upgraded is the event that has ended the stream.
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

// beginAgain opens the stream of events as soon as a process answers, within followFor and before ctx ends.
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

// isFetched reports whether an event of the stream has been fetched by follow.
func (w *Watch) isFetched(e api.Event) bool {
	return slices.ContainsFunc(w.fetched, func(f api.Event) bool {
		return f.Time.Equal(e.Time) && f.Port == e.Port && f.Kind == e.Kind && f.Text == e.Text
	})
}

// Close ends the watch.
func (w *Watch) Close() error { return w.body.Close() }

// WatchFrames returns the frames that a port sends and receives from now on, one of every n, as pcapng: until ctx
// ends, the reader is closed, or the port is removed. The interface statistics in the stream count the missing frames.
// If the daemon ends the stream, the last error of the reader is an *EndError with the reason.
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

// Error returns the reason.
func (e *EndError) Error() string { return "the daemon has ended it: " + e.Reason }

// framesReader reads a stream of frames.
type framesReader struct{ response *http.Response }

// Read reads from the stream.
func (f *framesReader) Read(b []byte) (n int, err error) {
	n, err = f.response.Body.Read(b)
	if reason := f.response.Trailer.Get(api.EndTrailer); errors.Is(err, io.EOF) && reason != "" {
		err = &EndError{reason}
	}
	return n, err
}

// Close ends the stream.
func (f *framesReader) Close() error { return f.response.Body.Close() }

// Events returns the latest 512 past events of the ports and of LLDP, the oldest first.
func (c *Client) Events(ctx context.Context) ([]api.Event, error) {
	return c.EventsSince(ctx, time.Time{}, api.LastEvents)
}

// EventsSince returns the last n past events of the ports and of LLDP that are not before since, the oldest first.
func (c *Client) EventsSince(ctx context.Context, since time.Time, n int) ([]api.Event, error) {
	path := fmt.Sprintf("/v1/events?last=%d", n)
	if !since.IsZero() {
		path += "&since=" + url.QueryEscape(since.Format(time.RFC3339Nano))
	}
	return get[[]api.Event](ctx, c, path)
}
