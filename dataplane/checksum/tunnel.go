package checksum

import (
	"encoding/binary"
	"math/bits"
)

// tunnelsMax is the number of tunnels in each other that Finish enters.
const tunnelsMax = 2

// Destination ports of tunnels in UDP.
const (
	portVXLAN      = 4789 // RFC 7348
	portVXLANLinux = 8472 // the port of Linux before the RFC, and of flannel and Cilium
	portGeneve     = 6081 // RFC 8926
)

// Lengths of tunnel headers, in octets.
const (
	vxlanLen  = 8
	geneveLen = 8 // without options
	greLen    = 4 // without checksum, key and sequence number
)

// finishInUDP finishes the checksums inside a datagram of a tunnel, VXLAN or Geneve by its destination port, and
// reports whether there were any. tunnels is the number of further tunnels inside that may be entered.
func finishInUDP(s []byte, tunnels int) bool {
	switch binary.BigEndian.Uint16(s[2:]) {
	case portVXLAN, portVXLANLinux:
		if len(s) < udpLen+vxlanLen {
			return false
		}
		return finishFrame(s[udpLen+vxlanLen:], tunnels)
	case portGeneve:
		if len(s) < udpLen+geneveLen {
			return false
		}
		return finishCarried(s[udpLen:], geneveLen+4*int(s[udpLen]&63), tunnels)
	}
	return false
}

// finishInside finishes the checksums inside an IP packet of a tunnel (IP in IP, or GRE), from the header of its
// protocol on, and reports whether there were any.
func finishInside(s []byte, protocol uint8, tunnels int) bool {
	switch protocol {
	case protocolIPv4:
		return finishIPv4(s, tunnels)
	case protocolIPv6:
		return finishIPv6(s, tunnels)
	}
	return finishGRE(s, tunnels)
}

// finishGRE finishes the checksums inside a packet of GRE (RFC 2784, RFC 2890), and reports whether there were any. A
// packet with routing, or of another version, is left alone.
func finishGRE(s []byte, tunnels int) bool {
	const (
		optional = 0xB000 // bits for checksum, key and sequence number: fields of 4 octets each
		foreign  = 0x4007 // the routing bit, which RFC 2784 has dropped, and the version, which must be 0
	)
	if len(s) < greLen {
		return false
	}
	flags := binary.BigEndian.Uint16(s)
	if flags&foreign != 0 {
		return false
	}
	return finishCarried(s, greLen+4*bits.OnesCount16(flags&optional), tunnels)
}

// finishCarried finishes the checksums behind a header of GRE or Geneve of length octets, and reports whether there
// were any: both headers have the type of what they carry at an offset of 2.
func finishCarried(header []byte, length, tunnels int) bool {
	if len(header) < length {
		return false
	}
	if etherType := binary.BigEndian.Uint16(header[2:]); etherType != etherTypeBridge {
		return finishPacket(header[length:], etherType, tunnels)
	}
	return finishFrame(header[length:], tunnels)
}
