package bpf

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/rlimit"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Program is the steering program on one interface. It belongs to one goroutine at a time.
type Program struct {
	*Attachment
	objects steerObjects
}

// Attach loads the program and puts it on the interface. It belongs to the
// network namespace of the calling thread. Errors: *OccupiedError,
// *PrivilegeError, and errors.ErrUnsupported for what the kernel cannot do.
func Attach(ifindex int, c Config, mode Mode) (*Program, error) {
	dev, err := netlink.LinkByIndex(ifindex)
	if err != nil {
		return nil, fmt.Errorf("interface index %d: %w", ifindex, err)
	}
	p := &Program{}
	if err := p.load(c, dev.Attrs().NumRxQueues); err != nil {
		return nil, explain(dev.Attrs().Name+": load the XDP program", err)
	}
	p.Attachment, err = AttachProgram(ifindex, p.objects.UelinkSteer, p.objects.Sockets, mode)
	if err != nil {
		return nil, errors.Join(err, p.objects.Close())
	}
	return p, nil
}

// load verifies the program with its settings built in, and makes its maps.
func (p *Program) load(c Config, queues int) error {
	// Kernels before 5.11 count BPF memory against RLIMIT_MEMLOCK. Where it
	// cannot be raised, loading says what is wrong.
	_ = rlimit.RemoveMemlock()
	spec, err := c.spec(uint32(max(queues, 1)))
	if err != nil {
		return err
	}
	return spec.LoadAndAssign(&p.objects, nil)
}

// spec is the program with its settings built in, for so many RX queues.
func (c Config) spec(queues uint32) (*ebpf.CollectionSpec, error) {
	spec, err := loadSteer()
	if err != nil {
		return nil, err
	}
	spec.Maps[steerMapSockets].MaxEntries, spec.Maps[steerMapMissed].MaxEntries = queues, queues
	// The kernel refuses an XSKMAP that has BTF types. It would be asked twice, and each map that is not to be costs a
	// wait for its readers.
	spec.Maps[steerMapSockets].Key, spec.Maps[steerMapSockets].Value = nil, nil
	if !Since(frags[0], frags[1]) {
		spec.Programs[steerProgUelinkSteer].Flags &^= unix.BPF_F_XDP_HAS_FRAGS
	}
	return spec, spec.Variables[steerVarSettings].Set(c.settings())
}

// Reconfigure has frames steered in another way from now on. A program with the new settings
// takes the place of the one that is there. It has the same maps: frames go on to the sockets
// that are registered, and the counters go on. After an error the program of before goes on.
// Errors: *PrivilegeError, and one that says that the interface has gone.
func (p *Program) Reconfigure(c Config) error {
	next, err := p.loadBeside(c)
	if err != nil {
		return explain(p.name+": load the XDP program", err)
	}
	if err := p.replace(next.UelinkSteer); err != nil {
		return errors.Join(explain(p.name+": replace the XDP program", err), next.Close())
	}
	old := p.objects.steerPrograms
	p.objects.steerPrograms = next
	return old.Close()
}

// loadBeside verifies a program that has the maps of the one that is there.
func (p *Program) loadBeside(c Config) (next steerPrograms, err error) {
	spec, err := c.spec(p.objects.Sockets.MaxEntries())
	if err != nil {
		return next, err
	}
	maps := map[string]*ebpf.Map{
		steerMapSockets: p.objects.Sockets, steerMapCounted: p.objects.Counted, steerMapMissed: p.objects.Missed,
	}
	err = spec.LoadAndAssign(&next, &ebpf.CollectionOptions{MapReplacements: maps})
	return next, err
}

// Close takes the program off the interface, also one that no longer exists.
func (p *Program) Close() error { return errors.Join(p.Attachment.Close(), p.objects.Close()) }
