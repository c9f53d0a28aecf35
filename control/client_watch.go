package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"uelink/dataplane"
	"uelink/lldp/agent"
)

// Watch is a stream of events from the daemon.
type Watch[E any] struct {
	socket string
	body   io.ReadCloser
	events *json.Decoder
	kind   func(E) string
	ended  bool
}

// Watch subscribes to the events of the ports and of LLDP: every event from its
// return on is given by Next, until ctx ends or Close.
func (c *Client) Watch(ctx context.Context) (*Watch[dataplane.Event], error) {
	return watch(ctx, c, "/v1/watch", func(e dataplane.Event) string { return e.Kind })
}

// WatchLLDP subscribes as Watch does, to the events of LLDP only, in full.
func (c *Client) WatchLLDP(ctx context.Context) (*Watch[agent.Event], error) {
	return watch(ctx, c, "/v1/lldp/watch", func(e agent.Event) string { return e.Kind })
}

func watch[E any](ctx context.Context, c *Client, path string, kind func(E) string) (*Watch[E], error) {
	response, err := c.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	return &Watch[E]{socket: c.socket, body: response.Body, events: json.NewDecoder(response.Body), kind: kind}, nil
}

// Next waits for an event. A watch that the daemon ends gives a last event of
// kind EventEnd and then io.EOF; one that breaks off gives another error.
func (w *Watch[E]) Next() (E, error) {
	var e E
	if w.ended {
		return e, io.EOF
	}
	err := w.events.Decode(&e)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return e, fmt.Errorf("%s: watch broken off: %w", w.socket, err)
	}
	w.ended = w.kind(e) == EventEnd
	return e, nil
}

// Close ends the watch.
func (w *Watch[E]) Close() error { return w.body.Close() }
