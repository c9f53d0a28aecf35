package decode

import (
	"encoding/binary"

	"uelink/lldp"
	"uelink/lldp/dcbx"
	"uelink/lldp/ue"
	"uelink/wire/layout"
)

// Lengths of the headers of TLVs in octets, and the type of organizationally specific TLVs.
const (
	tlvHeader = 2 // type and length
	orgHeader = 4 // OUI and subtype
	tlvOrg    = 127
)

// lldp decodes an LLDPDU and adds layers for its TLVs of Ultra Ethernet and of DCBX. b begins at octet at of the
// frame.
func (w *walker) lldp(b []byte, at int) {
	var p lldp.PDU
	fault := p.Parse(b)
	w.layer(ProtocolLLDP, "LLDP", at, len(b))
	if fault != lldp.NoFault {
		w.fault(ProtocolLLDP, fault.String())
		return
	}
	for len(b) >= tlvHeader {
		kind, length := b[0]>>1, int(b[0]&1)<<8|int(b[1])
		if kind == 0 || len(b) < tlvHeader+length {
			return
		}
		if info := b[tlvHeader : tlvHeader+length]; kind == tlvOrg && len(info) >= orgHeader {
			w.org(lldp.OUI(info[:3]), info[3], info[orgHeader:], at+tlvHeader+orgHeader)
		}
		b, at = b[tlvHeader+length:], at+tlvHeader+length
	}
}

// org decodes the information string of an organizationally specific TLV, the octets after OUI and subtype, if the
// TLV is of Ultra Ethernet or DCBX. info begins at octet at of the frame.
func (w *walker) org(oui lldp.OUI, subtype uint8, info []byte, at int) {
	switch {
	case oui == w.options.OUI && subtype == ue.SubtypeLink:
		_, fault := ue.ParseLink(info)
		w.tlv(&tlvLink, info, at, fault)
	case oui == w.options.OUI && subtype == ue.SubtypeCBFC:
		_, fault := ue.ParseCBFC(info)
		w.tlv(&tlvCBFC, info, at, fault)
	case oui == w.options.OUI && subtype == ue.SubtypeWishes:
		_, fault := ue.ParseWishes(info)
		w.tlv(&tlvWishes, info, at, fault)
	case oui == lldp.OUI{dcbx.OUI >> 16, dcbx.OUI >> 8 & 0xFF, dcbx.OUI & 0xFF} && subtype == dcbx.Subtype:
		w.dcbx(info, at)
	}
}

// tlv adds a layer for the information string info of a TLV with format f, and the fault that its codec has found, if
// any. info begins at octet at of the frame.
func (w *walker) tlv(f *layout.Format, info []byte, at int, fault ue.Fault) {
	w.table(ProtocolLink, f, info, at)
	if fault != ue.NoFault {
		w.fault(ProtocolLink, fault.String())
	}
}

// dcbx decodes the sub-TLVs of a DCBX TLV and adds their layers. b begins at octet at of the frame.
func (w *walker) dcbx(b []byte, at int) {
	if _, err := dcbx.Decode(b); err != nil {
		w.fault(ProtocolLLDP, err.Error())
		return
	}
	for len(b) >= tlvHeader {
		head := binary.BigEndian.Uint16(b)
		length := int(head & 0x1FF)
		w.dcbxFeature(head>>9, b[tlvHeader:tlvHeader+length], at+tlvHeader)
		b, at = b[tlvHeader+length:], at+tlvHeader+length
	}
}

// dcbxFeature decodes the body of a DCBX sub-TLV, the octets after type and length, and adds its layers. kind is
// the type; body begins at octet at of the frame.
func (w *walker) dcbxFeature(kind uint16, body []byte, at int) {
	if kind == dcbxControlType {
		w.table(ProtocolLLDP, &dcbxControl, body, at)
		return
	}
	if kind > dcbxAppType || w.table(ProtocolLLDP, &dcbxFeature, body, at) == nil || body[3] != 0 {
		return
	}
	body, at = body[dcbxFeature.Len:], at+dcbxFeature.Len
	switch kind {
	case dcbxPGType:
		w.table(ProtocolLLDP, &dcbxPG, body, at)
	case dcbxPFCType:
		w.table(ProtocolLLDP, &dcbxPFC, body, at)
	case dcbxAppType:
		for ; len(body) >= dcbxApp.Len; body, at = body[dcbxApp.Len:], at+dcbxApp.Len {
			w.table(ProtocolLLDP, &dcbxApp, body, at)
		}
	}
}
