package netif

import (
	"errors"
	"fmt"

	"go.uber.org/zap"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/dataplane/xsk"
)

// Sockets is the setting how to open the AF_XDP sockets of an interface, one for each RX queue in Queues.
type Sockets struct {
	xsk.Options // of the socket that frames leave by; the other sockets have one TX chunk. Opener and Bind may be auto
	Queues      attach.Queues
	TxQueue     attach.TxQueue
}

// Sockets returns the open sockets: first the socket that frames leave by, then the others in the order of their RX
// queues.
func (i *Interface) Sockets() []*xsk.Socket { return i.sockets }

// openSockets opens a socket for each of the given RX queues and registers each socket with the XDP program. It
// tries the pairs of opener and bind mode that o allows, in the order of preference, and uses the first pair that works
// for all queues. Frames leave by the first queue.
func (i *Interface) openSockets(queues []int, o xsk.Options) (err error) {
	mode, can := i.program.Mode(), AbilitiesOf(i.link.Attrs().Name, i.index)
	i.choice, err = firstOf(can.choices(o, mode), func(c Choice) error {
		o.Opener, o.Bind = c.Opener, c.Bind
		err := i.openEach(queues, o)
		if err != nil {
			_ = i.closeSockets() // the error of open is the one to return
		}
		return err
	})
	if err == nil {
		i.noLive = i.readyLive(o.Live)
	}
	return err
}

// openEach opens and registers a socket for each of the given RX queues, with the opener and bind mode in o.
func (i *Interface) openEach(queues []int, o xsk.Options) error {
	for _, q := range queues {
		s, err := openSocket(i.index, q, o)
		if err != nil {
			return advise(err) // the error names interface and queue
		}
		i.sockets = append(i.sockets, s)
		if err := i.program.Register(q, s.FD()); err != nil {
			return advise(err)
		}
		o.Geometry.TX, o.Live = 1, false
	}
	return nil
}

// transmitter is a Program through which a socket can send live frames: a *bpf.Program.
type transmitter interface {
	Transmit(t *bpf.Transmitter) error
}

// readyLive registers with the XDP program the Transmitter of live frames that belongs to the socket by which
// frames leave, if wanted. The error says why no live frames can be sent.
func (i *Interface) readyLive(wanted bool) error {
	p, can := i.program.(transmitter)
	t := i.sockets[0].Transmitter()
	switch {
	case !wanted:
		return nil
	case !can:
		return errors.New("the XDP program does not send")
	case t == nil && i.sockets[0].Info().LiveFailed != nil:
		return i.sockets[0].Info().LiveFailed
	case t == nil:
		return fmt.Errorf("opener: %v cannot, only opener: %v", i.choice.Opener, attach.OpenerNative)
	}
	if err := i.records.sharing.Join(t); err != nil {
		i.log.Warn("the port's frames leave by system calls of its own", zap.Error(err))
	}
	return p.Transmit(t)
}

// Live returns why no live XDP frames can leave by the open sockets although Sockets.Live is set; nil if they can.
func (i *Interface) Live() error { return i.noLive }

// openSocket is a variable so that a test can replace it by a driver that refuses a socket.
var openSocket = xsk.Open

// Choice returns the opener and bind mode by which the open sockets were opened, with the reason.
func (i *Interface) Choice() Choice { return i.choice }

// ReopenSockets closes the sockets and opens others, with other chunks or rings, under the attached program: the
// interface stays under the program, and is not restarted. The program steers frames received meanwhile like frames
// of a queue without a socket. After an error, sockets of some of the queues, or of none, are open.
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

// closeSockets closes all sockets of the interface and returns their errors.
func (i *Interface) closeSockets() error {
	var problems []error
	if p, can := i.program.(transmitter); can {
		_ = p.Transmit(nil) // frees the memory of the slots; the program may have gone
	}
	for _, s := range i.sockets {
		problems = append(problems, s.Close())
	}
	i.sockets = nil
	return errors.Join(problems...)
}
