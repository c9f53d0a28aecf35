package session

import (
	"fmt"

	"github.com/vishvananda/netlink"

	"uelink/sonic"
)

// arrange sets the MTU of a network interface, or sets it up or down, as c says.
func arrange(c sonic.HostCall) error {
	l, err := netlink.LinkByName(c.Interface)
	switch {
	case err != nil:
		return fmt.Errorf("interface %s: %w: run uelink sonic in the network namespace of uelinkd", c.Interface, err)
	case c.MTU != 0 && l.Attrs().MTU != c.MTU:
		err = netlink.LinkSetMTU(l, c.MTU)
	case c.MTU != 0:
	case c.Up:
		err = netlink.LinkSetUp(l)
	default:
		err = netlink.LinkSetDown(l)
	}
	if err != nil {
		return fmt.Errorf("interface %s: %w", c.Interface, err)
	}
	return nil
}
