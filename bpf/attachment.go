package bpf

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
)

// Attachment is an XDP program on an interface, held there by a bpf_link: nobody else can replace the program, and
// the link ends with this process at the latest.
type Attachment struct {
	name     string // name of the interface
	ifindex  int
	sockets  *ebpf.Map // by RX queue; nil: the program steers no frames to sockets
	mode     attach.Mode
	fallback error
	link     link.Link
}

// AttachProgram puts a loaded program on an interface of the calling thread's network namespace. sockets is the
// program's XSKMAP, with an entry for each RX queue, or nil if the program has none. The caller still closes program
// and map: the kernel needs neither descriptor any more, but Register needs the descriptor of the map. Errors:
// *OccupiedError, *PrivilegeError, and errors.ErrUnsupported where the kernel or the interface lacks a feature.
func AttachProgram(ifindex int, program *ebpf.Program, sockets *ebpf.Map, mode attach.Mode) (*Attachment, error) {
	if mode > attach.ModeGeneric {
		return nil, fmt.Errorf("there is no XDP mode %d", mode)
	}
	dev, err := netlink.LinkByIndex(ifindex)
	if err != nil {
		return nil, fmt.Errorf("interface index %d: %w", ifindex, err)
	}
	a := &Attachment{name: dev.Attrs().Name, ifindex: ifindex, sockets: sockets}
	if err := a.attach(ifindex, program, mode); err != nil {
		return nil, occupied(ifindex, explain(a.name+": attach the XDP program", err))
	}
	return a, nil
}

// attach attaches the program in driver mode or generic mode, as mode says. With ModeAuto it tries driver mode
// first, and generic mode if the driver refuses the program.
func (a *Attachment) attach(ifindex int, program *ebpf.Program, mode attach.Mode) error {
	if mode != attach.ModeGeneric {
		err := a.attachAs(ifindex, program, attach.ModeDriver, link.XDPDriverMode)
		if err == nil || mode == attach.ModeDriver || !driverRefuses(err) {
			return err
		}
		a.fallback = err
	}
	return a.attachAs(ifindex, program, attach.ModeGeneric, link.XDPGenericMode)
}

func (a *Attachment) attachAs(ifindex int, program *ebpf.Program, mode attach.Mode, flags link.XDPAttachFlags) error {
	l, err := link.AttachXDP(link.XDPOptions{Program: program, Interface: ifindex, Flags: flags})
	if err != nil {
		return attachError(mode, err)
	}
	a.link, a.mode = l, mode
	return nil
}

// attachError wraps an error of attaching an XDP program with the mode and, where known, the likely cause. A kernel
// without bpf_link for XDP gives errors.ErrUnsupported.
func attachError(mode attach.Mode, err error) error {
	err = fmt.Errorf("%s mode: %w", mode, err)
	invalid := errors.Is(err, unix.EINVAL)
	switch {
	case mode == attach.ModeDriver && (invalid || errors.Is(err, unix.ERANGE)):
		return fmt.Errorf("%w (is the MTU too large for XDP in the driver? before Linux 5.18 the peer of a veth may have an "+
			"MTU of at most 3506)", err)
	case mode == attach.ModeDriver && errors.Is(err, unix.ENOSPC):
		return fmt.Errorf("%w (are there too few queues for XDP? ethtool -L gives a NIC more, "+
			"and a veth as many RX queues as its other end has for TX)", err)
	case invalid: // in generic mode the kernel can refuse nothing but the bpf_link itself
		return fmt.Errorf("%w: this kernel has no bpf_link for XDP programs, which needs Linux 5.9: %w",
			err, errors.ErrUnsupported)
	}
	return err
}

// replace puts another program in the place of the attached program. The interface is never without a program, and
// no frame bypasses both. A driver that restarts its NIC when a program comes or goes does not restart here. After
// an error the old program stays.
func (a *Attachment) replace(program *ebpf.Program) error {
	err := a.link.Update(program)
	if errors.Is(err, unix.ENOLINK) {
		return fmt.Errorf("%w: the interface has gone", err)
	}
	return err
}

// Mode returns where the program runs: ModeDriver or ModeGeneric.
func (a *Attachment) Mode() attach.Mode { return a.mode }

// Fallback returns the reason for which the driver refused the program, if ModeAuto fell back to generic mode; else
// nil.
func (a *Attachment) Fallback() error { return a.fallback }

// Register steers the frames of an RX queue to the AF_XDP socket with the given descriptor. The kernel removes a
// closed socket by itself.
func (a *Attachment) Register(queue, fd int) error {
	queues := 0
	if a.sockets != nil {
		queues = int(a.sockets.MaxEntries())
	}
	if queue < 0 || queue >= queues {
		return fmt.Errorf("%s: the XDP program has no entry for RX queue %d: it has %d entries", a.name, queue, queues)
	}
	if err := a.sockets.Put(uint32(queue), uint32(fd)); err != nil {
		return explain(fmt.Sprintf("%s: steer the frames of RX queue %d to the queue's AF_XDP socket", a.name, queue), err)
	}
	return nil
}

// Unregister passes the frames of an RX queue to the kernel, like frames of a queue without a socket.
func (a *Attachment) Unregister(queue int) error {
	err := a.sockets.Delete(uint32(queue))
	if err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
		return explain(fmt.Sprintf("%s: stop steering the frames of RX queue %d to the queue's AF_XDP socket",
			a.name, queue), err)
	}
	return nil
}

// Close takes the program off the interface, which may be gone. A second call does nothing.
func (a *Attachment) Close() error {
	if a.link == nil {
		return nil
	}
	l := a.link
	a.link = nil
	if err := l.Close(); err != nil {
		return fmt.Errorf("%s: detach the XDP program: %w", a.name, err)
	}
	return nil
}
