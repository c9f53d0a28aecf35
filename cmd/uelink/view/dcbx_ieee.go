package view

import (
	"fmt"
	"io"
	"strings"

	"uelink/control/api"
	"uelink/internal/table"
	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/ieee"
)

// dialectWords returns the dialect that is spoken and the configured one.
func dialectWords(d api.DCBX) string {
	name := "CEE (base specification 1.0)"
	if d.Dialect == "ieee" {
		name = "IEEE 802.1Qaz"
	}
	return name + ", by dcbx.version " + d.Version
}

// writeIEEE prints the exchange of a port in the dialect of IEEE 802.1Qaz, after its heading.
func writeIEEE(w io.Writer, d api.DCBX, detail Detail) {
	q := d.IEEE
	if detail != Summary {
		Dotted(w, "NIC by DCBNL", nicWords(d.DCBNL))
	}
	fmt.Fprintln(w)
	t := table.Table{Titles: []string{"Feature", "In use", "Note"}}
	t.Add("ETS", adoptedWords(q.Oper.ETSAdopted), string(q.Oper.ETSNote))
	t.Add("PFC", agreedWords(q.Oper), string(q.Oper.PFCNote))
	WriteTable(w, &t)
	if detail == Summary {
		return
	}
	fmt.Fprintln(w)
	writeIEEESettings(w, q)
	if detail == Full {
		fmt.Fprintln(w)
		WriteFields(w, q.Counters)
	}
}

func adoptedWords(adopted bool) string {
	if adopted {
		return "the peer's recommendation"
	}
	return "own settings"
}

func agreedWords(o ieee.Oper) string {
	priorities := dcbx.PFC{Enable: o.PFC}.String()
	if o.PFCAgreed {
		return "agreed: priorities " + priorities
	}
	return "not agreed with the peer; in force here: priorities " + priorities
}

// writeIEEESettings prints, for each feature, the configured settings, those in force and the peer's.
func writeIEEESettings(w io.Writer, q ieee.Snapshot) {
	t := table.Table{Keys: 2, Titles: []string{"Feature", "Values", "Willing", "Settings"}}
	t.Add("ETS", "admin", yesNo(q.Own.ETS.Willing), etsWords(q.Own.ETS.ETS)+fmt.Sprintf("; %d TCs", q.Own.ETS.MaxTCs))
	t.Add("", "recommended", "", etsWords(q.Own.Recommendation))
	t.Add("", "operational", "", etsWords(q.Oper.ETS))
	if c := q.Remote.Configuration; c != nil {
		t.Add("", "peer", yesNo(c.Willing), etsWords(c.ETS)+fmt.Sprintf("; %d TCs", c.MaxTCs))
	} else {
		t.Add("", "peer", "", "-")
	}
	if r := q.Remote.Recommendation; r != nil {
		t.Add("", "peer recommends", "", etsWords(*r))
	} else {
		t.Add("", "peer recommends", "", "-")
	}
	t.Add("PFC", "admin", yesNo(q.Own.PFC.Willing), flowWords(q.Own.PFC))
	t.Add("", "operational", "", "priorities "+dcbx.PFC{Enable: q.Oper.PFC}.String())
	if c := q.Remote.PFC; c != nil {
		t.Add("", "peer", yesNo(c.Willing), flowWords(*c))
	} else {
		t.Add("", "peer", "", "-")
	}
	t.Add("Application", "admin", "", entryWords(q.Own.App))
	t.Add("", "operational", "", entryWords(q.Oper.App))
	t.Add("", "peer", "", entryWords(q.Remote.App))
	WriteTable(w, &t)
}

func flowWords(c ieee.PFC) string {
	text := fmt.Sprintf("priorities %s; %d TCs", dcbx.PFC{Enable: c.Enable}, c.Cap)
	if c.MBC {
		text += "; MBC"
	}
	return text
}

// etsWords returns the tables of ETS in words: "classes of priorities 0 to 7: 0 0 0 1 0 0 0 2; class 0: 50%, 1: 50%,
// others strict".
func etsWords(e ieee.ETS) string {
	var classes, shares []string
	for _, class := range e.Class {
		classes = append(classes, fmt.Sprint(class))
	}
	for class, share := range e.Bandwidth {
		switch e.Algorithm[class] {
		case ieee.Enhanced:
			shares = append(shares, fmt.Sprintf("%d: %d%%", class, share))
		case ieee.CreditShaper:
			shares = append(shares, fmt.Sprintf("%d: cbs", class))
		case ieee.Vendor:
			shares = append(shares, fmt.Sprintf("%d: vendor", class))
		case ieee.Strict:
		default:
			shares = append(shares, fmt.Sprintf("%d: algorithm %d", class, e.Algorithm[class]))
		}
	}
	return fmt.Sprintf("classes of priorities 0 to 7: %s; bandwidth %s", strings.Join(classes, " "),
		strings.Join(append(shares, "others strict"), ", "))
}

// entryWords returns the entries of an Application Priority table in words.
func entryWords(entries []ieee.AppEntry) string {
	var list []string
	for _, e := range entries {
		protocol := fmt.Sprintf("selector %d protocol %d", e.Selector, e.Protocol)
		switch {
		case e.Selector == ieee.SelectorEtherType && e.Protocol == ieee.DefaultProtocol:
			protocol = "all others"
		case e.Selector == ieee.SelectorEtherType:
			protocol = fmt.Sprintf("EtherType %04X", e.Protocol)
		case e.Selector == ieee.SelectorTCP:
			protocol = fmt.Sprintf("TCP port %d", e.Protocol)
		case e.Selector == ieee.SelectorUDP:
			protocol = fmt.Sprintf("UDP port %d", e.Protocol)
		case e.Selector == ieee.SelectorPort:
			protocol = fmt.Sprintf("port %d", e.Protocol)
		case e.Selector == ieee.SelectorDSCP:
			protocol = fmt.Sprintf("DSCP %d", e.Protocol)
		}
		list = append(list, fmt.Sprintf("%s at priority %d", protocol, e.Priority))
	}
	if list == nil {
		return "none"
	}
	return strings.Join(list, ", ")
}
