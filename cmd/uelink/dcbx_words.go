package main

import (
	"encoding/hex"
	"fmt"
	"strings"

	"uelink/control"
	"uelink/lldp/dcbx"
)

// pgWords is the group of each of the eight priorities and the groups' shares.
func pgWords(c dcbx.PG) string {
	var groups, shares []string
	for _, g := range c.Group {
		if g == dcbx.PGStrict {
			groups = append(groups, "strict")
		} else {
			groups = append(groups, fmt.Sprint(g))
		}
	}
	for g, percent := range c.Percentage {
		if percent > 0 {
			shares = append(shares, fmt.Sprintf("%d: %d%%", g, percent))
		}
	}
	return fmt.Sprintf("groups of priorities 0 to 7: %s; bandwidth %s; %d TCs", strings.Join(groups, " "), orNone(shares), c.NumTCs)
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

func pfcWords(c dcbx.PFC) string {
	return fmt.Sprintf("priorities %s; %d TCs", c, c.NumTCs)
}

func appWords(c dcbx.App) string {
	var list []string
	for _, e := range c.Entries {
		what := fmt.Sprintf("selector %d protocol %d", e.Selector, e.Protocol)
		switch e.Selector {
		case dcbx.SelectorEtherType:
			what = fmt.Sprintf("EtherType %04X", e.Protocol)
		case dcbx.SelectorPort:
			what = fmt.Sprintf("port %d", e.Protocol)
		}
		list = append(list, what+" at priority "+bits(uint32(e.Priorities)))
	}
	return orNone(list)
}

// writeDCBXTLVs is the DCBX TLVs of a neighbour in words.
func writeDCBXTLVs(o outline, tlvs []control.DCBXTLV) {
	for _, tlv := range tlvs {
		title := "DCBX TLV"
		if tlv.Subtype == dcbx.SubtypeCIN {
			title = "DCBX TLV of before CEE"
		}
		in := o.under(title)
		switch {
		case tlv.Message != nil:
			writeMessage(in, tlv.Message)
		case tlv.CIN != nil:
			writeCIN(in, tlv.CIN)
		default:
			in.line("Of no use", tlv.Fault)
		}
	}
}

func writeMessage(o outline, m *dcbx.Message) {
	control := controlWords(m.Control)
	if m.ControlDuplicate {
		control += ", there more than once"
	}
	o.line("Control", control)
	writeFeatureTLV(o, "PG", m.PG, pgWords)
	writeFeatureTLV(o, "PFC", m.PFC, pfcWords)
	writeFeatureTLV(o, "Application", m.App, appWords)
	writeSubTLVs(o, m.Unknown)
}

func controlWords(c dcbx.Control) string {
	return fmt.Sprintf("SeqNo %d, AckNo %d, version %d, highest %d", c.SeqNo, c.AckNo, c.OperVersion, c.MaxVersion)
}

func writeFeatureTLV[C any](o outline, name string, f dcbx.FeatureTLV[C], words func(C) string) {
	if !f.Present {
		return
	}
	flags := enabled(f.Enable)
	if f.Willing {
		flags += ", willing"
	}
	if f.Error {
		flags += ", error"
	}
	if f.Duplicate {
		flags += ", there more than once"
	}
	o.line(name, flags+"; "+words(f.Config))
}

func writeCIN(o outline, c *dcbx.CIN) {
	o.line("Control", controlWords(c.Control))
	writeFeatureTLV(o, "PG", c.PG, func(pg dcbx.CINPG) string {
		return fmt.Sprintf("bandwidth groups of priorities 0 to 7: %v; their bandwidth in %%: %v", pg.Group, pg.GroupPercentage)
	})
	writeFeatureTLV(o, "PFC", c.PFC, func(pfc dcbx.CINPFC) string { return "priorities " + bits(uint32(pfc.Enable)) })
	writeSubTLVs(o, c.Unknown)
}

// writeSubTLVs lists the sub-TLVs that nobody here knows.
func writeSubTLVs(o outline, list []dcbx.Raw) {
	for _, raw := range list {
		o.line("Unknown", fmt.Sprintf("sub-TLV type %d, %s", raw.Type, lenAndOctets(hex.EncodeToString(raw.Body))))
	}
}
