package netem

import "encoding/binary"

// EtherTypes of IP, and of VLAN tags in front of it.
const (
	typeIPv4 = 0x0800
	typeIPv6 = 0x86DD
	typeCTag = 0x8100
	typeSTag = 0x88A8
)

// congestion is the code point of ECN that marks congestion (RFC 3168); 0 is that of a sender without ECN.
const congestion = 3

// MarkCongestion marks congestion in a frame whose IP header has a code point of ECN, and corrects the checksum of an
// IPv4 header. It reports whether the frame can be marked; with try it only reports that. VLAN tags in front of the
// header are passed over.
func MarkCongestion(frame []byte, try bool) bool {
	const addresses, tag = 12, 4
	at := addresses
	for len(frame) >= at+tag && (etherType(frame, at) == typeCTag || etherType(frame, at) == typeSTag) {
		at += tag
	}
	if len(frame) < at+2 {
		return false
	}
	const least4, least6 = 20, 40
	switch kind, header := etherType(frame, at), frame[at+2:]; {
	case kind == typeIPv4 && len(header) >= least4 && header[0]>>4 == 4:
		return header[1]&congestion != 0 && (try || markIPv4(header))
	case kind == typeIPv6 && len(header) >= least6 && header[0]>>4 == 6:
		if header[1]>>4&congestion == 0 {
			return false
		}
		if !try {
			header[1] |= congestion << 4
		}
		return true
	}
	return false
}

func etherType(frame []byte, at int) uint16 { return binary.BigEndian.Uint16(frame[at:]) }

// markIPv4 marks congestion in an IPv4 header, and corrects its checksum by the difference (RFC 1624). It returns true,
// for the caller.
func markIPv4(header []byte) bool {
	const sum = 10
	added := uint32(congestion - header[1]&congestion)
	header[1] |= congestion
	s := uint32(^binary.BigEndian.Uint16(header[sum:])) + added
	s = s&0xFFFF + s>>16
	binary.BigEndian.PutUint16(header[sum:], ^uint16(s))
	return true
}
