package netif

import (
	"errors"

	"uelink/bpf"
	"uelink/wire"
)

// Program is an XDP program on an interface: a *bpf.Program, or a *bpf.Attachment of another.
type Program interface {
	// Mode is ModeDriver or ModeGeneric.
	Mode() bpf.Mode
	// Register has the frames of an RX queue steered to the socket of that descriptor.
	Register(queue, fd int) error
	// Unregister has them go to the kernel again.
	Unregister(queue int) error
	// Close takes the program off the interface.
	Close() error
}

// Options is how the frames of an interface are taken.
type Options struct {
	Offloads Offloads
	// Attach puts the XDP program on the interface, and its errors name both. Release closes it.
	Attach  func(ifindex int) (Program, error)
	Sockets *Sockets   // nil: none, the program does it all
	Groups  []wire.MAC // group addresses whose frames are taken besides its own; none: promiscuous mode
	// NotPromiscuous has the interface take in what it takes in without us, and the Groups.
	NotPromiscuous bool
}

// Take has the frames of the interface come to this process, also those for other addresses, or for
// some groups.
// Errors name the step, the interface and, where one can know, what to do: ErrQueues,
// ErrHeld, *bpf.OccupiedError, *xsk.BusyError, fs.ErrPermission, errors.ErrUnsupported.
// After an error Release puts back what was done before it.
//
// The order matters:
//
//  1. What is asked for is compared with what there is, before anything is changed.
//  2. Offloads: some drivers refuse a program while they merge frames.
//  3. The program: some drivers have no zero copy without one, and where another one is
//     in its place nothing else needs to be tried.
//  4. The sockets, each known to the program when it is open.
//  5. Promiscuous mode or groups if they are wanted, when there is somebody to take the frames that come with them.
func (i *Interface) Take(o Options) error {
	var queues []int
	if o.Sockets != nil {
		var err error
		if queues, err = i.QueueNumbers(*o.Sockets); err != nil {
			return err
		}
	}
	if err := i.switchOffloads(o.Offloads); err != nil {
		return err
	}
	program, err := o.Attach(i.index)
	if err != nil {
		return advise(err)
	}
	i.program = program
	if o.Sockets != nil {
		if err := i.openSockets(queues, o.Sockets.Options); err != nil {
			return err
		}
	}
	if o.NotPromiscuous && len(o.Groups) == 0 {
		return nil
	}
	return i.listen(o.Groups)
}

// Program is what Attach has put on the interface; nil before Take and after Release.
func (i *Interface) Program() Program { return i.program }

// LetGo undoes Take but for the offloads; the interface may be taken again. The program goes before the sockets: then
// no NIC has to give up a queue that is in use.
func (i *Interface) LetGo() error {
	var problems []error
	for _, m := range []*membership{i.promiscuous, i.groups} {
		if m != nil {
			problems = append(problems, m.close())
		}
	}
	if i.program != nil {
		problems = append(problems, i.program.Close())
	}
	i.promiscuous, i.groups, i.program = nil, nil, nil
	return errors.Join(append(problems, i.closeSockets())...)
}
