package guest

import (
	"fmt"
	"time"

	"uelink/internal/netns"
)

// A chain is two guests with two NICs each. The host joins a with a and b with b by wires. Frames cross both wires
// and return to the guest that sent them, so that one traffic engine counts all losses.
//
//	near guest                                           far guest
//	hostA ── edge0 ═ uelinkd ═ link0 ── NIC a ~ wire ~ NIC a ── link0 ═ uelinkd ═ edge0
//	                                                                              │ veth
//	hostB ── edge1 ═ uelinkd ═ link1 ── NIC b ~ wire ~ NIC b ── link1 ═ uelinkd ═ edge1

// BadWire is the name of the fault of a chain: its wires lose and damage frames.
const BadWire = "bad wire"

// chainFrames is the least number of frames to cross a chain, each way.
const chainFrames = 3000

// chainPatience bounds the time for chainFrames.
const chainPatience = 2 * time.Minute

// station moves both NICs into namespace ns and starts a daemon with two links there. Its edge interfaces must exist
// already.
func (s *session) station(name string, ns *netns.NS) (*daemon, error) {
	for i, mac := range s.task.MACs {
		n := &nic{name: []string{"a", "b"}[i], mac: mac, home: ns, as: fmt.Sprint("link", i)}
		if err := n.place(); err != nil {
			return nil, err
		}
	}
	d := newDaemon(name, ns, len(s.task.MACs), s.task)
	return d, d.start()
}

// near runs the script of the guest with both hosts: it starts a daemon with two links, waits until LLR runs on both,
// sends frames over the chain, and reports the result.
func (s *session) near() error {
	var ns [3]*netns.NS
	var err error
	for i, name := range []string{"hostA", "A", "hostB"} {
		if ns[i], err = netns.New(name); err != nil {
			return err
		}
	}
	for i, host := range []*netns.NS{ns[0], ns[2]} {
		if err := netns.Veth(host, "eth0", ns[1], fmt.Sprint("edge", i), edgeMTU); err != nil {
			return err
		}
	}
	d, err := s.station("A", ns[1])
	if err != nil {
		return err
	}
	if err := within(2*establishment, "LLR on both links", d.advances); err != nil {
		return fmt.Errorf("%w\n%q", err, d.log.tail(20))
	}
	b := &bed{hostA: ns[0], hostB: ns[2], a: d}
	bed, err := b.settings()
	if err != nil {
		return err
	}
	s.send(Message{Bed: bed})
	c := b.cross()
	s.send(Message{Cell: &c})
	return nil
}

// cross sends frames between the hosts, over both links and the far guest, and returns the result with counts of lost
// and replayed frames.
func (b *bed) cross() Cell {
	t, c := &trial{bed: b}, Cell{Fault: BadWire}
	var err error
	if t.load, err = b.load(lossless); err == nil {
		err = within(chainPatience, "frames over both wires", func() string {
			if n := t.load.arrived(); min(n[0], n[1]) < chainFrames {
				return fmt.Sprintf("%d and %d have arrived", n[0], n[1])
			}
			return ""
		})
	}
	if ended := t.load.end(); err == nil {
		err = ended
	}
	t.load.sum(&c)
	t.judge(&c, err)
	c.Notice = ""
	if p, err := b.a.link(); err == nil {
		c.Notice = fmt.Sprintf("LLR sent %d frames of the first link again", p.LLR.Counters.TxReplay)
	}
	if c.Outcome == Failed {
		c.Log = b.a.log.tail(60)
	}
	return c
}

// far runs the script of the guest that returns frames: its daemon joins its two links, so that frames of one leave
// by the other. It ends when the host says so.
func (s *session) far() error {
	ns, err := netns.New("B")
	if err != nil {
		return err
	}
	if err := netns.Veth(ns, "edge0", ns, "edge1", edgeMTU); err != nil {
		return err
	}
	if _, err := s.station("B", ns); err != nil {
		return err
	}
	return s.receive(&Reply{})
}
