package netns

import (
	"fmt"

	"github.com/vishvananda/netlink"
)

// Bridge makes a Linux bridge, up, in the namespace, and puts existing interfaces into it. mask selects the link-local
// group addresses that the bridge forwards: bit n is 01-80-C2-00-00-0n, and the kernel refuses bits 0 to 2 (STP, PAUSE,
// LACP). The bridge does no multicast snooping, because with snooping the kernel joins 224.0.0.106, and sends an IGMP
// report out of every port at a random time.
func (n *NS) Bridge(name string, mask uint16, ports ...string) error {
	attrs := netlink.NewLinkAttrs()
	attrs.Name = name
	snooping := false
	link := &netlink.Bridge{LinkAttrs: attrs, GroupFwdMask: &mask, MulticastSnooping: &snooping}
	if err := n.links.LinkAdd(link); err != nil {
		return fmt.Errorf("make bridge %s in %s: %w", name, n.name, err)
	}
	if err := n.silence(name); err != nil {
		return err
	}
	bridge, err := n.link(name)
	if err != nil {
		return err
	}
	for _, port := range ports {
		link, err := n.link(port)
		if err != nil {
			return err
		}
		if err := n.links.LinkSetMaster(link, bridge); err != nil {
			return fmt.Errorf("put %s into bridge %s in %s: %w", port, name, n.name, err)
		}
	}
	return n.SetLink(name, true)
}
