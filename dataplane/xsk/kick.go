package xsk

import (
	"fmt"

	"golang.org/x/sys/unix"

	"uelink/dataplane/frame"
)

// Kick has posted frames sent and refilled chunks noticed. It makes no system
// call when the kernel wants none.
func (s *Socket) Kick() error {
	if s.fill.wantsWakeup() {
		if err := s.wakeRX(); err != nil {
			return err
		}
	}
	if s.tx.unread() == 0 || !s.tx.wantsWakeup() {
		return nil
	}
	return s.send()
}

// send kicks until the kernel has taken all that was posted. In copy mode one
// system call sends no more than a budget, 32 frames on kernels that have no
// setting for it, and says EAGAIN when there is more. The calls of one Kick are
// bounded, and end when the kernel takes nothing: later.
func (s *Socket) send() error {
	left := s.tx.unread()
	for range s.perBatch {
		if err := s.Check(); err != nil {
			return err
		}
		before := left
		if left = s.tx.unread(); left == 0 || left == before {
			return nil
		}
	}
	return nil
}

// Check makes one kick, asked for or not, and so learns how the interface is:
// nil, frame.ErrDown or frame.ErrGone. It is for a socket that has long had
// nothing to send: poll does not report that the interface went.
func (s *Socket) Check() error {
	// The raw system call spares the Go scheduler; MSG_DONTWAIT never blocks.
	s.kicks++
	_, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(s.sender), 0, 0, unix.MSG_DONTWAIT, 0, 0)
	return s.outcome("sendto", errno)
}

// wakeRX has the driver take chunks from the fill ring.
func (s *Socket) wakeRX() error {
	s.kicks++
	_, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(s.receiver), 0, 0, unix.MSG_DONTWAIT, 0, 0)
	if err := s.outcome("recvfrom", errno); err != nil {
		return err
	}
	s.fill.unwoken = false
	return nil
}

// outcome is what a kick came to. A kernel that is busy takes what is posted
// with a later kick.
func (s *Socket) outcome(call string, errno unix.Errno) error {
	switch errno {
	case 0, unix.EAGAIN, unix.EBUSY, unix.ENOBUFS, unix.EINTR:
		return nil
	case unix.ENETDOWN:
		return frame.ErrDown
	case unix.ENXIO, unix.ENODEV, unix.EBADF: // ENXIO: the kernel unbound the socket when the interface went
		return frame.ErrGone
	}
	return fmt.Errorf("%s queue %d: %s on the AF_XDP socket: %w", s.info.Interface, s.info.Queue, call, errno)
}
