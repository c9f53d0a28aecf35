package netif

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"uelink/dataplane/ethtool"
	"uelink/dataplane/xsk"
)

// Sockets is how the AF_XDP sockets of an interface are opened, one for each RX queue. Frames
// leave by the first of them.
type Sockets struct {
	xsk.Options     // of the first; the others have one TX chunk. Opener and Bind may be auto
	Queues      int // RX queues that get a socket, from the first on; 0 = all that the interface has
}

// ErrQueues says that an interface has not as many RX queues as are to get a socket.
var ErrQueues = errors.New("the interface has fewer RX queues")

// Sockets is those that are open, by RX queue.
func (i *Interface) Sockets() []*xsk.Socket { return i.sockets }

// queues is how many RX queues are to get a socket.
func (i *Interface) queues(s Sockets) (int, error) {
	have, err := rxQueues(i.link.Attrs().Name)
	if err != nil {
		return 0, i.failed("count the RX queues", err)
	}
	if s.Queues > have {
		return 0, fmt.Errorf("%s: queues: %d, but there are %d: %w", i.link.Attrs().Name, s.Queues, have, ErrQueues)
	}
	if s.Queues == 0 {
		return have, nil
	}
	return s.Queues, nil
}

// RxQueues is how many RX queues the interface has now. It is called in its network namespace.
func (i *Interface) RxQueues() (int, error) { return rxQueues(i.link.Attrs().Name) }

// rxQueues is how many RX queues an interface of the thread's namespace has. One whose
// driver does not tell has 1.
func rxQueues(ifname string) (int, error) {
	c, err := ethtool.Open(ifname)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	n, err := c.RxQueues()
	if errors.Is(err, unix.EOPNOTSUPP) {
		return 1, nil
	}
	return max(n, 1), err
}

// openSockets opens a socket for each of the first so many RX queues and has the program
// steer their frames there, in the first way that works for all of them.
func (i *Interface) openSockets(queues int, o xsk.Options) (err error) {
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

// openEach opens a socket for each of the first so many RX queues in one way.
func (i *Interface) openEach(queues int, o xsk.Options) error {
	for q := range queues {
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

// openSocket is what a test puts a driver in the place of that refuses it.
var openSocket = xsk.Open

// Choice is how the sockets that are open were opened.
func (i *Interface) Choice() Choice { return i.choice }

// ReopenSockets closes the sockets and opens others, with other chunks or rings, under the
// program that is there: the interface is not without a program, and is not started anew. A
// frame that comes meanwhile goes where the program sends those of a queue without a socket.
// After an error there may be sockets for some of the queues, or none.
func (i *Interface) ReopenSockets(s Sockets) error {
	queues, err := i.queues(s)
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
