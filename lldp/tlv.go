package lldp

// Type is the type of a TLV, 0 to 127 (802.1AB table 8-1).
type Type uint8

// The types of TLVs. 9 to 126 are reserved.
const (
	TypeEnd Type = iota
	TypeChassisID
	TypePortID
	TypeTTL
	TypePortDescription
	TypeSystemName
	TypeSystemDescription
	TypeCapabilities
	TypeManagement

	TypeOrg Type = 127
)

// Sizes of TLVs, in octets.
const (
	tlvHeaderLen = 2
	orgHeaderLen = 4   // OUI and subtype
	maxID        = 255 // longest chassis id or port id
	maxText      = 255 // longest name or description
	ttlLen       = 2
	// MaxOrgInfo is the maximum number of octets after the OUI and the subtype.
	MaxOrgInfo = 507
)

// TLV is a received TLV of a reserved type. Info is at most 511 octets.
type TLV struct {
	Type Type
	Info []byte
}

// OUI is an organizationally unique identifier or company id.
type OUI [3]byte

// Org is an organizationally specific TLV (802.1AB 8.6). Info, at most MaxOrgInfo octets, follows
// the OUI and the subtype.
type Org struct {
	OUI     OUI
	Subtype uint8
	Info    []byte
}

// size returns the length of the organizationally specific TLV, in octets, with its header.
func (o Org) size() int { return tlvHeaderLen + orgHeaderLen + len(o.Info) }

// appendTo appends the organizationally specific TLV to b.
// Clauses: UE-LINK/link-tlv.1, UE-LINK/cbfc-tlv.1.
func (o Org) appendTo(b []byte) []byte {
	b = appendHeader(b, TypeOrg, orgHeaderLen+len(o.Info))
	b = append(append(b, o.OUI[:]...), o.Subtype)
	return append(b, o.Info...)
}

func parseOrg(info []byte) Org {
	return Org{OUI: OUI(info[:3]), Subtype: info[3], Info: info[orgHeaderLen:]}
}

// appendHeader appends the header of a TLV: type and length (802.1AB 8.4: 7 and 9 bits).
func appendHeader(b []byte, t Type, length int) []byte {
	return append(b, byte(t)<<1|byte(length>>8), byte(length))
}

func appendTLV(b []byte, t Type, info []byte) []byte {
	return append(appendHeader(b, t, len(info)), info...)
}

// cutTLV splits b into the type and information string of the first TLV, and the rest. Faults: FaultNoEnd,
// FaultOverrun.
func cutTLV(b []byte) (t Type, info, rest []byte, fault Fault) {
	if len(b) < tlvHeaderLen {
		return 0, nil, nil, FaultNoEnd
	}
	end := tlvHeaderLen + int(b[0]&1)<<8 + int(b[1])
	if end > len(b) {
		return 0, nil, nil, FaultOverrun
	}
	return Type(b[0] >> 1), b[tlvHeaderLen:end:end], b[end:], NoFault
}
