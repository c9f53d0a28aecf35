package path

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// maxPolled is the most sockets that a worker waits for by ppoll. While the worker is awake, ppoll costs the senders
// nothing. The cost of ppoll grows with the number of sockets; for more sockets the worker waits by epoll, where the
// kernel notes every received frame.
const maxPolled = 8

// maxEvents is the most sockets that one epoll_pwait2 returns.
const maxEvents = 32

// partialSleep is the longest sleep while a socket could not be added to the epoll, because frames of that socket do
// not wake the worker.
const partialSleep = time.Millisecond

// commandOwner is the number of the owner (see watched) of the eventfd.
const commandOwner = -1

// waiter is the place where a worker sleeps until a frame or a command comes. It waits for up to maxPolled sockets by
// ppoll, for more by epoll, and in both cases for an eventfd written for each command. The epoll is edge-triggered: an
// event comes once, so the receiver must empty the ring.
type waiter struct {
	command int
	near    []watched     // the sockets, if there are no more than maxPolled
	polled  []unix.PollFd // the eventfd, and the sockets of near
	epoll   int
	behind  []int // sockets (descriptors) that the epoll watches
	partial bool  // a socket could not be added to the epoll
	timeout unix.Timespec
	events  [maxEvents]unix.EpollEvent
	owners  []int
}

// ErrOldKernel is returned for a worker on a kernel without epoll_pwait2.
var ErrOldKernel = errors.New("a worker needs Linux 5.11 or later")

// watched is a socket to wait for.
type watched struct {
	fd      int
	owner   int   // number of the domain, in the worker's list, that receives from the socket; commandOwner: no domain
	stalled *bool // frames of the socket are not received now
}

// newWaiter returns a waiter for commands alone. It sleeps once, for no time, to find a kernel without epoll_pwait2.
func newWaiter() (*waiter, error) {
	command, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("worker: eventfd: %w", err)
	}
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("worker: epoll: %w", err), unix.Close(command))
	}
	w := &waiter{epoll: epoll, command: command, owners: make([]int, 0, maxEvents)}
	w.poll(command)
	if err := w.add(watched{fd: command, owner: commandOwner}, unix.EPOLLIN); err != nil {
		w.close()
		return nil, fmt.Errorf("worker: add to the epoll: %w", err)
	}
	if _, err := w.sleep(0); err != nil {
		w.close()
		return nil, fmt.Errorf("worker: epoll_pwait2: %w: %w", err, ErrOldKernel)
	}
	return w, nil
}

func (w *waiter) poll(fd int) {
	w.polled = append(w.polled, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
}

func (w *waiter) add(s watched, events uint32) error {
	return unix.EpollCtl(w.epoll, unix.EPOLL_CTL_ADD, s.fd, &unix.EpollEvent{Events: events, Fd: int32(s.owner)})
}

// watch sets the sockets whose frames end the wait, instead of the earlier ones, which may have been closed: up to
// maxPolled for ppoll, more in the epoll. It notes whether one could not be added (partial).
func (w *waiter) watch(sockets []watched) {
	for _, fd := range w.behind {
		_ = unix.EpollCtl(w.epoll, unix.EPOLL_CTL_DEL, fd, nil) // a closed socket is already gone from the epoll
	}
	w.behind, w.near, w.polled, w.partial = w.behind[:0], w.near[:0], w.polled[:1], false
	for _, s := range sockets {
		switch {
		case len(sockets) <= maxPolled:
			w.near = append(w.near, s)
			w.poll(s.fd)
		case w.add(s, unix.EPOLLIN|unix.EPOLLET) == nil:
			w.behind = append(w.behind, s.fd)
		default:
			w.partial = true
		}
	}
}

// wait sleeps until a frame or a command comes, for at most d; 0 or less is no sleep. It returns the
// owners of the sockets with frames since the last call. all reports whether the list is complete. After ppoll the list
// is never complete, and the caller checks every socket.
func (w *waiter) wait(d time.Duration) (owners []int, all bool) {
	if len(w.polled) > 1 {
		w.waitPolled(d)
		return nil, false
	}
	if w.partial {
		d = min(d, partialSleep)
	}
	n, err := w.sleep(d)
	if err != nil { // EINTR
		return nil, false
	}
	w.owners = w.owners[:0]
	for i := range w.events[:n] {
		owner := int(w.events[i].Fd)
		if owner == commandOwner {
			w.clearWake()
			continue
		}
		w.owners = append(w.owners, owner)
	}
	return w.owners, n < maxEvents && !w.partial
}

// waitPolled sleeps by ppoll until a frame or a command comes, for at most d. Stalled sockets are left out: nobody
// receives their frames now, so they stay readable, and the sleep would end at once.
func (w *waiter) waitPolled(d time.Duration) {
	if d <= 0 {
		return
	}
	for i, s := range w.near {
		w.polled[1+i].Fd = int32(s.fd)
		if *s.stalled {
			w.polled[1+i].Fd = -1
		}
	}
	w.timeout = unix.NsecToTimespec(int64(d))
	// EINTR and time-out both end the sleep: the caller checks the sockets.
	if n, _ := unix.Ppoll(w.polled, &w.timeout, nil); n > 0 && w.polled[0].Revents != 0 {
		w.clearWake()
	}
}

// pause sleeps for d, whatever comes in the meantime. EINTR (Go interrupts a long computation by a signal) does not end
// it.
func (w *waiter) pause(d time.Duration) {
	for end := time.Now().Add(d); d > 0; d = time.Until(end) {
		w.timeout = unix.NsecToTimespec(int64(d))
		_, _ = unix.Ppoll(nil, &w.timeout, nil)
	}
}

// clearWake reads the eventfd, so that the next sleep does not end at once.
func (w *waiter) clearWake() {
	var count [8]byte
	_, _ = unix.Read(w.command, count[:])
}

// sleep waits by epoll_pwait2, whose time-out is in ns, for at most d, and returns the number of ready
// descriptors.
func (w *waiter) sleep(d time.Duration) (n int, err error) {
	w.timeout = unix.NsecToTimespec(int64(max(0, d)))
	r, _, errno := unix.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(w.epoll),
		uintptr(unsafe.Pointer(&w.events)), maxEvents, uintptr(unsafe.Pointer(&w.timeout)), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(r), nil
}

// wake ends the present call of wait, or the next. It may be called from any thread.
func (w *waiter) wake() {
	increment := [8]byte{1}
	_, _ = unix.Write(w.command, increment[:])
}

func (w *waiter) close() {
	_ = unix.Close(w.epoll)
	_ = unix.Close(w.command)
}
