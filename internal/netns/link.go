package netns

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/vishvananda/netlink"
)

// Veth makes a pair of interfaces, ifA in a and ifB in b (which may be a), up, with the given MTU, and with IPv6
// off so that the kernel sends no frames by itself. The offloads are the kernel's defaults.
func Veth(a *NS, ifA string, b *NS, ifB string, mtu int) error {
	return QueuedVeth(a, ifA, b, ifB, mtu, 0)
}

// QueuedVeth makes a pair of interfaces as Veth does, with the given number of TX and RX queues at each end; 0 is the
// kernel's default. A frame sent by a TX queue arrives by the RX queue of the same number.
func QueuedVeth(a *NS, ifA string, b *NS, ifB string, mtu, queues int) error {
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU, attrs.NumTxQueues, attrs.NumRxQueues = ifA, mtu, queues, queues
	veth := &netlink.Veth{
		LinkAttrs: attrs, PeerName: ifB, PeerMTU: uint32(mtu), PeerNamespace: netlink.NsFd(b.handle),
		PeerNumTxQueues: uint32(queues), PeerNumRxQueues: uint32(queues),
	}
	if err := a.links.LinkAdd(veth); err != nil {
		return fmt.Errorf("make veth %s in %s, %s in %s: %w", ifA, a.name, ifB, b.name, err)
	}
	for _, end := range []struct {
		ns     *NS
		ifname string
	}{{a, ifA}, {b, ifB}} {
		if err := end.ns.silence(end.ifname); err != nil {
			return err
		}
		if err := end.ns.SetLink(end.ifname, true); err != nil {
			return err
		}
	}
	return nil
}

// silence switches IPv6 off on an interface, so that the kernel sends no neighbour discovery by it.
func (n *NS) silence(ifname string) error {
	return n.Do(func() error {
		err := os.WriteFile("/proc/sys/net/ipv6/conf/"+ifname+"/disable_ipv6", []byte("1"), 0)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a kernel without IPv6
		}
		return err
	})
}

// link returns the interface of the namespace that has this name.
func (n *NS) link(ifname string) (netlink.Link, error) {
	link, err := n.links.LinkByName(ifname)
	if err != nil {
		return nil, fmt.Errorf("interface %s in %s: %w", ifname, n.name, err)
	}
	return link, nil
}

// AddAddr adds an address with its prefix length, such as "10.0.0.1/24", to an interface.
func (n *NS) AddAddr(ifname, cidr string) error {
	link, err := n.link(ifname)
	if err != nil {
		return err
	}
	addr, err := netlink.ParseAddr(cidr)
	if err != nil {
		return fmt.Errorf("parse the address for %s: %w", ifname, err)
	}
	if err := n.links.AddrAdd(link, addr); err != nil {
		return fmt.Errorf("add %s to %s in %s: %w", cidr, ifname, n.name, err)
	}
	return nil
}

// SetLink sets an interface of the namespace up or down.
func (n *NS) SetLink(ifname string, up bool) error {
	link, err := n.link(ifname)
	if err != nil {
		return err
	}
	set, word := n.links.LinkSetDown, "down"
	if up {
		set, word = n.links.LinkSetUp, "up"
	}
	if err := set(link); err != nil {
		return fmt.Errorf("set %s in %s %s: %w", ifname, n.name, word, err)
	}
	return nil
}

// SetMTU sets the MTU of an interface, in octets.
func (n *NS) SetMTU(ifname string, mtu int) error {
	link, err := n.link(ifname)
	if err != nil {
		return err
	}
	if err := n.links.LinkSetMTU(link, mtu); err != nil {
		return fmt.Errorf("set MTU of %s in %s to %d: %w", ifname, n.name, mtu, err)
	}
	return nil
}

// DeleteLink deletes an interface; the other end of a veth goes with it.
func (n *NS) DeleteLink(ifname string) error {
	link, err := n.link(ifname)
	if err != nil {
		return err
	}
	if err := n.links.LinkDel(link); err != nil {
		return fmt.Errorf("delete %s in %s: %w", ifname, n.name, err)
	}
	return nil
}

// Ifindex returns the kernel's index of the interface with this name in the namespace.
func (n *NS) Ifindex(ifname string) (int, error) {
	link, err := n.link(ifname)
	if err != nil {
		return 0, err
	}
	return link.Attrs().Index, nil
}

// Link returns the attributes of an interface by netlink: address, MTU, state, statistics, XDP program.
func (n *NS) Link(ifname string) (*netlink.LinkAttrs, error) {
	link, err := n.link(ifname)
	if err != nil {
		return nil, err
	}
	return link.Attrs(), nil
}
