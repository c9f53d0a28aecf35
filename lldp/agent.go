package lldp

import "uelink/wire"

// DefaultMaxNeighbors is the number of neighbours that an agent keeps by default.
const DefaultMaxNeighbors = 32

// Config holds the parameters of NewAgent.
type Config struct {
	Destination  wire.MAC // group address of the frames sent and received
	Timers       Timers
	MaxNeighbors int // at least 1; 0 is DefaultMaxNeighbors
}

// Agent is an LLDP agent: one port, one destination address. The port is disabled at first.
type Agent struct {
	config    Config
	providers []Provider
	counters  Counters
	clock     clock

	status         PortStatus
	statusReported bool // status was reported to the providers
	local          Local
	pending        *Local // replaces local once a shutdown LLDPDU is sent
	due            bool   // Poll has work at once

	tx transmitter
	rx receiver

	parsed  PDU   // the LLDPDU that Receive handles
	orgs    []Org // this list and those below keep memory that calls use again
	infos   []*Info
	sources []wire.MAC
	removed []Neighbor
}

// NewAgent returns the LLDP agent of one port and one destination address. The caller must not write to the slices
// of local afterwards.
func NewAgent(c Config, admin AdminStatus, local Local, providers ...Provider) *Agent {
	if c.MaxNeighbors == 0 {
		c.MaxNeighbors = DefaultMaxNeighbors
	}
	return &Agent{config: c, providers: providers, local: local, status: PortStatus{Admin: admin}, due: true,
		rx: receiver{neighbors: table{max: c.MaxNeighbors}}}
}

// SetPortEnabled sets portEnabled: whether the link can carry frames.
func (a *Agent) SetPortEnabled(enabled bool) {
	a.setStatus(PortStatus{Enabled: enabled, Admin: a.status.Admin})
}

// SetAdminStatus sets adminStatus: whether the agent sends, receives, both or neither. Disabling transmission
// sends a shutdown LLDPDU; disabling reception deletes all neighbours.
func (a *Agent) SetAdminStatus(s AdminStatus) {
	a.setStatus(PortStatus{Enabled: a.status.Enabled, Admin: s})
}

// setStatus sets the port's status. The next Poll reports a change to the providers.
func (a *Agent) setStatus(s PortStatus) {
	if s != a.status {
		a.status, a.statusReported, a.due = s, false, true
	}
}

// SetTimers replaces the agent's timing parameters from the next frame on.
func (a *Agent) SetTimers(t Timers) {
	a.config.Timers = t
	a.LocalChange() // the TTL sent last may no longer fit
}

// SetLocal replaces the local system data; the caller must not write to the slices of l afterwards.
// If the chassis id or port id changes, the agent first sends a shutdown LLDPDU with the old ids,
// and sends with the new ids after reinitDelay.
// Clauses: DCBX/fast.2.
func (a *Agent) SetLocal(l Local) {
	a.due = true
	a.pending = nil
	switch {
	case !l.sameMSAP(&a.local):
		a.pending = &l
	case !l.equal(&a.local):
		a.local = l
		a.LocalChange()
	}
}

// LocalChange tells the agent that the content of its frames has changed: Poll sends a frame as soon as there is
// credit.
// Clauses: DCBX/fast.2.
func (a *Agent) LocalChange() { a.tx.timer.localChange, a.due = true, true }

// FastStart makes Poll send a frame as soon as there is credit, and txFastInit more frames at the short interval
// msgFastTx, as for a new neighbour.
// Clauses: DCBX/fast.7.
func (a *Agent) FastStart() {
	a.tx.timer.newNeighbor = true
	a.LocalChange()
}

// Poll runs the machines. It appends to out the frame to send now (at most one, at most MaxFrameLen
// octets), and to events the resulting events.
func (a *Agent) Poll(now wire.Time, out []byte, events []Event) ([]byte, []Event) {
	a.due = false
	a.clock.read(now)
	a.reportStatus()
	events = a.runReceive(events)
	a.tx.checkInitialize(a.clock.now, a.status.Enabled)
	if a.tx.state == TxInitialize && a.pending != nil {
		a.local, a.pending = *a.pending, nil
	}
	switch a.tx.run(a.clock.now, a.status.Enabled, a.status.Admin.Tx(), a.pending != nil, a.config.Timers) {
	case sendInfo:
		out = a.infoFrame(out)
	case sendShutdown:
		out = a.shutdownFrame(out)
	case sendNothing:
	}
	return out, events
}

// infoFrame appends to out the frame to send: an LLDPDU with the local system data and the providers' TLVs. It counts
// the frame as sent, and also as too long if TLVs found no room.
func (a *Agent) infoFrame(out []byte) []byte {
	a.orgs = a.orgs[:0]
	for _, p := range a.providers {
		a.orgs = p.AppendTLVs(a.orgs)
	}
	pdu := a.local.pdu(a.config.Timers.TTL(), a.orgs)
	a.orgs = pdu.Org
	out, leftOut := AppendFrame(out, a.config.Destination, a.local.Source, &pdu)
	if leftOut > 0 {
		a.counters.Tx.TotalLengthErrors++
	}
	a.counters.Tx.TotalFrames++
	return out
}

// shutdownFrame appends the frame of a shutdown LLDPDU: only the mandatory TLVs, TTL 0. It is counted as sent.
// Clauses: DCBX/lldp.15.
func (a *Agent) shutdownFrame(out []byte) []byte {
	pdu := PDU{Chassis: a.local.Chassis, Port: a.local.Port}
	out, _ = AppendFrame(out, a.config.Destination, a.local.Source, &pdu)
	a.counters.Tx.TotalFrames++
	a.counters.Tx.Shutdowns++
	return out
}

// Deadline returns the time of the next Poll if no frame arrives, or wire.Never. An earlier Poll
// does no harm.
func (a *Agent) Deadline() wire.Time {
	if a.due {
		return a.clock.caller
	}
	return a.clock.callerTime(min(a.tx.deadline(), a.rx.deadline()))
}

// reportStatus reports the status of the port to the providers, if it has changed since the last call.
func (a *Agent) reportStatus() {
	if a.statusReported {
		return
	}
	a.statusReported = true
	for _, p := range a.providers {
		if p.PortChanged(a.status, a.clock.caller) {
			a.LocalChange()
		}
	}
}
