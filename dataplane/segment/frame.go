package segment

import (
	"encoding/binary"

	"uelink/dataplane/checksum"
)

// Frame is a frame that may be joined with others: a TCP segment or a UDP datagram with payload, in IPv4 without
// options or in IPv6 without extension headers, with right checksums.
type Frame struct {
	octets  []byte
	ip, l4  int // offsets
	headers int // length
	v6, udp bool
}

// payload returns the number of octets behind the headers.
func (f *Frame) payload() int { return len(f.octets) - f.headers }

func (f *Frame) flags() uint8 { return f.octets[f.l4+13] }

func (f *Frame) seq() uint32 { return binary.BigEndian.Uint32(f.octets[f.l4+4:]) }

// ends reports whether no segment may follow in the same super-frame: one with PSH or FIN, which only the last of the
// frames cut from it would have.
func (f *Frame) ends() bool { return !f.udp && f.flags()&(flagPSH|flagFIN) != 0 }

// Parse reads a frame, and reports whether it may be joined with others. Both checksums are verified, because the
// header of a super-frame tells the host that its octets are as they were sent. The octets stay the frame's.
func (f *Frame) Parse(octets []byte) bool {
	ip, etherType, ok := network(octets)
	if !ok {
		return false
	}
	*f = Frame{octets: octets, ip: ip}
	var protocol uint8
	var sum uint64
	switch etherType {
	case etherTypeIPv4:
		protocol, sum, ok = f.parseIPv4()
	case etherTypeIPv6:
		protocol, sum, ok = f.parseIPv6()
	default:
		return false
	}
	if !ok {
		return false
	}
	switch protocol {
	case protocolTCP:
		ok = f.parseTCP()
	case protocolUDP:
		ok = f.parseUDP()
	default:
		return false
	}
	l4 := octets[f.l4:]
	return ok && f.payload() > 0 &&
		checksum.Fold(folded(sum)+uint64(protocol)<<8+lengthSum(len(l4))+folded(checksum.Sum(l4))) == 0xffff
}

// parseIPv4 returns the protocol and the sum of the addresses of an IPv4 packet. ok is false for options, a fragment,
// a wrong length or checksum: a padded frame would lose its padding, and a frame cut short has no checksum.
func (f *Frame) parseIPv4() (protocol uint8, sum uint64, ok bool) {
	p := f.octets[f.ip:]
	const dontFragment = 0x4000
	if len(p) < ipv4Len || p[0] != 0x45 || int(binary.BigEndian.Uint16(p[2:])) != len(p) ||
		binary.BigEndian.Uint16(p[6:])&^dontFragment != 0 || checksum.Fold(checksum.Sum(p[:ipv4Len])) != 0xffff {
		return 0, 0, false
	}
	f.l4 = f.ip + ipv4Len
	return p[9], checksum.Sum(p[12:ipv4Len]), true
}

// parseIPv6 returns the next header and the sum of the addresses of an IPv6 packet. ok is false for a wrong length.
func (f *Frame) parseIPv6() (next uint8, sum uint64, ok bool) {
	p := f.octets[f.ip:]
	if len(p) < ipv6Len || p[0]>>4 != 6 || ipv6Len+int(binary.BigEndian.Uint16(p[4:])) != len(p) {
		return 0, 0, false
	}
	f.v6, f.l4 = true, f.ip+ipv6Len
	return p[6], checksum.Sum(p[8:ipv6Len]), true
}

// parseTCP reports whether a TCP header allows joining: with ACK, and without SYN, RST, URG, CWR and the bits that are
// reserved, or AE of accurate ECN (RFC 9768).
func (f *Frame) parseTCP() bool {
	t := f.octets[f.l4:]
	if len(t) < tcpLen {
		return false
	}
	header := 4 * int(t[12]>>4)
	f.headers = f.l4 + header
	return header >= tcpLen && header <= len(t) && t[12]&15 == 0 && t[13]&flagACK != 0 &&
		t[13]&(flagSYN|flagRST|flagURG|flagCWR) == 0
}

// parseUDP reports whether a UDP header allows joining: its length is that of the packet, and it has a checksum.
func (f *Frame) parseUDP() bool {
	u := f.octets[f.l4:]
	f.udp, f.headers = true, f.l4+udpLen
	return len(u) >= udpLen && int(binary.BigEndian.Uint16(u[4:])) == len(u) && u[6]|u[7] != 0
}
