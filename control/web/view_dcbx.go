package web

import (
	"fmt"

	"uelink/control/api"
	"uelink/lldp/dcbx"
)

// exchangeOf returns in words which dialect of DCBX a port speaks with whom, and its outcome; "" without DCBX.
func exchangeOf(l *look, port string) string {
	for _, d := range l.exchanges {
		switch {
		case d.Port != port || !d.Enabled:
		case !d.Running:
			return "DCBX does not run: " + string(d.Note)
		case d.Dialect == "ieee":
			return "DCBX in IEEE 802.1Qaz" + peerWords(d) + ": " + ieeeWords(d)
		default:
			return "DCBX in CEE" + peerWords(d) + ": " + ceeWords(d)
		}
	}
	return ""
}

// peerWords returns the state of a peer that takes no part.
func peerWords(d api.DCBX) string {
	switch d.Peer {
	case dcbx.PeerPresent:
		return ""
	case dcbx.PeerUnknown, dcbx.PeerAbsent:
		return ", no peer"
	case dcbx.PeerSeveral:
		return ", several neighbours"
	case dcbx.PeerMalformed, dcbx.PeerIEEEOnly, dcbx.PeerCEEOnly, dcbx.PeerCINOnly:
	}
	return ", peer " + string(d.Peer)
}

// ieeeWords returns in words what a port and its peer have agreed on by IEEE 802.1Qaz.
func ieeeWords(d api.DCBX) string {
	o := d.IEEE.Oper
	flow, classes := "not agreed", "own ETS"
	if o.PFCAgreed {
		flow = "agreed"
	}
	if o.ETSAdopted {
		classes = "ETS as the peer recommends"
	}
	return fmt.Sprintf("PFC %s %s, %s", dcbx.PFC{Enable: o.PFC}, flow, classes)
}

// ceeWords returns in words what a port and its peer have agreed on by CEE.
func ceeWords(d api.DCBX) string {
	flow, groups := "PFC off", "own priority groups"
	if d.PFC.Oper.OperMode {
		flow = fmt.Sprintf("PFC %s agreed", dcbx.PFC{Enable: d.PFC.Oper.OperCfg.Enable})
	}
	if d.PG.Oper.OperMode {
		groups = "priority groups agreed"
	}
	return flow + ", " + groups
}
