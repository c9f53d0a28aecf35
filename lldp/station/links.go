package station

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/internal/dump"
	"uelink/lldp"
	"uelink/wire"
)

// links looks up interfaces and addresses in the kernel and hears of their changes over netlink.
type links struct {
	handle *netlink.Handle
	fd     int // netlink socket in the multicast groups of interfaces and addresses
}

// openLinks opens a netlink handle for questions, and a socket on which the kernel reports changes of links and
// addresses.
func openLinks() (*links, error) {
	handle, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("open netlink: %w", err)
	}
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err == nil {
		groups := uint32(unix.RTMGRP_LINK | unix.RTMGRP_IPV4_IFADDR | unix.RTMGRP_IPV6_IFADDR)
		err = unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: groups})
	}
	if err != nil {
		handle.Close()
		return nil, fmt.Errorf("subscribe to the interfaces' changes: %w", err)
	}
	return &links{handle, fd}, nil
}

// changed reports whether the kernel has sent a message about changed interfaces or addresses since the last call.
// The messages are only drained: reconcile looks up the current state.
func (l *links) changed(buf []byte) bool {
	changed := false
	for range 1024 {
		_, err := unix.Read(l.fd, buf)
		switch {
		case err == nil, errors.Is(err, unix.ENOBUFS): // after an overrun messages are missing, which counts as a change
			changed = true
		case !errors.Is(err, unix.EINTR):
			return changed
		}
	}
	return changed
}

// link is the state of an interface, as far as LLDP needs it.
type link struct {
	lldp.Interface
	names       []string // names that the kernel knows: the altnames, and the name
	operational bool     // the interface is up and can carry frames
	mtu         int      // octets
}

// find returns the interface with an index while it exists, which may have been renamed, else the interface with a
// name, perhaps an altname. An index of 0 is none. ok is false if there is no such interface.
func (l *links) find(index uint32, name string) (found link, ok bool, err error) {
	var nl netlink.Link
	if index != 0 {
		nl, err = l.handle.LinkByIndex(int(index))
	}
	if index == 0 || errors.As(err, new(netlink.LinkNotFoundError)) {
		nl, err = l.handle.LinkByName(name)
	}
	if errors.As(err, new(netlink.LinkNotFoundError)) {
		return link{}, false, nil
	}
	if err != nil {
		return link{}, false, fmt.Errorf("look up interface %s: %w", name, err)
	}
	a := nl.Attrs()
	if a.EncapType != "ether" {
		return link{}, false, fmt.Errorf("interface %s is no Ethernet (%s): LLDP cannot run on it", name, a.EncapType)
	}
	found.names = append(slices.Clone(a.AltNames), a.Name)
	found.Name, found.Alias, found.Index, found.mtu = a.Name, a.Alias, uint32(a.Index), a.MTU
	if len(a.HardwareAddr) == wire.AddrLen {
		found.MAC = wire.MAC(a.HardwareAddr)
	}
	up := a.RawFlags&unix.IFF_UP != 0
	found.operational = up && (a.OperState == netlink.OperUp || a.OperState == netlink.OperUnknown)
	return found, true, nil
}

// address is an IP address of the host with the index of its interface.
type address struct {
	addr    netip.Addr
	ifindex uint32
}

// addresses returns the global IP addresses of the host, or none if the kernel fails to list them.
func (l *links) addresses() []address {
	var list []address
	found, err := dump.All(func() ([]netlink.Addr, error) { return l.handle.AddrList(nil, netlink.FAMILY_ALL) })
	if err != nil {
		return nil
	}
	for _, a := range found {
		if addr, ok := netip.AddrFromSlice(a.IP); ok && addr.Unmap().IsGlobalUnicast() {
			list = append(list, address{addr.Unmap(), uint32(a.LinkIndex)})
		}
	}
	return list
}

func (l *links) close() {
	l.handle.Close()
	_ = unix.Close(l.fd)
}
