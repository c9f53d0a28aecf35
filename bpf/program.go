package bpf

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/rlimit"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Program is the steering program on one interface.
type Program struct {
	name     string // of the interface
	mode     Mode
	fallback error
	objects  steerObjects
	link     link.Link
}

// Mode is where a program runs.
type Mode uint8

// The modes that Attach can be asked for; Program.Mode is one of the last two.
const (
	ModeAuto    Mode = iota // driver, or generic where the driver refuses
	ModeDriver              // in the driver, before an skb is made
	ModeGeneric             // in the network stack, on any interface
)

// String is the mode's word in the configuration.
func (m Mode) String() string {
	return [...]string{"auto", "driver", "generic", "?"}[min(m, ModeGeneric+1)]
}

// MarshalText is String.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Attach loads the program and puts it on the interface. It belongs to the
// network namespace of the calling thread. Errors: *OccupiedError,
// *PrivilegeError, and errors.ErrUnsupported for what the kernel cannot do.
func Attach(ifindex int, c Config, mode Mode) (*Program, error) {
	if mode > ModeGeneric {
		return nil, fmt.Errorf("there is no XDP mode %d", mode)
	}
	dev, err := netlink.LinkByIndex(ifindex)
	if err != nil {
		return nil, fmt.Errorf("interface index %d: %w", ifindex, err)
	}
	p := &Program{name: dev.Attrs().Name}
	if err := p.load(c, dev.Attrs().NumRxQueues); err != nil {
		return nil, explain(p.name+": load the XDP program", err)
	}
	if err := p.attach(ifindex, mode); err != nil {
		return nil, errors.Join(occupied(ifindex, explain(p.name+": attach the XDP program", err)), p.objects.Close())
	}
	return p, nil
}

// load verifies the program with its settings built in.
func (p *Program) load(c Config, queues int) error {
	// Kernels before 5.11 count BPF memory against RLIMIT_MEMLOCK. Where it
	// cannot be raised, loading says what is wrong.
	_ = rlimit.RemoveMemlock()
	spec, err := loadSteer()
	if err != nil {
		return err
	}
	spec.Maps[steerMapSockets].MaxEntries = uint32(max(queues, 1))
	if err := spec.Variables[steerVarSettings].Set(c.settings()); err != nil {
		return err
	}
	return spec.LoadAndAssign(&p.objects, nil)
}

// attach tries the driver first when the mode leaves the choice.
func (p *Program) attach(ifindex int, mode Mode) error {
	if mode != ModeGeneric {
		err := p.attachAs(ifindex, ModeDriver, link.XDPDriverMode)
		if err == nil || mode == ModeDriver || !driverRefuses(err) {
			return err
		}
		p.fallback = err
	}
	return p.attachAs(ifindex, ModeGeneric, link.XDPGenericMode)
}

func (p *Program) attachAs(ifindex int, mode Mode, flags link.XDPAttachFlags) error {
	l, err := link.AttachXDP(link.XDPOptions{Program: p.objects.UelinkSteer, Interface: ifindex, Flags: flags})
	switch {
	case mode == ModeDriver && (errors.Is(err, unix.ERANGE) || errors.Is(err, unix.EINVAL)):
		return fmt.Errorf("driver mode: %w (is the MTU too large for XDP in the driver? a veth's peer may have 3506)", err)
	case err != nil:
		return fmt.Errorf("%s mode: %w", mode, err)
	}
	p.link, p.mode = l, mode
	return nil
}

// Mode is where the program runs: ModeDriver or ModeGeneric.
func (p *Program) Mode() Mode { return p.mode }

// Fallback is why the driver refused the program, when mode auto made do with
// generic mode; else nil.
func (p *Program) Fallback() error { return p.fallback }

// Register has the frames of an RX queue steered to the AF_XDP socket of that
// descriptor.
func (p *Program) Register(queue, fd int) error {
	if queues := int(p.objects.Sockets.MaxEntries()); queue < 0 || queue >= queues {
		return fmt.Errorf("%s: no RX queue %d: there are %d", p.name, queue, queues)
	}
	if err := p.objects.Sockets.Put(uint32(queue), uint32(fd)); err != nil {
		return explain(fmt.Sprintf("%s: hand RX queue %d to its AF_XDP socket", p.name, queue), err)
	}
	return nil
}

// Unregister has the frames of an RX queue go to the kernel. A queue without a
// socket is left as it is; the kernel itself takes out sockets that are closed.
func (p *Program) Unregister(queue int) error {
	err := p.objects.Sockets.Delete(uint32(queue))
	if err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
		return explain(fmt.Sprintf("%s: take RX queue %d from its AF_XDP socket", p.name, queue), err)
	}
	return nil
}

// Close takes the program off the interface, also one that no longer exists.
func (p *Program) Close() error {
	if err := errors.Join(p.link.Close(), p.objects.Close()); err != nil {
		return fmt.Errorf("%s: take off the XDP program: %w", p.name, err)
	}
	return nil
}
