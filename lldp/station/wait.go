package station

import (
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// waiter lets Run sleep: a ppoll over the sockets and an eventfd that wakes Run.
type waiter struct {
	fds []unix.PollFd // the eventfd first; only Run touches fds

	mu     sync.Mutex
	fd     int  // the eventfd; -1 when closed
	asleep bool // wait uses the eventfd
	ended  bool // close was called
}

// newWaiter returns a waiter with an open eventfd.
func newWaiter() (*waiter, error) {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("eventfd: %w", err)
	}
	return &waiter{fd: fd, fds: []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}}, nil
}

// clear removes all file descriptors from the list to wait for, except the eventfd.
func (w *waiter) clear() { w.fds = w.fds[:1] }

// add adds a file descriptor to the list to wait for: wait returns when it is readable.
func (w *waiter) add(fd int) { w.fds = append(w.fds, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}) }

// addChange adds the descriptor of a file below /proc/sys to the list to wait for: wait returns when its value has
// changed. Such a file is always readable. A negative descriptor is ignored.
func (w *waiter) addChange(fd int) {
	w.fds = append(w.fds, unix.PollFd{Fd: int32(fd), Events: unix.POLLPRI})
}

// wait sleeps until a file descriptor of the list is ready or wake is called, for at most d; forever if d is
// negative.
func (w *waiter) wait(d time.Duration) {
	if !w.setAsleep(true) {
		return
	}
	defer w.setAsleep(false)
	var timeout *unix.Timespec
	if d >= 0 {
		t := unix.NsecToTimespec(int64(d))
		timeout = &t
	}
	// After EINTR or a time-out Run makes another round.
	if n, _ := unix.Ppoll(w.fds, timeout, nil); n > 0 && w.fds[0].Revents != 0 {
		var count [8]byte
		_, _ = unix.Read(int(w.fds[0].Fd), count[:])
	}
}

// setAsleep records whether wait is using the eventfd, closes the eventfd if close was called meanwhile and wait no
// longer uses it, and reports whether it is open.
func (w *waiter) setAsleep(asleep bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asleep = asleep
	w.closeIfUnused()
	return w.fd >= 0
}

// wake makes the present call of wait return, or else the next.
func (w *waiter) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fd >= 0 {
		increment := [8]byte{1}
		_, _ = unix.Write(w.fd, increment[:])
	}
}

// close closes the eventfd that wakes the agents, as soon as wait no longer uses it.
func (w *waiter) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	w.closeIfUnused()
}

// closeIfUnused closes the eventfd once close was called and wait does not use it. The caller holds the lock.
func (w *waiter) closeIfUnused() {
	if w.ended && !w.asleep && w.fd >= 0 {
		_ = unix.Close(w.fd)
		w.fd = -1
	}
}
