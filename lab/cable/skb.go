package cable

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// The paths of frames in the report.
const (
	pathXDP     = "xdp"     // XDP redirect
	pathTCX     = "tcx"     // a program at TCX, from Linux 6.6 on
	pathClsact  = "clsact"  // the same program as a filter of clsact
	pathSockets = "sockets" // AF_XDP sockets of this process
)

// hook is a program for skbs at the ingress of an interface.
type hook struct {
	io.Closer
	path string // pathTCX or pathClsact
}

// hookSkbs attaches the program of one direction to the TCX ingress of an interface, before all other programs there.
// For kernels without TCX, and with noTCX, it adds a filter of clsact. takesAll: the program passes no frame on, so
// another program at the interface is an error.
func (w *kernelWay) hookSkbs(e *end, takesAll, noTCX bool) (*hook, error) {
	if err := ingressFree(e, takesAll); err != nil {
		return nil, err
	}
	tcx, err := link.AttachTCX(link.TCXOptions{Interface: e.index, Program: w.objects.Skb,
		Attach: ebpf.AttachTCXIngress, Anchor: link.Head()})
	switch {
	case err == nil && !noTCX:
		return &hook{tcx, pathTCX}, nil
	case err == nil: // noTCX: go on as without TCX
		_ = tcx.Close()
	case !errors.Is(err, ebpf.ErrNotSupported):
		return nil, fmt.Errorf("%s: attach a program to the ingress: %w", e.name, err)
	}
	return w.hookFilter(e)
}

// ingressFree returns an error if another cable's program is at the TCX ingress of the interface, and with takesAll if
// any program is.
func ingressFree(e *end, takesAll bool) error {
	found, err := link.QueryPrograms(link.QueryOptions{Target: e.index, Attach: ebpf.AttachTCXIngress})
	if err != nil {
		return nil // a kernel without TCX
	}
	for _, p := range found.Programs {
		name := "?"
		if program, err := ebpf.NewProgramFromID(p.ID); err == nil {
			if info, err := program.Info(); err == nil {
				name = info.Name
			}
			program.Close()
		}
		if takesAll || strings.HasPrefix(name, "uelink_cable") {
			return fmt.Errorf("%s: another TCX program %q, id %d, is at the ingress: stop the process that attached the "+
				"program (bpftool net show dev %[1]s)", e.name, name, p.ID)
		}
	}
	return nil
}

// Priority and handle of the cable's filter of clsact. If another tool has added clsact with filters of its own, both
// stay.
const (
	filterPriority = 1
	filterHandle   = 0x7565
)

// filter is a filter of clsact. A process that is killed leaves it behind, without effect: the kernel empties the array
// of programs with the last descriptor of it.
type filter struct {
	e      *end
	filter *netlink.BpfFilter
	qdisc  *netlink.Clsact // nil: added by others
}

// hookFilter hooks the program to an end by clsact, for kernels without TCX. A clsact of somebody else stays.
func (w *kernelWay) hookFilter(e *end) (*hook, error) {
	if err := w.objects.Entry.Put(uint32(0), w.objects.Skb); err != nil {
		return nil, fmt.Errorf("%s: fill the array of programs: %w", e.name, err)
	}
	f := &filter{e: e}
	qdisc := &netlink.Clsact{QdiscAttrs: netlink.QdiscAttrs{LinkIndex: e.index,
		Handle: netlink.MakeHandle(0xffff, 0), Parent: netlink.HANDLE_CLSACT}}
	switch err := e.links.QdiscAdd(qdisc); {
	case err == nil:
		f.qdisc = qdisc
	case !errors.Is(err, unix.EEXIST):
		return nil, fmt.Errorf("%s: neither TCX (Linux 6.6) nor clsact: %w", e.name, err)
	}
	f.filter = &netlink.BpfFilter{
		FilterAttrs: netlink.FilterAttrs{LinkIndex: e.index, Parent: netlink.HANDLE_MIN_INGRESS, Handle: filterHandle,
			Priority: filterPriority, Protocol: unix.ETH_P_ALL},
		Fd: w.objects.Filter.FD(), Name: "uelink_cable", DirectAction: true,
	}
	if err := e.links.FilterReplace(f.filter); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: add a filter to clsact: %w", e.name, err), f.Close())
	}
	return &hook{f, pathClsact}, nil
}

// Close removes the filter, and clsact if added here. An interface already gone is no error.
func (f *filter) Close() error {
	return f.e.within(func() error {
		if f.qdisc != nil { // with the filter
			return ignoreRemoved(f.e.links.QdiscDel(f.qdisc))
		}
		return ignoreRemoved(f.e.links.FilterDel(f.filter))
	})
}

// ignoreRemoved returns nil for the errors of an interface or filter that no longer exists, else err.
func ignoreRemoved(err error) error {
	if errors.Is(err, unix.ENODEV) || errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EINVAL) {
		return nil
	}
	return err
}
