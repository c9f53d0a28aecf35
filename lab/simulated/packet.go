package simulated

import (
	"encoding/binary"
	"net/netip"

	"uelink/wire"
)

// MinSize is the smallest frame of an IPv4 stream without a tag, with FCS.
const MinSize = wire.MinFrameLen + wire.FCSLen

// Lengths of the headers in front of a frame's number, and of this number, in octets.
const (
	tagLen    = 4
	ipv4Len   = 20
	ipv6Len   = 40
	udpLen    = 8
	numberLen = 8
	firstPort = 49152 // UDP source port of stream 0
)

// EtherTypes of the VLAN tag and of the packets.
const (
	etherTypeVLAN = 0x8100
	etherTypeIPv4 = 0x0800
	etherTypeIPv6 = 0x86DD
)

// tagVLAN is the VLAN of tagged streams.
const tagVLAN = 10

// SourceIP returns the IP address of all sending hosts.
func SourceIP() netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, 1}) }

// DestIP returns the IP address of the receiving host.
func DestIP() netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, 2}) }

// destMAC is the address of the receiving host.
var destMAC = wire.MAC{2, 0, 0, 0, 2, 2}

// sourceMAC returns the address of the sending host of an end, by the number of the end.
func sourceMAC(end byte) wire.MAC { return wire.MAC{2, 0, 0, 0, 3, end} }

// reservedMAC is a group address whose frames a link carries without a sequence number.
var reservedMAC = wire.MAC{0x01, 0x80, 0xC2, 0, 0, 0x03}

// numberAt returns the offset of the frame's number in a frame of the stream: behind the UDP header.
func (s *Stream) numberAt() int {
	at := wire.HeaderLen + ipv4Len + udpLen
	if s.V6 {
		at += ipv6Len - ipv4Len
	}
	if s.Tagged {
		at += tagLen
	}
	return at
}

// least returns the length of the shortest frame of the stream with room for both copies of its number, without
// FCS.
func (s *Stream) least() int { return s.numberAt() + 2*numberLen }

// frame returns frame number n of the stream, valid until the next call. Only the number differs between frames: behind
// the UDP header, and inverted at the end.
func (s *Stream) frame(n uint64) []byte {
	binary.BigEndian.PutUint64(s.octets[s.numberAt():], n)
	binary.BigEndian.PutUint64(s.octets[len(s.octets)-numberLen:], ^n)
	return s.octets
}

// template returns a frame of the stream with its headers, as the settings of the stream say, but without its
// number. The UDP checksum is left out.
func (s *Stream) template() []byte {
	f := make([]byte, s.Size-wire.FCSLen)
	for i := range f {
		f[i] = byte(i) ^ s.ID
	}
	to, from := destMAC, sourceMAC(s.From.number)
	if s.Reserved {
		to = reservedMAC
	}
	copy(f, to[:])
	copy(f[wire.AddrLen:], from[:])
	rest := f[2*wire.AddrLen:]
	if s.Tagged {
		rest = s.putTag(rest)
	}
	if s.V6 {
		binary.BigEndian.PutUint16(rest, etherTypeIPv6)
		s.putIPv6(rest[2:])
	} else {
		binary.BigEndian.PutUint16(rest, etherTypeIPv4)
		s.putIPv4(rest[2:])
	}
	return f
}

// putTag writes the VLAN tag, and returns the octets behind it.
func (s *Stream) putTag(b []byte) (rest []byte) {
	tci := uint16(s.PCP)<<13 | tagVLAN
	if s.DEI {
		tci |= 1 << 12
	}
	binary.BigEndian.PutUint16(b, etherTypeVLAN)
	binary.BigEndian.PutUint16(b[2:], tci)
	return b[tagLen:]
}

// putIPv4 writes an IPv4 packet with UDP that fills ip.
func (s *Stream) putIPv4(ip []byte) {
	clear(ip[:ipv4Len])
	ip[0], ip[1], ip[8], ip[9] = 0x45, s.DSCP<<2, 64, 17
	binary.BigEndian.PutUint16(ip[2:], uint16(len(ip)))
	source, dest := SourceIP().As4(), DestIP().As4()
	copy(ip[12:], source[:])
	copy(ip[16:], dest[:])
	binary.BigEndian.PutUint16(ip[10:], headerChecksum(ip[:ipv4Len]))
	s.putUDP(ip[ipv4Len:])
}

// putIPv6 writes the IPv6 and UDP headers of a frame into ip. The addresses are those of the IPv4 streams,
// IPv4-mapped.
func (s *Stream) putIPv6(ip []byte) {
	clear(ip[:ipv6Len])
	binary.BigEndian.PutUint32(ip, 6<<28|uint32(s.DSCP)<<22)
	binary.BigEndian.PutUint16(ip[4:], uint16(len(ip)-ipv6Len))
	ip[6], ip[7] = 17, 64
	source, dest := SourceIP().As16(), DestIP().As16()
	copy(ip[8:], source[:])
	copy(ip[24:], dest[:])
	s.putUDP(ip[ipv6Len:])
}

// putUDP writes the UDP header of a datagram that fills udp, without a checksum. The source port has the stream's ID.
func (s *Stream) putUDP(udp []byte) {
	binary.BigEndian.PutUint16(udp, firstPort+uint16(s.ID))
	binary.BigEndian.PutUint16(udp[2:], firstPort)
	binary.BigEndian.PutUint16(udp[4:], uint16(len(udp)))
	clear(udp[6:udpLen])
}

// headerChecksum returns the checksum of an IPv4 header whose checksum field is 0.
func headerChecksum(header []byte) uint16 {
	sum := uint32(0)
	for i := 0; i < len(header); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(header[i:]))
	}
	for sum > 0xFFFF {
		sum = sum>>16 + sum&0xFFFF
	}
	return ^uint16(sum)
}

// streamOf returns the ID of the stream that a frame belongs to, by its UDP source port; ok is false if the frame
// is too short to have one.
func streamOf(f []byte) (id uint8, ok bool) {
	at := 2 * wire.AddrLen
	if len(f) >= wire.HeaderLen && wire.EtherType(f) == etherTypeVLAN {
		at += tagLen
	}
	if len(f) < at+2 {
		return 0, false
	}
	udp := at + 2 + ipv4Len
	if binary.BigEndian.Uint16(f[at:]) == etherTypeIPv6 {
		udp = at + 2 + ipv6Len
	}
	if len(f) < udp+udpLen {
		return 0, false
	}
	return uint8(binary.BigEndian.Uint16(f[udp:]) - firstPort), true
}
