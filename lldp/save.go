package lldp

import "uelink/internal/snapshot"

// Bounds on what is restored from a snapshot: the number of neighbours, and the octets of a neighbour's LLDPDU, which
// is more than any LLDPDU has.
const (
	neighborsMax = 1 << 16
	octetsMax    = 1 << 16
)

// PassState saves to snapshot s, or restores from it, the agent's settings, local data, neighbours with their ages,
// timers and counters. The providers are machines of their own.
func (a *Agent) PassState(s *snapshot.State) {
	s.Struct("config", &a.config)
	s.Check(a.config.MaxNeighbors >= 1 && a.config.MaxNeighbors <= neighborsMax, "room for %d neighbours",
		a.config.MaxNeighbors)
	s.Struct("counters", &a.counters)
	s.Bool("clock_started", &a.clock.started)
	snapshot.Number(s, "clock_caller", &a.clock.caller)
	snapshot.Number(s, "clock_now", &a.clock.now)
	s.Struct("status", &a.status)
	s.Bool("status_reported", &a.statusReported)
	s.Struct("local", &a.local)
	changing := a.pending != nil // the chassis id or port id changes
	s.Bool("changing", &changing)
	switch {
	case !changing:
		a.pending = nil
	case s.Restoring():
		a.pending = new(Local)
	}
	if changing {
		s.Struct("pending", a.pending)
	}
	s.Bool("due", &a.due)
	s.Group("tx", a.tx.passState)
	s.Group("rx", a.rx.passState)
	if s.Restoring() {
		a.rx.neighbors.max = a.config.MaxNeighbors
	}
}

// passState saves to snapshot s, or restores from it, the transmit machine with its timers.
func (t *transmitter) passState(s *snapshot.State) {
	snapshot.Number(s, "state", &t.state)
	snapshot.Number(s, "reinit_at", &t.reinitAt)
	snapshot.Number(s, "ttr_end", &t.timer.ttrEnd)
	snapshot.Number(s, "fast", &t.timer.fast)
	snapshot.Number(s, "credit", &t.timer.credit)
	snapshot.Number(s, "credit_at", &t.timer.creditAt)
	s.Bool("local_change", &t.timer.localChange)
	s.Bool("new_neighbor", &t.timer.newNeighbor)
	s.Bool("tx_now", &t.timer.txNow)
	s.Check(t.state <= TxShutdownFrame && t.timer.credit >= 0, "state %d, credit %d", t.state, t.timer.credit)
}

// passState saves to snapshot s, or restores from it, the receive machine with the neighbours.
func (r *receiver) passState(s *snapshot.State) {
	snapshot.Number(s, "state", &r.state)
	snapshot.List(s, "neighbors", &r.neighbors.list, neighborsMax, func(s *snapshot.State, n *Neighbor) { n.passState(s) })
	s.Bool("too_many", &r.tooMany)
	snapshot.Number(s, "too_many_until", &r.tooManyUntil)
	s.Bool("loop", &r.loop)
	snapshot.Number(s, "loop_until", &r.loopUntil)
	s.Bool("changed", &r.changed)
	snapshot.Number(s, "last_change", &r.lastChange)
	s.Check(r.state <= RxWaitForFrame, "state %d", r.state)
}

// passState saves to snapshot s, or restores from it, a neighbour: the octets of its latest LLDPDU, its source address,
// and its times. A neighbour without an LLDPDU makes the snapshot invalid.
func (n *Neighbor) passState(s *snapshot.State) {
	PassInfo(s, "lldpdu", &n.Info)
	s.Check(n.Info != nil, "the neighbour has no LLDPDU")
	snapshot.Numbers(s, "source", n.Source[:])
	snapshot.Number(s, "since", &n.Since)
	snapshot.Number(s, "changed", &n.Changed)
	snapshot.Number(s, "heard", &n.Heard)
	snapshot.Number(s, "expires", &n.Expires)
}

// PassInfo saves to snapshot s, or restores from it, the octets of an LLDPDU; nil has none. Restored octets are
// parsed.
func PassInfo(s *snapshot.State, name string, i **Info) {
	var octets []byte
	if !s.Restoring() && *i != nil {
		octets = (*i).octets
	}
	s.Bytes(name, &octets, octetsMax)
	if !s.Restoring() {
		return
	}
	*i = nil
	if len(octets) > 0 {
		info, fault := NewInfo(octets)
		s.Check(fault == NoFault, "%s: %v", name, fault)
		*i = info
	}
}
