package guest

import (
	"errors"
	"fmt"

	"uelink/internal/netns"
)

// A link over a veth needs no NIC. The kernel matters: whether it has live frames, and whether it has TCX.
//
//	hostA ── A (uelinkd) ── veth ── B (uelinkd) ── hostB
//	   eth0  edge0    link0      link0    edge0  eth0

// vethScript is the name of the script without NICs.
const vethScript = "veth"

// LiveFrames is the name of the result of the test of live frames over a veth.
const LiveFrames = "live frames"

// veth runs the script of a link over a veth: it sends frames in large batches, and reports whether they left as live
// XDP frames and arrived. Then it plugs in bad wires.
func (s *session) veth() error {
	b, err := s.newVethBed()
	if err != nil {
		return err
	}
	bed, err := b.settings()
	if err != nil {
		return err
	}
	s.send(Message{Bed: bed})
	c := Cell{Fault: LiveFrames}
	err = bounded(func() error { return b.batches(&c) })
	switch {
	case err != nil:
		c.Outcome, c.Why = Failed, err.Error()
	case c.Lost+c.Duplicated+c.Reordered+c.Corrupted > 0:
		c.Outcome, c.Why = Failed, "frames were lost, or came twice, late or changed"
	default:
		c.Outcome = Clean
	}
	if c.Outcome == Failed {
		c.Log = append(b.a.log.tail(40), b.b.log.tail(40)...)
	}
	s.send(Message{Cell: &c})
	return s.cables()
}

// newVethBed builds the test bed with a veth as the link: two hosts and two daemons in namespaces. It starts both
// daemons and waits until LLR runs both ways.
func (s *session) newVethBed() (_ *bed, err error) {
	var ns [4]*netns.NS
	for i, name := range []string{"hostA", "A", "B", "hostB"} {
		if ns[i], err = netns.New(name); err != nil {
			return nil, err
		}
	}
	b := &bed{hostA: ns[0], hostB: ns[3], a: newDaemon("A", ns[1], 1, s.task), b: newDaemon("B", ns[2], 1, s.task)}
	err = errors.Join(netns.Veth(b.hostA, "eth0", b.a.ns, "edge0", edgeMTU),
		netns.Veth(b.hostB, "eth0", b.b.ns, "edge0", edgeMTU), netns.Veth(b.a.ns, "link0", b.b.ns, "link0", edgeMTU))
	if err == nil {
		err = errors.Join(b.a.start(), b.b.start())
	}
	if err != nil {
		return nil, err
	}
	return b, b.established()
}

// batches sends frames in large batches until many have left daemon A's link as live XDP frames, or the daemon
// reports why it sends by AF_XDP. The notice of c says by which path frames left.
func (b *bed) batches(c *Cell) error {
	const window = 1024
	frames := b.frames("eth0", lossless)
	frames.Window, frames.RingSize = window, 2*window
	l, err := startLoad(frames)
	if err == nil {
		err = within(resumption, "live frames, or a reason why none are sent", func() string {
			p, err := b.a.link()
			switch {
			case err != nil:
				return err.Error()
			case p.TxPathReason == "" && p.Socket.TxLive < 2*window:
				return fmt.Sprintf("A's link has tx_path %s and has sent %d live frames", p.TxPath, p.Socket.TxLive)
			}
			c.Notice = fmt.Sprintf("%d of %d frames were sent as live frames; tx_path %s %s",
				p.Socket.TxLive, p.Counters.TxFrames, p.TxPath, p.TxPathReason)
			return ""
		})
	}
	err = errors.Join(err, l.end())
	l.sum(c)
	return err
}
