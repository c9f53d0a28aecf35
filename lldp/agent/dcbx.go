package agent

import (
	"uelink/lldp"
	"uelink/lldp/dcbx"
	"uelink/lldp/dot"
	"uelink/wire"
)

// dcbxOUI is dcbx.OUI as an lldp.OUI.
var dcbxOUI = lldp.OUI{dcbx.OUI >> 16, dcbx.OUI >> 8 & 0xFF, dcbx.OUI & 0xFF}

// exchange runs DCBX on a port, as an lldp.Provider of the nearest bridge agent. A port without
// DCBX has an exchange too, so that DCBX can be switched on while the port runs.
type exchange struct {
	port *dcbx.Port
	on   bool
	cin  *dcbx.CIN   // the only neighbour's TLV of the older protocol (CIN), or nil
	ieee bool        // the only neighbour sends IEEE 802.1Qaz DCBX TLVs and none of this protocol
	out  dcbx.Output // pending notifications and changes

	payloads [][]byte // scratch of receive
	buf      []byte   // scratch of AppendTLVs
}

// newExchange returns the state of DCBX on a port with the given parameters; nil switches DCBX off.
func newExchange(local *dcbx.Local) *exchange {
	e := &exchange{}
	var err error
	if e.port, err = dcbx.NewPort(orDefault(local), &e.out); err != nil {
		panic("agent: parameters that Port.complete let pass: " + err.Error())
	}
	e.set(local)
	return e
}

func orDefault(local *dcbx.Local) dcbx.Local {
	if local == nil {
		return dcbx.Default()
	}
	return *local
}

// set replaces the DCBX parameters of the port; nil switches DCBX off. It reports whether the DCBX TLV has
// changed, so that an LLDPDU must be sent.
func (e *exchange) set(local *dcbx.Local) (localChange bool) {
	e.on = local != nil
	if err := e.port.SetLocal(orDefault(local), &e.out); err != nil {
		panic("agent: parameters that Port.complete let pass: " + err.Error())
	}
	e.port.SetEnabled(e.on, &e.out)
	return e.changed()
}

// changed reports whether this end's DCBX TLV has changed since the last call.
func (e *exchange) changed() bool {
	changed := e.out.Changed
	e.out.Changed = false
	return changed
}

// Recognizes reports whether a TLV is a DCBX TLV and DCBX is on; it implements lldp.Provider.
func (e *exchange) Recognizes(oui lldp.OUI, subtype uint8) bool {
	return e.on && oui == dcbxOUI && (subtype == dcbx.Subtype || subtype == dcbx.SubtypeCIN)
}

// PortChanged handles a change of the port's link or LLDP mode for DCBX, and reports whether the DCBX TLV has
// changed; it implements lldp.Provider.
func (e *exchange) PortChanged(s lldp.PortStatus, _ wire.Time) bool {
	e.port.SetLLDP(s.Admin.Rx(), s.Admin.Tx(), &e.out)
	e.port.SetLink(s.Enabled, &e.out)
	return e.changed()
}

// AppendTLVs appends this end's DCBX TLV, if DCBX runs; it implements lldp.Provider.
func (e *exchange) AppendTLVs(list []lldp.Org) []lldp.Org {
	payload, there := e.port.AppendTLV(e.buf[:0])
	e.buf = payload
	if there {
		list = append(list, lldp.Org{OUI: dcbxOUI, Subtype: dcbx.Subtype, Info: payload})
	}
	return list
}

// NeighborSeen handles an LLDPDU or the loss of a neighbour for DCBX, and reports whether the DCBX TLV has
// changed; it implements lldp.Provider.
func (e *exchange) NeighborSeen(s lldp.Sighting, _ wire.Time) bool {
	count := len(s.Neighbors)
	if s.TooMany {
		count++
	}
	e.cin, e.ieee = nil, false
	switch s.Gone {
	case lldp.NotGone:
		e.receive(s.Subject, count)
	case lldp.Initialized: // PortChanged restarts DCBX too
	default:
		e.port.Gone(s.Gone == lldp.Aged, count, &e.out)
		if count == 1 {
			e.receive(s.Neighbors[0], count)
		}
	}
	return e.changed()
}

// receive passes the DCBX TLVs of a neighbour's LLDPDU to DCBX, with the number of neighbours.
func (e *exchange) receive(n *lldp.Info, neighbors int) {
	e.payloads = e.payloads[:0]
	ieee := false
	for _, o := range n.Org {
		switch {
		case dot.IsDCBX(o.OUI, o.Subtype):
			ieee = true
		case o.OUI != dcbxOUI:
		case o.Subtype == dcbx.Subtype:
			e.payloads = append(e.payloads, o.Info)
		case o.Subtype == dcbx.SubtypeCIN && neighbors == 1 && e.on:
			e.cin, _ = dcbx.DecodeCIN(o.Info) // nil if invalid
		}
	}
	e.ieee = ieee && neighbors == 1 && len(e.payloads) == 0
	e.port.Receive(neighbors, e.payloads, &e.out)
}

// snapshot returns the state of DCBX on the port. A peer that speaks only IEEE 802.1Qaz DCBX appears as
// PeerIEEEOnly.
func (e *exchange) snapshot() dcbx.Snapshot {
	s := e.port.Snapshot()
	if e.ieee && (s.Peer == dcbx.PeerUnknown || s.Peer == dcbx.PeerAbsent) {
		s.Peer = dcbx.PeerIEEEOnly
	}
	return s
}

// dcbxTLVs returns the DCBX TLVs among a neighbour's TLVs, decoded.
func dcbxTLVs(all []lldp.Org) (list []DCBXTLV) {
	for _, o := range all {
		if o.OUI != dcbxOUI || o.Subtype != dcbx.Subtype && o.Subtype != dcbx.SubtypeCIN {
			continue
		}
		list = append(list, dcbxTLV(o))
	}
	return list
}

func dcbxTLV(o lldp.Org) DCBXTLV {
	tlv := DCBXTLV{Subtype: o.Subtype}
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
		tlv.Fault = "empty: it counts as no DCBX TLV"
		return tlv
	case err != nil:
		tlv.Fault = err.Error()
		return tlv
	}
	tlv.Message = message.Shown()
	return tlv
}
