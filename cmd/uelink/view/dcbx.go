package view

import (
	"fmt"
	"io"
	"strings"

	"uelink/control/api"
	"uelink/internal/table"
	"uelink/lldp/dcbx"
)

// WriteDCBX prints the DCBX exchanges of ports, with as much detail as asked for.
func WriteDCBX(w io.Writer, exchanges []api.DCBX, detail Detail) {
	for i, d := range exchanges {
		if i > 0 {
			fmt.Fprintln(w)
		}
		writeExchange(w, d, detail)
	}
}

// writeExchange prints the DCBX exchange of a port: what both dialects share, then the features of the dialect in use.
func writeExchange(w io.Writer, d api.DCBX, detail Detail) {
	Heading(w, fmt.Sprintf("DCBX of port %s (%s)", d.Port, d.Interface))
	Dotted(w, "Running", yesNo(d.Running))
	Dotted(w, "Dialect", dialectWords(d))
	Dotted(w, "Peer", PeerWords(d.Peer))
	if d.Note != dcbx.ReasonNone {
		Dotted(w, "Note", string(d.Note))
	}
	if d.IEEE.Running {
		writeIEEE(w, d, detail)
		return
	}
	if detail == Summary {
		fmt.Fprintln(w)
		writeFeatureStates(w, d)
		return
	}
	Dotted(w, "Control state", d.Control.State)
	Dotted(w, "SeqNo, acknowledged by peer", fmt.Sprintf("%d, %d", d.Control.Local.SeqNo, d.Control.RcvdAckNo))
	Dotted(w, "Peer's SeqNo, acknowledged", fmt.Sprintf("%d, %d", d.Control.Peer.SeqNo, d.Control.Local.AckNo))
	Dotted(w, "Versions (operational, highest)", fmt.Sprintf("%d, %d", d.Control.Local.OperVersion,
		d.Control.Local.MaxVersion))
	if d.CIN != nil {
		Dotted(w, "Older protocol", "the peer speaks pre-CEE DCBX, which is shown only")
	}
	Dotted(w, "NIC by DCBNL", nicWords(d.DCBNL))
	fmt.Fprintln(w)
	writeFeatureStates(w, d)
	fmt.Fprintln(w)
	writeFeatureSettings(w, d)
	if detail == Full {
		fmt.Fprintln(w)
		WriteFields(w, d.Counters)
		writeSubTLVs(outline{w: w}, d.Unknown)
	}
}

func nicWords(d api.DCBNL) string {
	if d.Error != "" {
		return d.Status + ": " + d.Error
	}
	return d.Status
}

// PeerWords returns the state of the DCBX peer in words, with the remedy where it has one.
func PeerWords(p dcbx.PeerStatus) string {
	switch p {
	case dcbx.PeerSeveral:
		return "several neighbours: DCBX waits until only one is left"
	case dcbx.PeerMalformed:
		return "malformed: the peer sends a DCBX TLV that cannot be read"
	case dcbx.PeerIEEEOnly:
		return "IEEE only: the peer speaks only DCBX of 802.1Qaz: set dcbx.version to auto"
	case dcbx.PeerCEEOnly:
		return "CEE only: the peer speaks only DCBX of base specification 1.0: set dcbx.version to auto"
	case dcbx.PeerCINOnly:
		return "CIN only: the peer speaks only pre-CEE DCBX: set the peer to IEEE or CEE"
	default:
		return string(p)
	}
}

// writeFeatureStates prints the states of the DCBX feature machines: PG, PFC and Application.
func writeFeatureStates(w io.Writer, d api.DCBX) {
	t := table.Table{Titles: []string{"Feature", "State", "Oper", "Error", "Synced", ">SeqNo", "Versions", "Note"}}
	addState(&t, "PG", d.PG)
	addState(&t, "PFC", d.PFC)
	addState(&t, "Application", d.App)
	WriteTable(w, &t)
}

func addState[C any](t *table.Table, name string, f dcbx.FeatureView[C]) {
	note := string(f.Note)
	if f.Pending {
		note = strings.TrimPrefix(note+"; the new settings wait until the peer acknowledges an earlier change", "; ")
	}
	t.Add(name, f.State, onOff(f.Oper.OperMode), yesNo(f.Oper.Error), yesNo(f.Oper.Syncd), text(f.Oper.FeatureSeqNo),
		fmt.Sprintf("%d, %d", f.Oper.OperVersion, f.Oper.MaxVersion), note)
}

// writeFeatureSettings prints, for each DCBX feature, the configured settings, the settings in force and the
// peer's settings.
func writeFeatureSettings(w io.Writer, d api.DCBX) {
	t := table.Table{Keys: 2, Titles: []string{"Feature", "Values", "Enabled", "Willing", "Advertised", "Error",
		"Settings"}}
	addSettings(&t, "PG", d.PG)
	addSettings(&t, "PFC", d.PFC)
	addSettings(&t, "Application", d.App)
	WriteTable(w, &t)
}

// addSettings adds three rows for a feature: what this end asks for, what is in effect, what the peer asks for.
func addSettings[C fmt.Stringer](t *table.Table, name string, f dcbx.FeatureView[C]) {
	a := f.Admin
	t.Add(name, "admin", yesNo(a.Enable), yesNo(a.Willing), yesNo(a.Advertise), "", a.Config.String())
	t.Add("", "operational", yesNo(f.Oper.OperMode), "", "", yesNo(f.Oper.Error), f.Oper.OperCfg.String())
	if f.Peer.Present {
		t.Add("", "peer", yesNo(f.Peer.Enable), yesNo(f.Peer.Willing), "yes", yesNo(f.Peer.Error),
			f.Peer.Config.String())
	} else {
		t.Add("", "peer", "", "", "no", "", "-")
	}
}
