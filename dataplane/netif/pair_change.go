package netif

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/internal/dump"
)

// Change changes the existing veth pair p into the pair to, which has the same process's end: the kernel's end gets the
// name and the addresses of to. Addresses that only p has are removed. A pair that does not exist is left to Make.
func (p Pair) Change(to Pair) error {
	end, err := netlink.LinkByName(p.Interface)
	if errors.As(err, new(netlink.LinkNotFoundError)) {
		return nil
	}
	if err != nil {
		return to.failed(err)
	}
	host, err := p.host(end)
	if err == nil && host != nil && host.Attrs().Name != to.Host {
		err = rename(host, to.Host)
	}
	if err == nil && host != nil {
		err = to.setMAC(host)
	}
	if err == nil {
		err = laterIPv6(to.SetAddresses(p.Addresses))
	}
	return to.failed(err)
}

// setMAC gives the kernel's end of the veth the hardware address of the pair, if the pair has one.
func (p Pair) setMAC(host netlink.Link) error {
	if p.MAC == nil || bytes.Equal(host.Attrs().HardwareAddr, p.MAC) {
		return nil
	}
	if err := netlink.LinkSetHardwareAddr(host, p.MAC); err != nil {
		return fmt.Errorf("give %s the address %v: %w", p.Host, p.MAC, err)
	}
	return nil
}

// rename renames an interface. Older kernels refuse to rename an interface that is up: rename sets the interface
// down and up for that.
func rename(l netlink.Link, name string) error {
	err := netlink.LinkSetName(l, name)
	if err == unix.EEXIST {
		return hostTaken(name)
	}
	if err != unix.EBUSY {
		return err
	}
	if err := netlink.LinkSetDown(l); err != nil {
		return err
	}
	if err := netlink.LinkSetName(l, name); err != nil {
		return err
	}
	return netlink.LinkSetUp(l)
}

// HostMAC returns the hardware address of the kernel's end of the veth; nil if it is absent, or in another network
// namespace.
func (p Pair) HostMAC() net.HardwareAddr {
	end, err := netlink.LinkByName(p.Interface)
	if err != nil {
		return nil
	}
	if host, err := p.host(end); err == nil && host != nil {
		return host.Attrs().HardwareAddr
	}
	return nil
}

// SetMTU sets the MTU of both ends of the veth pair, in octets.
func (p Pair) SetMTU(mtu int) error {
	end, err := netlink.LinkByName(p.Interface)
	if err != nil {
		return p.failed(err)
	}
	host, err := p.host(end)
	for _, l := range []netlink.Link{end, host} {
		if err == nil && l != nil && l.Attrs().MTU != mtu {
			err = netlink.LinkSetMTU(l, mtu)
		}
	}
	return p.failed(err)
}

// SetAddresses gives the kernel's end of the veth exactly the addresses of the pair. Where the pair has no
// addresses, only the addresses in before are removed. Addresses set by the kernel (link-local) or by a router
// stay.
func (p Pair) SetAddresses(before []netip.Prefix) error {
	end, err := netlink.LinkByName(p.Interface)
	if err != nil {
		return err
	}
	host, err := p.host(end)
	if err != nil || host == nil {
		return err
	}
	if err := p.removeAddresses(host, before); err != nil {
		return err
	}
	_, err = p.addAddresses(host)
	return err
}

// laterIPv6 returns err, or nil if only an IPv6 address is missing: Restore tries again, and reports a failure.
func laterIPv6(err error) error {
	if errors.Is(err, ErrNoIPv6) {
		return nil
	}
	return err
}

// removeAddresses removes the addresses of the kernel's end that the pair no longer has. With the first address of
// a network the kernel removes the other addresses of that network, too.
func (p Pair) removeAddresses(host netlink.Link, before []netip.Prefix) error {
	present, err := dump.All(func() ([]netlink.Addr, error) { return netlink.AddrList(host, unix.AF_UNSPEC) })
	if err != nil {
		return err
	}
	for _, a := range present {
		prefix := prefixOf(a)
		goes := len(p.Addresses) > 0 && permanent(a) || slices.Contains(before, prefix)
		if !goes || slices.Contains(p.Addresses, prefix) {
			continue
		}
		if err := netlink.AddrDel(host, &a); err != nil && !errors.Is(err, unix.EADDRNOTAVAIL) {
			return fmt.Errorf("take %v from %s: %w", prefix, p.Host, err)
		}
	}
	return nil
}

// ErrNoIPv6 is the error when the kernel's end of a veth cannot have an IPv6 address, because of the host or of the
// MTU. Everything else works, and Restore tries again.
var ErrNoIPv6 = errors.New("no IPv6")

// addAddresses adds those addresses of the pair that the kernel's end of the veth lacks, and returns them. If the end
// cannot have an IPv6 address, it still gets the others.
func (p Pair) addAddresses(host netlink.Link) (given []netip.Prefix, err error) {
	present, err := dump.All(func() ([]netlink.Addr, error) { return netlink.AddrList(host, unix.AF_UNSPEC) })
	if err != nil {
		return nil, err
	}
	var first error // of IPv6
	for _, prefix := range p.Addresses {
		if slices.ContainsFunc(present, func(a netlink.Addr) bool { return prefixOf(a) == prefix }) {
			continue
		}
		failed := netlink.AddrAdd(host, addressOf(prefix))
		switch {
		case failed == nil:
			given = append(given, prefix)
		case prefix.Addr().Is4():
			return given, fmt.Errorf("give %v to %s: %w", prefix, p.Host, failed)
		case first == nil:
			first = fmt.Errorf("%v is not on %s (%w): %w", prefix, p.Host, ErrNoIPv6, explain(failed, host))
		}
	}
	return given, first
}

// leastMTU is the least MTU, in octets, of an interface with IPv6 (RFC 8200).
const leastMTU = 1280

// explain returns the cause and the cure for err, the kernel's error when it refused an IPv6 address to an interface,
// or err itself if the cause is not known.
func explain(err error, host netlink.Link) error {
	mtu, sysctl := host.Attrs().MTU, strings.ReplaceAll(host.Attrs().Name, ".", "/")
	switch {
	case mtu < leastMTU:
		return fmt.Errorf("IPv6 needs an MTU of %d, and the links leave it %d: "+
			"raise the MTU of the links by %d, or remove the address", leastMTU, mtu, leastMTU-mtu)
	case errors.Is(err, unix.EACCES):
		return fmt.Errorf("IPv6 is switched off on %s: remove the address, or type: "+
			"sysctl -w net.ipv6.conf.%s.disable_ipv6=0", host.Attrs().Name, sysctl)
	case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.EAFNOSUPPORT):
		return errors.New("the kernel runs without IPv6 (ipv6.disable=1): remove the address")
	}
	return err
}

// permanent reports whether an address was set by somebody, and neither by the kernel nor by a router.
func permanent(a netlink.Addr) bool {
	return a.Flags&unix.IFA_F_PERMANENT != 0 && !a.IP.IsLinkLocalUnicast()
}

// prefixOf converts netlink's form of an address to a prefix: the IP address and the length of its network part.
func prefixOf(a netlink.Addr) netip.Prefix {
	ip, _ := netip.AddrFromSlice(a.IP)
	bits, _ := a.Mask.Size()
	return netip.PrefixFrom(ip.Unmap(), bits)
}

// addressOf converts a prefix to netlink's form. IPv6 skips duplicate address detection: the other end of the link
// may not be up yet.
func addressOf(p netip.Prefix) *netlink.Addr {
	a, _ := netlink.ParseAddr(p.String()) // a Prefix is well-formed
	if p.Addr().Is6() {
		a.Flags = unix.IFA_F_NODAD
	}
	return a
}

// Restore undoes changes by others on the kernel's end of the veth that would lose frames of the host, and returns the
// repairs in words: the MTU if it exceeds the MTU of the process's end, and missing addresses (IPv6 addresses go while
// the interface is down). Restore also makes the pair's owner the owner of the veth, in case somebody has changed the
// alias, or an upgrade has brought another configuration.
func (p Pair) Restore() (changes []string, err error) {
	end, err := netlink.LinkByName(p.Interface)
	if err != nil {
		return nil, p.failed(err)
	}
	if err := p.claim(end); err != nil {
		return nil, p.failed(err)
	}
	host, err := p.host(end)
	if err != nil || host == nil {
		return nil, p.failed(err)
	}
	if current, most := host.Attrs().MTU, end.Attrs().MTU; current > most {
		if err := netlink.LinkSetMTU(host, most); err != nil {
			return nil, p.failed(fmt.Errorf("set the MTU from %d to %d: %w", current, most, err))
		}
		changes = append(changes, fmt.Sprintf("the MTU is %d again, not %d", most, current))
	}
	given, err := p.addAddresses(host)
	for _, prefix := range given {
		changes = append(changes, fmt.Sprintf("the daemon has restored the IP address %v", prefix))
	}
	return changes, p.failed(err)
}
