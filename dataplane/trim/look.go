// Package trim cuts frames that have no room to wait, so that their receiver learns at once
// what was lost (UE 1.0.1 §4.1, UE-LINK §6.2). It is pure.
//
// Look says whether a frame may be trimmed, Put makes the trimmed one:
//
//	if plan, ok := settings.Look(frame); ok {
//		n := settings.Put(out, frame, plan, settings.DSCP, wire.Retag{})
//		send(out[:n])
//	}
package trim

import "encoding/binary"

// What of UET, and of what is around it, the table of least sizes (UE 1.0.1 table 4-1, UE-LINK
// §6.2) is made of, in octets.
const (
	entropyLen = 4
	pdsLen     = 16 // of a request of RUD or ROD
	udpLen     = 8
	vxlanLen   = 8
)

// vxlanPort is the UDP port of VXLAN (RFC 7348 §5).
const vxlanPort = 4789

// Plan is how a frame is to be trimmed.
type Plan struct {
	Len int // octets that stay, from the addresses on
	IP  int // where the outer IP header begins
}

// Look tells whether a frame, from its addresses on, may be trimmed, and how. It may if it is
// unicast IP behind at most two VLAN tags, no fragment, its DSCP is trimmable, and less of
// it is left then. What is left is never less than the table of least sizes wants, nor ends within
// the headers of IP. Of a frame that is not UET Size octets stay.
func (s *Settings) Look(f []byte) (Plan, bool) {
	p, ok := parse(f)
	if !ok || !p.unicast || !p.whole || !s.trimmable(p.dscp) {
		return Plan{}, false
	}
	kept := max(s.Size, s.least(f, &p))
	return Plan{Len: kept, IP: p.ip}, kept < p.end
}

// trimmable tells whether the frames of a DSCP may be trimmed: not a second time, and none of
// DSCP_CONTROL, whatever the settings say.
func (s *Settings) trimmable(dscp uint8) bool {
	return s.Trimmable.Has(dscp) && !s.Control.Has(dscp) && dscp != s.DSCP
}

// least is how many octets of a frame have to stay.
func (s *Settings) least(f []byte, p *packet) int {
	if n, is := s.uet(f, p); is {
		return n
	}
	const inside = udpLen + vxlanLen
	if p.protocol != udp || p.end < p.payload+inside || port(f, p) != vxlanPort {
		return p.payload
	}
	carried := f[p.payload+inside : p.end]
	if inner, ok := parse(carried); ok && inner.whole {
		if n, is := s.uet(carried, &inner); is {
			return p.payload + inside + n
		}
	}
	return p.payload
}

// uet is how many octets of a frame stay if it is UET: up to the end of its PDS header.
func (s *Settings) uet(f []byte, p *packet) (n int, is bool) {
	switch {
	case p.protocol == s.Protocol:
		return p.payload + entropyLen + pdsLen, true
	case p.protocol == udp && p.end >= p.payload+udpLen && port(f, p) == s.UDPPort:
		return p.payload + udpLen + pdsLen, true
	}
	return 0, false
}

// port is the destination port of a packet of UDP.
func port(f []byte, p *packet) uint16 { return binary.BigEndian.Uint16(f[p.payload+2:]) }
