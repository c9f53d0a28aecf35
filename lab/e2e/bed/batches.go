package bed

import (
	"errors"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// message is struct mmsghdr of Linux (sendmmsg(2)).
type message struct {
	header unix.Msghdr
	length uint32
	_      [4]byte
}

// Batch sends the same number of frames again and again with one system call each time.
type Batch struct {
	p        *Packets
	messages []message
	vectors  []unix.Iovec
}

// NewBatch returns frames as the arguments of sendmmsg, so that Send sends all of them by few system calls. The batch
// refers to the frames, and does not copy them.
func (p *Packets) NewBatch(frames [][]byte) *Batch {
	b := &Batch{p, make([]message, len(frames)), make([]unix.Iovec, len(frames))}
	for i, f := range frames {
		b.vectors[i].Base = &f[0]
		b.vectors[i].SetLen(len(f))
		b.messages[i].header.Iov, b.messages[i].header.Iovlen = &b.vectors[i], 1
	}
	return b
}

// Send sends the frames of the batch. It waits while the queue is full, and ends the test on an error.
func (b *Batch) Send() {
	for rest := b.messages; len(rest) > 0; {
		n, _, err := unix.Syscall6(unix.SYS_SENDMMSG, uintptr(b.p.fd), uintptr(unsafe.Pointer(&rest[0])),
			uintptr(len(rest)), 0, 0, 0)
		switch {
		case err == 0:
			rest = rest[n:]
		case errors.Is(err, unix.ENOBUFS) || errors.Is(err, unix.EAGAIN):
			time.Sleep(100 * time.Microsecond)
		default:
			b.p.T.Errorf("send %d frames: %v", len(rest), err)
			return
		}
	}
}
