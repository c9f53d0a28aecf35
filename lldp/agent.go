package lldp

import "uelink/wire"

// DefaultMaxNeighbors is the number of neighbours that an agent keeps.
const DefaultMaxNeighbors = 32

// Config is what an agent is made with.
type Config struct {
	Destination  wire.MAC // the group address that it serves
	Timers       Timers
	MaxNeighbors int // at least 1; 0 is DefaultMaxNeighbors
}

// Agent is an LLDP agent: one port, one destination address. It begins with the
// port disabled.
type Agent struct {
	config    Config
	providers []Provider
	counters  Counters
	clock     clock

	status  PortStatus
	told    bool // the providers know status
	local   Local
	pending *Local // takes the place of local once the neighbours know that it goes
	due     bool   // Poll has something to do at once

	tx transmitter
	rx receiver

	parsed PDU // scratch of Receive
	orgs   []Org
	infos  []*Info
	gone   []Neighbor
}

// NewAgent makes an agent. What local refers to must not change afterwards.
func NewAgent(c Config, admin AdminStatus, local Local, providers ...Provider) *Agent {
	if c.MaxNeighbors == 0 {
		c.MaxNeighbors = DefaultMaxNeighbors
	}
	return &Agent{config: c, providers: providers, local: local, status: PortStatus{Admin: admin}, due: true,
		rx: receiver{known: table{max: c.MaxNeighbors}}}
}

// SetPortEnabled is portEnabled: the link can carry frames.
func (a *Agent) SetPortEnabled(enabled bool) {
	a.setStatus(PortStatus{Enabled: enabled, Admin: a.status.Admin})
}

// SetAdminStatus sets the directions. With transmission disabled a shutdown
// LLDPDU is sent; with reception disabled the neighbours are forgotten.
func (a *Agent) SetAdminStatus(s AdminStatus) {
	a.setStatus(PortStatus{Enabled: a.status.Enabled, Admin: s})
}

func (a *Agent) setStatus(s PortStatus) {
	if s != a.status {
		a.status, a.told, a.due = s, false, true
	}
}

// SetTimers replaces the parameters: from the next frame on.
func (a *Agent) SetTimers(t Timers) {
	a.config.Timers = t
	a.LocalChange() // the TTL of what was sent may no longer fit
}

// SetLocal replaces the local system data; what it refers to must not change
// afterwards. If the chassis id or port id is another one, the neighbours are
// told by a shutdown LLDPDU of the old one, and the new one speaks reinitDelay
// later.
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

// LocalChange has a frame sent as soon as there is credit: something that it
// carries has changed.
func (a *Agent) LocalChange() { a.tx.timer.localChange, a.due = true, true }

// FastStart has a frame sent as LocalChange does, and after it txFastInit frames
// in fast transmission, as for a new neighbour.
func (a *Agent) FastStart() {
	a.tx.timer.newNeighbor = true
	a.LocalChange()
}

// Poll lets the machines run. It appends to out the frame that is to be sent now,
// at most one and at most MaxFrameLen octets, and to events what has happened.
func (a *Agent) Poll(now int64, out []byte, events []Event) ([]byte, []Event) {
	a.due = false
	a.clock.read(now)
	a.tellProviders()
	events = a.runReceive(events)
	a.tx.settle(a.clock.now, a.status.Enabled)
	if a.tx.state == TxInitialize && a.pending != nil {
		a.local, a.pending = *a.pending, nil
	}
	switch a.tx.run(a.clock.now, a.status.Enabled, a.status.Admin.Tx(), a.pending != nil, a.config.Timers) {
	case sendInfo:
		out = a.infoFrame(out)
	case sendShutdown:
		out = a.shutdownFrame(out)
	}
	return out, events
}

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

// shutdownFrame builds a shutdown LLDPDU: only the mandatory TLVs, TTL 0.
func (a *Agent) shutdownFrame(out []byte) []byte {
	pdu := PDU{Chassis: a.local.Chassis, Port: a.local.Port}
	out, _ = AppendFrame(out, a.config.Destination, a.local.Source, &pdu)
	a.counters.Tx.TotalFrames++
	a.counters.Tx.Shutdowns++
	return out
}

// Deadline is when Poll has something to do even if nothing arrives, or
// math.MaxInt64. To call earlier is harmless.
func (a *Agent) Deadline() int64 {
	if a.due {
		return a.clock.caller
	}
	return a.clock.outside(min(a.tx.deadline(), a.rx.deadline()))
}

// tellProviders tells them what the port has become.
func (a *Agent) tellProviders() {
	if a.told {
		return
	}
	a.told = true
	for _, p := range a.providers {
		if p.PortChanged(a.status, a.clock.caller) {
			a.LocalChange()
		}
	}
}
