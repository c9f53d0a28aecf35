package station

import (
	"fmt"
	"math/bits"

	"golang.org/x/sys/unix"

	"uelink/lldp"
	"uelink/wire"
)

// receiveBuffer is the size of a socket's receive buffer in octets: room for some thousand frames
// while Run is held up.
const receiveBuffer = 1 << 20

// frameRoom is the size of the buffer for a received frame: the longest LLDP frame and a VLAN tag.
const frameRoom = lldp.MaxFrameLen + 4

// socket is an AF_PACKET socket on one interface.
type socket struct {
	fd      int
	ifindex int
	drops   uint64 // frames for which the receive buffer had no room
}

// network returns a number in network byte order, as the kernel expects.
func network(v uint16) uint16 { return bits.ReverseBytes16(v) }

// openSocket opens a socket for the LLDP frames arriving on an interface for one of the group addresses. Frames sent by
// this host are not received.
func openSocket(ifindex int, groups []wire.MAC) (*socket, error) {
	s, err := packetSocket(ifindex)
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		if err := s.join(g); err != nil {
			s.close()
			return nil, err
		}
	}
	if err := s.bind(wire.EtherTypeLLDP); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// packetSocket opens a packet socket, which receives nothing until bound.
func packetSocket(ifindex int) (*socket, error) {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, denied("open a packet socket", err)
	}
	// Without the privilege the kernel limits the buffer.
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, receiveBuffer) != nil {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, receiveBuffer)
	}
	return &socket{fd: fd, ifindex: ifindex}, nil
}

// join makes the interface receive frames to a group address.
func (s *socket) join(group wire.MAC) error {
	m := &unix.PacketMreq{Ifindex: int32(s.ifindex), Type: unix.PACKET_MR_MULTICAST, Alen: wire.AddrLen}
	copy(m.Address[:], group[:])
	if err := unix.SetsockoptPacketMreq(s.fd, unix.SOL_PACKET, unix.PACKET_ADD_MEMBERSHIP, m); err != nil {
		return fmt.Errorf("join group % x: %w", group, err)
	}
	return nil
}

// bind makes the socket receive the frames of an EtherType.
func (s *socket) bind(etherType uint16) error {
	if err := unix.Bind(s.fd, &unix.SockaddrLinklayer{Protocol: network(etherType), Ifindex: s.ifindex}); err != nil {
		return fmt.Errorf("bind a packet socket to EtherType %04x: %w", etherType, err)
	}
	return nil
}

// receive reads a frame into b and returns its length and packet type (PACKET_MULTICAST and so on).
// EAGAIN means that no frame waits.
func (s *socket) receive(b []byte) (n int, kind uint8, err error) {
	n, from, err := unix.Recvfrom(s.fd, b, 0)
	if err != nil {
		return 0, 0, err
	}
	if ll, ok := from.(*unix.SockaddrLinklayer); ok {
		kind = ll.Pkttype
	}
	return n, kind, nil
}

// send sends a frame, with its Ethernet header, by the socket.
func (s *socket) send(frame []byte) error {
	_, err := unix.Write(s.fd, frame)
	return err
}

// countDrops adds the number of frames that the kernel has dropped since the last call to the field drops. Reading
// resets the kernel's count.
func (s *socket) countDrops() {
	if n, err := unix.GetsockoptTpacketStats(s.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS); err == nil {
		s.drops += uint64(n.Drops)
	}
}

func (s *socket) close() { _ = unix.Close(s.fd) }
