package vnet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"uelink/dataplane/frame"
	"uelink/dataplane/segment"
	"uelink/wire"
)

// Receive buffers of a packet socket, in octets as the kernel counts. TCP is held by its window alone, so the buffer
// has room for many windows.
const (
	WantedRoom = 64 << 20
	LeastRoom  = 8 << 20
)

// Socket is a packet socket with a virtio_net_hdr on an interface. Receive and send belong to one goroutine at a time.
type Socket struct {
	fd    int
	room  int
	ring  ring
	taken bool   // the next slot has the frame handed out last
	idle  uint   // number of looks at an empty ring
	read  uint64 // number of frames taken from the ring
	m     unix.Msghdr
	drops atomic.Uint64 // frames dropped by the kernel for want of slots
	lost  atomic.Uint64 // frames lost for want of room in the receive buffer
}

// Open opens a packet socket for an interface of the calling thread's network namespace. It receives nothing before
// Bind. A receive buffer of WantedRoom needs CAP_NET_ADMIN, or net.core.rmem_max; Room returns what was granted.
func Open() (*Socket, error) {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open a packet socket: %w", err)
	}
	for _, option := range []int{unix.PACKET_VNET_HDR, unix.PACKET_IGNORE_OUTGOING} {
		if err := unix.SetsockoptInt(fd, unix.SOL_PACKET, option, 1); err != nil {
			return nil, errors.Join(fmt.Errorf("set up a packet socket with a vnet header: %w", err), unix.Close(fd))
		}
	}
	const half = WantedRoom / 2 // the kernel doubles
	for _, option := range [][2]int{{unix.SO_RCVBUFFORCE, unix.SO_RCVBUF}, {unix.SO_SNDBUFFORCE, unix.SO_SNDBUF}} {
		if unix.SetsockoptInt(fd, unix.SOL_SOCKET, option[0], half) != nil {
			_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, option[1], half)
		}
	}
	r, err := openRing(fd)
	if err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	s := &Socket{fd: fd, ring: r}
	s.room, _ = unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF)
	return s, nil
}

// Room returns the receive buffer that the kernel has granted, octets as the kernel counts.
func (s *Socket) Room() int { return s.room }

// FD returns the descriptor.
func (s *Socket) FD() int { return s.fd }

// Bind makes the socket receive the frames of an interface.
func (s *Socket) Bind(ifindex int) error {
	all := uint16(unix.ETH_P_ALL>>8 | unix.ETH_P_ALL<<8&0xFF00)
	if err := unix.Bind(s.fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: ifindex}); err != nil {
		return fmt.Errorf("bind a packet socket: %w", err)
	}
	return nil
}

// Drops returns how many frames the kernel has dropped so far because the ring or the receive buffer was full. It must
// not be called by two goroutines at once: the kernel's count begins at 0 after each reading.
func (s *Socket) Drops() uint64 {
	if st, err := unix.GetsockoptTpacketStats(s.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS); err == nil {
		s.drops.Add(uint64(st.Drops))
	}
	return s.drops.Load() + s.lost.Load()
}

// Close closes the socket, and unmaps its ring.
func (s *Socket) Close() error { return errors.Join(unix.Munmap(s.ring.memory), unix.Close(s.fd)) }

// idleLooks is the number of looks at an empty ring before the error of the socket is read. A socket with an error,
// such as from an interface that was down, is readable all the time, and keeps a worker from sleeping.
const idleLooks = 64

// receive returns the next super-frame with its header, and with its VLAN tag put back. A frame longer than a slot is
// read into buf; others stay in their slot until the next call. ok is false for no frame. errno is not 0 for a frame
// that is lost because the socket cannot hand it out: ENOBUFS if the receive buffer was full.
func (s *Socket) receive(buf []byte) (super []byte, h segment.Header, ok bool, errno unix.Errno) {
	s.free()
	slot, status, ok := s.ring.slot()
	if !ok {
		if s.idle++; s.idle%idleLooks == 0 {
			_, _ = unix.GetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_ERROR)
		}
		return nil, h, false, 0
	}
	s.taken = true
	s.read++
	length, snap, at := lengths(slot)
	var b []byte // header and frame
	switch {
	case status&unix.TP_STATUS_COPY != 0:
		if b, errno = s.readQueue(buf, segment.HeaderLen+length); errno != 0 {
			return nil, h, false, errno
		}
	case snap < length:
		s.lost.Add(1)
		return nil, h, false, unix.ENOBUFS
	default:
		b = slot[at-segment.HeaderLen : at+length]
	}
	if length < wire.HeaderLen {
		return nil, h, false, unix.EINVAL
	}
	h.Parse(b)
	super = b[segment.HeaderLen:]
	if tci, tpid, tagged := tag(slot, status); tagged {
		super = insertTag(b, tci, tpid)
		h = h.Tagged()
	}
	return super, h, true, 0
}

// free gives the slot of the last frame back to the kernel.
func (s *Socket) free() {
	if s.taken {
		s.ring.free()
		s.taken = false
	}
}

// readQueue reads the next frame of the receive queue, with its header, of n octets. An error that the socket had
// before, such as that the interface went down, is no error of the frame.
func (s *Socket) readQueue(buf []byte, n int) (b []byte, errno unix.Errno) {
	for range 3 {
		var got uintptr
		got, _, errno = unix.RawSyscall(unix.SYS_READ, uintptr(s.fd), uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
		switch {
		case errno == 0 && int(got) == n:
			return buf[:n], 0
		case errno == 0:
			return nil, unix.EMSGSIZE
		}
	}
	return nil, errno
}

// insertTag puts a VLAN tag back into a frame behind a header, whose last octets it overwrites, and returns the frame.
func insertTag(b []byte, tci, tpid uint16) (f []byte) {
	f = b[segment.HeaderLen-wire.VLANTagLen:]
	copy(f, b[segment.HeaderLen:segment.HeaderLen+wire.AddressesLen])
	binary.BigEndian.PutUint16(f[wire.AddressesLen:], tpid)
	binary.BigEndian.PutUint16(f[wire.AddressesLen+2:], tci)
	return f
}

// waits reports whether n more frames wait behind the one handed out last.
func (s *Socket) waits(n int) bool {
	if !s.taken {
		n--
	}
	return s.ring.slotWritten(n)
}

// send sends the octets of a vector, which begins with a virtio_net_hdr, as one frame.
func (s *Socket) send(iov []unix.Iovec) unix.Errno {
	s.m = unix.Msghdr{Iov: &iov[0], Iovlen: uint64(len(iov))}
	_, _, errno := unix.RawSyscall(unix.SYS_SENDMSG, uintptr(s.fd), uintptr(unsafe.Pointer(&s.m)), unix.MSG_DONTWAIT)
	return errno
}

// outcome returns the error of Kick for an errno of send: nil where the frame stays for a later call.
func outcome(errno unix.Errno) error {
	switch errno {
	case unix.EAGAIN, unix.ENOBUFS, unix.EINTR, unix.EBUSY:
		return nil
	case unix.ENETDOWN, unix.EIO:
		return frame.ErrDown
	case unix.ENXIO, unix.ENODEV, unix.EBADF, unix.EBADFD:
		return frame.ErrGone
	}
	return fmt.Errorf("send on a packet socket: %w", errno)
}
