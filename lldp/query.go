package lldp

import "uelink/wire"

// Counters returns the agent's statistics; the caller may clear them.
func (a *Agent) Counters() *Counters { return &a.counters }

// Destination returns the group address of the agent's frames.
func (a *Agent) Destination() wire.MAC { return a.config.Destination }

// Local returns the local system data that the agent sends in its frames now. The caller must not write to the
// result.
func (a *Agent) Local() *Local { return &a.local }

// PDU returns the agent's next LLDPDU without the providers' TLVs. The caller must not write to the
// result.
func (a *Agent) PDU() *PDU {
	p := a.local.pdu(a.config.Timers.TTL(), nil)
	return &p
}

// Recognizes reports whether a provider of the agent handles organizationally specific TLVs of an OUI and subtype.
func (a *Agent) Recognizes(oui OUI, subtype uint8) bool {
	for _, p := range a.providers {
		if p.Recognizes(oui, subtype) {
			return true
		}
	}
	return false
}

// Timers returns the agent's timing parameters.
func (a *Agent) Timers() Timers { return a.config.Timers }

// Status returns the status of the port: whether the link can carry frames, and adminStatus.
func (a *Agent) Status() PortStatus { return a.status }

// TxState returns the state of the transmit machine.
func (a *Agent) TxState() TxState { return a.tx.state }

// RxState returns the state of the receive machine.
func (a *Agent) RxState() RxState { return a.rx.state }

// TooManyNeighbors reports whether tooManyNeighbors is true: LLDPDUs were dropped for lack of room in the table,
// and their TTL has not run out yet.
func (a *Agent) TooManyNeighbors() bool { return a.rx.tooMany }

// Loop reports whether the agent receives frames with its own chassis id and port id.
func (a *Agent) Loop() bool { return a.rx.loop }

// LastChange returns the time of the latest change of the neighbours' table; ok is false if there was no change
// yet.
func (a *Agent) LastChange() (at wire.Time, ok bool) {
	return a.clock.callerTime(a.rx.lastChange), a.rx.changed
}

// Neighbors appends the neighbours to list, the oldest first.
func (a *Agent) Neighbors(list []Neighbor) []Neighbor {
	for _, n := range a.rx.neighbors.list {
		list = append(list, a.inCallerTime(n))
	}
	return list
}

// inCallerTime returns the neighbour with the times converted to the caller's clock.
func (a *Agent) inCallerTime(n Neighbor) Neighbor {
	n.Since, n.Changed = a.clock.callerTime(n.Since), a.clock.callerTime(n.Changed)
	n.Heard, n.Expires = a.clock.callerTime(n.Heard), a.clock.callerTime(n.Expires)
	return n
}
