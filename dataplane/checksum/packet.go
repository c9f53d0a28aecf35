package checksum

import "encoding/binary"

// EtherTypes.
const (
	etherTypeIPv4   = 0x0800
	etherTypeIPv6   = 0x86DD
	etherTypeCVLAN  = 0x8100 // IEEE 802.1Q tags
	etherTypeSVLAN  = 0x88A8
	etherTypeQinQ   = 0x9100 // S-VLAN tags older than the standard
	etherTypeBridge = 0x6558 // an Ethernet frame in GRE and Geneve
)

// Extension headers of IPv6 (RFC 8200 §4).
const (
	headerHopByHop    = 0
	headerRouting     = 43
	headerDestination = 60
)

// Offsets, lengths and bounds of headers.
const (
	typeAt        = 12 // offset of the EtherType in a frame
	tagLen        = 4
	tagsMax       = 2
	ipv4Len       = 20
	ipv6Len       = 40
	addressLen    = 16     // octets of an IPv6 address
	unfragmented  = 0x3fff // bits of an IPv4 header that are 0 in a packet that is no fragment
	extensionLen  = 8      // octets: the least length of an extension header, and the unit of its length field
	extensionsMax = 8
)

// finishFrame finishes the checksums of an Ethernet frame, and reports whether there were any. tunnels is the number of
// tunnels that may be entered.
func finishFrame(f []byte, tunnels int) bool {
	if len(f) < typeAt+2 {
		return false
	}
	p, etherType := f[typeAt+2:], binary.BigEndian.Uint16(f[typeAt:])
	for tags := 0; isTag(etherType); tags++ {
		if tags == tagsMax || len(p) < tagLen {
			return false
		}
		p, etherType = p[tagLen:], binary.BigEndian.Uint16(p[2:])
	}
	return finishPacket(p, etherType, tunnels)
}

// isTag reports whether an EtherType is that of a VLAN tag.
func isTag(etherType uint16) bool {
	return etherType == etherTypeCVLAN || etherType == etherTypeSVLAN || etherType == etherTypeQinQ
}

// finishPacket finishes the checksums of a packet of an EtherType, and reports whether there were any; other octets may
// follow the packet.
func finishPacket(p []byte, etherType uint16, tunnels int) bool {
	switch etherType {
	case etherTypeIPv4:
		return finishIPv4(p, tunnels)
	case etherTypeIPv6:
		return finishIPv6(p, tunnels)
	}
	return false
}

// finishIPv4 finishes the checksums of an IPv4 packet (RFC 791 §3.1), and reports whether there were any. Fragments and
// packets with a wrong length are left alone.
func finishIPv4(p []byte, tunnels int) bool {
	if len(p) < ipv4Len || p[0]>>4 != 4 {
		return false
	}
	header, end := 4*int(p[0]&15), int(binary.BigEndian.Uint16(p[2:]))
	if header < ipv4Len || end < header || end > len(p) || binary.BigEndian.Uint16(p[6:])&unfragmented != 0 {
		return false
	}
	addresses := uint64(binary.LittleEndian.Uint32(p[12:])) + uint64(binary.LittleEndian.Uint32(p[16:]))
	return finishSegment(p[header:end], p[9], addresses, tunnels)
}

// finishIPv6 finishes the checksums of an IPv6 packet (RFC 8200 §3) behind its extension headers, and reports whether
// there were any. A jumbogram has no length in its header, and is left alone.
func finishIPv6(p []byte, tunnels int) bool {
	if len(p) < ipv6Len || p[0]>>4 != 6 {
		return false
	}
	end := ipv6Len + int(binary.BigEndian.Uint16(p[4:]))
	if end > len(p) {
		return false
	}
	p, next, at, destination := p[:end], p[6], ipv6Len, p[24:ipv6Len]
	for range extensionsMax {
		if next != headerHopByHop && next != headerRouting && next != headerDestination {
			return finishSegment(p[at:], next, addressSum(p[8:])+addressSum(destination), tunnels)
		}
		if len(p) < at+extensionLen {
			return false
		}
		length := extensionLen * (1 + int(p[at+1]))
		if len(p) < at+length {
			return false
		}
		if next == headerRouting {
			destination = finalDestination(p[at:at+length], destination)
		}
		next, at = p[at], at+length
	}
	return false
}

// finalDestination returns the packet's last destination, whose address is in the routing header and counts for the
// pseudo header (RFC 8200 §8.1). If the packet has no further stations, that is its present destination.
func finalDestination(routing, present []byte) []byte {
	const segmentRouting = 4 // RFC 8754 §2: the last segment comes first
	last := len(routing) - addressLen
	if routing[3] == 0 || last < extensionLen {
		return present
	}
	if routing[2] == segmentRouting {
		return routing[extensionLen : extensionLen+addressLen]
	}
	return routing[last:]
}

// addressSum returns the sum of the first 16 octets, an IPv6 address.
func addressSum(b []byte) uint64 {
	high, low := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:addressLen])
	return high>>32 + high&0xffffffff + low>>32 + low&0xffffffff
}
