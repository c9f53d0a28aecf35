package dataplane

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// waiter is where a worker sleeps: a ppoll over its sockets and an eventfd that
// wakes it for commands.
type waiter struct {
	fds []unix.PollFd // the eventfd first
}

func newWaiter() (*waiter, error) {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("worker: eventfd: %w", err)
	}
	return &waiter{fds: []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}}, nil
}

func (w *waiter) clear() { w.fds = w.fds[:1] }

// add waits for a file descriptor to be readable; a negative one is passed over.
func (w *waiter) add(fd int) {
	if fd >= 0 {
		w.fds = append(w.fds, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
	}
}

// wait sleeps for at most the given time in ns.
func (w *waiter) wait(ns int64) {
	if ns <= 0 {
		return
	}
	timeout := unix.NsecToTimespec(ns)
	// EINTR and time-out are both reasons to look again.
	if n, _ := unix.Ppoll(w.fds, &timeout, nil); n > 0 && w.fds[0].Revents != 0 {
		var count [8]byte
		_, _ = unix.Read(int(w.fds[0].Fd), count[:])
	}
}

// wake ends wait, or the next one. It may be called from any thread.
func (w *waiter) wake() {
	one := [8]byte{1}
	_, _ = unix.Write(int(w.fds[0].Fd), one[:])
}

func (w *waiter) close() { _ = unix.Close(int(w.fds[0].Fd)) }
