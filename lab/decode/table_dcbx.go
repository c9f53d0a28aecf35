package decode

import (
	"fmt"

	"uelink/wire/layout"
)

// dcbxPrefix is the prefix of Wireshark's names for the fields of DCBX. The formats begin after type and length of a
// sub-TLV.
const dcbxPrefix = "lldp.dcbx"

// Types of the sub-TLVs of DCBX: control, and the features priority groups, PFC and applications.
const (
	dcbxControlType = 1
	dcbxPGType      = 2
	dcbxPFCType     = 3
	dcbxAppType     = 4
)

// subTLV returns the format of a sub-TLV behind type and length, with its length in octets.
func subTLV(name, title, source string, length int, fields ...layout.Field) layout.Format {
	return layout.Format{Name: "dcbx_" + name, Prefix: dcbxPrefix, Title: title, Len: length, Source: source,
		Fields: fields}
}

// dcbxVersions returns the two fields with which every sub-TLV of DCBX begins.
func dcbxVersions() []layout.Field {
	return []layout.Field{
		field("version", 8, "0", "version in operation"),
		field("max_version", 8, "1", "highest version"),
	}
}

var (
	dcbxControl = subTLV("control", "DCBX control", "DCBX figure 7", 10, append(dcbxVersions(),
		field("control.seq", 32, "2-5", "SeqNo"),
		field("control.ack", 32, "6-9", "AckNo"))...)
	dcbxFeature = subTLV("feature", "DCBX feature", "DCBX figure 9", 4, append(dcbxVersions(),
		field("feature.enabled", 1, "2[7]", "the feature is enabled"),
		field("feature.willing", 1, "2[6]", "willing to use the settings of the peer"),
		field("feature.error", 1, "2[5]", "the DCBX settings of the two ends are incompatible"),
		reserved(5, "2[4:0]"),
		field("feature.subtype", 8, "3", "0"))...)
	dcbxPG  = subTLV("pg", "DCBX priority groups", "DCBX figure 12", 13, pgFields()...)
	dcbxPFC = subTLV("pfc", "DCBX priority-based flow control", "DCBX figure 13", 2, pfcFields()...)
	dcbxApp = applications()
)

// dcbxFormats are the formats of DCBX.
var dcbxFormats = []*layout.Format{&dcbxControl, &dcbxFeature, &dcbxPG, &dcbxPFC, &dcbxApp}

// applications returns the format of one application entry of DCBX. One field is not in Wireshark, which shows a
// single priority of the bitmap.
func applications() layout.Format {
	f := subTLV("app", "DCBX application", "DCBX 1.01", 6,
		field("lldp.dcbx.feature.app.proto", 16, "0-1", "EtherType or port"),
		field("lldp.dcbx.feature.app.oui_high", 6, "2[7:2]", "OUI, bits 23 to 18"),
		field("lldp.dcbx.feature.app.sf", 2, "2[1:0]", "selector: EtherType or port"),
		field("lldp.dcbx.feature.app.oui_low", 16, "3-4", "OUI, bits 15 to 0"),
		field("uelink.dcbx.priorities", 8, "5", "bit i: priority i"))
	f.Prefix = ""
	return f
}

// pgFields returns the fields of DCBX's priority groups.
func pgFields() []layout.Field {
	var list []layout.Field
	for i := range 8 {
		list = append(list, layout.Field{Name: fmt.Sprintf("feature.pg.pgid_prio%d", i), At: 4 * i, Bits: 4,
			Text: "group of the priority"})
	}
	for i := range 8 {
		list = append(list, layout.Field{Name: fmt.Sprintf("feature.pg.per%d", i), At: 32 + 8*i, Bits: 8,
			Text: "share of the link's bandwidth for the group, percent"})
	}
	return append(list, field("feature.pg.numtcs", 8, "12", "traffic classes"))
}

// pfcFields returns the fields of DCBX's PFC.
func pfcFields() []layout.Field {
	var list []layout.Field
	for i := range 8 {
		list = append(list, layout.Field{Name: fmt.Sprintf("feature.pfc.prio%d", 7-i), At: i, Bits: 1,
			Text: "the priority has PFC"})
	}
	return append(list, field("feature.pfc.numtcs", 8, "1", "traffic classes with PFC at a time"))
}
