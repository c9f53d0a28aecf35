// Package qos says which traffic class a frame has, by the QoS maps of the port that
// it came in by. It is pure.
package qos

import "encoding/binary"

// EtherTypes that are looked through or into.
const (
	etherTypeCVLAN = 0x8100 // IEEE 802.1Q tags
	etherTypeSVLAN = 0x88A8
	etherTypeQinQ  = 0x9100 // S-VLAN tags of before the standard
	etherTypeIPv4  = 0x0800
	etherTypeIPv6  = 0x86DD
)

// Offsets and lengths in a frame, in octets.
const (
	typeAt  = 12
	tagLen  = 4
	tagsMax = 2
)

// Class is the traffic class, 0 to Classes - 1, of a frame of at least 14 octets:
// addresses, up to two VLAN tags, EtherType. Whatever the frame holds, there is an
// answer. What ends before the field that is trusted is taken for a frame without it.
func (m *Map) Class(f []byte) uint8 {
	switch m.Trust {
	case TrustUET:
		if class, ok := m.ofUET(f); ok {
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
	}
	return 0
}

// priority is PCP << 1 | DEI of the outer VLAN tag: the first four bits of its control
// information. A frame without a tag has priority 0.
func priority(f []byte) uint8 {
	if len(f) <= typeAt+2 || !tag(binary.BigEndian.Uint16(f[typeAt:])) {
		return 0
	}
	return f[typeAt+2] >> 4
}

// codePoint is the DSCP of a frame that carries IP.
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

func tag(etherType uint16) bool {
	return etherType == etherTypeCVLAN || etherType == etherTypeSVLAN || etherType == etherTypeQinQ
}
