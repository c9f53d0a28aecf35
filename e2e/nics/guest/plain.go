package guest

import (
	"errors"
	"fmt"

	"uelink/netns"
)

// Without uelink there are two hosts with an address each on their NICs, and datagrams between them:
//
//	A: UDP ── link0 ── NIC a ═ wire ═ NIC b ── link0 ── B: UDP
//
// What is done to NIC a there, and does not end well, is the driver's.

// plain is the script that does the faults of the task without uelink. It ends early after one that has failed.
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

// newPlainBed is the NICs in their namespaces. There is no daemon.
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

// plainAddresses are those of the NICs a and b.
var plainAddresses = [2]string{"192.0.2.1", "192.0.2.2"}

// plainTrial does a fault while datagrams flow. They may be lost, but have to flow again in the time in which frames of
// a link have to.
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
