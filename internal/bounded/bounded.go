// Package bounded serves HTTP over a bounded number of connections. A connection without a request makes room for a new
// connection, so clients that only connect do not keep others away.
package bounded

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
)

// Serve makes s serve the connections of l until s ends, and keeps at most the given number of connections open. Beyond
// that number, a new connection takes the place of the connection that has had no request for longest; if all have
// requests, the new connection is closed. So clients cannot use up the file descriptors of the process. Serve sets
// s.ConnContext, and wraps s.Handler. The error is that of s.Serve.
func Serve(s *http.Server, l net.Listener, most int) error {
	b := &listener{Listener: l, most: most}
	handler := s.Handler
	s.ConnContext = func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, key{}, c) }
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _ := r.Context().Value(key{}).(*conn)
		b.busy(c, true)
		defer b.busy(c, false)
		handler.ServeHTTP(w, r)
	})
	return s.Serve(b)
}

// key is the key of a request's connection in its context.
type key struct{}

// listener is a listener with a bound on its open connections.
type listener struct {
	net.Listener
	most int

	mu   sync.Mutex
	open []*conn // the connection that has had no request for longest first
}

// conn is an open connection of a listener.
type conn struct {
	net.Conn
	owner *listener
	busy  bool // a request is being answered; under listener.mu
}

// Accept waits for a connection that gets a place, and returns it. It closes the connection whose place that is, and
// each new connection that gets none.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		placed := &conn{Conn: c, owner: l}
		if displaced := l.place(placed); displaced != nil {
			_ = displaced.Close()
		}
		if !placed.refused() {
			return placed, nil
		}
	}
}

// place adds c to the open connections. If there is no room, it returns the connection to close: the oldest one without
// a request, or c itself while all others have requests. Otherwise it returns nil.
func (l *listener) place(c *conn) (displaced net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) >= l.most {
		i := slices.IndexFunc(l.open, func(o *conn) bool { return !o.busy })
		if i < 0 {
			return c
		}
		displaced = l.open[i].Conn
		l.open = slices.Delete(l.open, i, i+1)
	}
	l.open = append(l.open, c)
	return displaced
}

// refused reports whether the connection has got no place.
func (c *conn) refused() bool {
	c.owner.mu.Lock()
	defer c.owner.mu.Unlock()
	return !slices.Contains(c.owner.open, c)
}

// busy records that the answer to a request of a connection begins or ends. The connection becomes the last of open:
// the one whose last request is latest.
func (l *listener) busy(c *conn, begins bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.open, c)
	if i < 0 {
		return // it was closed
	}
	c.busy = begins
	l.open = append(slices.Delete(l.open, i, i+1), c)
}

// Close closes the connection and gives its place to another.
func (c *conn) Close() error {
	c.owner.mu.Lock()
	c.owner.open = slices.DeleteFunc(c.owner.open, func(o *conn) bool { return o == c })
	c.owner.mu.Unlock()
	return c.Conn.Close()
}
