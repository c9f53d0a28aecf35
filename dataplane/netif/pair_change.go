package netif

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"uelink/bpf"
)

// Change gives the kernel's end of a pair that is there the name and the addresses of another, which has the same
// process's end. Addresses that only the pair of before has are taken away. A pair that is not there is left to Make.
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
	if err == nil {
		err = to.Address(p.Addresses)
	}
	return to.failed(err)
}

// rename gives an interface another name. Older kernels refuse that to one that is up.
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

// SetMTU sets the MTU of both ends, in octets.
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

// Address makes the addresses of the kernel's end those of the pair. Where it has none, only the ones of before go.
// What the kernel has given itself (link-local, or by a router) stays.
func (p Pair) Address(before []netip.Prefix) error {
	end, err := netlink.LinkByName(p.Interface)
	if err != nil {
		return err
	}
	host, err := p.host(end)
	if err != nil || host == nil {
		return err
	}
	if err := p.takeAddresses(host, before); err != nil {
		return err
	}
	_, err = p.giveAddresses(host)
	return err
}

// takeAddresses removes those of the addresses of the kernel's end that the pair no longer has. With the first address
// of a network the kernel removes the others of that network, too.
func (p Pair) takeAddresses(host netlink.Link, before []netip.Prefix) error {
	there, err := netlink.AddrList(host, unix.AF_UNSPEC)
	if err != nil {
		return err
	}
	for _, a := range there {
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

// giveAddresses adds those of the pair's addresses that the kernel's end does not have, and returns them.
func (p Pair) giveAddresses(host netlink.Link) (given []netip.Prefix, err error) {
	there, err := netlink.AddrList(host, unix.AF_UNSPEC)
	if err != nil {
		return nil, err
	}
	for _, prefix := range p.Addresses {
		if slices.ContainsFunc(there, func(a netlink.Addr) bool { return prefixOf(a) == prefix }) {
			continue
		}
		if err := netlink.AddrAdd(host, addressOf(prefix)); err != nil {
			return given, fmt.Errorf("give %v to %s: %w", prefix, p.Host, explain(err, prefix, host))
		}
		given = append(given, prefix)
	}
	return given, nil
}

// leastMTU is the least MTU, in octets, of an interface with IPv6 (RFC 8200).
const leastMTU = 1280

// explain says why an interface cannot have an address of IPv6, where the kernel's error does not.
func explain(err error, prefix netip.Prefix, host netlink.Link) error {
	mtu := host.Attrs().MTU
	switch {
	case !prefix.Addr().Is6():
	case mtu < leastMTU:
		return fmt.Errorf("IPv6 needs an MTU of %d, and the links leave it %d: raise theirs by %d, or take the address out",
			leastMTU, mtu, leastMTU-mtu)
	case errors.Is(err, unix.EACCES):
		return errors.New("IPv6 is switched off there: take the address out, or switch it on " +
			"(sysctl net.ipv6.conf.default.disable_ipv6=0)")
	}
	return err
}

// permanent tells whether somebody has set an address, and neither the kernel nor a router.
func permanent(a netlink.Addr) bool {
	return a.Flags&unix.IFA_F_PERMANENT != 0 && !a.IP.IsLinkLocalUnicast()
}

// prefixOf is an address with the length of its prefix.
func prefixOf(a netlink.Addr) netip.Prefix {
	ip, _ := netip.AddrFromSlice(a.IP)
	bits, _ := a.Mask.Size()
	return netip.PrefixFrom(ip.Unmap(), bits)
}

// addressOf is a prefix as netlink has it. IPv6 does not wait until it knows that nobody else has the address: the
// other end of the link may not be there yet.
func addressOf(p netip.Prefix) *netlink.Addr {
	a, _ := netlink.ParseAddr(p.String()) // a Prefix is well-formed
	if p.Addr().Is6() {
		a.Flags = unix.IFA_F_NODAD
	}
	return a
}

// Keep puts back on the kernel's end what somebody has changed and the host would lose frames by, and says in words
// what that was: an MTU beyond that of the process's end, and addresses that have gone, as those of IPv6 do while the
// interface is down.
func (p Pair) Keep() (kept []string, err error) {
	end, err := netlink.LinkByName(p.Interface)
	if err != nil {
		return nil, p.failed(err)
	}
	host, err := p.host(end)
	if err != nil || host == nil {
		return nil, p.failed(err)
	}
	if is, most := host.Attrs().MTU, end.Attrs().MTU; is > most {
		if err := netlink.LinkSetMTU(host, most); err != nil {
			return nil, p.failed(fmt.Errorf("set the MTU from %d to %d: %w", is, most, err))
		}
		kept = append(kept, fmt.Sprintf("the MTU is %d again, not %d", most, is))
	}
	given, err := p.giveAddresses(host)
	for _, prefix := range given {
		kept = append(kept, fmt.Sprintf("it has %v again", prefix))
	}
	return kept, p.failed(err)
}

// Remove deletes the pair, if it is one that a process of ours has made and that no process serves.
func (p Pair) Remove(log *zap.Logger) {
	if end, err := netlink.LinkByName(p.Interface); err == nil && abandoned(end) {
		remove(end, log)
	}
}

// abandoned tells whether an interface is the process's end of a pair that no process serves.
func abandoned(l netlink.Link) bool { return IsPair(l) && bpf.Free(l.Attrs().Index) == nil }

// SweepPairs deletes the pairs of this network namespace that nobody serves, but for those whose process's end is named
// so: they were left behind by a process that was killed, or are no longer wanted.
func SweepPairs(wanted []string, log *zap.Logger) {
	links, err := netlink.LinkList()
	if err != nil {
		log.Warn("the interfaces cannot be listed: a veth that was left behind stays", zap.Error(err))
		return
	}
	for _, l := range links {
		if !slices.Contains(wanted, l.Attrs().Name) && abandoned(l) {
			remove(l, log)
		}
	}
}

// remove deletes a pair by one of its ends.
func remove(end netlink.Link, log *zap.Logger) {
	name := zap.String("interface", end.Attrs().Name)
	if err := netlink.LinkDel(end); err != nil {
		log.Warn("a veth for the host is not removed: ip link delete dev "+end.Attrs().Name, name, zap.Error(err))
		return
	}
	log.Info("removed the veth for the host", name)
}

// DisableAtPeer switches off the offloads of a veth's other end that somebody has switched on since, and names them.
func (i *Interface) DisableAtPeer() (off []string, err error) { return i.disableAtPeer() }
