package main

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"
)

// stallTime is how long a call of host A waits for host B: TCP that has lost several segments in a row waits for its
// timer, twice as long each time.
const stallTime = 3 * time.Second

// errStalled is the error of a call that has waited for stallTime.
var errStalled = errors.New("host B has not answered in time")

// hostsPort is the TCP port of host B in the experiment "hosts".
const hostsPort = 7700

// stream is a TCP connection, or the socket that takes connections, by its descriptor. Its calls block, as those of
// most programs do: an answer wakes the reader's thread itself, and not a thread of Go's that polls.
type stream int

// newStream makes a TCP socket with a congestion control ("cubic", "bbr"). It sends short writes at once.
func newStream(control string) (stream, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	s := stream(fd)
	if err = unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, control); err != nil {
		return -1, errors.Join(fmt.Errorf("congestion control %s: %w", control, err), s.close())
	}
	if err = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
		return -1, errors.Join(err, s.close())
	}
	return s, nil
}

func hostsAddress() *unix.SockaddrInet4 {
	return &unix.SockaddrInet4{Port: hostsPort, Addr: netip.MustParseAddr(tcpAddresses()[1]).As4()}
}

// dial connects to host B with a congestion control. Calls on the connection wait for stallTime at most, and close
// discards what has not arrived.
func dial(control string) (stream, error) {
	s, err := newStream(control)
	if err != nil {
		return s, err
	}
	limit := unix.NsecToTimeval(int64(stallTime))
	err = errors.Join(
		unix.SetsockoptTimeval(int(s), unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit),
		unix.SetsockoptTimeval(int(s), unix.SOL_SOCKET, unix.SO_SNDTIMEO, &limit),
		unix.SetsockoptLinger(int(s), unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1}))
	if err == nil {
		err = s.connect()
	}
	if err != nil {
		return -1, errors.Join(err, s.close())
	}
	return s, nil
}

// connect connects the socket to host B. It returns errStalled if the time of the socket is over first.
func (s stream) connect() error {
	for {
		switch err := unix.Connect(int(s), hostsAddress()); err {
		case nil:
			return nil
		case unix.EINTR:
		case unix.EINPROGRESS:
			return errStalled
		default:
			return fmt.Errorf("connect to host B: %w", err)
		}
	}
}

// listen makes the socket of host B. The connections that it takes have its congestion control.
func listen(control string) (stream, error) {
	s, err := newStream(control)
	if err != nil {
		return s, err
	}
	err = errors.Join(
		unix.SetsockoptInt(int(s), unix.SOL_SOCKET, unix.SO_REUSEADDR, 1),
		unix.Bind(int(s), hostsAddress()),
		unix.Listen(int(s), 64))
	if err != nil {
		return -1, errors.Join(fmt.Errorf("host B: %w", err), s.close())
	}
	return s, nil
}

// accept waits for the next connection.
func (s stream) accept() (stream, error) {
	for {
		fd, _, err := unix.Accept4(int(s), unix.SOCK_CLOEXEC)
		if err != unix.EINTR {
			return stream(fd), err
		}
	}
}

// Read implements io.Reader.
func (s stream) Read(b []byte) (int, error) {
	for {
		switch n, err := unix.Read(int(s), b); {
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			return 0, errStalled
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

// Write implements io.Writer.
func (s stream) Write(b []byte) (written int, err error) {
	for written < len(b) {
		n, err := unix.Write(int(s), b[written:])
		switch {
		case err == unix.EAGAIN:
			return written, errStalled
		case err != nil && err != unix.EINTR:
			return written, err
		}
		written += max(0, n)
	}
	return written, nil
}

// shut ends the connection both ways; calls that wait return.
func (s stream) shut() error { return unix.Shutdown(int(s), unix.SHUT_RDWR) }

// sent returns how many octets the other end has acknowledged, and how many segments were sent again.
func (s stream) sent() (octets, retransmits float64, err error) {
	info, err := unix.GetsockoptTCPInfo(int(s), unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		return 0, 0, err
	}
	return float64(info.Bytes_acked), float64(info.Total_retrans), nil
}

func (s stream) close() error { return unix.Close(int(s)) }
