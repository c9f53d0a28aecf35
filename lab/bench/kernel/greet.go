package kernel

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/wire"
)

// greetTimeout is the longest handshake. replyTimeout is the longest wait for a control frame of the handshake.
const (
	greetTimeout = 10 * time.Second
	replyTimeout = 20 * time.Millisecond
)

// Echo plays the partner in a handshake that the device under test starts: begin makes the device send LLR_INIT,
// and Echo answers every LLR_INIT until up reports that the device has an answer, at most 10 s. The LLR receiver
// attached by Receive expects the sequence number of the first LLR_INIT: when the device repeats LLR_INIT, frames
// may have followed the first answer.
func (l *Load) Echo(ns *netns.NS, ifname string, begin func() error, up func() bool) error {
	return converse(ns, ifname, func(c *conversation) error {
		if err := begin(); err != nil {
			return err
		}
		var echoed *wire.CtlOS
		for deadline := time.Now().Add(greetTimeout); time.Now().Before(deadline); {
			init, heard, err := c.receive(wire.LLRInit)
			if heard && (echoed == nil || *echoed != init) {
				err = l.expect(init.Seq)
			}
			if heard && err == nil {
				echoed, err = &init, c.echo(init)
			}
			if err != nil {
				return err
			}
			if echoed != nil && up() {
				return nil
			}
		}
		return fmt.Errorf("the link of the device is not up after %v; the device has sent an LLR_INIT and received an "+
			"LLR_INIT_ECHO: %v", greetTimeout, echoed != nil)
	})
}

// expect sets the sequence number that the LLR receiver, attached by Receive, expects next.
func (l *Load) expect(seq uint32) error {
	var state benchState
	state.Next = seq
	return l.objects.Receiver.Set(&state)
}

// Init starts a handshake over an interface with the device under test, so that the device expects frame number 0
// from the transmitter Sequence. It repeats LLR_INIT, because the bench sends no start id, and returns when the
// device answers, or with an error after 10 s.
func Init(ns *netns.NS, ifname string) error {
	return converse(ns, ifname, func(c *conversation) error {
		nonce := uint16(time.Now().UnixNano() >> 10)
		init := wire.CtlOS{Type: wire.LLRInit, InitData: [2]byte{byte(nonce >> 8), byte(nonce)}}
		for deadline := time.Now().Add(greetTimeout); time.Now().Before(deadline); {
			if err := c.send(init); err != nil {
				return err
			}
			if _, heard, err := c.receive(wire.LLRInitEcho); heard || err != nil {
				return err
			}
		}
		return fmt.Errorf("no LLR_INIT_ECHO within %v", greetTimeout)
	})
}

// conversation is a packet socket for control frames.
type conversation struct {
	fd      int
	to      unix.SockaddrLinklayer    // the interface, for sending
	decoded [wire.MaxCtlOS]wire.CtlOS // the last frame received
	buf     [2048]byte                // of a frame received or sent
}

// network converts a number to network byte order, as addresses of packet sockets need.
func network(v uint16) uint16 { return v<<8 | v>>8 }

// converse calls talk with a packet socket for control frames at an interface, and closes the socket afterwards.
func converse(ns *netns.NS, ifname string, talk func(*conversation) error) error {
	index, err := ns.Ifindex(ifname)
	if err != nil {
		return err
	}
	c := &conversation{to: unix.SockaddrLinklayer{Protocol: network(wire.EtherTypeControl), Ifindex: index}}
	if err := ns.Do(func() (err error) {
		if c.fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0); err != nil {
			return err
		}
		every := unix.NsecToTimeval(int64(replyTimeout))
		return errors.Join(
			unix.SetsockoptTimeval(c.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &every),
			unix.SetsockoptPacketMreq(c.fd, unix.SOL_PACKET, unix.PACKET_ADD_MEMBERSHIP,
				&unix.PacketMreq{Ifindex: int32(index), Type: unix.PACKET_MR_PROMISC}),
			unix.Bind(c.fd, &c.to))
	}); err != nil {
		return fmt.Errorf("packet socket on %s: %w", ifname, err)
	}
	defer unix.Close(c.fd)
	return talk(c)
}

// send sends a control frame with one control ordered set.
func (c *conversation) send(message wire.CtlOS) error {
	n := wire.PutControl(c.buf[:], sa, wire.EtherTypeControl, []wire.CtlOS{message})
	return unix.Sendto(c.fd, c.buf[:n], 0, &c.to)
}

// echo sends an LLR_INIT back as LLR_INIT_ECHO.
func (c *conversation) echo(init wire.CtlOS) error {
	init.Type = wire.LLRInitEcho
	return c.send(init)
}

// receive returns the next control ordered set of type t that arrives at the packet socket. heard is false if none
// arrives within replyTimeout.
func (c *conversation) receive(t wire.CtlOSType) (message wire.CtlOS, heard bool, err error) {
	for deadline := time.Now().Add(replyTimeout); time.Now().Before(deadline); {
		size, from, err := unix.Recvfrom(c.fd, c.buf[:], 0)
		if err != nil && err != unix.EINTR && err != unix.EAGAIN {
			return message, false, fmt.Errorf("wait for %s: %w", t, err)
		}
		if link, ok := from.(*unix.SockaddrLinklayer); err != nil || ok && link.Pkttype == unix.PACKET_OUTGOING {
			continue
		}
		n, _, _ := wire.ParseControl(c.buf[:size], &c.decoded) // a faulty frame contains no control ordered set: n is 0
		for _, message := range c.decoded[:n] {
			if message.Type == t {
				return message, true, nil
			}
		}
	}
	return message, false, nil
}
