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

// spares is how many file descriptors are kept for the connections of clients that come when the
// process has no other left.
const spares = 4

// tellEvery is how far apart the log says that descriptors have run out.
const tellEvery = 10 * time.Second

// files keeps the API answering when the process has no file descriptor left: connections that
// ask nothing are closed for new ones, and some descriptors are kept in reserve.
type files struct {
	log *zap.Logger

	mu    sync.Mutex
	idle  map[net.Conn]time.Time // that ask nothing now, and since when
	spare []int
	told  time.Time
}

// listener has connections accepted also without a descriptor.
func (f *files) listener(l net.Listener) net.Listener {
	f.refill()
	return &frugal{Listener: l, files: f}
}

// close frees the reserve.
func (f *files) close() {
	for f.release() {
	}
}

// follow is http.Server's ConnState.
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

// evict closes the connection that has asked nothing for the longest time, and at least for so
// long; false if there is none.
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
	_ = longest.Close() // whoever has it has gone, or asks again on another one
	return true
}

// release frees a descriptor of the reserve; false if there is none.
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

// scarce tells whether the reserve is in use.
func (f *files) scarce() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.spare) < spares
}

// refill fills the reserve as far as there are descriptors.
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

// tell says in the log what has run out, now and then.
func (f *files) tell(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := time.Now(); now.Sub(f.told) >= tellEvery {
		f.told = now
		f.log.Warn("no file descriptor is left for the control socket: connections that ask nothing are closed; "+
			"end watchers, or raise the limit (ulimit -n, systemd: LimitNOFILE)", zap.Error(err))
	}
}

// frugal is a listener that makes room when there is no descriptor for a connection.
type frugal struct {
	net.Listener
	files *files
}

const (
	// evicted is how long a connection that was closed takes to give its descriptor back.
	evicted = time.Millisecond
	// patient is how long a connection may have asked nothing before another one is preferred to it.
	patient = time.Second
	// waitMillis is how long wait keeps a listener from being closed at most.
	waitMillis = 50
)

// Accept waits for a connection.
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
		l.files.tell(err)
		switch {
		case l.files.evict(patient):
			time.Sleep(evicted)
		case l.files.release():
		case l.files.evict(0):
			time.Sleep(evicted)
		default:
			return nil, err // the server tries again by and by
		}
	}
}

// wait waits until somebody wants to connect: without a descriptor the kernel does not say
// whether that is so.
func (l *frugal) wait() error {
	socket, ok := l.Listener.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	for somebody := false; err == nil && !somebody; { // an error: the listener was closed
		err = raw.Control(func(fd uintptr) {
			n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, waitMillis)
			somebody = n > 0
		})
	}
	return err
}
