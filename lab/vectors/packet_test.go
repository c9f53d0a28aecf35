package vectors

import (
	"encoding/binary"
	"slices"

	"uelink/wire"
	"uelink/wire/uet"
)

// Addresses of the vectors.
var (
	destination = wire.MAC{0x02, 0, 0, 0, 0, 0x01}
	source      = wire.MAC{0x02, 0, 0, 0, 0, 0x02}
	ip4From     = [4]byte{192, 0, 2, 1}
	ip4To       = [4]byte{192, 0, 2, 2}
	ip6From     = [16]byte{0x20, 0x01, 0x0D, 0xB8, 15: 1}
	ip6To       = [16]byte{0x20, 0x01, 0x0D, 0xB8, 15: 2}
)

const (
	entropyPort = 0xC001 // UDP source port
	protocolUDP = 17
)

// ethernet returns a frame with up to two VLAN tags, padded to the least length.
func ethernet(kind uint16, payload []byte, vlans ...uint16) []byte {
	b := slices.Concat(destination[:], source[:])
	for i, vlan := range vlans {
		tpid := uint16(0x8100)
		if i+1 < len(vlans) {
			tpid = 0x88A8
		}
		b = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(b, tpid), vlan)
	}
	b = append(binary.BigEndian.AppendUint16(b, kind), payload...)
	for len(b) < wire.MinFrameLen {
		b = append(b, 0)
	}
	return b
}

// ipv4 returns a packet of IPv4; options are a multiple of 4 octets.
func ipv4(protocol, dscp uint8, options, payload []byte) []byte {
	b := make([]byte, 20, 20+len(options)+len(payload))
	b[0], b[1], b[8], b[9] = 0x40|byte(5+len(options)/4), dscp<<2, 64, protocol
	copy(b[12:], ip4From[:])
	copy(b[16:], ip4To[:])
	b = append(b, options...)
	binary.BigEndian.PutUint16(b[2:], uint16(len(b)+len(payload)))
	binary.BigEndian.PutUint16(b[10:], ^sum(0, b))
	return append(b, payload...)
}

// ipv6 returns a packet of IPv6. The next header may be an extension header at the start of the payload.
func ipv6(next, dscp uint8, payload []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, 6<<28|uint32(dscp)<<22)
	b = binary.BigEndian.AppendUint16(b, uint16(len(payload)))
	b = append(b, next, 64)
	return slices.Concat(b, ip6From[:], ip6To[:], payload)
}

// udp4 returns a UDP datagram to the port of UET, without a checksum, as IPv4 allows.
func udp4(payload []byte) []byte { return udp(payload, 0) }

// udp6 returns a UDP datagram to the port of UET, with the checksum that IPv6 requires.
func udp6(payload []byte) []byte {
	b := udp(payload, 0)
	pseudo := slices.Concat(ip6From[:], ip6To[:])
	pseudo = binary.BigEndian.AppendUint32(pseudo, uint32(len(b)))
	pseudo = binary.BigEndian.AppendUint32(pseudo, protocolUDP)
	return udp(payload, ^sum(sum(0, pseudo), b))
}

func udp(payload []byte, check uint16) []byte {
	b := binary.BigEndian.AppendUint16(nil, entropyPort)
	b = binary.BigEndian.AppendUint16(b, uet.DefaultPort)
	b = binary.BigEndian.AppendUint16(b, uint16(8+len(payload)))
	return append(binary.BigEndian.AppendUint16(b, check), payload...)
}

// sum adds octets to a sum in one's complement.
func sum(start uint16, b []byte) uint16 {
	total := uint32(start)
	for i := 0; i < len(b); i += 2 {
		word := uint32(b[i]) << 8
		if i+1 < len(b) {
			word |= uint32(b[i+1])
		}
		total += word
	}
	for total > 0xFFFF {
		total = total>>16 + total&0xFFFF
	}
	return uint16(total)
}
