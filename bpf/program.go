package bpf

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/rlimit"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
)

// Program is the steering program on one interface. A Program belongs to one goroutine at a time.
type Program struct {
	*Attachment
	objects   steerObjects
	config    Config
	transmits bool // a Transmitter can send by runs of the program; false: the program does not look for runs
	entry     int  // second descriptor of the attached program, for runs; -1: none
}

// Attach loads the steering program and puts it on an interface of the calling thread's network namespace. Errors:
// *OccupiedError, *PrivilegeError, and errors.ErrUnsupported where the kernel lacks a feature.
func Attach(ifindex int, c Config, mode attach.Mode) (*Program, error) {
	dev, err := netlink.LinkByIndex(ifindex)
	if err != nil {
		return nil, fmt.Errorf("interface index %d: %w", ifindex, err)
	}
	p := &Program{config: c, entry: -1}
	if err := p.load(c, dev.Attrs().NumRxQueues); err != nil {
		return nil, explain(dev.Attrs().Name+": load the XDP program", err)
	}
	p.Attachment, err = AttachProgram(ifindex, p.objects.UelinkSteer, p.objects.Sockets, mode)
	if err != nil {
		return nil, errors.Join(err, p.objects.Close())
	}
	return p, nil
}

// load creates the maps, for the given number of RX queues, and loads the program into the kernel with its
// settings built in.
func (p *Program) load(c Config, queues int) error {
	// Kernels before 5.11 count BPF memory against RLIMIT_MEMLOCK. If the limit cannot be raised, the error of
	// loading names the cause.
	_ = rlimit.RemoveMemlock()
	spec, err := c.spec(uint32(max(queues, 1)), p.transmits)
	if err != nil {
		return err
	}
	return spec.LoadAndAssign(&p.objects, nil)
}

// spec returns the program and its maps, not yet loaded, with the settings built in and room for the given number
// of RX queues. transmits lets a Transmitter send frames by BPF_PROG_TEST_RUN of the program.
func (c Config) spec(queues uint32, transmits bool) (*ebpf.CollectionSpec, error) {
	spec, err := loadSteer()
	if err != nil {
		return nil, err
	}
	spec.Maps[steerMapSockets].MaxEntries, spec.Maps[steerMapMissed].MaxEntries = queues, queues
	// The kernel refuses an XSKMAP with BTF types. With them the library would create each map twice, and
	// the kernel takes an RCU grace period to free a refused map.
	spec.Maps[steerMapSockets].Key, spec.Maps[steerMapSockets].Value = nil, nil
	if !KernelSince(frags[0], frags[1]) {
		spec.Programs[steerProgUelinkSteer].Flags &^= unix.BPF_F_XDP_HAS_FRAGS
	}
	settings := c.settings()
	if transmits {
		settings.Transmits = 1
	}
	return spec, spec.Variables[steerVarSettings].Set(settings)
}

// Reconfigure changes how frames are steered. A program with the new settings replaces the attached program. The
// maps stay: frames go on to the registered sockets, and the counters go on. After an error the old program stays.
// Errors: *PrivilegeError, and an error that the interface has gone.
func (p *Program) Reconfigure(c Config) error {
	next, err := p.loadBeside(c)
	if err != nil {
		return explain(p.name+": load the XDP program", err)
	}
	if err := p.replace(next.UelinkSteer); err != nil {
		return errors.Join(explain(p.name+": replace the XDP program", err), next.Close())
	}
	old := p.objects.steerPrograms
	p.objects.steerPrograms, p.config = next, c
	return errors.Join(p.follow(), old.Close())
}

// Renew replaces the attached program by a copy. The kernel puts the copy into the XDP dispatcher if there is a place:
// then the calls of a Transmitter are fast again. After an error the old program stays.
func (p *Program) Renew() error { return p.Reconfigure(p.config) }

// follow makes the file descriptor with which a Transmitter runs the attached program refer to the present
// program, after a replacement. The number of the descriptor stays, and a run that has begun ends with the
// previous program.
func (p *Program) follow() error {
	if p.entry < 0 {
		return nil
	}
	if err := unix.Dup3(p.objects.UelinkSteer.FD(), p.entry, unix.O_CLOEXEC); err != nil {
		return fmt.Errorf("%s: duplicate the file descriptor of the XDP program: %w", p.name, err)
	}
	return nil
}

// loadBeside loads a program with settings c that shares the maps of the attached program. The new program is not
// attached.
func (p *Program) loadBeside(c Config) (next steerPrograms, err error) {
	spec, err := c.spec(p.objects.Sockets.MaxEntries(), p.transmits)
	if err != nil {
		return next, err
	}
	maps := map[string]*ebpf.Map{
		steerMapSockets: p.objects.Sockets, steerMapCounted: p.objects.Counted, steerMapMissed: p.objects.Missed,
		steerMapTransmitter: p.objects.Transmitter,
	}
	err = spec.LoadAndAssign(&next, &ebpf.CollectionOptions{MapReplacements: maps})
	return next, err
}

// Close takes the program off the interface, which may be gone.
func (p *Program) Close() error {
	var err error
	if p.entry >= 0 {
		err = unix.Close(p.entry)
		p.entry = -1
	}
	return errors.Join(p.Attachment.Close(), p.objects.Close(), err)
}
