package main

import (
	"fmt"
	"net"

	current "github.com/containernetworking/cni/pkg/types/100"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/internal/announce"
	"uelink/internal/dump"
)

// configure sets up the container's end: up, with the addresses and routes of a result, in the container's namespace.
// It returns the hardware address.
func (s *sandbox) configure(ifname string, r *current.Result) (mac net.HardwareAddr, err error) {
	err = s.do(func() error {
		end, err := netlink.LinkByName(ifname)
		if err != nil {
			return fmt.Errorf("%s in the container: %w", ifname, err)
		}
		mac = end.Attrs().HardwareAddr
		return setUp(end, r)
	})
	return mac, err
}

// setUp switches on an interface of the calling thread's network namespace, and adds the addresses and routes of a
// result. It first switches IPv6 on if one of the addresses is of IPv6.
func setUp(end netlink.Link, r *current.Result) error {
	name := end.Attrs().Name
	for _, ip := range r.IPs {
		if ip.Address.IP.To4() != nil {
			continue
		}
		if err := setIPv6(name, "disable_ipv6", "0"); err != nil {
			return err
		}
		break
	}
	if err := netlink.LinkSetUp(end); err != nil {
		return fmt.Errorf("set %s up in the container: %w", name, err)
	}
	for _, ip := range r.IPs {
		// IPAM gives an address once: it needs no duplicate address detection, which would keep the container waiting.
		address := &netlink.Addr{IPNet: &ip.Address}
		if ip.Address.IP.To4() == nil {
			address.Flags = unix.IFA_F_NODAD
		}
		if err := netlink.AddrAdd(end, address); err != nil {
			return fmt.Errorf("add %v to %s in the container: %w", &ip.Address, name, err)
		}
	}
	for _, route := range routesOf(end, r) {
		if err := netlink.RouteAddEcmp(route); err != nil {
			return fmt.Errorf("add the route to %v by %s in the container: %w", route.Dst, name, err)
		}
	}
	return nil
}

// routesOf returns the routes of a result in netlink's form. A route without a gateway has the gateway of the first
// address of its family.
func routesOf(end netlink.Link, r *current.Result) (list []*netlink.Route) {
	for _, from := range r.Routes {
		route := &netlink.Route{LinkIndex: end.Attrs().Index, Dst: &from.Dst, Gw: from.GW, MTU: from.MTU,
			AdvMSS:   from.AdvMSS,
			Priority: from.Priority}
		if route.Gw == nil && from.Scope == nil {
			route.Gw = gatewayOf(r.IPs, from.Dst.IP.To4() != nil)
		}
		if from.Table != nil {
			route.Table = *from.Table
		}
		if from.Scope != nil {
			route.Scope = netlink.Scope(*from.Scope)
		}
		list = append(list, route)
	}
	return list
}

// gatewayOf returns the first gateway of a family; nil for none.
func gatewayOf(ips []*current.IPConfig, ipv4 bool) net.IP {
	for _, ip := range ips {
		if ip.Gateway != nil && (ip.Gateway.To4() != nil) == ipv4 {
			return ip.Gateway
		}
	}
	return nil
}

// hasInterface reports whether the container has an interface of that name.
func (s *sandbox) hasInterface(ifname string) (exists bool, err error) {
	err = s.do(func() error { exists = !isGone(ifname); return nil })
	return exists, err
}

// announce tells the other hosts of the network where the container's addresses are.
func (s *sandbox) announce(ifname string) error {
	return s.do(func() error { _, err := announce.Addresses(ifname); return err })
}

// lacks returns in words what the container's end lacks of the result of ADD; "" if nothing. The error is that of
// entering the namespace, or of reading the addresses there.
func (s *sandbox) lacks(ifname string, r *current.Result) (problem string, err error) {
	err = s.do(func() error {
		end, err := netlink.LinkByName(ifname)
		if err != nil {
			problem = fmt.Sprintf("there is no %s in the container", ifname)
			return nil
		}
		if end.Attrs().Flags&net.FlagUp == 0 {
			problem = ifname + " in the container is down"
			return nil
		}
		addresses, err := dump.All(func() ([]netlink.Addr, error) { return netlink.AddrList(end, netlink.FAMILY_ALL) })
		if err != nil {
			return err
		}
		for _, ip := range r.IPs {
			if !hasAddress(addresses, ip.Address) {
				problem = fmt.Sprintf("%s in the container has no address %v", ifname, &ip.Address)
			}
		}
		return nil
	})
	return problem, err
}

// hasAddress reports whether a list has an address with its prefix.
func hasAddress(list []netlink.Addr, want net.IPNet) bool {
	for _, a := range list {
		if a.IPNet.String() == want.String() {
			return true
		}
	}
	return false
}
