package netif

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Use is the host's own use of an interface: on the interface itself, on the bridge or the bond whose port the
// interface is, and on interfaces on top (VLANs, macvlans).
type Use struct {
	Addresses    []netip.Prefix `json:"addresses"` // without link-local IPv6 addresses, which every interface has
	DefaultRoute bool           `json:"default_route"`
	SSH          bool           `json:"ssh"`    // an address is the one that the ssh connection in use came in by
	Master       string         `json:"master"` // the bridge or the bond that has the interface as a port; "" = none
	Upper        []string       `json:"upper"`  // interfaces on top
}

// Any reports whether the host itself uses the interface: an address, the default route, a bridge or bond above.
func (u Use) Any() bool {
	return len(u.Addresses) > 0 || u.DefaultRoute || u.Master != "" || len(u.Upper) > 0
}

// Management reports whether this interface may be the only way to reach the host: it has the default route or the
// ssh connection in use.
func (u Use) Management() bool { return u.DefaultRoute || u.SSH }

// String describes the host's use of the interface in words; "" if there is none.
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

// Use returns the host's present use of the interface. Use is called in the interface's network namespace.
func (i *Interface) Use() (Use, error) {
	u, err := UseOf(i.index)
	if err != nil {
		return u, i.failed("find out who uses it", err)
	}
	return u, nil
}

// UseOf returns the host's present use of an interface of the calling thread's network namespace.
func UseOf(ifindex int) (Use, error) {
	all, err := AllUses()
	return all.Of(ifindex), err
}

// Uses is a snapshot of the host's use of all interfaces of a network namespace.
type Uses struct {
	links     []netlink.Link
	addresses []netlink.Addr
	hops      []int // interfaces that a default route leaves by
	ssh       netip.Addr
}

// AllUses reads all interfaces, addresses and default routes of the calling thread's network namespace, from which
// Of finds the host's use of each interface.
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

// Of returns the host's use of an interface, given by index.
func (u *Uses) Of(ifindex int) Use {
	is := Use{Addresses: []netip.Prefix{}, Upper: []string{}}
	stack := is.climb(ifindex, u.links)
	is.addressed(stack, u.addresses)
	is.DefaultRoute = slices.ContainsFunc(u.hops, func(h int) bool { return slices.Contains(stack, h) })
	is.SSH = slices.ContainsFunc(is.Addresses, func(p netip.Prefix) bool { return p.Addr() == u.ssh })
	return is
}

// climb records in u the master of an interface and the interfaces on top of it (VLANs, bridges). stack lists the
// indexes of all of these, first the interface itself.
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

// onTop reports whether l is a VLAN, a macvlan or the like of an interface. The two ends of a veth also name each
// other as parent, but are not on top of each other.
func onTop(l netlink.Link, index int) bool {
	a := l.Attrs()
	return a.ParentIndex == index && a.NetNsID < 0 && l.Type() != "veth"
}

// isMaster reports whether master is the master (bridge, bond) of the interface with that index.
func isMaster(links []netlink.Link, index, master int) bool {
	return slices.ContainsFunc(links, func(l netlink.Link) bool {
		return l.Attrs().Index == index && l.Attrs().MasterIndex == master
	})
}

// addressed records in u the IP addresses of the interfaces whose indexes are in stack; IPv6 link-local addresses
// are left out.
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

// defaultHops returns the indexes of the interfaces by which the default routes leave.
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
