package xsk

import (
	"fmt"

	"golang.org/x/sys/unix"

	"uelink/dataplane/frame"
)

// Kick makes the kernel send the posted frames and use the refilled RX chunks. No system call is made when the
// kernel wants none.
func (s *Socket) Kick() error {
	if s.fill.wantsWakeup() {
		if err := s.wakeRX(); err != nil {
			return err
		}
	}
	if s.live != nil {
		return s.kickPending()
	}
	return s.sendPosted()
}

// sendPosted makes the kernel read the TX ring, if frames are in it and the kernel wants a kick.
func (s *Socket) sendPosted() error {
	if s.tx.unread() == 0 || !s.tx.wantsWakeup() {
		return nil
	}
	return s.send()
}

// send makes system calls until the kernel has read all posted frames. In copy mode one system call sends no more
// than a budget, 32 frames on kernels without a setting for the budget, and returns EAGAIN when frames remain. The
// number of system calls is bounded by perBatch. send also ends when a call makes no progress; the remaining
// frames leave with a later Kick.
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

// Check makes one system call to send, wanted by the kernel or not, and returns the state of the interface: nil,
// frame.ErrDown or frame.ErrGone. Check is for a socket that has long had nothing to send: poll does not report a
// deleted interface.
func (s *Socket) Check() error {
	// The raw system call spares the Go scheduler; MSG_DONTWAIT never blocks.
	s.kicks++
	_, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(s.sender), 0, 0, unix.MSG_DONTWAIT, 0, 0)
	return s.outcome("sendto", errno)
}

// wakeRX makes the driver read chunks from the fill ring, by an empty read from the receiving socket.
func (s *Socket) wakeRX() error {
	s.kicks++
	_, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(s.receiver), 0, 0, unix.MSG_DONTWAIT, 0, 0)
	if err := s.outcome("recvfrom", errno); err != nil {
		return err
	}
	s.fill.unwoken = false
	return nil
}

// outcome converts the errno of a system call that sends or refills to an error. A busy kernel is no error: it
// sends the posted frames after a later Kick.
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
