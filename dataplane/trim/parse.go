package trim

import "encoding/binary"

// EtherTypes to skip or to parse.
const (
	etherTypeCVLAN = 0x8100 // IEEE 802.1Q tags
	etherTypeSVLAN = 0x88A8
	etherTypeQinQ  = 0x9100 // S-VLAN tags older than the standard
	etherTypeIPv4  = 0x0800
	etherTypeIPv6  = 0x86DD
)

// Lengths, in octets.
const (
	addressesLen = 12 // of an Ethernet frame
	tagLen       = 4
	ipv4Len      = 20 // without options
	ipv6Len      = 40
)

// The most VLAN tags, and extension headers of IPv6, to skip.
const (
	tagsMax       = 2
	extensionsMax = 8
)

// Numbers of IP protocols and extension headers.
const (
	hopByHop       = 0
	udp            = 17
	routing        = 43
	fragment       = 44
	authentication = 51
	destination    = 60
	mobility       = 135
	hostIdentity   = 139
	shim6          = 140
)

// packet holds the parsed fields of a frame that carries IP. Offsets count from the addresses on.
type packet struct {
	ip       int // offset of its IP header
	payload  int // offset behind its IP header, options and extension headers
	end      int // offset of the end by the IP header; octets behind it are padding
	protocol uint8
	dscp     uint8
	unicast  bool // by the destination addresses of Ethernet and IP
	whole    bool // not a fragment
}

// parse finds the IP packet in an Ethernet frame; ok is false unless the frame carries IP with complete headers.
func parse(f []byte) (p packet, ok bool) {
	at := addressesLen
	for range tagsMax {
		if len(f) < at+2 || !tag(binary.BigEndian.Uint16(f[at:])) {
			break
		}
		at += tagLen
	}
	if len(f) < at+2 {
		return packet{}, false
	}
	p.ip = at + 2
	switch binary.BigEndian.Uint16(f[at:]) {
	case etherTypeIPv4:
		ok = p.parse4(f[p.ip:])
	case etherTypeIPv6:
		ok = p.parse6(f)
	}
	p.unicast = p.unicast && f[0]&1 == 0
	return p, ok
}

// tag reports whether an EtherType is that of a VLAN tag.
func tag(etherType uint16) bool {
	return etherType == etherTypeCVLAN || etherType == etherTypeSVLAN || etherType == etherTypeQinQ
}

// parse4 reads the IPv4 header (RFC 791 §3.1) at the beginning of h. It returns false if the header is wrong or
// incomplete.
func (p *packet) parse4(h []byte) bool {
	if len(h) < ipv4Len || h[0]>>4 != 4 {
		return false
	}
	header, total := int(h[0]&15)*4, int(binary.BigEndian.Uint16(h[2:]))
	if header < ipv4Len || total < header || total > len(h) {
		return false
	}
	const moreOrOffset = 0x3FFF // More Fragments, and Fragment Offset
	p.payload, p.end, p.protocol, p.dscp = p.ip+header, p.ip+total, h[9], h[1]>>2
	p.whole = binary.BigEndian.Uint16(h[6:])&moreOrOffset == 0
	p.unicast = h[16] < 224 // RFC 1112 §4: class D; class E, with broadcast, is no host's either
	return true
}

// parse6 reads an IPv6 header (RFC 8200 §3) and its extension headers. It returns false if a header is wrong or
// incomplete. A payload length of 0 means a jumbogram, which is longer than any frame here.
func (p *packet) parse6(f []byte) bool {
	h := f[p.ip:]
	if len(h) < ipv6Len || h[0]>>4 != 6 {
		return false
	}
	length := int(binary.BigEndian.Uint16(h[4:]))
	if length == 0 || ipv6Len+length > len(h) {
		return false
	}
	p.dscp, p.unicast = uint8(binary.BigEndian.Uint16(h)>>6)&63, h[24] != 0xFF
	p.payload, p.end, p.protocol, p.whole = p.ip+ipv6Len, p.ip+ipv6Len+length, h[6], true
	return p.skipExtensions(f[:p.end])
}

// skipExtensions advances payload past the extension headers of IPv6 (RFC 8200 §4). ok is false if they do not end
// within the packet, or are more than extensionsMax.
func (p *packet) skipExtensions(f []byte) (ok bool) {
	for range extensionsMax {
		if !extension(p.protocol) {
			return true
		}
		if len(f) < p.payload+2 {
			return false
		}
		p.whole = p.whole && p.protocol != fragment
		next, units := f[p.payload], int(f[p.payload+1])
		p.payload += extensionLen(p.protocol, units)
		p.protocol = next
		if p.payload > len(f) {
			return false
		}
	}
	return !extension(p.protocol)
}

// extension reports whether a protocol number is that of an IPv6 extension header.
func extension(protocol uint8) bool {
	switch protocol {
	case hopByHop, routing, fragment, authentication, destination, mobility, hostIdentity, shim6:
		return true
	}
	return false
}

// extensionLen returns the length, in octets, of an IPv6 extension header whose second octet is units.
func extensionLen(protocol uint8, units int) int {
	switch protocol {
	case fragment:
		return 8 // RFC 8200 §4.5: the octet is reserved
	case authentication:
		return (units + 2) * 4 // RFC 4302 §2.2
	}
	return (units + 1) * 8
}
