package edges

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"syscall"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// exchange sends n octets each way by one TCP connection, from a host to a service of another at an address, and
// demands that the octets that arrive are those that were sent.
func exchange(t *testing.T, from, to *netns.NS, address string, n int64) {
	t.Helper()
	client, server, err := connect(from, to, address, nil)
	if err != nil {
		t.Errorf("%s: %v", address, err)
		return
	}
	defer client.Close()
	defer server.Close()
	results := make(chan error, 4)
	go func() { results <- send(client, 1, n) }()
	go func() { results <- send(server, 2, n) }()
	go func() { results <- expect(server, 1, n) }()
	go func() { results <- expect(client, 2, n) }()
	for range cap(results) {
		if err := <-results; err != nil {
			t.Errorf("%s, %d octets each way: %v", address, n, err)
		}
	}
}

// connect connects a host with a service of another at an address, and returns both ends. set sets options of both
// sockets before.
func connect(from, to *netns.NS, address string, set func(fd int) error) (client, server *net.TCPConn, err error) {
	control := func(_, _ string, c syscall.RawConn) (err error) {
		if set == nil {
			return nil
		}
		if failure := c.Control(func(fd uintptr) { err = set(int(fd)) }); failure != nil {
			return failure
		}
		return err
	}
	var l net.Listener
	err = to.Do(func() (err error) {
		config := net.ListenConfig{Control: control}
		l, err = config.Listen(context.Background(), "tcp", net.JoinHostPort(address, "0"))
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	defer l.Close()
	var c net.Conn
	err = from.Do(func() (err error) {
		d := net.Dialer{Control: control, Timeout: bed.Patience}
		c, err = d.Dial("tcp", l.Addr().String())
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	_ = l.(*net.TCPListener).SetDeadline(time.Now().Add(bed.Patience))
	s, err := l.Accept()
	if err != nil {
		_ = c.Close()
		return nil, nil, err
	}
	return c.(*net.TCPConn), s.(*net.TCPConn), nil
}

// patienceFor bounds the time in which n octets arrive.
func patienceFor(n int64) time.Duration { return time.Minute + time.Duration(n/1e6)*time.Second }

// send sends the first n octets of a seed by a connection.
func send(c net.Conn, seed byte, n int64) error {
	_ = c.SetWriteDeadline(time.Now().Add(patienceFor(n)))
	_, err := io.CopyN(c, random(seed), n)
	return err
}

// expect returns an error unless the first n octets of a seed arrive by a connection.
func expect(c net.Conn, seed byte, n int64) error {
	_ = c.SetReadDeadline(time.Now().Add(patienceFor(n)))
	got, want := sha256.New(), sha256.New()
	if n, err := io.CopyN(got, c, n); err != nil {
		return fmt.Errorf("after %d octets: %w", n, err)
	}
	_, _ = io.CopyN(want, random(seed), n)
	if !bytes.Equal(got.Sum(nil), want.Sum(nil)) {
		return fmt.Errorf("sha256 %x, sent was %x", got.Sum(nil), want.Sum(nil))
	}
	return nil
}

// random returns octets without end, always the same for a seed.
func random(seed byte) io.Reader { return rand.NewChaCha8([32]byte{seed}) }
