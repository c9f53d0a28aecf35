// Package qos classifies frames: it returns the traffic class of a frame by the QoS maps of its ingress port. It is
// pure.
package qos

import "encoding/binary"

// EtherTypes to skip or to parse.
const (
	etherTypeCVLAN = 0x8100 // IEEE 802.1Q tags
	etherTypeSVLAN = 0x88A8
	etherTypeQinQ  = 0x9100 // S-VLAN tags older than the standard
	etherTypeIPv4  = 0x0800
	etherTypeIPv6  = 0x86DD
)

// Offsets and lengths in a frame, in octets.
const (
	typeAt  = 12
	tagLen  = 4
	tagsMax = 2
)

// Class returns the traffic class, 0 to Classes - 1, of a frame of at least 14 octets: addresses, up to two VLAN
// tags, EtherType. Any content gets a class. A frame that ends before the trusted field is treated as a frame without
// the field.
func (m *Map) Class(f []byte) uint8 {
	switch m.Trust {
	case TrustUET:
		if class, ok := m.classOfUET(f); ok {
			return class % Classes
		}
		fallthrough
	case TrustDSCP:
		if dscp, ok := codePoint(f); ok {
			return m.DSCP[dscp] % Classes
		}
		return m.Dot1pDEI[priority(f)] % Classes
	case TrustDot1p:
		return m.Dot1pDEI[priority(f)] % Classes
	default: // TrustNone
		return 0
	}
}

// priority returns PCP << 1 | DEI of the outer VLAN tag: the first four bits of its control information. A frame
// without a tag has priority 0.
func priority(f []byte) uint8 {
	if len(f) <= typeAt+2 || !tag(binary.BigEndian.Uint16(f[typeAt:])) {
		return 0
	}
	return f[typeAt+2] >> 4
}

// codePoint returns the DSCP of a frame that carries IP; ok is false for any other frame.
func codePoint(f []byte) (dscp uint8, ok bool) {
	at := typeAt
	for range tagsMax {
		if len(f) < at+2 || !tag(binary.BigEndian.Uint16(f[at:])) {
			break
		}
		at += tagLen
	}
	if len(f) < at+4 {
		return 0, false
	}
	// The first 16 bits of a header: version 4, header length, DSCP, ECN; or version 6,
	// traffic class (DSCP, ECN), 4 bits of the flow label.
	header := binary.BigEndian.Uint16(f[at+2:])
	switch binary.BigEndian.Uint16(f[at:]) {
	case etherTypeIPv4:
		return uint8(header>>2) & 63, header>>12 == 4
	case etherTypeIPv6:
		return uint8(header>>6) & 63, header>>12 == 6
	}
	return 0, false
}

// tag reports whether an EtherType is that of a VLAN tag.
func tag(etherType uint16) bool {
	return etherType == etherTypeCVLAN || etherType == etherTypeSVLAN || etherType == etherTypeQinQ
}
