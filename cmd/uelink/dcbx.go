package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/control/api"
	"uelink/internal/table"
	"uelink/lldp/dcbx"
)

func dcbxCommand(t *tool) *cobra.Command {
	show := lldpView[api.DCBX]{
		use: "show", short: "Show settings, state and peer of DCBX",
		get: (*client.Client).DCBX, write: writeDCBX, whyNone: whyNoDCBX,
	}.command(t)
	show.ValidArgsFunction = t.completeDCBX
	return group("dcbx", "Data center bridging exchange", show)
}

// completeDCBX returns the names of ports with DCBX for shell completion.
func (t *tool) completeDCBX(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	c := t.client()
	defer c.Close()
	exchanges, _ := c.DCBX(cmd.Context(), "")
	for _, one := range exchanges {
		names = append(names, one.Port)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func writeDCBX(w io.Writer, exchanges []api.DCBX, much detail) {
	for i, d := range exchanges {
		if i > 0 {
			fmt.Fprintln(w)
		}
		writeExchange(w, d, much)
	}
}

func writeExchange(w io.Writer, d api.DCBX, much detail) {
	heading(w, fmt.Sprintf("DCBX of port %s (%s)", d.Port, d.Interface))
	dotted(w, "Running", yesNo(d.Running))
	dotted(w, "Peer", peerWords(d.Peer))
	if d.Note != dcbx.ReasonNone {
		dotted(w, "Note", string(d.Note))
	}
	if much == summary {
		fmt.Fprintln(w)
		writeFeatureStates(w, d)
		return
	}
	dotted(w, "Control state", d.Control.State)
	dotted(w, "SeqNo, acknowledged by peer", fmt.Sprintf("%d, %d", d.Control.Local.SeqNo, d.Control.RcvdAckNo))
	dotted(w, "Peer's SeqNo, acknowledged", fmt.Sprintf("%d, %d", d.Control.Peer.SeqNo, d.Control.Local.AckNo))
	dotted(w, "Versions (operational, highest)", fmt.Sprintf("%d, %d", d.Control.Local.OperVersion,
		d.Control.Local.MaxVersion))
	if d.CIN != nil {
		dotted(w, "Older protocol", "the peer speaks pre-CEE DCBX, which is shown only")
	}
	dotted(w, "NIC by DCBNL", nicWords(d.DCBNL))
	fmt.Fprintln(w)
	writeFeatureStates(w, d)
	fmt.Fprintln(w)
	writeFeatureSettings(w, d)
	if much == full {
		fmt.Fprintln(w)
		writeFields(w, d.Counters)
		writeSubTLVs(outline{w: w}, d.Unknown)
	}
}

func nicWords(d api.DCBNL) string {
	if d.Error != "" {
		return d.Status + ": " + d.Error
	}
	return d.Status
}

func peerWords(p dcbx.PeerStatus) string {
	switch p {
	case dcbx.PeerSeveral:
		return "several neighbours: DCBX waits until there is one"
	case dcbx.PeerMalformed:
		return "malformed: it sends a DCBX TLV that cannot be read"
	case dcbx.PeerIEEEOnly:
		return "IEEE only: it speaks DCBX of 802.1Qaz, which uelink does not: set it to CEE"
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
	writeTable(w, &t)
}

func addState[C any](t *table.Table, name string, f dcbx.FeatureView[C]) {
	note := string(f.Note)
	if f.Pending {
		note = strings.TrimPrefix(note+"; a change waits for an acknowledgement", "; ")
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
	writeTable(w, &t)
}

func addSettings[C fmt.Stringer](t *table.Table, name string, f dcbx.FeatureView[C]) {
	a := f.Admin
	t.Add(name, "admin", yesNo(a.Enable), yesNo(a.Willing), yesNo(a.Advertise), "", a.Config.String())
	t.Add("", "operational", yesNo(f.Oper.OperMode), "", "", yesNo(f.Oper.Error), f.Oper.OperCfg.String())
	if f.Peer.Present {
		t.Add("", "peer", yesNo(f.Peer.Enable), yesNo(f.Peer.Willing), "yes", yesNo(f.Peer.Error), f.Peer.Config.String())
	} else {
		t.Add("", "peer", "", "", "no", "", "-")
	}
}
