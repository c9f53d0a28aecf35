package netif

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// promiscuous is a packet socket that keeps an interface in promiscuous mode, in
// which the interface takes in frames for every address. The kernel counts who
// wants that. So the mode stays on when somebody else wants it no longer: a tcpdump
// that ends, or `ip link set IF promisc off`. It ends with the socket, also when
// the process is killed.
type promiscuous struct{ fd int }

// switchPromiscuousOn has the interface take in frames for other addresses too.
func (i *Interface) switchPromiscuousOn() (err error) {
	if i.promiscuous, err = openPromiscuous(i.index); err != nil {
		return i.failed("switch promiscuous mode on", err)
	}
	i.changed("promiscuous mode on")
	return nil
}

// openPromiscuous switches promiscuous mode of an interface on. The socket has no
// protocol, so it receives nothing and costs no frame anything. The kernel takes
// the mode from the socket when the interface is deleted: an interface that is made
// anew needs a new one.
func openPromiscuous(ifindex int) (*promiscuous, error) {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if errors.Is(err, unix.EAFNOSUPPORT) {
		err = fmt.Errorf("%w: allow AF_PACKET to the process (systemd: RestrictAddressFamilies)", err)
	}
	if err != nil {
		return nil, fmt.Errorf("open a packet socket: %w", err)
	}
	all := unix.PacketMreq{Ifindex: int32(ifindex), Type: unix.PACKET_MR_PROMISC}
	if err := unix.SetsockoptPacketMreq(fd, unix.SOL_PACKET, unix.PACKET_ADD_MEMBERSHIP, &all); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &promiscuous{fd}, nil
}

// close switches the mode off, unless somebody else wants it.
func (p *promiscuous) close() error { return unix.Close(p.fd) }
