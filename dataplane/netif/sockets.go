package netif

import (
	"errors"
	"fmt"

	"go.uber.org/zap"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/dataplane/xsk"
)

// Sockets says how to open the AF_XDP sockets of an interface, one for each RX queue in Queues.
type Sockets struct {
	xsk.Options // of the socket that frames leave by; the other sockets have one TX chunk. Opener and Bind may be auto
	Queues      attach.Queues
	TxQueue     attach.TxQueue
}

// attachment is the XDP program on an interface, and the AF_XDP sockets that get its frames.
type attachment struct {
	*changes
	program Program // nil: not attached
	sockets []*xsk.Socket
	choice  Choice // how the sockets were opened
	noLive  error  // why no live frames can leave although wanted; nil: they can
}

// openSockets opens a socket for each of the given RX queues and registers each socket with the XDP program. It
// tries the pairs of opener and bind mode that o allows, in the order of preference, and uses the first pair that works
// for all queues. Frames leave by the first queue.
func (a *attachment) openSockets(queues []int, o xsk.Options) (err error) {
	mode, can := a.program.Mode(), AbilitiesOf(a.name(), a.index)
	a.choice, err = firstOf(can.choices(o, mode), func(c Choice) error {
		o.Opener, o.Bind = c.Opener, c.Bind
		err := a.openEach(queues, o)
		if err != nil {
			_ = a.closeSockets() // the error of openEach is returned
		}
		return err
	})
	if err == nil {
		a.noLive = a.readyLive(o.Live)
	}
	return err
}

// openEach opens and registers a socket for each of the given RX queues, with the opener and bind mode in o. Only the
// first socket gets memory to send, and live frames. After an error the sockets opened before stay in a.sockets.
func (a *attachment) openEach(queues []int, o xsk.Options) error {
	for _, q := range queues {
		s, err := openSocket(a.index, q, o)
		if err != nil {
			return advise(err) // the error names interface and queue
		}
		a.sockets = append(a.sockets, s)
		if err := a.program.Register(q, s.FD()); err != nil {
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
func (a *attachment) readyLive(wanted bool) error {
	p, can := a.program.(transmitter)
	t := a.sockets[0].Transmitter()
	switch {
	case !wanted:
		return nil
	case !can:
		return errors.New("the XDP program cannot send frames")
	case t == nil && a.sockets[0].Info().LiveFailed != nil:
		return a.sockets[0].Info().LiveFailed
	case t == nil:
		return fmt.Errorf("live frames need opener: %v, and the opener is %v", attach.OpenerNative, a.choice.Opener)
	}
	if err := a.records.sharing.Join(t); err != nil {
		a.log.Warn("the port cannot share its system calls for sending with other ports", zap.Error(err))
	}
	return p.Transmit(t)
}

// openSocket is a variable so that a test can replace it by a driver that refuses a socket.
var openSocket = xsk.Open

// closeSockets closes all sockets of the interface and returns their errors.
func (a *attachment) closeSockets() error {
	var problems []error
	if p, can := a.program.(transmitter); can {
		_ = p.Transmit(nil) // frees the memory of the slots; the program may have gone
	}
	for _, s := range a.sockets {
		problems = append(problems, s.Close())
	}
	a.sockets = nil
	return errors.Join(problems...)
}
