package view

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"uelink/control/api"
	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/ieee"
)

// writeDCBXTLVs prints the DCBX TLVs of a neighbour in words.
func writeDCBXTLVs(o outline, tlvs []api.DCBXTLV) {
	for _, tlv := range tlvs {
		title := "DCBX TLV"
		if tlv.Subtype == dcbx.SubtypeCIN {
			title = "pre-CEE DCBX TLV"
		}
		in := o.under(title)
		switch {
		case tlv.Message != nil:
			writeMessage(in, tlv.Message)
		case tlv.CIN != nil:
			writeCIN(in, tlv.CIN)
		default:
			in.line("Unusable", tlv.Fault)
		}
	}
}

// dcbxWords returns the DCBX TLVs of a neighbour in one line; "" for none.
func dcbxWords(n api.LLDPNeighbor) string {
	var all []string
	for _, tlv := range n.DCBX {
		switch {
		case tlv.Message != nil:
			all = append(all, featuresWords(tlv.Message))
		case tlv.CIN != nil:
			all = append(all, "pre-CEE")
		case strings.HasPrefix(tlv.Fault, "empty"):
			all = append(all, tlv.Fault)
		default:
			all = append(all, "malformed: "+strings.TrimPrefix(tlv.Fault, "decode DCBX TLV: "))
		}
	}
	isIEEE := func(t api.LLDPOrgTLV) bool { return t.OUI == ieeeOUI && ieee.HasSubtype(t.Subtype) }
	if slices.ContainsFunc(n.OrgTLVs, isIEEE) {
		all = append(all, "IEEE (802.1Qaz)")
	}
	return strings.Join(all, "; ")
}

// OUIs of DCBX, and of IEEE 802.1.
const (
	dcbxOUI = "00:1b:21"
	ieeeOUI = "00:80:c2"
)

// featuresWords returns the names and flags of the features in a DCBX TLV in one line; "no feature" for none.
func featuresWords(m *api.DCBXMessage) string {
	var list []string
	add := func(name string, present bool, h dcbx.Header) {
		if !present {
			return
		}
		list = append(list, name+" "+headerWords(h))
	}
	add("PG", m.PG.Present, m.PG.Header)
	add("PFC", m.PFC.Present, m.PFC.Header)
	add("Application", m.App.Present, m.App.Header)
	if list == nil {
		return "no feature"
	}
	return strings.Join(list, "; ")
}

// headerWords returns the flags of a DCBX feature in words, as "enabled, willing".
func headerWords(h dcbx.Header) string {
	flags := enabled(h.Enable)
	if h.Willing {
		flags += ", willing"
	}
	if h.Error {
		flags += ", error"
	}
	return flags
}

// writeMessage prints a DCBX TLV of CEE or CIN: its control, and each feature in it.
func writeMessage(o outline, m *api.DCBXMessage) {
	control := controlWords(m.Control)
	if m.ControlDuplicate {
		control += ", present more than once"
	}
	o.line("Control", control)
	writeFeatureTLV(o, "PG", m.PG)
	writeFeatureTLV(o, "PFC", m.PFC)
	writeFeatureTLV(o, "Application", m.App)
	writeSubTLVs(o, m.Unknown)
}

func controlWords(c dcbx.Control) string {
	return fmt.Sprintf("SeqNo %d, AckNo %d, version %d, highest version %d", c.SeqNo, c.AckNo, c.OperVersion, c.MaxVersion)
}

// writeFeatureTLV prints a feature of a DCBX TLV; nothing if the TLV lacks it.
func writeFeatureTLV[C fmt.Stringer](o outline, name string, f dcbx.FeatureTLV[C]) {
	if !f.Present {
		return
	}
	flags := headerWords(f.Header)
	if f.Duplicate {
		flags += ", present more than once"
	}
	o.line(name, flags+"; "+f.Config.String())
}

func writeCIN(o outline, c *api.DCBXCIN) {
	o.line("Control", controlWords(c.Control))
	writeFeatureTLV(o, "PG", c.PG)
	writeFeatureTLV(o, "PFC", c.PFC)
	writeSubTLVs(o, c.Unknown)
}

// writeSubTLVs prints the type and the octets of unknown DCBX sub-TLVs.
func writeSubTLVs(o outline, list []dcbx.Raw) {
	for _, raw := range list {
		o.line("Unknown", fmt.Sprintf("sub-TLV type %d, %s", raw.Type, lenAndOctets(hex.EncodeToString(raw.Body))))
	}
}
