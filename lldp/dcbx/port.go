package dcbx

import (
	"errors"
	"strings"
)

// Port is DCBX on one port: the control machine, the feature machines and what
// decides whether they run. Only one goroutine may use it at a time.
//
// Every input appends what is to be done to out, see [Output].
type Port struct {
	link, rx, tx, enabled bool

	control control
	pg      feature[PG]
	pfc     feature[PFC]
	app     feature[App]

	last    Message // the peer's last usable TLV; the zero Message if there is none
	several bool    // more than one LLDP neighbor
	fault   Reason  // what is wrong with the TLV that came last; ReasonNone: nothing
	oneWay  bool    // LLDP receives or transmits, and does not do both; it has been told
	count   Counters
}

// NewPort returns a port whose link is down, with DCBX enabled and LLDP
// receiving and transmitting. out gets the settings to operate by until a peer
// is heard. The error is a *[ConfigError].
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

// SetLink is the input that the link came up or went down.
func (p *Port) SetLink(up bool, out *Output) {
	p.link = up
	p.run(out)
}

// SetLLDP is the input of LLDP's adminStatus. DCBX needs both directions
// (DCBX, 2.3).
func (p *Port) SetLLDP(rx, tx bool, out *Output) {
	p.rx, p.tx = rx, tx
	p.run(out)
}

// SetEnabled is the input that an administrator switched DCBX on or off.
func (p *Port) SetEnabled(on bool, out *Output) {
	p.enabled = on
	p.run(out)
}

// Running says whether the machines run and LLDPDUs carry a DCBX TLV.
func (p *Port) Running() bool { return p.link && p.rx && p.tx && p.enabled }

// run starts or stops the machines.
func (p *Port) run(out *Output) {
	on, was := p.Running(), p.control.running()
	switch {
	case on && !was:
		p.control.start(out)
	case was && !on:
		p.last, p.several, p.fault = Message{}, false, ReasonNone
		p.control.stop(out)
	}
	oneWay := p.link && p.enabled && p.rx != p.tx
	if oneWay && !p.oneWay {
		out.notify(EventOneWay, 0)
	}
	p.oneWay = oneWay
}

// SetLocal is the input of local parameters. A feature whose parameters are
// the same as before does not notice. The error is a *[ConfigError]; then
// nothing has changed.
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

// Receive is the input that LLDP has taken in an LLDPDU with the given payloads
// of DCBX TLVs (subtype 2; TLVs of subtype 1 are left out), and then has that
// many neighbors (MSAPs) on the link. An empty TLV is none (DCBX, table 2). Every LLDPDU may be handed over, whether
// it is new or a repetition; with several neighbors it does not matter whose it
// is. It is ignored while the port does not run.
func (p *Port) Receive(neighbors int, payloads [][]byte, out *Output) {
	if !p.Running() {
		return
	}
	alone := !p.several
	p.several = neighbors > 1
	switch {
	case p.several && alone:
		out.notify(EventSeveralNeighbors, 0)
		p.forget(EventSeveralNeighbors, out)
	case p.several:
	case len(payloads) == 0, len(payloads) == 1 && len(payloads[0]) == 0:
		p.lose(EventPeerNotAdvertising, out)
	case len(payloads) > 1:
		p.discard(FaultSeveral, FaultSeveral, out)
	default:
		p.take(payloads[0], out)
	}
}

// take reads one TLV. One that cannot be used leaves everything as it is.
func (p *Port) take(payload []byte, out *Output) {
	m, err := Decode(payload)
	if err != nil {
		var fault Fault
		errors.As(err, &fault)
		p.discard(fault, err, out)
		return
	}
	p.count.take(m)
	p.last, p.fault = *m, ReasonNone
	p.control.remote(m, out)
}

// discard counts a TLV that cannot be used, and notifies of what is wrong with it unless
// that was wrong with the one before.
func (p *Port) discard(fault Fault, err error, out *Output) {
	p.count.discard(fault)
	if why := Reason(strings.TrimPrefix(err.Error(), decodePrefix)); why != p.fault {
		p.fault = why
		out.notifyOf(Event{Kind: EventPeerMalformed, Why: why})
	}
}

// Gone is the input that a neighbor's information was deleted, because it aged
// out or else because the neighbor shut down, and that so many are left. Where
// one is left of several, DCBX resumes with its next LLDPDU, which the caller
// may hand to Receive at once if it has kept it.
func (p *Port) Gone(aged bool, left int, out *Output) {
	if !p.Running() || left > 0 {
		return
	}
	p.several = false
	if aged {
		p.lose(EventPeerTimedOut, out)
	} else {
		p.lose(EventPeerShutDown, out)
	}
}

// lose notifies that there is no DCBX TLV any more, unless that is known.
func (p *Port) lose(why EventKind, out *Output) {
	p.fault = ReasonNone
	if p.control.noTLV {
		return
	}
	out.notify(why, 0)
	p.forget(why, out)
}

// forget is somethingChangedRemote with NoDCBXTLVReceived.
func (p *Port) forget(why EventKind, out *Output) {
	p.last, p.fault = Message{}, ReasonNone
	if !p.control.noTLV {
		p.control.noPeer(lostBy(why), out)
	}
}

// Settings is the last call of SetCfg of each feature that hardware is programmed by. While the
// port does not run they are what [NewPort] and SetLocal give: those without a peer.
func (p *Port) Settings() (Setting[PG], Setting[PFC]) { return p.pg.setting, p.pfc.setting }

// AppendTLV appends the payload of the DCBX TLV for the next LLDPDU, which is
// what follows OUI and subtype. It is false, and b as it was, if there is to be
// no such TLV.
func (p *Port) AppendTLV(b []byte) ([]byte, bool) {
	if !p.Running() {
		return b, false
	}
	m := Message{Control: p.control.own(), PG: p.pg.sent, PFC: p.pfc.sent, App: p.app.sent}
	return m.Append(b), true
}
