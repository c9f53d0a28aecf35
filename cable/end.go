package cable

import (
	"errors"
	"fmt"
	"net"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"uelink/bpf"
)

// end is an interface that a cable is plugged into.
type end struct {
	name   string
	index  int
	mtu    int
	queues int // RX queues that the interface has been made with
}

// findEnd looks an interface up. It has to be up: what is sent to an interface
// that is down is lost.
func findEnd(links *netlink.Handle, name string) (end, error) {
	dev, err := links.LinkByName(name)
	if err != nil {
		return end{}, fmt.Errorf("interface %s: %w", name, err)
	}
	attrs := dev.Attrs()
	if attrs.Flags&net.FlagUp == 0 {
		return end{}, fmt.Errorf("interface %s is down: set it up first (ip link set dev %s up)", name, name)
	}
	return end{name: name, index: attrs.Index, mtu: attrs.MTU, queues: max(1, attrs.NumRxQueues)}, nil
}

// attach puts a program on an interface: in the driver if that has XDP, else in
// the network stack.
func (e end) attach(program *ebpf.Program) (link.Link, error) {
	l, err := link.AttachXDP(link.XDPOptions{Program: program, Interface: e.index})
	switch {
	case errors.Is(err, unix.EBUSY), errors.Is(err, unix.EEXIST):
		return nil, e.occupied(err)
	case errors.Is(err, unix.ERANGE), errors.Is(err, unix.EINVAL):
		err = fmt.Errorf("%w (is an MTU of %d too large for XDP in its driver?)", err, e.mtu)
	}
	if err != nil {
		return nil, explain(e.name+": attach the XDP program", err)
	}
	return l, nil
}

// occupied names the program that has the interface.
func (e end) occupied(err error) error {
	dev, lookErr := netlink.LinkByIndex(e.index)
	if lookErr != nil || dev.Attrs().Xdp == nil || !dev.Attrs().Xdp.Attached {
		return fmt.Errorf("%s: attach the XDP program: %w", e.name, err)
	}
	id := dev.Attrs().Xdp.ProgId
	return &bpf.OccupiedError{Interface: e.name, Program: programName(id), ID: id, Err: err}
}

func programName(id uint32) string {
	program, err := ebpf.NewProgramFromID(ebpf.ProgramID(id))
	if err != nil {
		return ""
	}
	defer program.Close()
	info, err := program.Info()
	if err != nil {
		return ""
	}
	return info.Name
}

// xdpMode is where the interface's program runs.
func (e end) xdpMode(links *netlink.Handle) string {
	dev, err := links.LinkByIndex(e.index)
	if err == nil && dev.Attrs().Xdp != nil && dev.Attrs().Xdp.AttachMode == nl.XDP_ATTACHED_DRV {
		return "driver"
	}
	return "generic"
}

// explain wraps an error with what was being done, and for want of privilege
// with what to do.
func explain(doing string, err error) error {
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		return fmt.Errorf("%s: %w: run as root, or grant CAP_NET_ADMIN, CAP_BPF and CAP_NET_RAW", doing, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}
