package web

import (
	"fmt"
	"net"
	"sync"
)

// mostConnections is the number of connections that are open at a time. Each page that is open has one for its
// stream, and the others close soon after their answer.
const mostConnections = 2 * mostStreams

// Listen opens a TCP listener at the address of key web.listen.
func Listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("page: %w: set another web.listen", err)
	}
	return l, nil
}

// limited is a listener with a bound on its open connections. It closes further ones at once, so that clients of the
// page cannot take all file descriptors of the daemon.
type limited struct {
	net.Listener
	places chan struct{} // has an element for each open connection
}

func newLimited(l net.Listener, most int) *limited { return &limited{l, make(chan struct{}, most)} }

// Accept waits for a connection for which there is a place, and returns it.
func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case l.places <- struct{}{}:
			return &placed{Conn: c, leave: sync.OnceFunc(func() { <-l.places })}, nil
		default:
			_ = c.Close()
		}
	}
}

// placed is a connection with a place in a limited listener.
type placed struct {
	net.Conn
	leave func()
}

// Close closes the connection and gives its place to another.
func (c *placed) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
