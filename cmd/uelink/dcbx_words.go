package main

import (
	"encoding/hex"
	"fmt"

	"uelink/control"
	"uelink/lldp/dcbx"
)

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

func writeMessage(o outline, m *control.DCBXMessage) {
	control := controlWords(m.Control)
	if m.ControlDuplicate {
		control += ", there more than once"
	}
	o.line("Control", control)
	writeFeatureTLV(o, "PG", m.PG)
	writeFeatureTLV(o, "PFC", m.PFC)
	writeFeatureTLV(o, "Application", m.App)
	writeSubTLVs(o, m.Unknown)
}

func controlWords(c dcbx.Control) string {
	return fmt.Sprintf("SeqNo %d, AckNo %d, version %d, highest %d", c.SeqNo, c.AckNo, c.OperVersion, c.MaxVersion)
}

func writeFeatureTLV[C fmt.Stringer](o outline, name string, f dcbx.FeatureTLV[C]) {
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
	o.line(name, flags+"; "+f.Config.String())
}

func writeCIN(o outline, c *control.DCBXCIN) {
	o.line("Control", controlWords(c.Control))
	writeFeatureTLV(o, "PG", c.PG)
	writeFeatureTLV(o, "PFC", c.PFC)
	writeSubTLVs(o, c.Unknown)
}

// writeSubTLVs lists the sub-TLVs that nobody here knows.
func writeSubTLVs(o outline, list []dcbx.Raw) {
	for _, raw := range list {
		o.line("Unknown", fmt.Sprintf("sub-TLV type %d, %s", raw.Type, lenAndOctets(hex.EncodeToString(raw.Body))))
	}
}
