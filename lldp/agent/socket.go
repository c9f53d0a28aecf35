package agent

import (
	"fmt"
	"math/bits"

	"golang.org/x/sys/unix"

	"uelink/lldp"
	"uelink/wire"
)

// receiveBuffer holds, in octets, what arrives while the goroutine is held up:
// some thousand frames.
const receiveBuffer = 1 << 20

// frameRoom is the longest frame that is read: with a VLAN tag.
const frameRoom = lldp.MaxFrameLen + 4

// socket is an AF_PACKET socket on one interface.
type socket struct {
	fd      int
	ifindex int
	drops   uint64 // frames that the kernel had no room for
}

// network is a number in the octet order of the network, as the kernel wants it.
func network(v uint16) uint16 { return bits.ReverseBytes16(v) }

// openSocket opens a socket that receives the LLDP frames of an interface that are
// sent to one of the groups. It does not see what the host itself sends.
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

// packetSocket makes a socket that receives nothing yet.
func packetSocket(ifindex int) (*socket, error) {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, denied("open a packet socket", err)
	}
	// Without the privilege the buffer becomes as long as the kernel allows.
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, receiveBuffer) != nil {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, receiveBuffer)
	}
	return &socket{fd: fd, ifindex: ifindex}, nil
}

func (s *socket) join(group wire.MAC) error {
	m := &unix.PacketMreq{Ifindex: int32(s.ifindex), Type: unix.PACKET_MR_MULTICAST, Alen: wire.AddrLen}
	copy(m.Address[:], group[:])
	if err := unix.SetsockoptPacketMreq(s.fd, unix.SOL_PACKET, unix.PACKET_ADD_MEMBERSHIP, m); err != nil {
		return fmt.Errorf("join group % x: %w", group, err)
	}
	return nil
}

func (s *socket) bind(etherType uint16) error {
	if err := unix.Bind(s.fd, &unix.SockaddrLinklayer{Protocol: network(etherType), Ifindex: s.ifindex}); err != nil {
		return fmt.Errorf("bind a packet socket to EtherType %04x: %w", etherType, err)
	}
	return nil
}

// receive reads a frame into b and tells what kind of frame it is to the host
// (PACKET_MULTICAST and so on). EAGAIN means that there is none.
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

// send sends a whole frame.
func (s *socket) send(frame []byte) error {
	_, err := unix.Write(s.fd, frame)
	return err
}

// countDrops brings drops up to date; the kernel forgets its own count by it.
func (s *socket) countDrops() {
	if n, err := unix.GetsockoptTpacketStats(s.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS); err == nil {
		s.drops += uint64(n.Drops)
	}
}

func (s *socket) close() { _ = unix.Close(s.fd) }
