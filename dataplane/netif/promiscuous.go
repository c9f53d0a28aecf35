package netif

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"uelink/wire"
)

// membership is a packet socket that makes an interface receive frames for more addresses than its own: for all
// addresses (promiscuous mode), or for multicast groups. The kernel counts memberships. So promiscuous mode stays
// on when a tcpdump ends, or after `ip link set IF promisc off`. A membership ends with the socket, also when the
// process is killed.
type membership struct{ fd int }

// listen makes the interface receive frames also for the given group addresses, or for all addresses if groups is
// empty.
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
		return i.failed("join the multicast groups of the link", err)
	}
	return nil
}

// SetPromiscuous switches promiscuous mode of the interface on or off. If the mode is as wanted, SetPromiscuous
// does nothing.
func (i *Interface) SetPromiscuous(on bool) (err error) {
	switch {
	case on == (i.promiscuous != nil):
	case on:
		all := unix.PacketMreq{Ifindex: int32(i.index), Type: unix.PACKET_MR_PROMISC}
		if i.promiscuous, err = join(all); err != nil {
			return i.failed("switch promiscuous mode on", err)
		}
		i.logChanged("promiscuous mode on")
	default:
		err = i.promiscuous.close()
		i.promiscuous = nil
		i.logChanged("promiscuous mode off")
	}
	return err
}

// join opens a packet socket that makes an interface receive frames for more addresses, as wanted: groups, or
// promiscuous mode. The socket has no protocol, so it receives no frames and costs nothing per frame. The kernel
// ends the membership when the interface is deleted: a recreated interface needs another membership.
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

// close closes the packet socket, which ends its request for other addresses. The interface stays promiscuous if
// another socket asks for promiscuous mode.
func (m *membership) close() error { return unix.Close(m.fd) }
