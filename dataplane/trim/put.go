package trim

import (
	"encoding/binary"

	"uelink/wire"
)

// Put copies the kept octets of a frame into out, and returns their number: Plan.Len, changed by the edit of the
// VLAN tag. The outer IP header gets the given DSCP. ECN stays. With RewriteIP the length and checksum of the IP
// header are those of the trimmed frame; without it both stay as sent. The UDP header stays as sent: its length
// shows the original size. out needs room for Plan.Len octets and a tag, and must not overlap the frame.
// Clauses: UE-LINK/trimming.5.
func (s *Settings) Put(out, f []byte, p Plan, dscp uint8, retag wire.Retag) int {
	n := retag.Put(out, f[:p.Len])
	if h := out[p.IP+n-p.Len : n]; h[0]>>4 == 4 {
		s.mark4(h, dscp)
	} else {
		s.mark6(h, dscp)
	}
	return n
}

// mark4 sets the DSCP in the IPv4 header h of a trimmed frame. With Settings.RewriteIP it sets the length, too,
// and updates the checksum by the change of the header (RFC 1624), so a header damaged before stays recognisable.
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

// mark6 sets the DSCP in the IPv6 header h of a trimmed frame, and with Settings.RewriteIP the payload length.
func (s *Settings) mark6(h []byte, dscp uint8) {
	const field = 63 << 6 // DSCP in the first 16 bits: version, traffic class, flow label
	binary.BigEndian.PutUint16(h, binary.BigEndian.Uint16(h)&^field|uint16(dscp)<<6)
	if s.RewriteIP {
		binary.BigEndian.PutUint16(h[4:], uint16(len(h)-ipv6Len))
	}
}
