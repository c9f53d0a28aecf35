// Package trim cuts frames that have no room to wait, so that their receiver learns at once of the loss (UE 1.0.1
// §4.1, UE-LINK §6.2). It is pure.
//
// PlanFor decides whether a frame may be trimmed, Put writes the trimmed frame:
//
//	if plan, ok := settings.PlanFor(frame); ok {
//		n := settings.Put(out, frame, plan, settings.DSCP, wire.Retag{})
//		send(out[:n])
//	}
package trim

import "encoding/binary"

// Lengths of the headers that make up the table of least sizes (UE 1.0.1 table 4-1, UE-LINK §6.2), in octets.
const (
	entropyLen = 4
	pdsLen     = 16 // of a request of RUD or ROD
	udpLen     = 8
	vxlanLen   = 8
)

// vxlanPort is the UDP port of VXLAN (RFC 7348 §5).
const vxlanPort = 4789

// Plan describes how to trim a frame.
type Plan struct {
	Len int // octets to keep, from the addresses on
	IP  int // offset of the outer IP header
}

// PlanFor reports whether a frame, from its addresses on, may be trimmed, and returns how. A frame may be trimmed if
// it is unicast IP behind at most two VLAN tags, no fragment, its DSCP is trimmable, and trimming makes it shorter.
// The kept octets are never fewer than the table of least sizes demands, nor end within the IP headers. A frame other
// than UET keeps Size octets.
func (s *Settings) PlanFor(f []byte) (Plan, bool) {
	p, ok := parse(f)
	if !ok || !p.unicast || !p.whole || !s.trimmable(p.dscp) {
		return Plan{}, false
	}
	length := max(s.Size, s.leastLen(f, &p))
	return Plan{Len: length, IP: p.ip}, length < p.end
}

// trimmable reports whether frames with a DSCP may be trimmed: not again after a trim, and never a DSCP of
// DSCP_CONTROL, whatever the settings.
// Clauses: UE-LINK/trimming.1.
func (s *Settings) trimmable(dscp uint8) bool {
	return s.Trimmable.Contains(dscp) && !s.Control.Contains(dscp) && dscp != s.DSCP
}

// leastLen returns how many octets of the IP packet's frame trimming must keep: the headers, and of UET, also in
// VXLAN, the PDS header.
// Clauses: UE-LINK/trimming.3.
func (s *Settings) leastLen(f []byte, p *packet) int {
	if n, ok := s.uetLen(f, p); ok {
		return n
	}
	const inside = udpLen + vxlanLen
	if p.protocol != udp || p.end < p.payload+inside || port(f, p) != vxlanPort {
		return p.payload
	}
	carried := f[p.payload+inside : p.end]
	if inner, ok := parse(carried); ok && inner.whole {
		if n, found := s.uetLen(carried, &inner); found {
			return p.payload + inside + n
		}
	}
	return p.payload
}

// uetLen returns how many octets of a UET packet must be kept: up to the end of its PDS header. ok is false for other
// frames.
func (s *Settings) uetLen(f []byte, p *packet) (n int, ok bool) {
	switch {
	case p.protocol == s.Protocol:
		return p.payload + entropyLen + pdsLen, true
	case p.protocol == udp && p.end >= p.payload+udpLen && port(f, p) == s.UDPPort:
		return p.payload + udpLen + pdsLen, true
	}
	return 0, false
}

// port returns the destination port of a UDP packet.
func port(f []byte, p *packet) uint16 { return binary.BigEndian.Uint16(f[p.payload+2:]) }
