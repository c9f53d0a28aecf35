package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// Watch is a stream of events from the daemon.
type Watch struct {
	socket string
	body   io.ReadCloser
	events *json.Decoder
	ended  bool
}

// Watch subscribes to the events of the ports and of LLDP. Next of the returned Watch delivers every event from
// then on, until ctx ends or Close is called.
func (c *Client) Watch(ctx context.Context) (*Watch, error) { return c.watch(ctx, "/v1/watch") }

// WatchLLDP subscribes to the events of LLDP only, with destination and neighbour, until ctx ends or Close is
// called.
func (c *Client) WatchLLDP(ctx context.Context) (*Watch, error) {
	return c.watch(ctx, "/v1/lldp/watch")
}

func (c *Client) watch(ctx context.Context, path string) (*Watch, error) {
	response, err := c.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	return &Watch{socket: c.socket, body: response.Body, events: json.NewDecoder(response.Body)}, nil
}

// Next waits for an event. If the daemon ends the watch, Next returns an event of kind EventEnd and then io.EOF; if
// the connection breaks, another error.
func (w *Watch) Next() (Event, error) {
	var e Event
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
	w.ended = e.Kind == EventEnd
	return e, nil
}

// Close ends the watch.
func (w *Watch) Close() error { return w.body.Close() }

// WatchFrames returns the frames that a port sends and receives from now on, one of every n, as pcapng: until ctx
// ends, the reader is closed, or the port is removed. The interface statistics in the stream count the missing frames.
func (c *Client) WatchFrames(ctx context.Context, port string, every uint64) (io.ReadCloser, error) {
	path := fmt.Sprintf("/v1/ports/%s/frames?every=%d", url.PathEscape(port), every)
	response, err := c.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	return response.Body, nil
}
