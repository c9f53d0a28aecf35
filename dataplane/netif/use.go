package netif

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
	"uelink/internal/dump"
)

// Use returns the host's present use of the interface. Use is called in the interface's network namespace.
func (i *Interface) Use() (attach.Use, error) {
	u, err := UseOf(i.index)
	if err != nil {
		return u, i.failed("find the host's use of the interface", err)
	}
	return u, nil
}

// UseOf returns the host's present use of an interface of the calling thread's network namespace.
func UseOf(ifindex int) (attach.Use, error) {
	all, err := AllUses()
	return all.Find(ifindex), err
}

// Uses is a snapshot of the host's use of all interfaces of a network namespace.
type Uses struct {
	links     []netlink.Link
	addresses []netlink.Addr
	hops      []int // interfaces that a default route leaves by
	ssh       netip.Addr
}

// AllUses reads all interfaces, addresses and default routes of the calling thread's network namespace, from which Find
// returns the host's use of each interface.
func AllUses() (u Uses, err error) {
	if u.links, err = dump.All(netlink.LinkList); err != nil {
		return u, fmt.Errorf("list the interfaces: %w", err)
	}
	u.addresses, err = dump.All(func() ([]netlink.Addr, error) { return netlink.AddrList(nil, unix.AF_UNSPEC) })
	if err != nil {
		return u, fmt.Errorf("list the addresses: %w", err)
	}
	if u.hops, err = defaultHops(); err != nil {
		return u, fmt.Errorf("list the default routes: %w", err)
	}
	u.ssh = sshAddress()
	return u, nil
}

// Find returns the host's use of an interface, given by index.
func (u *Uses) Find(ifindex int) attach.Use {
	use := attach.Use{Addresses: []netip.Prefix{}, Upper: []string{}}
	stack := u.climb(ifindex, &use)
	u.addressed(stack, &use)
	use.DefaultRoute = slices.ContainsFunc(u.hops, func(h int) bool { return slices.Contains(stack, h) })
	use.SSH = slices.ContainsFunc(use.Addresses, func(p netip.Prefix) bool { return p.Addr() == u.ssh })
	return use
}

// climb records in use the master of an interface (use.Master) and the names of the interfaces on top of it or of its
// masters (use.Upper). stack lists the indexes of all of these, first the interface itself.
func (u *Uses) climb(index int, use *attach.Use) (stack []int) {
	stack = []int{index}
	for n := 0; n < len(stack); n++ {
		for _, l := range u.links {
			a := l.Attrs()
			switch above := onTop(l, stack[n]); {
			case slices.Contains(stack, a.Index):
				continue
			case above:
				use.Upper = append(use.Upper, a.Name)
			case !isMaster(u.links, stack[n], a.Index):
				continue
			case n == 0:
				use.Master = a.Name
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

// addressed records in use the IP addresses of the interfaces whose indexes are in stack; IPv6 link-local addresses
// are left out.
func (u *Uses) addressed(stack []int, use *attach.Use) {
	for _, a := range u.addresses {
		ip, ok := netip.AddrFromSlice(a.IP)
		if ip = ip.Unmap(); !ok || ip.Is6() && ip.IsLinkLocalUnicast() || !slices.Contains(stack, a.LinkIndex) {
			continue
		}
		bits, _ := a.Mask.Size()
		use.Addresses = append(use.Addresses, netip.PrefixFrom(ip, bits))
	}
}

// defaultHops returns the indexes of the interfaces by which the default routes leave.
func defaultHops() (hops []int, err error) {
	for _, family := range []int{unix.AF_INET, unix.AF_INET6} {
		routes, err := dump.All(func() ([]netlink.Route, error) {
			return netlink.RouteListFiltered(family, &netlink.Route{}, netlink.RT_FILTER_DST)
		})
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
