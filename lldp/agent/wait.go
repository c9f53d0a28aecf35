package agent

import (
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

// waiter is where Run sleeps: a ppoll over the sockets and an eventfd that wakes
// it.
type waiter struct {
	fds []unix.PollFd // the eventfd first; Run's own

	mu     sync.Mutex
	fd     int // the eventfd; -1 when it is closed
	asleep bool
	ended  bool
}

func newWaiter() (*waiter, error) {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("eventfd: %w", err)
	}
	return &waiter{fd: fd, fds: []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}}, nil
}

func (w *waiter) clear() { w.fds = w.fds[:1] }

// add waits for a file descriptor to be readable.
func (w *waiter) add(fd int) { w.fds = append(w.fds, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}) }

// wait sleeps for at most the given time in ns; a negative one is for ever.
func (w *waiter) wait(ns int64) {
	if !w.setAsleep(true) {
		return
	}
	defer w.setAsleep(false)
	var timeout *unix.Timespec
	if ns >= 0 {
		t := unix.NsecToTimespec(ns)
		timeout = &t
	}
	// EINTR and time-out are both reasons to look again.
	if n, _ := unix.Ppoll(w.fds, timeout, nil); n > 0 && w.fds[0].Revents != 0 {
		var count [8]byte
		_, _ = unix.Read(int(w.fds[0].Fd), count[:])
	}
}

// setAsleep notes that the eventfd is in use, or no longer; false means that it
// is closed.
func (w *waiter) setAsleep(asleep bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asleep = asleep
	w.closeIfUnused()
	return w.fd >= 0
}

// wake ends wait, or the next one.
func (w *waiter) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fd >= 0 {
		one := [8]byte{1}
		_, _ = unix.Write(w.fd, one[:])
	}
}

// close gives the eventfd back as soon as nobody sleeps on it.
func (w *waiter) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	w.closeIfUnused()
}

func (w *waiter) closeIfUnused() {
	if w.ended && !w.asleep && w.fd >= 0 {
		_ = unix.Close(w.fd)
		w.fd = -1
	}
}
