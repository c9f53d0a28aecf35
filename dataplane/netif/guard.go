package netif

import (
	"errors"
	"fmt"
	"slices"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/bpf"
	"uelink/internal/dump"
)

// The priority and the handle of the guard's filter, by which the filter is found among those of other tools.
const (
	guardPriority = 0x7565
	guardHandle   = 1
)

// guard makes the kernel drop each frame that arrives at the process's end of a veth and that no XDP program takes. The
// filter stays until the veth goes: without it the network stack would answer the host's ARP requests and forward the
// host's frames, while no process serves the veth.
func guard(end netlink.Link) error {
	program, err := bpf.LoadGuard()
	if err != nil {
		return err
	}
	defer program.Close() // the filter keeps the program in the kernel
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

// shield makes the kernel drop each frame that arrives at an interface, as guard does, by TCX where the kernel has TCX.
// recorded is the number of the program that an earlier process may have left on the interface. note gets the number of
// the program before the program is attached, or 0 where the program has no number because it is a filter of clsact.
// Clsact stays when unshield removes the filter: removing clsact would drop frames that wait to be sent.
func shield(nl netlink.Link, recorded bpf.GuardID, note func(bpf.GuardID) error) error {
	err := bpf.AttachGuard(nl.Attrs().Index, recorded, note)
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if err := note(0); err != nil {
		return err
	}
	return guard(nl)
}

// unshield removes the program or the filter that shield has added. recorded is the number that shield has passed to
// note.
func unshield(nl netlink.Link, recorded bpf.GuardID) error {
	err := bpf.DetachGuard(nl.Attrs().Index, recorded)
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	err = netlink.FilterDel(&netlink.BpfFilter{FilterAttrs: netlink.FilterAttrs{
		LinkIndex: nl.Attrs().Index, Parent: netlink.HANDLE_MIN_INGRESS, Handle: guardHandle, Priority: guardPriority,
		Protocol: unix.ETH_P_ALL,
	}})
	if err != nil && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.EINVAL) { // EINVAL: clsact has gone
		return fmt.Errorf("remove the filter from %s: %w", nl.Attrs().Name, err)
	}
	return nil
}

// Shielded reports whether shield, or guard, has made the kernel drop the frames that arrive at an interface. recorded
// is the number that shield has passed to note.
func Shielded(nl netlink.Link, recorded bpf.GuardID) bool {
	if bpf.HasGuard(nl.Attrs().Index, recorded) {
		return true
	}
	all, err := dump.All(func() ([]netlink.Filter, error) { return netlink.FilterList(nl, netlink.HANDLE_MIN_INGRESS) })
	return err == nil && slices.ContainsFunc(all, func(f netlink.Filter) bool {
		return f.Type() == "bpf" && f.Attrs().Priority == guardPriority
	})
}
