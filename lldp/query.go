package lldp

import "uelink/wire"

// Counters are the statistics; the caller may clear them.
func (a *Agent) Counters() *Counters { return &a.counters }

// Destination is the group address that the agent serves.
func (a *Agent) Destination() wire.MAC { return a.config.Destination }

// Local is the local system data that the frames now carry. Not to be written to.
func (a *Agent) Local() *Local { return &a.local }

// PDU is the LLDPDU that the agent sends, without the TLVs of its providers. Not
// to be written to.
func (a *Agent) PDU() *PDU {
	p := a.local.pdu(a.config.Timers.TTL(), nil)
	return &p
}

// Recognizes tells whether one of the providers knows TLVs of that kind.
func (a *Agent) Recognizes(oui OUI, subtype uint8) bool {
	for _, p := range a.providers {
		if p.Recognizes(oui, subtype) {
			return true
		}
	}
	return false
}

// Timers are the parameters.
func (a *Agent) Timers() Timers { return a.config.Timers }

// Status is what the agent knows of its port.
func (a *Agent) Status() PortStatus { return a.status }

// TxState is the state of the transmit machine.
func (a *Agent) TxState() TxState { return a.tx.state }

// RxState is the state of the receive machine.
func (a *Agent) RxState() RxState { return a.rx.state }

// TooManyNeighbors is tooManyNeighbors: some have been dropped for lack of room,
// not long ago.
func (a *Agent) TooManyNeighbors() bool { return a.rx.tooMany }

// Loop tells whether the agent receives frames with its own identity.
func (a *Agent) Loop() bool { return a.rx.loop }

// LastChange is when the neighbours last changed; ok is false if they never did.
func (a *Agent) LastChange() (at int64, ok bool) {
	return a.clock.outside(a.rx.lastChange), a.rx.changed
}

// Neighbors appends the neighbours to list, the oldest first.
func (a *Agent) Neighbors(list []Neighbor) []Neighbor {
	for _, n := range a.rx.known.list {
		list = append(list, a.outside(n))
	}
	return list
}

// outside is the neighbour with its times on the caller's clock.
func (a *Agent) outside(n Neighbor) Neighbor {
	n.Since, n.Changed = a.clock.outside(n.Since), a.clock.outside(n.Changed)
	n.Heard, n.Expires = a.clock.outside(n.Heard), a.clock.outside(n.Expires)
	return n
}
