package netif

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"uelink/wire"
)

// catchRoom is the receive buffer of a Catch, in octets. The kernel counts some 2.3 kB for a frame of 1500 octets.
const catchRoom = 64 << 20

// Catch is a packet socket that holds the frames received on an interface while the AF_XDP sockets of that
// interface are reopened: the XDP program passes frames of a queue without a socket to the kernel. A Catch belongs
// to one goroutine.
type Catch struct {
	fd  int
	buf []byte // for the frame that Next reads
	oob []byte // for the control messages of that frame
}

// OpenCatch opens a packet socket that catches all frames received by an interface of the calling thread's network
// namespace.
func OpenCatch(ifindex int) (*Catch, error) {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open a packet socket: %w", err)
	}
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, catchRoom) != nil {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, catchRoom) // up to net.core.rmem_max
	}
	all := uint16(unix.ETH_P_ALL>>8 | unix.ETH_P_ALL<<8&0xFF00)
	err = errors.Join(
		unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1),
		unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_AUXDATA, 1),
		unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: ifindex}))
	if err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("set up a packet socket: %w", err)
	}
	return &Catch{fd: fd, buf: make([]byte, LargestFrame+wire.VLANTagLen), oob: make([]byte, 128)}, nil
}

// Next returns the next caught frame, in memory of its own. ok is false if no frame is waiting.
func (c *Catch) Next() (octets []byte, ok bool) {
	for {
		n, oobn, flags, _, err := unix.Recvmsg(c.fd, c.buf, c.oob, 0)
		switch {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.ENETDOWN):
			continue // the interface was down meanwhile: the kernel reports that once
		case err != nil:
			return nil, false
		case flags&unix.MSG_TRUNC != 0 || n < wire.HeaderLen:
			continue // longer than any frame of a port
		}
		return c.tagged(c.buf[:n], c.oob[:oobn]), true
	}
}

// tagged returns a copy of a caught frame with the VLAN tag put back that the kernel has taken out
// (PACKET_AUXDATA).
func (c *Catch) tagged(f, oob []byte) []byte {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return slices.Clone(f)
	}
	for _, m := range messages {
		if m.Header.Level != unix.SOL_PACKET || m.Header.Type != unix.PACKET_AUXDATA || len(m.Data) < auxdataLen {
			continue
		}
		status := binary.NativeEndian.Uint32(m.Data)
		if status&unix.TP_STATUS_VLAN_VALID == 0 {
			continue
		}
		tpid := uint16(unix.ETH_P_8021Q)
		if status&unix.TP_STATUS_VLAN_TPID_VALID != 0 {
			tpid = binary.NativeEndian.Uint16(m.Data[18:])
		}
		tag := binary.BigEndian.AppendUint16(nil, tpid)
		tag = binary.BigEndian.AppendUint16(tag, binary.NativeEndian.Uint16(m.Data[16:]))
		return slices.Concat(f[:wire.AddressesLen], tag, f[wire.AddressesLen:])
	}
	return slices.Clone(f)
}

// auxdataLen is the length of struct tpacket_auxdata (linux/if_packet.h): status at 0, vlan_tci at 16, vlan_tpid at 18.
const auxdataLen = 20

// Counts returns how many frames have arrived at the packet socket since the last call (came), and for how many of
// these the socket had no room (missed).
func (c *Catch) Counts() (came, missed uint64) {
	s, err := unix.GetsockoptTpacketStats(c.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS)
	if err != nil {
		return 0, 0
	}
	return uint64(s.Packets), uint64(s.Drops)
}

// Close closes the packet socket.
func (c *Catch) Close() error { return unix.Close(c.fd) }

// membarrierGlobal is MEMBARRIER_CMD_GLOBAL (linux/membarrier.h).
const membarrierGlobal = 1

// WaitGracePeriod waits for an RCU grace period, in which each CPU leaves the kernel code that it is running. Then the
// kernel has delivered every frame that the XDP program steered before the call, and the program steers later frames by
// the present contents of its maps.
func WaitGracePeriod() {
	_, _, _ = unix.Syscall(unix.SYS_MEMBARRIER, membarrierGlobal, 0, 0) // a kernel with nohz_full refuses membarrier
}

// Divert makes the XDP program pass all frames to the kernel, and returns when no more frames arrive at the
// sockets.
func (i *Interface) Divert() error {
	for _, s := range i.attachment.sockets {
		if err := i.attachment.program.Unregister(s.Info().Queue); err != nil {
			return i.failed("take the AF_XDP sockets out of the XDP program", err)
		}
	}
	WaitGracePeriod()
	return nil
}
