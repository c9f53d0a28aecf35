package netif

import (
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/bpf"
)

// Numbers of the guard's filter. Another tool that has put clsact there, and filters of its own, keeps both.
const (
	guardPriority = 0x7565
	guardHandle   = 1
)

// guard makes the kernel drop what arrives at the process's end of a veth, and no XDP program takes. The filter stays
// until the veth goes: while no process serves the veth, the network stack would answer the host's ARP otherwise, and
// forward its frames.
func guard(end netlink.Link) error {
	program, err := bpf.LoadGuard()
	if err != nil {
		return err
	}
	defer program.Close() // the filter holds it
	qdisc := &netlink.Clsact{QdiscAttrs: netlink.QdiscAttrs{
		LinkIndex: end.Attrs().Index, Handle: netlink.MakeHandle(0xffff, 0), Parent: netlink.HANDLE_CLSACT,
	}}
	if err := netlink.QdiscAdd(qdisc); err != nil && !errors.Is(err, unix.EEXIST) {
		return fmt.Errorf("add clsact to %s: %w", end.Attrs().Name, err)
	}
	err = netlink.FilterReplace(&netlink.BpfFilter{
		FilterAttrs: netlink.FilterAttrs{
			LinkIndex: end.Attrs().Index, Parent: netlink.HANDLE_MIN_INGRESS, Handle: guardHandle, Priority: guardPriority,
			Protocol: unix.ETH_P_ALL,
		},
		Fd: program.FD(), Name: "uelink_guard", DirectAction: true,
	})
	if err != nil {
		return fmt.Errorf("add a filter to %s: %w", end.Attrs().Name, err)
	}
	return nil
}
