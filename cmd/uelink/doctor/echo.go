package doctor

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// echo sends echo requests by an interface.
type echo struct {
	*os.File
	fd   int // of File; File.Fd itself would make reads block beyond their deadline
	peer netip.Addr
	id   uint16
}

// The types of the messages of ICMP and ICMPv6 for a ping, and the length of such a message without data, in octets.
const (
	echoReply4, echoRequest4 = 0, 8
	echoRequest6, echoReply6 = 128, 129
	icmpLen                  = 8
)

// newEcho returns a raw socket for echo requests to an address. The socket sends and receives by no other interface
// than ifname.
func newEcho(ifname string, peer netip.Addr) (*echo, error) {
	family, protocol := unix.AF_INET, unix.IPPROTO_ICMP
	if peer.Is6() {
		family, protocol = unix.AF_INET6, unix.IPPROTO_ICMPV6
	}
	fd, err := unix.Socket(family, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, protocol)
	if err != nil {
		return nil, err
	}
	e := &echo{os.NewFile(uintptr(fd), "ICMP socket"), fd, peer, uint16(os.Getpid())}
	if err := unix.BindToDevice(fd, ifname); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// ping sends an echo request with this number, waits until end, and returns 1 if the answer has come in this time, 0
// otherwise.
func (e *echo) ping(number uint16, end time.Time) (answers int) {
	if e.send(number) == nil {
		for buf := make([]byte, 1<<11); answers == 0; {
			n, err := read(e.File, buf, end)
			if err != nil {
				break
			}
			if e.answer(buf[:n], number) {
				answers = 1
			}
		}
	}
	time.Sleep(time.Until(end))
	return answers
}

// send sends an echo request. The kernel computes the checksum of ICMPv6.
func (e *echo) send(number uint16) error {
	m := [icmpLen]byte{echoRequest6}
	binary.BigEndian.PutUint16(m[4:], e.id)
	binary.BigEndian.PutUint16(m[6:], number)
	if !e.peer.Is4() {
		return unix.Sendto(e.fd, m[:], 0, &unix.SockaddrInet6{Addr: e.peer.As16()})
	}
	m[0] = echoRequest4
	sum := uint32(0)
	for i := 0; i < icmpLen; i += 2 {
		sum += uint32(binary.BigEndian.Uint16(m[i:]))
	}
	binary.BigEndian.PutUint16(m[2:], ^uint16(sum>>16+sum&0xFFFF))
	return unix.Sendto(e.fd, m[:], 0, &unix.SockaddrInet4{Addr: e.peer.As4()})
}

// answer reports whether a received message answers the echo request with this number.
func (e *echo) answer(m []byte, number uint16) bool {
	reply := byte(echoReply6)
	if e.peer.Is4() { // with the IP header in front
		if len(m) == 0 || len(m) < int(m[0]&0xF)*4 {
			return false
		}
		m, reply = m[int(m[0]&0xF)*4:], echoReply4
	}
	return len(m) >= icmpLen && m[0] == reply && binary.BigEndian.Uint16(m[4:]) == e.id &&
		binary.BigEndian.Uint16(m[6:]) == number
}
