package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// formerTimeout is the longest wait of a reload for the end of the former process. The former process may need
// leaveTimeout to answer its last requests, and some time more to end on a busy machine.
const formerTimeout = 10 * time.Second

// former is the process that has handed over to this process. Until the former process has ended, its descriptors keep
// sockets and XDP programs on their interfaces, even if this process closes its own, and nothing can be opened in their
// place.
type former struct {
	pid   int
	pidfd int           // -1: the process ended before it could be watched
	ended chan struct{} // closed when the former process holds nothing any more
}

// newFormer returns the process at the other end of a relay, which the kernel names by the relay's socket
// (SO_PEERCRED), with a pidfd to watch it. A process that has ended already is no error: its pidfd is -1.
func newFormer(r *relay) (*former, error) {
	raw, err := r.conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	f := &former{pidfd: -1, ended: make(chan struct{})}
	var failed error
	if err := raw.Control(func(fd uintptr) {
		var peer *unix.Ucred
		if peer, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); failed == nil {
			f.pid = int(peer.Pid)
		}
	}); err != nil || failed != nil {
		return nil, errors.Join(err, failed)
	}
	f.pidfd, err = unix.PidfdOpen(f.pid, 0)
	if err != nil && !errors.Is(err, unix.ESRCH) {
		return nil, fmt.Errorf("watch process %d: %w", f.pid, err)
	}
	return f, nil
}

// watch waits until the former process holds nothing any more, and closes ended. A process that has ended or has become
// a reaper holds nothing. watch is called when the former process has closed its end of the relay.
func (f *former) watch() {
	const look = 10 * time.Millisecond
	for reaps := false; f.pidfd >= 0; {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(f.pidfd), Events: unix.POLLIN}}, int(look.Milliseconds()))
		if n > 0 || reaps || err != nil && !errors.Is(err, unix.EINTR) {
			break
		}
		reaps = isReaper(f.pid) // the former process closes its descriptors while ending: wait until the next look
	}
	if f.pidfd >= 0 {
		_ = unix.Close(f.pidfd)
	}
	close(f.ended)
}

// left waits until the former process has let everything go, and returns an error if it has not within the time.
func (f *former) left(within time.Duration) error {
	if f == nil {
		return nil
	}
	select {
	case <-f.ended:
		return nil
	case <-time.After(within):
		return fmt.Errorf("the former process (%d) has handed over but not ended, and still holds sockets and "+
			"XDP programs of the ports: type kill -9 %d, and reload", f.pid, f.pid)
	}
}

// isReaper reports whether a process runs as a reaper (see reap).
func isReaper(pid int) bool {
	command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	args := bytes.Split(command, []byte{0})
	return err == nil && len(args) > 1 && string(args[1]) == reapFlag
}
