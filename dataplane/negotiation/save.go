package negotiation

import "uelink/internal/snapshot"

// PassState saves to snapshot s, or restores from it, the state of both directions, with the wishes and agreements
// behind it.
func (m *Machine) PassState(s *snapshot.State) {
	s.Bool("dynamic", &m.dynamic)
	s.Struct("willing", &m.willing)
	s.Struct("agreed", &m.agreed)
	snapshot.Number(s, "drain", &m.drain)
	s.Group("transmitter", m.transmitter.passState)
	s.Group("receiver", m.receiver.passState)
	snapshot.Number(s, "received", &m.received)
	snapshot.Number(s, "quiet", &m.quiet)
}

// passState saves to snapshot s, or restores from it, the state of LLR in one direction.
func (d *direction) passState(s *snapshot.State) {
	snapshot.Number(s, "state", &d.state)
	snapshot.Number(s, "began", &d.began)
	s.Check(d.state <= Retiring, "state %d", d.state)
}
