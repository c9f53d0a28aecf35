package dcbx

import (
	"errors"
	"strings"
)

// Port runs DCBX on one port: the control machine, the feature machines and the conditions for
// running them. Only one goroutine may use a Port at a time.
//
// Every input appends the resulting actions to out, see [Output].
// Clauses: DCBX/intro.1, DCBX/control.5.
type Port struct {
	link, rx, tx, enabled bool // the link is up, LLDP receives, LLDP sends, DCBX is switched on

	control control
	pg      feature[PG]
	pfc     feature[PFC]
	app     feature[App]

	last    Message // the peer's last usable TLV, or the zero Message
	several bool    // more than one LLDP neighbor
	fault   Reason  // fault of the latest TLV; ReasonNone: the TLV is usable
	oneWay  bool    // LLDP only receives or only transmits, and EventOneWay was sent
	count   Counters
}

// NewPort returns the DCBX machines of a port with the link down, DCBX enabled, and LLDP receiving and
// transmitting. out gets the settings to operate by until a peer sends a TLV. The error is a *[ConfigError].
// Clauses: DCBX/lldp.7, DCBX/feature.1.
func NewPort(local Local, out *Output) (*Port, error) {
	if err := local.Validate(); err != nil {
		return nil, err
	}
	local.App.Config = local.App.Config.listed()
	p := &Port{rx: true, tx: true, enabled: true}
	p.pg = feature[PG]{id: FeaturePG, wanted: local.PG, maxV: firstVersion,
		find: func(m *Message) *FeatureTLV[PG] { return &m.PG },
		emit: func(o *Output, s Setting[PG]) { o.PG = append(o.PG, s) }}
	p.pfc = feature[PFC]{id: FeaturePFC, wanted: local.PFC, maxV: firstVersion,
		find: func(m *Message) *FeatureTLV[PFC] { return &m.PFC },
		emit: func(o *Output, s Setting[PFC]) { o.PFC = append(o.PFC, s) }}
	p.app = feature[App]{id: FeatureApp, wanted: local.App, maxV: firstVersion,
		find: func(m *Message) *FeatureTLV[App] { return &m.App },
		emit: func(o *Output, s Setting[App]) { o.App = append(o.App, s) }}
	p.control = control{maxV: firstVersion, features: []machine{&p.pg, &p.pfc, &p.app}, sends: &p.count.TxChanges}
	for _, f := range p.control.features {
		f.off(out)
	}
	return p, nil
}

// SetLink handles the port's link coming up or going down.
// Clauses: DCBX/control.8.
func (p *Port) SetLink(up bool, out *Output) {
	p.link = up
	p.run(out)
}

// SetLLDP handles a change of LLDP's adminStatus. DCBX needs both directions (DCBX, 2.3).
// Clauses: DCBX/lldp.18.
func (p *Port) SetLLDP(rx, tx bool, out *Output) {
	p.rx, p.tx = rx, tx
	p.run(out)
}

// SetEnabled switches DCBX on or off, as the administrator configures.
// Clauses: DCBX/lldp.8.
func (p *Port) SetEnabled(on bool, out *Output) {
	p.enabled = on
	p.run(out)
}

// Ready reports whether the link is up and LLDP goes both ways.
func (p *Port) Ready() bool { return p.link && p.rx && p.tx }

// Running reports whether the machines run and LLDPDUs carry a DCBX TLV.
// Clauses: DCBX/lldp.11.
func (p *Port) Running() bool { return p.Ready() && p.enabled }

// run starts or stops the DCBX machines by link, LLDP mode and configuration, and notifies of one-way LLDP.
// Clauses: DCBX/lldp.12.
func (p *Port) run(out *Output) {
	on, active := p.Running(), p.control.running()
	switch {
	case on && !active:
		p.control.start(out)
	case active && !on:
		p.last, p.several, p.fault = Message{}, false, ReasonNone
		p.control.stop(out)
	}
	oneWay := p.link && p.enabled && p.rx != p.tx
	if oneWay && !p.oneWay {
		out.notify(EventOneWay, 0)
	}
	p.oneWay = oneWay
}

// SetLocal replaces the local parameters. A feature with unchanged parameters is not disturbed. The
// error is a *[ConfigError] and leaves the port unchanged.
func (p *Port) SetLocal(local Local, out *Output) error {
	if err := local.Validate(); err != nil {
		return err
	}
	p.pg.want(local.PG)
	p.pfc.want(local.PFC)
	local.App.Config = local.App.Config.listed()
	p.app.want(local.App)
	if p.control.running() {
		p.control.localChange(out)
		return nil
	}
	for _, f := range p.control.features {
		f.off(out)
	}
	return nil
}

// Receive handles an LLDPDU accepted by LLDP: payloads are the payloads of its DCBX TLVs (subtype
// 2, without those of subtype 1), neighbors the number of neighbors (MSAPs) on the link. An empty
// TLV counts as absent (DCBX, table 2). Every LLDPDU may be passed, new or repeated; with several
// neighbors, of any of them. Receive does nothing while the port does not run.
// Clauses: DCBX/lldp.9,14,19, DCBX/control-variables.2, DCBX/control.2.
func (p *Port) Receive(neighbors int, payloads [][]byte, out *Output) {
	if !p.Running() {
		return
	}
	alone := !p.several
	p.several = neighbors > 1
	switch {
	case p.several && alone:
		out.notify(EventSeveralNeighbors, 0)
		p.forgetPeer(EventSeveralNeighbors, out)
	case p.several:
	case len(payloads) == 0, len(payloads) == 1 && len(payloads[0]) == 0:
		p.peerLost(EventPeerNotAdvertising, out)
	case len(payloads) > 1:
		p.discard(FaultSeveral, FaultSeveral, out)
	default:
		p.receiveTLV(payloads[0], out)
	}
}

// receiveTLV decodes a DCBX TLV of the peer and passes it to the machines. An unusable TLV changes no machine.
func (p *Port) receiveTLV(payload []byte, out *Output) {
	m, err := Decode(payload)
	if err != nil {
		var fault Fault
		errors.As(err, &fault)
		p.discard(fault, err, out)
		return
	}
	p.count.accept(m)
	p.last, p.fault = *m, ReasonNone
	p.control.remote(m, out)
}

// discard counts an unusable DCBX TLV by its fault, and notifies of it in the words of err, unless the previous TLV was
// unusable for the same reason.
func (p *Port) discard(fault Fault, err error, out *Output) {
	p.count.discard(fault)
	if reason := Reason(strings.TrimPrefix(err.Error(), decodePrefix)); reason != p.fault {
		p.fault = reason
		out.notifyOf(Event{Kind: EventPeerMalformed, Why: reason})
	}
}

// NeighborDeleted handles the deletion of a neighbor's information, either aged out or shut down; left is the
// number of remaining neighbors. While any remain, nothing changes at once: when one of several remains, DCBX
// resumes with that neighbor's next LLDPDU. A caller that has kept the latest LLDPDU may pass it to Receive at once.
// Clauses: DCBX/lldp.9,16,17, DCBX/control.2.
func (p *Port) NeighborDeleted(aged bool, left int, out *Output) {
	if !p.Running() || left > 0 {
		return
	}
	p.several = false
	if aged {
		p.peerLost(EventPeerTimedOut, out)
	} else {
		p.peerLost(EventPeerShutDown, out)
	}
}

// peerLost handles the loss of the peer's DCBX TLV: the manager is notified of the kind of loss, and the machines
// forget the peer, unless they did already.
func (p *Port) peerLost(kind EventKind, out *Output) {
	p.fault = ReasonNone
	if p.control.noTLV {
		return
	}
	out.notify(kind, 0)
	p.forgetPeer(kind, out)
}

// forgetPeer makes the machines forget the peer, whose DCBX TLV is lost (somethingChangedRemote with
// NoDCBXTLVReceived).
func (p *Port) forgetPeer(kind EventKind, out *Output) {
	p.last, p.fault = Message{}, ReasonNone
	if !p.control.noTLV {
		p.control.noPeer(lostReason(kind), out)
	}
}

// Settings returns the present settings of PG and PFC, the two features that program hardware: the last results of
// SetCfg. While the port does not run, these are the settings without a peer, from [NewPort] and SetLocal.
func (p *Port) Settings() (Setting[PG], Setting[PFC]) { return p.pg.setting, p.pfc.setting }

// AppendTLV appends the payload of the DCBX TLV (after OUI and subtype) for the next LLDPDU. It
// returns false and b unchanged if the LLDPDU must not have a DCBX TLV.
// Clauses: DCBX/parameters.1, DCBX/lldp.13,18.
func (p *Port) AppendTLV(b []byte) ([]byte, bool) {
	if !p.Running() {
		return b, false
	}
	m := Message{Control: p.control.own(), PG: p.pg.sent, PFC: p.pfc.sent, App: p.app.sent}
	return m.Append(b), true
}
