package netif

import (
	"errors"

	"uelink/dataplane/attach"
	"uelink/dataplane/xsk"
	"uelink/wire"
)

// Program is an XDP program on an interface: a *bpf.Program, or a *bpf.Attachment of a program loaded elsewhere.
type Program interface {
	// Mode returns ModeDriver or ModeGeneric.
	Mode() attach.Mode
	// Register steers the frames of an RX queue to the socket with the given descriptor.
	Register(queue, fd int) error
	// Unregister passes the frames of an RX queue to the kernel again.
	Unregister(queue int) error
	// Close takes the program off the interface.
	Close() error
}

// Options are the settings of Attach.
type Options struct {
	Offloads Offloads
	// Attach attaches the XDP program to the interface with that index. Its errors name the program and the interface.
	// Release closes the program.
	Attach  func(ifindex int) (Program, error)
	Sockets *Sockets   // nil: none, the program handles all frames
	Groups  []wire.MAC // group addresses to receive besides the interface's own; none: promiscuous mode
	// NotPromiscuous makes empty Groups mean no further addresses, instead of promiscuous mode.
	NotPromiscuous bool
}

// Attach makes this process receive the frames of the interface, and makes the interface receive frames for all
// addresses, or for the Groups. Errors name the step, the interface and, where known, the remedy: ErrQueues, ErrHeld,
// *bpf.OccupiedError, *xsk.BusyError, fs.ErrPermission, errors.ErrUnsupported. After an error Release undoes the steps
// done before.
//
// The order matters:
//
//  1. The setting is compared with the interface's queues, before any change.
//  2. Offloads: some drivers refuse a program while they merge frames.
//  3. The program: some drivers have no zero copy without a program, and if another program is attached, the
//     remaining steps are not tried.
//  4. The sockets, each registered with the program when open.
//  5. Promiscuous mode or groups if wanted, after the sockets that receive those frames.
func (i *Interface) Attach(o Options) error {
	var queues []int
	if o.Sockets != nil {
		var err error
		if queues, err = i.QueueNumbers(*o.Sockets); err != nil {
			return err
		}
	}
	if err := i.offloads.set(o.Offloads); err != nil {
		return err
	}
	program, err := o.Attach(i.index)
	if err != nil {
		return advise(err)
	}
	i.attachment.program = program
	if o.Sockets != nil {
		if err := i.attachment.openSockets(queues, o.Sockets.Options); err != nil {
			return err
		}
	}
	if o.NotPromiscuous && len(o.Groups) == 0 {
		return nil
	}
	return i.listen(o.Groups)
}

// Program returns the attached XDP program; nil before Attach and after Release.
func (i *Interface) Program() Program { return i.attachment.program }

// Sockets returns the open sockets: first the socket that frames leave by, then the others in the order of their RX
// queues.
func (i *Interface) Sockets() []*xsk.Socket { return i.attachment.sockets }

// Live returns why no live XDP frames can leave by the open sockets although Sockets.Live is set; nil if they can.
func (i *Interface) Live() error { return i.attachment.noLive }

// Choice returns the opener and bind mode by which the open sockets were opened, with the reason.
func (i *Interface) Choice() Choice { return i.attachment.choice }

// ReopenSockets closes the sockets and opens others, with other chunks or rings. The XDP program stays attached, so
// that the driver does not restart the interface. Meanwhile the program treats received frames like those of a queue
// without a socket. After an error, sockets of some of the queues, or of none, are open.
func (i *Interface) ReopenSockets(s Sockets) error {
	queues, err := i.QueueNumbers(s)
	if err != nil {
		return err
	}
	if err := i.attachment.closeSockets(); err != nil {
		return i.failed("close the AF_XDP sockets", err)
	}
	return i.attachment.openSockets(queues, s.Options)
}

// Detach undoes Attach except for the offloads: first it makes the host of an edge that pushes back keep its frames,
// then it detaches the program, then it closes the sockets. In this order no NIC has to give up a queue in use. The
// interface may be attached again.
func (i *Interface) Detach() error {
	var problems []error
	i.push.KeepWithHost()
	for _, m := range []*membership{i.promiscuous, i.groups} {
		if m != nil {
			problems = append(problems, m.close())
		}
	}
	if p := i.attachment.program; p != nil {
		problems = append(problems, p.Close())
	}
	i.promiscuous, i.groups, i.attachment.program = nil, nil, nil
	return errors.Join(append(problems, i.attachment.closeSockets())...)
}
