package station

import (
	"uelink/lldp"
	"uelink/lldp/agent"
	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/dialect"
	"uelink/lldp/dcbx/ieee"
	"uelink/wire"
)

// dcbxOUI is dcbx.OUI as an lldp.OUI.
var dcbxOUI = lldp.OUI{dcbx.OUI >> 16, dcbx.OUI >> 8 & 0xFF, dcbx.OUI & 0xFF}

// ieeeOUI is ieee.OUI as an lldp.OUI.
var ieeeOUI = lldp.OUI{ieee.OUI >> 16, ieee.OUI >> 8 & 0xFF, ieee.OUI & 0xFF}

// exchange runs DCBX on a port, in one of two dialects, as an lldp.Provider of the nearest bridge agent. A port without
// DCBX has an exchange too, so that DCBX can be switched on while the port runs. The machines of the dialect that is
// not spoken do not run.
// Clauses: DCBX/intro.1.
type exchange struct {
	port   *dcbx.Port // machines of CEE
	ieee   *ieee.Port // machine of IEEE
	choice dialect.Choice
	on     bool      // the configuration has DCBX on
	cin    *dcbx.CIN // the only neighbour's TLV of the older protocol (CIN), or nil

	out      dcbx.Output // pending notifications and changes
	ieeeOut  ieee.Output
	notified string // the latest notification about the dialect spoken, so that it is given once

	last     *lldp.Info // latest LLDPDU of the only neighbour, for a dialect that begins later; nil: none
	source   wire.MAC   // source address of the frame of field last
	payloads [][]byte   // scratch of receive
	tlvs     []ieee.TLV // scratch
	buf      []byte     // scratch of AppendTLVs
}

// newExchange returns the state of DCBX on a port with the given configuration.
func newExchange(c *Port) *exchange {
	e := &exchange{ieee: ieee.NewPort(c.ieee())}
	var err error
	if e.port, err = dcbx.NewPort(orDefault(c.DCBX), &e.out); err != nil {
		panic("agent: Port.complete has accepted invalid DCBX parameters: " + err.Error())
	}
	e.set(c)
	return e
}

// orDefault returns the parameters of CEE, or the default ones for nil: DCBX is off then.
func orDefault(local *dcbx.Local) dcbx.Local {
	if local == nil {
		return dcbx.Default()
	}
	return *local
}

// ieee returns the parameters of IEEE DCBX: the configured parameters, or without these the converted parameters of
// CEE.
func (p *Port) ieee() ieee.Local {
	if p.IEEE != nil {
		return *p.IEEE
	}
	return ieee.ConvertLocal(orDefault(p.DCBX))
}

// set replaces the DCBX parameters of the port by the parameters of its configuration. It reports whether the DCBX TLVs
// have changed and an LLDPDU must be sent.
// Clauses: DCBX/lldp.8.
func (e *exchange) set(c *Port) (localChange bool) {
	e.on = c.DCBX != nil
	e.choice.SetVersion(c.Dialect)
	if !e.on {
		e.choice.Restart()
	}
	if err := e.port.SetLocal(orDefault(c.DCBX), &e.out); err != nil {
		panic("agent: Port.complete has accepted invalid DCBX parameters: " + err.Error())
	}
	e.ieee.SetLocal(c.ieee(), &e.ieeeOut)
	e.run()
	return e.changed()
}

// run starts the machines of the dialect that this end speaks, and stops the others first, so that no LLDPDU carries
// TLVs of both. The machine of CEE also reports why DCBX does not run.
// Clauses: 802.1Qaz/dialect.1.
func (e *exchange) run() {
	spoken := e.on && e.port.Ready() && !e.choice.CEE()
	if !spoken {
		e.ieee.SetRunning(false, &e.ieeeOut)
	}
	e.port.SetEnabled(e.on && !spoken, &e.out)
	e.ieee.SetRunning(spoken, &e.ieeeOut)
}

// running reports whether DCBX runs, in either dialect.
func (e *exchange) running() bool { return e.port.Running() || e.ieee.Running() }

// changed reports whether this end's DCBX TLVs have changed since the last call.
// Clauses: DCBX/control.1.
func (e *exchange) changed() bool {
	changed := e.out.Changed || e.ieeeOut.Changed
	e.out.Changed, e.ieeeOut.Changed = false, false
	return changed
}

// Recognizes reports whether a TLV is a DCBX TLV and DCBX is on; it implements lldp.Provider.
func (e *exchange) Recognizes(oui lldp.OUI, subtype uint8) bool {
	return e.on && (isDCBX(oui, subtype) || oui == ieeeOUI && ieee.HasSubtype(subtype))
}

// isDCBX reports whether a TLV is one of CEE or of CIN.
func isDCBX(oui lldp.OUI, subtype uint8) bool {
	return oui == dcbxOUI && (subtype == dcbx.Subtype || subtype == dcbx.SubtypeCIN)
}

// PortChanged handles a change of the port's link or LLDP mode for DCBX, and reports whether the DCBX TLVs have
// changed; it implements lldp.Provider.
func (e *exchange) PortChanged(s lldp.PortStatus, _ wire.Time) bool {
	if !e.choice.CEE() {
		e.port.SetEnabled(false, &e.out) // CEE must not run for a moment while the port becomes ready
	}
	e.port.SetLLDP(s.Admin.Rx(), s.Admin.Tx(), &e.out)
	e.port.SetLink(s.Enabled, &e.out)
	if !e.port.Ready() {
		e.lose()
	}
	e.run()
	return e.changed()
}

// lose handles the loss of the peer, or the arrival of another station.
func (e *exchange) lose() {
	e.cin, e.last = nil, nil
	e.choice.Restart()
}

// AppendTLVs appends this end's DCBX TLVs, if DCBX runs; it implements lldp.Provider.
// Clauses: DCBX/lldp.4.
func (e *exchange) AppendTLVs(list []lldp.Org) []lldp.Org {
	payload, ok := e.port.AppendTLV(e.buf[:0])
	e.buf = payload
	if ok {
		list = append(list, lldp.Org{OUI: dcbxOUI, Subtype: dcbx.Subtype, Info: payload})
	}
	for _, t := range e.ieee.AppendTLVs(nil) {
		list = append(list, lldp.Org{OUI: ieeeOUI, Subtype: t.Subtype, Info: t.Payload})
	}
	return list
}

// NeighborSeen handles an LLDPDU or the loss of a neighbour for DCBX, and reports whether the DCBX TLVs have
// changed; it implements lldp.Provider.
// Clauses: DCBX/lldp.9, DCBX/control.2.
func (e *exchange) NeighborSeen(s lldp.Sighting, now wire.Time) bool {
	count := len(s.Neighbors)
	if s.TooMany {
		count++ // at least one more neighbour, which has no room in the table
	}
	e.cin = nil
	switch s.Gone {
	case lldp.NotGone:
		if s.New {
			e.lose()
		}
		e.receive(s.Subject, s.Source, count, now)
	case lldp.Initialized: // nothing to do: PortChanged restarts DCBX
	default:
		if e.port.Running() {
			e.port.NeighborDeleted(s.Gone == lldp.Aged, count, &e.out)
		}
		e.ieee.NeighborDeleted(s.Gone == lldp.Aged, count, &e.ieeeOut)
		if count == 0 {
			e.lose()
		}
		e.run()
		if count == 1 {
			e.receive(s.Neighbors[0], s.Sources[0], count, now)
		}
	}
	return e.changed()
}

// receive passes the DCBX TLVs of a neighbour's LLDPDU to both dialects, with the number of neighbours. By the LLDPDU
// of an only neighbour the dialect is chosen first, and field last keeps it for a dialect that begins later.
func (e *exchange) receive(n *lldp.Info, source wire.MAC, neighbors int, now wire.Time) {
	e.payloads, e.tlvs = e.payloads[:0], e.tlvs[:0]
	var heard dialect.Heard
	for _, o := range n.Org {
		switch {
		case o.OUI == ieeeOUI && ieee.HasSubtype(o.Subtype):
			heard.IEEE = true
			e.tlvs = append(e.tlvs, ieee.TLV{Subtype: o.Subtype, Payload: o.Info})
		case o.OUI != dcbxOUI:
		case o.Subtype == dcbx.Subtype:
			heard.CEE = true
			e.payloads = append(e.payloads, o.Info)
		case o.Subtype == dcbx.SubtypeCIN && neighbors == 1 && e.on:
			heard.CIN = true
			e.cin, _ = dcbx.DecodeCIN(o.Info) // nil if invalid
		}
	}
	if e.last = nil; neighbors == 1 {
		e.last, e.source = n, source
		e.choice.Receive(heard, now)
	}
	e.run()
	e.port.Receive(neighbors, e.payloads, &e.out)
	e.ieee.Receive(neighbors, source, e.tlvs, &e.ieeeOut)
}

// poll begins the other dialect, with the peer's latest LLDPDU, when the time for it has come, and reports whether the
// DCBX TLVs have changed.
func (e *exchange) poll(now wire.Time) (localChange bool) {
	if !e.choice.Poll(now) {
		return false
	}
	e.run()
	if e.last != nil {
		e.receive(e.last, e.source, 1, now)
	}
	return e.changed()
}

// setMAC sets the source address of this end's frames, and reports whether the DCBX TLVs have changed.
func (e *exchange) setMAC(mac wire.MAC) (localChange bool) {
	e.ieee.SetMAC(mac, &e.ieeeOut)
	return e.changed()
}

// spoken returns the name of the dialect that this end speaks: ieee or cee.
func (e *exchange) spoken() string {
	if e.choice.CEE() {
		return dialect.CEE.String()
	}
	return dialect.IEEE.String()
}

// dialectText returns in words which dialect this end speaks and why, or "" before the peer has spoken.
func (e *exchange) dialectText() string {
	h := e.choice.Heard()
	switch {
	case !e.running():
		return ""
	case h.IEEE && h.CEE:
		return "the peer sends IEEE and CEE: " + e.spoken() + " is used"
	case e.choice.CEE() && h.CEE:
		return "this end and the peer speak cee"
	case !e.choice.CEE() && h.IEEE:
		return "this end and the peer speak ieee"
	case h.CEE:
		return "the peer speaks only CEE"
	case h.IEEE:
		return "the peer speaks only IEEE 802.1Qaz"
	case h.CIN:
		return "the peer speaks only CIN, the version before CEE"
	}
	return ""
}

// snapshot returns the state of DCBX on the port. A peer that speaks only another dialect appears as PeerIEEEOnly,
// PeerCEEOnly or PeerCINOnly.
func (e *exchange) snapshot() (s dcbx.Snapshot, qaz ieee.Snapshot) {
	s, qaz = e.port.Snapshot(), e.ieee.Snapshot()
	s.Enabled = e.on
	if qaz.Running {
		s.Running, s.Peer, s.Note = true, qaz.Peer, qaz.Fault
	}
	if s.Peer != dcbx.PeerUnknown && s.Peer != dcbx.PeerAbsent {
		return s, qaz
	}
	switch h := e.choice.Heard(); {
	case h.IEEE && !h.CEE && e.choice.CEE():
		s.Peer = dcbx.PeerIEEEOnly
	case h.CEE && !e.choice.CEE():
		s.Peer = dcbx.PeerCEEOnly
	case h.CIN && !h.CEE && !e.choice.CEE():
		s.Peer = dcbx.PeerCINOnly
	}
	return s, qaz
}

// dcbxTLVs returns the DCBX TLVs among a neighbour's TLVs, decoded.
func dcbxTLVs(all []lldp.Org) (list []agent.DCBXTLV) {
	for _, o := range all {
		if !isDCBX(o.OUI, o.Subtype) {
			continue
		}
		list = append(list, dcbxTLV(o))
	}
	return list
}

// dcbxTLV decodes a received DCBX TLV for people: its message, or the fault that makes it useless.
func dcbxTLV(o lldp.Org) agent.DCBXTLV {
	tlv := agent.DCBXTLV{Subtype: o.Subtype}
	if o.Subtype == dcbx.SubtypeCIN {
		cin, err := dcbx.DecodeCIN(o.Info)
		if err != nil {
			tlv.Fault = err.Error()
			return tlv
		}
		tlv.CIN = cin
		return tlv
	}
	message, err := dcbx.Decode(o.Info)
	switch {
	case len(o.Info) == 0:
		tlv.Fault = "the DCBX TLV is empty, and counts as absent"
		return tlv
	case err != nil:
		tlv.Fault = err.Error()
		return tlv
	}
	tlv.Message = message.Shown()
	return tlv
}
