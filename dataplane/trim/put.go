package trim

import (
	"encoding/binary"

	"uelink/wire"
)

// Put copies what is left of a frame into out, and returns how many octets that are: Plan.Len,
// but for the edit of its VLAN tag. The outer IP header gets the DSCP: Settings.DSCP, or that of the
// egress port. ECN stays. If RewriteIP is set, the length and the checksum of the header are those
// of what is left; else both are as they were sent. UDP is left as it was sent: its length tells how
// much there was. out has room for Plan.Len octets and a tag, and does not overlap the frame.
func (s *Settings) Put(out, f []byte, p Plan, dscp uint8, retag wire.Retag) int {
	n := retag.Put(out, f[:p.Len])
	if h := out[p.IP+n-p.Len : n]; h[0]>>4 == 4 {
		s.mark4(h, dscp)
	} else {
		s.mark6(h, dscp)
	}
	return n
}

// mark4 is what Put does to IPv4. The checksum is changed by what the header changes by (RFC 1624), so
// that a header that was damaged still shows it.
func (s *Settings) mark4(h []byte, dscp uint8) {
	before := binary.BigEndian.Uint32(h)
	h[1] = dscp<<2 | h[1]&3
	if !s.RewriteIP {
		return
	}
	binary.BigEndian.PutUint16(h[2:], uint16(len(h)))
	after := binary.BigEndian.Uint32(h)
	sum := uint32(^binary.BigEndian.Uint16(h[10:]))
	sum += ^before>>16 + ^before&0xFFFF + after>>16 + after&0xFFFF
	for sum > 0xFFFF {
		sum = sum>>16 + sum&0xFFFF
	}
	binary.BigEndian.PutUint16(h[10:], ^uint16(sum))
}

// mark6 is what Put does to IPv6, whose header has no checksum.
func (s *Settings) mark6(h []byte, dscp uint8) {
	const field = 63 << 6 // DSCP in the first 16 bits: version, traffic class, flow label
	binary.BigEndian.PutUint16(h, binary.BigEndian.Uint16(h)&^field|uint16(dscp)<<6)
	if s.RewriteIP {
		binary.BigEndian.PutUint16(h[4:], uint16(len(h)-ipv6Len))
	}
}
