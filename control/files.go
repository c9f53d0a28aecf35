package control

import (
	"errors"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// spares is the number of file descriptors in reserve for connections of clients.
const spares = 4

// warnEvery is the shortest time between two log lines about missing descriptors.
const warnEvery = 10 * time.Second

// files keeps the API answering when the process has no file descriptor left: it closes idle connections for new ones,
// and keeps some descriptors in reserve.
type files struct {
	log *zap.Logger

	mu     sync.Mutex
	idle   map[net.Conn]time.Time // idle connections, since when
	spare  []int
	warned time.Time
}

// listener returns a listener that accepts connections even if the process has no free file descriptor.
func (f *files) listener(l net.Listener) net.Listener {
	f.refill()
	return &frugal{Listener: l, files: f}
}

// close closes the file descriptors held in reserve.
func (f *files) close() {
	for f.release() {
	}
}

// follow records since when each connection has been idle; it is http.Server's ConnState.
func (f *files) follow(c net.Conn, state http.ConnState) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if state != http.StateNew && state != http.StateIdle {
		delete(f.idle, c)
		return
	}
	if f.idle == nil {
		f.idle = map[net.Conn]time.Time{}
	}
	f.idle[c] = time.Now()
}

// evict closes the client connection that has been idle longest, if it has been idle for at least the time least.
// It reports whether it has closed a connection.
func (f *files) evict(least time.Duration) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	var longest net.Conn
	for c, since := range f.idle {
		if longest == nil || since.Before(f.idle[longest]) {
			longest = c
		}
	}
	if longest == nil || time.Since(f.idle[longest]) < least {
		return false
	}
	delete(f.idle, longest)
	_ = longest.Close() // its client has gone, or sends its next request on a new connection
	return true
}

// release closes a file descriptor of the reserve and reports whether there was one.
func (f *files) release() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := len(f.spare)
	if n == 0 {
		return false
	}
	_ = unix.Close(f.spare[n-1])
	f.spare = f.spare[:n-1]
	return true
}

// scarce reports whether the reserve of file descriptors is in use.
func (f *files) scarce() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.spare) < spares
}

// refill opens file descriptors until the reserve is full or the process can open no more.
func (f *files) refill() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.spare) < spares {
		fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
		if err != nil {
			return
		}
		f.spare = append(f.spare, fd)
	}
}

// warn logs that the process has no file descriptor left, at most once in warnEvery.
func (f *files) warn(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := time.Now(); now.Sub(f.warned) >= warnEvery {
		f.warned = now
		f.log.Warn("no file descriptor is left for the control socket: idle connections are closed; "+
			"end commands such as uelink watch, or raise the limit (ulimit -n, systemd: LimitNOFILE)", zap.Error(err))
	}
}

// frugal is a listener that makes room when there is no descriptor for a connection.
type frugal struct {
	net.Listener
	files *files
}

const (
	// evicted is how long a closed connection takes to free its descriptor.
	evicted = time.Millisecond
	// patient is the idle time from which a connection is closed before the reserve is used.
	patient = time.Second
	// waitMillis is the longest single poll of wait: closing the listener takes up to this time.
	waitMillis = 50
)

// Accept waits for a connection and returns it. Without a free file descriptor it first closes an idle connection
// or one descriptor of the reserve.
func (l *frugal) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err == nil {
			l.files.refill()
			return c, nil
		}
		if !errors.Is(err, unix.EMFILE) && !errors.Is(err, unix.ENFILE) {
			return nil, err
		}
		if err := l.wait(); err != nil {
			return nil, err
		}
		l.files.warn(err)
		switch {
		case l.files.evict(patient):
			time.Sleep(evicted)
		case l.files.release():
		case l.files.evict(0):
			time.Sleep(evicted)
		default:
			return nil, err // the server calls Accept again after a pause
		}
	}
}

// wait waits until a client wants to connect, because accept fails at once without a free descriptor. An error
// means that the listener was closed.
func (l *frugal) wait() error {
	socket, ok := l.Listener.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	for somebody := false; err == nil && !somebody; { // an error means that the listener was closed
		err = raw.Control(func(fd uintptr) {
			n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, waitMillis)
			somebody = n > 0
		})
	}
	return err
}
