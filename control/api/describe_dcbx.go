package api

import (
	"fmt"
	"strings"

	"uelink/lldp/agent"
	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/ieee"
)

// Objects of DCBX, made of the agents' snapshots.

// NewDCBX returns the JSON object of the state of DCBX on a port.
func NewDCBX(d agent.DCBX) DCBX {
	s := d.Snapshot
	return DCBX{
		Port: d.Port, Interface: d.Interface, Running: s.Running, Enabled: s.Enabled, Peer: s.Peer, Note: s.Note,
		Version: d.Version, Dialect: d.Dialect, IEEE: newIEEE(d.IEEE),
		Control: s.Control,
		PG:      featureView(s.PG, newPG), PFC: featureView(s.PFC, newPFC), App: featureView(s.App, newApp),
		Unknown: s.Unknown, Counters: s.Counters, CIN: newCIN(d.CIN), DCBNL: d.DCBNL,
	}
}

// newIEEE returns the state of IEEE DCBX with empty lists in place of absent ones.
func newIEEE(s ieee.Snapshot) ieee.Snapshot {
	for _, list := range []*[]ieee.AppEntry{&s.Own.App, &s.Oper.App, &s.Remote.App} {
		*list = append([]ieee.AppEntry{}, *list...)
	}
	return s
}

// newDCBXTLV returns the JSON object of a DCBX TLV.
func newDCBXTLV(t agent.DCBXTLV) DCBXTLV {
	out := DCBXTLV{Subtype: t.Subtype, CIN: newCIN(t.CIN), Fault: t.Fault}
	if m := t.Message; m != nil {
		out.Message = &DCBXMessage{
			Control: m.Control, ControlDuplicate: m.ControlDuplicate, Unknown: m.Unknown,
			PG: featureTLV(m.PG, newPG), PFC: featureTLV(m.PFC, newPFC), App: featureTLV(m.App, newApp),
		}
	}
	return out
}

func newCIN(c *dcbx.CIN) *DCBXCIN {
	if c == nil {
		return nil
	}
	return &DCBXCIN{
		Control: c.Control, PG: featureTLV(c.PG, newCINPG), PFC: featureTLV(c.PFC, newCINPFC), Unknown: c.Unknown,
	}
}

// featureView returns the state of a DCBX feature with each of its settings converted by object.
func featureView[From, To any](f dcbx.FeatureView[From], object func(From) To) dcbx.FeatureView[To] {
	a, o := f.Admin, f.Oper
	return dcbx.FeatureView[To]{
		State: f.State, Pending: f.Pending, Note: f.Note, Peer: featureTLV(f.Peer, object),
		Admin: dcbx.Params[To]{Enable: a.Enable, Willing: a.Willing, Advertise: a.Advertise, Config: object(a.Config)},
		Oper: dcbx.FeatureOper[To]{
			OperMode: o.OperMode, OperCfg: object(o.OperCfg), Applied: o.Applied, Error: o.Error, Syncd: o.Syncd,
			FeatureSeqNo: o.FeatureSeqNo, OperVersion: o.OperVersion, MaxVersion: o.MaxVersion,
		},
	}
}

// featureTLV returns a DCBX feature's sub-TLV with its settings converted by object.
func featureTLV[From, To any](t dcbx.FeatureTLV[From], object func(From) To) dcbx.FeatureTLV[To] {
	return dcbx.FeatureTLV[To]{Present: t.Present, Duplicate: t.Duplicate, Header: t.Header, Config: object(t.Config)}
}

// newPG returns the JSON object of Priority Group settings; its text is "groups of priorities 0 to 7: 0 0 0 3 0 0
// 0 strict; bandwidth 0: 50%, 3: 50%; 8 TCs".
func newPG(c dcbx.PG) DCBXPG {
	var groups, shares []string
	strict := Numbers{}
	for priority, g := range c.Group {
		if g == dcbx.PGStrict {
			groups, strict = append(groups, "strict"), append(strict, priority)
		} else {
			groups = append(groups, fmt.Sprint(g))
		}
	}
	for g, percent := range c.Percentage {
		if percent > 0 {
			shares = append(shares, fmt.Sprintf("%d: %d%%", g, percent))
		}
	}
	text := fmt.Sprintf("groups of priorities 0 to 7: %s; bandwidth %s; %d TCs",
		strings.Join(groups, " "), orNone(shares), c.NumTCs)
	return DCBXPG{PG: c, StrictPriorities: strict, Text: text}
}

func newPFC(c dcbx.PFC) DCBXPFC {
	list := numbers(uint32(c.Enable))
	return DCBXPFC{PFC: c, PriorityList: list, Text: fmt.Sprintf("priorities %s; %d TCs", list, c.NumTCs)}
}

// newApp returns the JSON object of an Application table, and the table in words.
func newApp(c dcbx.App) DCBXApp {
	app, texts := DCBXApp{Entries: []DCBXAppEntry{}}, []string{}
	for _, e := range c.Entries {
		text := fmt.Sprintf("selector %d protocol %d", e.Selector, e.Protocol)
		switch e.Selector {
		case dcbx.SelectorEtherType:
			text = fmt.Sprintf("EtherType %04X", e.Protocol)
		case dcbx.SelectorPort:
			text = fmt.Sprintf("port %d", e.Protocol)
		}
		list := numbers(uint32(e.Priorities))
		text += " at priority " + list.String()
		app.Entries, texts = append(app.Entries, DCBXAppEntry{e, list, text}), append(texts, text)
	}
	app.Text = orNone(texts)
	return app
}

func newCINPG(c dcbx.CINPG) DCBXCINPG {
	const format = "bandwidth groups of priorities 0 to 7: %v; bandwidth of groups 0 to 7 in %%: %v"
	return DCBXCINPG{CINPG: c, Text: fmt.Sprintf(format, c.Group, c.GroupPercentage)}
}

func newCINPFC(c dcbx.CINPFC) DCBXCINPFC {
	list := numbers(uint32(c.Enable))
	return DCBXCINPFC{CINPFC: c, PriorityList: list, Text: "priorities " + list.String()}
}
