package agent

import (
	"uelink/lldp"
	"uelink/lldp/dcbx"
	"uelink/lldp/dot"
)

// dcbxOUI is dcbx.OUI as LLDP has it.
var dcbxOUI = lldp.OUI{dcbx.OUI >> 16, dcbx.OUI >> 8 & 0xFF, dcbx.OUI & 0xFF}

// exchange is DCBX on a port, an lldp.Provider of its nearest bridge agent. It is
// there also while DCBX is off, so that DCBX can be switched while the port goes
// on.
type exchange struct {
	port *dcbx.Port
	on   bool
	cin  *dcbx.CIN   // what the only neighbour says in the older protocol, if it does
	ieee bool        // the only neighbour speaks DCBX of IEEE 802.1Qaz and not this one
	out  dcbx.Output // what is still to be done

	payloads [][]byte // scratch of hear
	buf      []byte   // scratch of AppendTLVs
}

// newExchange makes DCBX with those parameters, nil for off.
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

// set replaces the parameters, nil for off. If it returns true, an LLDPDU is to be
// sent.
func (e *exchange) set(local *dcbx.Local) (localChange bool) {
	e.on = local != nil
	if err := e.port.SetLocal(orDefault(local), &e.out); err != nil {
		panic("agent: parameters that Port.complete let pass: " + err.Error())
	}
	e.port.SetEnabled(e.on, &e.out)
	return e.changed()
}

// changed tells whether the TLV has changed since the last call.
func (e *exchange) changed() bool {
	changed := e.out.Changed
	e.out.Changed = false
	return changed
}

// Recognizes is for the LLDP agent.
func (e *exchange) Recognizes(oui lldp.OUI, subtype uint8) bool {
	return e.on && oui == dcbxOUI && (subtype == dcbx.Subtype || subtype == dcbx.SubtypeCIN)
}

// PortChanged is for the LLDP agent.
func (e *exchange) PortChanged(s lldp.PortStatus, _ int64) bool {
	e.port.SetLLDP(s.Admin.Rx(), s.Admin.Tx(), &e.out)
	e.port.SetLink(s.Enabled, &e.out)
	return e.changed()
}

// AppendTLVs is for the LLDP agent.
func (e *exchange) AppendTLVs(list []lldp.Org) []lldp.Org {
	payload, there := e.port.AppendTLV(e.buf[:0])
	e.buf = payload
	if there {
		list = append(list, lldp.Org{OUI: dcbxOUI, Subtype: dcbx.Subtype, Info: payload})
	}
	return list
}

// NeighborSeen is for the LLDP agent.
func (e *exchange) NeighborSeen(s lldp.Sighting, _ int64) bool {
	count := len(s.Neighbors)
	if s.TooMany {
		count++
	}
	e.cin, e.ieee = nil, false
	switch s.Gone {
	case lldp.NotGone:
		e.hear(s.Subject, count)
	case lldp.Initialized: // DCBX has begun anew as well
	default:
		e.port.Gone(s.Gone == lldp.Aged, count, &e.out)
		if count == 1 {
			e.hear(s.Neighbors[0], count)
		}
	}
	return e.changed()
}

// hear takes the latest LLDPDU of one of so many neighbours.
func (e *exchange) hear(n *lldp.Info, neighbors int) {
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
			e.cin, _ = dcbx.DecodeCIN(o.Info) // nil if it cannot be read
		}
	}
	e.ieee = ieee && neighbors == 1 && len(e.payloads) == 0
	e.port.Receive(neighbors, e.payloads, &e.out)
}

// snapshot is that of the port, with what it does not see of the peer.
func (e *exchange) snapshot() dcbx.Snapshot {
	s := e.port.Snapshot()
	if e.ieee && (s.Peer == dcbx.PeerUnknown || s.Peer == dcbx.PeerAbsent) {
		s.Peer = dcbx.PeerIEEEOnly
	}
	return s
}

// dcbxTLVs is the DCBX TLVs among those of a neighbour.
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
