package netif

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Use is what the host's own network uses an interface for. It counts what is on the interface itself, on the bridge or
// the bond that it is a port of, and on interfaces on top of it (VLANs, macvlans).
type Use struct {
	Addresses    []netip.Prefix `json:"addresses"` // without the link-local ones of IPv6, which every interface has
	DefaultRoute bool           `json:"default_route"`
	SSH          bool           `json:"ssh"`    // it has the address that the ssh connection in use came in by
	Master       string         `json:"master"` // the bridge or the bond that it is a port of; "" = none
	Upper        []string       `json:"upper"`  // interfaces on top of it
}

// Any tells whether the host uses the interface for itself.
func (u Use) Any() bool {
	return len(u.Addresses) > 0 || u.DefaultRoute || u.Master != "" || len(u.Upper) > 0
}

// Management tells whether the host may be reached by this interface only: it has the default route or the ssh
// connection in use.
func (u Use) Management() bool { return u.DefaultRoute || u.SSH }

// String says what the host does with it, in words; "" for nothing.
func (u Use) String() string {
	var all []string
	for _, a := range u.Addresses {
		all = append(all, "the address "+a.String())
	}
	if u.DefaultRoute {
		all = append(all, "the default route")
	}
	if u.SSH {
		all = append(all, "the ssh connection in use")
	}
	if u.Master != "" {
		all = append(all, "the master "+u.Master)
	}
	for _, name := range u.Upper {
		all = append(all, name+" on top of it")
	}
	return strings.Join(all, ", ")
}

// Use finds out what the host does with the interface now. It is called in its network namespace.
func (i *Interface) Use() (Use, error) {
	u, err := UseOf(i.index)
	if err != nil {
		return u, i.failed("find out who uses it", err)
	}
	return u, nil
}

// UseOf finds out what the host does with an interface of the calling thread's network namespace now.
func UseOf(ifindex int) (Use, error) {
	all, err := AllUses()
	return all.Of(ifindex), err
}

// Uses is what the host does with all interfaces of a network namespace at a time.
type Uses struct {
	links     []netlink.Link
	addresses []netlink.Addr
	hops      []int // interfaces that a default route leaves by
	ssh       netip.Addr
}

// AllUses finds out what the host does with the interfaces of the calling thread's network namespace now.
func AllUses() (u Uses, err error) {
	if u.links, err = netlink.LinkList(); err != nil {
		return u, fmt.Errorf("list the interfaces: %w", err)
	}
	if u.addresses, err = netlink.AddrList(nil, unix.AF_UNSPEC); err != nil {
		return u, fmt.Errorf("list the addresses: %w", err)
	}
	if u.hops, err = defaultHops(); err != nil {
		return u, fmt.Errorf("list the default routes: %w", err)
	}
	u.ssh = sshAddress()
	return u, nil
}

// Of is what the host does with an interface.
func (u *Uses) Of(ifindex int) Use {
	is := Use{Addresses: []netip.Prefix{}, Upper: []string{}}
	stack := is.climb(ifindex, u.links)
	is.addressed(stack, u.addresses)
	is.DefaultRoute = slices.ContainsFunc(u.hops, func(h int) bool { return slices.Contains(stack, h) })
	is.SSH = slices.ContainsFunc(is.Addresses, func(p netip.Prefix) bool { return p.Addr() == u.ssh })
	return is
}

// climb notes the master of an interface and what is on top of it. stack is the indexes of all of these, the
// interface first.
func (u *Use) climb(index int, links []netlink.Link) (stack []int) {
	stack = []int{index}
	for n := 0; n < len(stack); n++ {
		for _, l := range links {
			a := l.Attrs()
			switch above := onTop(l, stack[n]); {
			case slices.Contains(stack, a.Index):
				continue
			case above:
				u.Upper = append(u.Upper, a.Name)
			case !isMaster(links, stack[n], a.Index):
				continue
			case n == 0:
				u.Master = a.Name
			}
			stack = append(stack, a.Index)
		}
	}
	return stack
}

// onTop tells whether l is a VLAN, a macvlan or the like of an interface. The two ends of a veth name each other in the
// same way and are not on top of each other.
func onTop(l netlink.Link, index int) bool {
	a := l.Attrs()
	return a.ParentIndex == index && a.NetNsID < 0 && l.Type() != "veth"
}

// isMaster tells whether master is what an interface is a port of.
func isMaster(links []netlink.Link, index, master int) bool {
	return slices.ContainsFunc(links, func(l netlink.Link) bool {
		return l.Attrs().Index == index && l.Attrs().MasterIndex == master
	})
}

// addressed keeps the addresses of the interfaces of the stack.
func (u *Use) addressed(stack []int, all []netlink.Addr) {
	for _, a := range all {
		ip, ok := netip.AddrFromSlice(a.IP)
		if ip = ip.Unmap(); !ok || ip.Is6() && ip.IsLinkLocalUnicast() || !slices.Contains(stack, a.LinkIndex) {
			continue
		}
		bits, _ := a.Mask.Size()
		u.Addresses = append(u.Addresses, netip.PrefixFrom(ip, bits))
	}
}

// defaultHops is the interfaces that the default routes leave by.
func defaultHops() (hops []int, err error) {
	for _, family := range []int{unix.AF_INET, unix.AF_INET6} {
		routes, err := netlink.RouteListFiltered(family, &netlink.Route{}, netlink.RT_FILTER_DST)
		if err != nil {
			return nil, err
		}
		for _, r := range routes {
			hops = append(hops, r.LinkIndex)
			for _, hop := range r.MultiPath {
				hops = append(hops, hop.LinkIndex)
			}
		}
	}
	return hops, nil
}
