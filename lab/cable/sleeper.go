package cable

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// longest is the longest sleep of the loop that moves frames. After a sleep, the loop retries frames that an interface
// refused, and notices a new link state.
const longest = 10 * time.Millisecond

// sleeper waits for frames, for a time, or for the end of a context.
type sleeper struct {
	fds   []unix.PollFd
	wake  int           // eventfd
	stop  func() bool   // stops the end of the context from waking the sleeper
	woken chan struct{} // closed after the end of the context has woken the sleeper
}

// newSleeper returns a sleeper that wakes up when a lane receives frames, and when ctx ends.
func newSleeper(ctx context.Context, lanes []*lane) (*sleeper, error) {
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("make an eventfd: %w", err)
	}
	s := &sleeper{wake: wake, fds: []unix.PollFd{{Fd: int32(wake), Events: unix.POLLIN}}, woken: make(chan struct{})}
	for _, l := range lanes {
		s.fds = append(s.fds, unix.PollFd{Fd: int32(l.in.FD()), Events: unix.POLLIN})
	}
	s.stop = context.AfterFunc(ctx, func() {
		unix.Write(wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
		close(s.woken)
	})
	return s, nil
}

// sleep waits until a frame arrives at a socket or the context ends, no longer than atMost and than 10 ms.
func (s *sleeper) sleep(atMost time.Duration) error {
	timeout := unix.NsecToTimespec(int64(min(atMost, longest)))
	if _, err := unix.Ppoll(s.fds, &timeout, nil); err != nil && err != unix.EINTR {
		return fmt.Errorf("wait for frames: %w", err)
	}
	return nil
}

// close closes the eventfd; if the end of the context is just waking the sleeper, close waits until that is done.
func (s *sleeper) close() {
	if !s.stop() {
		<-s.woken
	}
	unix.Close(s.wake)
}
