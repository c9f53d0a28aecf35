package dataplane

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// directly is up to how many sockets a worker polls one by one, which costs their
// senders nothing while it is awake. More of them would cost too much each time: they
// are behind an epoll, to which the kernel tells of all that comes.
const directly = 8

// toldAtOnce is of how many sockets wait tells in one system call.
const toldAtOnce = 32

// deafSleep bounds a sleep in which not every socket wakes the worker.
const deafSleep = 1e6 // ns

// commandOwner stands for the eventfd where sockets have owners.
const commandOwner = -1

// waiter is where a worker sleeps: at its sockets where they are few, else at an
// epoll over them, and at an eventfd that wakes it for commands. In the epoll sockets
// are edge-triggered: whoever looks at one that has told of itself takes everything
// from it, and the kernel need not look again.
type waiter struct {
	command int
	near    []watched     // sockets if they are few
	polled  []unix.PollFd // the eventfd, and those of near
	epoll   int
	behind  []int // sockets behind the epoll
	deaf    bool  // a socket could not be put there
	timeout unix.Timespec
	events  [toldAtOnce]unix.EpollEvent
	owners  []int
}

// watched is a socket that is waited at.
type watched struct {
	fd      int
	owner   int   // number by which its owner is known
	stalled *bool // nobody takes now what has come to it
}

func newWaiter() (*waiter, error) {
	command, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("worker: eventfd: %w", err)
	}
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("worker: epoll: %w", err), unix.Close(command))
	}
	w := &waiter{epoll: epoll, command: command, owners: make([]int, 0, toldAtOnce)}
	w.poll(command)
	if err := w.add(watched{fd: command, owner: commandOwner}, unix.EPOLLIN); err != nil {
		w.close()
		return nil, fmt.Errorf("worker: add to the epoll: %w", err)
	}
	if _, err := w.sleep(0); err != nil {
		w.close()
		return nil, privilegeError("worker: epoll_pwait2: %w: this needs Linux 5.11 or later", err)
	}
	return w, nil
}

func (w *waiter) poll(fd int) {
	w.polled = append(w.polled, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
}

func (w *waiter) add(s watched, events uint32) error {
	return unix.EpollCtl(w.epoll, unix.EPOLL_CTL_ADD, s.fd, &unix.EpollEvent{Events: events, Fd: int32(s.owner)})
}

// watch waits for these sockets to be readable, and no longer for those before,
// which may have been closed.
func (w *waiter) watch(sockets []watched) {
	for _, fd := range w.behind {
		_ = unix.EpollCtl(w.epoll, unix.EPOLL_CTL_DEL, fd, nil) // one that was closed is gone by itself
	}
	w.behind, w.near, w.polled, w.deaf = w.behind[:0], w.near[:0], w.polled[:1], false
	for _, s := range sockets {
		switch {
		case len(sockets) <= directly:
			w.near = append(w.near, s)
			w.poll(s.fd)
		case w.add(s, unix.EPOLLIN|unix.EPOLLET) == nil:
			w.behind = append(w.behind, s.fd)
		default:
			w.deaf = true
		}
	}
}

// wait sleeps for at most the given time in ns, not at all if that is 0 or less. It
// returns the owners of the sockets where something has come since they told so
// last; all is false if there may be more.
func (w *waiter) wait(ns int64) (owners []int, all bool) {
	if len(w.polled) > 1 {
		w.waitPolled(ns)
		return nil, false
	}
	if w.deaf {
		ns = min(ns, deafSleep)
	}
	n, err := w.sleep(ns)
	if err != nil { // EINTR
		return nil, false
	}
	w.owners = w.owners[:0]
	for i := range w.events[:n] {
		owner := int(w.events[i].Fd)
		if owner == commandOwner {
			w.takeNote()
			continue
		}
		w.owners = append(w.owners, owner)
	}
	return w.owners, n < toldAtOnce && !w.deaf
}

// waitPolled sleeps until any of few sockets is readable whose frames somebody takes:
// others would be readable at once, again and again.
func (w *waiter) waitPolled(ns int64) {
	if ns <= 0 {
		return
	}
	for i, s := range w.near {
		w.polled[1+i].Fd = int32(s.fd)
		if *s.stalled {
			w.polled[1+i].Fd = -1
		}
	}
	w.timeout = unix.NsecToTimespec(ns)
	// EINTR and time-out are both reasons to look again.
	if n, _ := unix.Ppoll(w.polled, &w.timeout, nil); n > 0 && w.polled[0].Revents != 0 {
		w.takeNote()
	}
}

// takeNote takes the note that wake has left.
func (w *waiter) takeNote() {
	var count [8]byte
	_, _ = unix.Read(w.command, count[:])
}

// sleep is epoll_pwait2, whose time-out is in ns.
func (w *waiter) sleep(ns int64) (n int, err error) {
	w.timeout = unix.NsecToTimespec(max(0, ns))
	r, _, errno := unix.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(w.epoll),
		uintptr(unsafe.Pointer(&w.events)), toldAtOnce, uintptr(unsafe.Pointer(&w.timeout)), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(r), nil
}

// wake ends wait, or the next one. It may be called from any thread.
func (w *waiter) wake() {
	one := [8]byte{1}
	_, _ = unix.Write(w.command, one[:])
}

func (w *waiter) close() {
	_ = unix.Close(w.epoll)
	_ = unix.Close(w.command)
}
