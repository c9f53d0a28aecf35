package netif

import (
	"errors"

	"uelink/dataplane/xsk"
)

// Sockets is how the AF_XDP sockets of an interface are opened, one for each RX queue that gets one.
type Sockets struct {
	xsk.Options // of the one that frames leave by; the others have one TX chunk. Opener and Bind may be auto
	Queues      Queues
	TxQueue     TxQueue
}

// Sockets is those that are open: the one that frames leave by, then the others in the order of
// their RX queues.
func (i *Interface) Sockets() []*xsk.Socket { return i.sockets }

// openSockets opens a socket for each of some RX queues and has the program steer their frames
// there, in the first way that works for all of them. Frames leave by the first of them.
func (i *Interface) openSockets(queues []int, o xsk.Options) (err error) {
	mode, can := i.program.Mode(), AbilitiesOf(i.link.Attrs().Name, i.index)
	i.choice, err = firstOf(can.choices(o, mode), func(c Choice) error {
		o.Opener, o.Bind = c.Opener, c.Bind
		err := i.openEach(queues, o)
		if err != nil {
			_ = i.closeSockets() // what it says goes beside that
		}
		return err
	})
	return err
}

// openEach opens a socket for each of some RX queues in one way.
func (i *Interface) openEach(queues []int, o xsk.Options) error {
	for _, q := range queues {
		s, err := openSocket(i.index, q, o)
		if err != nil {
			return advise(err) // it names interface and queue
		}
		i.sockets = append(i.sockets, s)
		if err := i.program.Register(q, s.FD()); err != nil {
			return advise(err)
		}
		o.Geometry.TX = 1
	}
	return nil
}

// openSocket is a variable so that a test can have a driver that refuses a socket.
var openSocket = xsk.Open

// Choice is how the sockets that are open were opened.
func (i *Interface) Choice() Choice { return i.choice }

// ReopenSockets closes the sockets and opens others, with other chunks or rings, under the
// program that is there: the interface is not without a program, and is not started anew. A
// frame that comes meanwhile goes where the program sends those of a queue without a socket.
// After an error there may be sockets for some of the queues, or none.
func (i *Interface) ReopenSockets(s Sockets) error {
	queues, err := i.QueueNumbers(s)
	if err != nil {
		return err
	}
	if err := i.closeSockets(); err != nil {
		return i.failed("close the AF_XDP sockets", err)
	}
	return i.openSockets(queues, s.Options)
}

func (i *Interface) closeSockets() error {
	var problems []error
	for _, s := range i.sockets {
		problems = append(problems, s.Close())
	}
	i.sockets = nil
	return errors.Join(problems...)
}
