package guest

import (
	"errors"
	"fmt"

	"uelink/internal/netns"
)

// Without uelink, two hosts have an address each on their NICs, and send datagrams:
//
//	A: UDP ── link0 ── NIC a ═ wire ═ NIC b ── link0 ── B: UDP
//
// A fault of NIC a that fails here is the driver's.

// plain runs the script that applies the faults of the task to a NIC without uelink, while datagrams flow, and
// reports each result. It ends after the first failed fault.
func (s *session) plain() error {
	b, err := s.newPlainBed()
	if err != nil {
		return err
	}
	s.send(Message{Bed: &Bed{Kernel: release()}})
	for _, f := range s.wanted() {
		c := s.plainTrial(b, f)
		s.send(Message{Cell: &c})
		if c.Bad() {
			return nil
		}
	}
	return nil
}

// newPlainBed moves the guest's two NICs into namespaces with an IP address each, and returns this test bed without
// daemons.
func (s *session) newPlainBed() (*bed, error) {
	b := &bed{}
	for i, name := range []string{"a", "b"} {
		ns, err := netns.New(name)
		if err != nil {
			return nil, err
		}
		b.nics[i] = &nic{name: name, mac: s.task.MACs[i], home: ns, as: "link0", address: plainAddresses[i] + "/24"}
		if err := b.nics[i].place(); err != nil {
			return nil, err
		}
	}
	b.a = &daemon{ns: b.nics[0].home}
	return b, nil
}

// plainAddresses are the addresses of the NICs a and b.
var plainAddresses = [2]string{"192.0.2.1", "192.0.2.2"}

// plainTrial applies a fault while datagrams flow. Datagrams may be lost, but must flow again within the same time as
// frames of a link.
func (s *session) plainTrial(b *bed, f fault) Cell {
	f.exempt = ""
	t, c := &trial{bed: b, session: s, fault: f}, Cell{Fault: f.name}
	err := bounded(func() error { return t.run(b.datagrams, &c) })
	switch {
	case errors.Is(err, errHung):
		return Cell{Fault: f.name, Outcome: Hung, Why: err.Error()}
	case err != nil:
		c.Outcome, c.Why = Failed, fmt.Sprint("datagrams: ", err)
	default:
		c.Outcome = Clean
	}
	return c
}
