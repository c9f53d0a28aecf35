package ue

import "uelink/lldp"

// Advertisement holds the UE TLVs of one LLDPDU.
type Advertisement struct {
	HasLink   bool  `json:"has_link"`
	Link      Link  `json:"link"`
	LinkFault Fault `json:"link_fault"`
	HasCBFC   bool  `json:"has_cbfc"`
	CBFC      CBFC  `json:"cbfc"`
	CBFCFault Fault `json:"cbfc_fault"`

	HasCreditSize   bool       `json:"has_credit_size"`
	CreditSize      CreditSize `json:"credit_size"`
	CreditSizeFault Fault      `json:"credit_size_fault"`

	HasWishes   bool   `json:"has_wishes"`
	Wishes      Wishes `json:"wishes"`
	WishesFault Fault  `json:"wishes_fault"`
}

// Speaks reports whether the LLDPDU has a Link or CBFC TLV, valid or faulty.
func (a Advertisement) Speaks() bool {
	return a.HasLink || a.HasCBFC || a.LinkFault != NoFault || a.CBFCFault != NoFault
}

// llr reports whether the UE TLVs advertise LLR.
func (a Advertisement) llr() bool { return a.HasLink && a.Link.LLR }

// cbfc reports whether the UE TLVs advertise CBFC, with valid parameters.
func (a Advertisement) cbfc() bool { return a.HasLink && a.Link.CBFC && a.HasCBFC }

// Codec encodes and decodes the UE TLVs under an OUI, the private TLVs included. A repeated or faulty TLV counts as
// absent.
type Codec struct {
	OUI lldp.OUI
}

// Recognizes reports whether a TLV of that OUI and subtype is one of the UE TLVs of a Port. An Announcer recognizes the
// TLV of wishes.
func (c Codec) Recognizes(oui lldp.OUI, subtype uint8) bool {
	return oui == c.OUI && (subtype == SubtypeLink || subtype == SubtypeCBFC || subtype == SubtypeCreditSize)
}

// Append appends the UE TLVs of the advertisement a to list. The TLVs' octets are appended to buf, and the grown
// buf is returned for reuse.
func (c Codec) Append(list []lldp.Org, a Advertisement, buf []byte) ([]lldp.Org, []byte) {
	if a.HasLink {
		start := len(buf)
		buf = a.Link.Append(buf)
		list = append(list, lldp.Org{OUI: c.OUI, Subtype: SubtypeLink, Info: buf[start:len(buf):len(buf)]})
	}
	if a.HasCBFC {
		start := len(buf)
		buf = a.CBFC.Append(buf)
		list = append(list, lldp.Org{OUI: c.OUI, Subtype: SubtypeCBFC, Info: buf[start:len(buf):len(buf)]})
	}
	if a.HasCreditSize {
		start := len(buf)
		buf = a.CreditSize.Append(buf)
		list = append(list, lldp.Org{OUI: c.OUI, Subtype: SubtypeCreditSize, Info: buf[start:len(buf):len(buf)]})
	}
	if a.HasWishes {
		start := len(buf)
		buf = a.Wishes.Append(buf)
		list = append(list, lldp.Org{OUI: c.OUI, Subtype: SubtypeWishes, Info: buf[start:len(buf):len(buf)]})
	}
	return list, buf
}

// Parse decodes the UE TLVs among the organizationally specific TLVs of an LLDPDU.
func (c Codec) Parse(list []lldp.Org) Advertisement {
	var a Advertisement
	for _, o := range list {
		switch {
		case o.OUI != c.OUI:
		case o.Subtype == SubtypeLink:
			parseOnce(&a.HasLink, &a.Link, &a.LinkFault, o.Info, ParseLink)
		case o.Subtype == SubtypeCBFC:
			parseOnce(&a.HasCBFC, &a.CBFC, &a.CBFCFault, o.Info, ParseCBFC)
		case o.Subtype == SubtypeCreditSize:
			parseOnce(&a.HasCreditSize, &a.CreditSize, &a.CreditSizeFault, o.Info, ParseCreditSize)
		case o.Subtype == SubtypeWishes:
			parseOnce(&a.HasWishes, &a.Wishes, &a.WishesFault, o.Info, ParseWishes)
		}
	}
	return a
}

// parseOnce decodes a UE TLV of one subtype into v, present and fault. A second TLV of the same subtype discards the
// first as well, valid or faulty.
func parseOnce[T any](present *bool, v *T, fault *Fault, info []byte, parse func([]byte) (T, Fault)) {
	if *present || *fault != NoFault {
		var zero T
		*present, *v, *fault = false, zero, FaultRepeated
		return
	}
	*v, *fault = parse(info)
	*present = *fault == NoFault
}
