package netif

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"uelink/wire"
)

// membership is a packet socket that has an interface take in frames for more addresses than
// its own: for every one, which is promiscuous mode, or for groups. The kernel counts who
// wants that. So it stays when somebody else wants it no longer: a tcpdump that ends, or
// `ip link set IF promisc off`. It ends with the socket, also when the process is killed.
type membership struct{ fd int }

// listen has the interface take in what Options asks for.
func (i *Interface) listen(groups []wire.MAC) (err error) {
	if len(groups) == 0 {
		return i.SetPromiscuous(true)
	}
	wanted := make([]unix.PacketMreq, len(groups))
	for n, group := range groups {
		wanted[n] = unix.PacketMreq{Ifindex: int32(i.index), Type: unix.PACKET_MR_MULTICAST, Alen: uint16(len(group))}
		copy(wanted[n].Address[:], group[:])
	}
	if i.groups, err = join(wanted...); err != nil {
		return i.failed("join the groups of a link", err)
	}
	return nil
}

// SetPromiscuous has the interface take in frames for other addresses too, or no longer. What is so
// already stays.
func (i *Interface) SetPromiscuous(on bool) (err error) {
	switch {
	case on == (i.promiscuous != nil):
	case on:
		all := unix.PacketMreq{Ifindex: int32(i.index), Type: unix.PACKET_MR_PROMISC}
		if i.promiscuous, err = join(all); err != nil {
			return i.failed("switch promiscuous mode on", err)
		}
		i.changed("promiscuous mode on")
	default:
		err = i.promiscuous.close()
		i.promiscuous = nil
		i.changed("promiscuous mode off")
	}
	return err
}

// join asks for addresses of an interface. The socket has no
// protocol, so it receives nothing and costs no frame anything. The kernel takes
// them from the socket when the interface is deleted: an interface that is made
// anew needs a new one.
func join(wanted ...unix.PacketMreq) (*membership, error) {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if errors.Is(err, unix.EAFNOSUPPORT) {
		err = fmt.Errorf("%w: allow AF_PACKET to the process (systemd: RestrictAddressFamilies)", err)
	}
	if err != nil {
		return nil, fmt.Errorf("open a packet socket: %w", err)
	}
	for n := range wanted {
		if err := unix.SetsockoptPacketMreq(fd, unix.SOL_PACKET, unix.PACKET_ADD_MEMBERSHIP, &wanted[n]); err != nil {
			unix.Close(fd)
			return nil, err
		}
	}
	return &membership{fd}, nil
}

// close ends that, unless somebody else wants it.
func (m *membership) close() error { return unix.Close(m.fd) }
