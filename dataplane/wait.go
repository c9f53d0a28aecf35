package dataplane

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// directly is up to how many sockets a worker polls one by one. More than that cost
// too much each time; they are behind an epoll, whose wake-ups cost those who send
// to them a little.
const directly = 8

// waiter is where a worker sleeps: a ppoll over an eventfd that wakes it for
// commands, an epoll, and its sockets where they are few.
type waiter struct {
	fds    []unix.PollFd
	behind []int // sockets behind the epoll
}

// Places in fds.
const (
	waitCommand = iota
	waitEpoll
	waitSockets
)

func newWaiter() (*waiter, error) {
	command, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("worker: eventfd: %w", err)
	}
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("worker: epoll: %w", err), unix.Close(command))
	}
	w := &waiter{}
	w.poll(command)
	w.poll(epoll)
	return w, nil
}

func (w *waiter) poll(fd int) {
	w.fds = append(w.fds, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
}

// watch waits for these sockets to be readable, and no longer for those before,
// which may have been closed.
func (w *waiter) watch(fds []int) {
	w.fds = w.fds[:waitSockets]
	for _, fd := range w.behind {
		_ = unix.EpollCtl(int(w.fds[waitEpoll].Fd), unix.EPOLL_CTL_DEL, fd, nil) // one that was closed is gone by itself
	}
	w.behind = w.behind[:0]
	for _, fd := range fds {
		if len(fds) <= directly || !w.enroll(fd) {
			w.poll(fd)
		}
	}
}

// enroll puts a socket behind the epoll.
func (w *waiter) enroll(fd int) bool {
	event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)}
	if unix.EpollCtl(int(w.fds[waitEpoll].Fd), unix.EPOLL_CTL_ADD, fd, &event) != nil {
		return false
	}
	w.behind = append(w.behind, fd)
	return true
}

// wait sleeps for at most the given time in ns.
func (w *waiter) wait(ns int64) {
	if ns <= 0 {
		return
	}
	timeout := unix.NsecToTimespec(ns)
	// EINTR and time-out are both reasons to look again.
	if n, _ := unix.Ppoll(w.fds, &timeout, nil); n > 0 && w.fds[waitCommand].Revents != 0 {
		var count [8]byte
		_, _ = unix.Read(int(w.fds[waitCommand].Fd), count[:])
	}
}

// wake ends wait, or the next one. It may be called from any thread.
func (w *waiter) wake() {
	one := [8]byte{1}
	_, _ = unix.Write(int(w.fds[waitCommand].Fd), one[:])
}

func (w *waiter) close() {
	_ = unix.Close(int(w.fds[waitEpoll].Fd))
	_ = unix.Close(int(w.fds[waitCommand].Fd))
}
