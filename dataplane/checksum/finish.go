// Package checksum finishes the checksums of TCP, UDP and SCTP that a host has left to hardware.
//
// A kernel that sends by an interface with checksum offload does not sum the payload. An XDP program, and so an AF_XDP
// socket, gets such a frame as it is: from the host's end of a veth, or from the tap of a virtual machine. The field of
// TCP or UDP then holds the sum of the pseudo header, folded and not complemented, and the field of SCTP holds 0. A
// frame that has this value, and whose checksum is wrong, is unfinished. A finished frame has the value by chance once
// in 65,536 frames, and then only summing the frame shows that nothing is missing.
//
// A frame damaged on its way to the host's interface has the value as seldom, and is then taken for an unfinished one.
//
// Finish looks behind up to two VLAN tags, the options of IPv4 and the extension headers of IPv6, and into VXLAN,
// Geneve, GRE and IP in IP. A kernel that leaves an inner checksum unfinished has computed the outer one as if the
// inner one were finished (LCO, Documentation/networking/checksum-offloads.rst). Fragments stay as they are: their
// checksum covers octets of other frames, and a kernel finishes it before it cuts a packet.
package checksum

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
)

// Numbers of protocols (IANA).
const (
	protocolIPv4 = 4
	protocolTCP  = 6
	protocolUDP  = 17
	protocolIPv6 = 41
	protocolGRE  = 47
	protocolSCTP = 132
)

// Lengths of headers, and offsets of their checksums, in octets.
const (
	tcpLen  = 20
	tcpAt   = 16
	udpLen  = 8
	udpAt   = 6
	sctpLen = 12
	sctpAt  = 8
)

// Finish computes the unfinished checksums of an Ethernet frame, in place, and reports whether there were any. Any
// octets are allowed. Headers that contradict the frame's length, or each other, are left alone.
func Finish(f []byte) bool { return finishFrame(f, tunnelsMax) }

// finishSegment finishes the checksum of a segment: the octets of an IP packet from the header of its protocol to the
// packet's end. addresses is the sum of the pseudo header's addresses. tunnels is the number of tunnels that may be
// entered. finishSegment reports, as all functions of this package that finish checksums, whether it has changed an
// octet.
func finishSegment(s []byte, protocol uint8, addresses uint64, tunnels int) bool {
	switch protocol {
	case protocolTCP:
		return len(s) >= tcpLen && binary.LittleEndian.Uint16(s[tcpAt:]) == pseudo(addresses, protocol, len(s)) &&
			finishInternet(s, tcpAt)
	case protocolUDP:
		return finishUDP(s, addresses, tunnels)
	case protocolSCTP:
		return finishSCTP(s)
	case protocolIPv4, protocolIPv6, protocolGRE:
		return tunnels > 0 && finishInside(s, protocol, tunnels-1)
	}
	return false
}

// finishUDP finishes the checksum of a datagram, after those of the frame or packet that it carries through a tunnel,
// and reports whether there were any. tunnels is the number of tunnels that may be entered.
func finishUDP(s []byte, addresses uint64, tunnels int) bool {
	if len(s) < udpLen {
		return false
	}
	n := int(binary.BigEndian.Uint16(s[4:]))
	if n < udpLen || n > len(s) {
		return false
	}
	s = s[:n] // UDP options may follow (RFC 9868), which the checksum does not cover
	inner := tunnels > 0 && finishInUDP(s, tunnels-1)
	return binary.LittleEndian.Uint16(s[udpAt:]) == pseudo(addresses, protocolUDP, n) && finishInternet(s, udpAt) || inner
}

// finishInternet finishes the Internet checksum at an offset of a segment, where the sum of the pseudo header is, and
// reports whether it has. It returns false if the sum is also the checksum.
func finishInternet(s []byte, at int) bool {
	finished := ^Fold(Sum(s))
	if finished == 0 {
		finished = 0xffff // in UDP 0 means no checksum; 0xffff is the same sum in ones' complement
	}
	if finished == binary.LittleEndian.Uint16(s[at:]) {
		return false
	}
	binary.LittleEndian.PutUint16(s[at:], finished)
	return true
}

// pseudo returns the folded sum of a pseudo header (RFC 9293 §3.1, RFC 8200 §8.1), in the octet order of sum.
func pseudo(addresses uint64, protocol uint8, length int) uint16 {
	return Fold(addresses + uint64(protocol)<<8 + uint64(bits.ReverseBytes16(uint16(length))))
}

// finishSCTP finishes the CRC32c of an SCTP packet (RFC 9260 §6.8). A sender that the receiver allows to omit the CRC
// (RFC 9653) gets one, too, which the receiver has to accept.
func finishSCTP(s []byte) bool {
	if len(s) < sctpLen || binary.LittleEndian.Uint32(s[sctpAt:]) != 0 {
		return false
	}
	crc := crc32.Checksum(s, crc32.MakeTable(crc32.Castagnoli))
	binary.LittleEndian.PutUint32(s[sctpAt:], crc)
	return crc != 0
}
