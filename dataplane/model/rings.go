package model

import (
	"math/bits"

	"uelink/dataplane/frame"
	"uelink/dataplane/qos"
)

// edgeRxRing is the least number of RX ring entries of an edge by default. TCP of Linux sends up to 4 MB
// (net.ipv4.tcp_wmem) in a burst: 2,900 frames of 1448 octets.
const edgeRxRing = 4096

// DefaultRxRing returns the default number of RX ring entries of a port; ring is the number of TX ring entries.
func DefaultRxRing(r Role, ring int) int {
	if r == RoleEdge {
		return max(ring, edgeRxRing)
	}
	return ring
}

// RxRing returns the number of RX ring entries of a port.
func (s *PortSettings) RxRing() int {
	if s.RxRingSize == 0 {
		return s.RingSize
	}
	return s.RxRingSize
}

// away is the largest number of frames sent without LLR that are in a port's TX ring or with the driver at once. Each
// has a slot; a frame without a slot waits in the chunk in which it arrived.
const away = 256

// Geometry returns how a socket's memory is divided into chunks for receiving, waiting and sending. For a link, window
// is the number of replay slots, and reserve the number of frames that LLR keeps behind a gap. The MTU decides the size
// of a chunk. No frames wait in RingSize of the chunks: these receive frames while all other chunks are full.
func (s *PortSettings) Geometry(window, reserve int) frame.Geometry {
	return frame.Geometry{
		RX: s.RingSize + s.spare() + reserve, Spare: s.spare(), Kept: reserve, TX: min(s.RingSize, away) + window,
	}
}

// spare returns the number of chunks of a port in which received frames may wait: as many as RX ring entries, and
// the chunks reserved for frames that must not be dropped.
func (s *PortSettings) spare() int { return s.RxRing() + s.Assured() }

// InPieces returns a geometry for frames of up to pieces chunks. Each waiting frame uses pieces chunks, so
// fewer frames may wait: as many octets as the RX ring holds, but at least RingSize frames.
func (s *PortSettings) InPieces(g frame.Geometry, pieces int) frame.Geometry {
	if pieces > 1 {
		g.Spare -= max(0, s.RxRing()-max(s.RingSize, s.RxRing()/pieces))
	}
	return g.InPieces(pieces)
}

// Reserved returns the number of RX chunks that a port reserves for frames of each class that must not be dropped,
// and for all classes together. A frame of the least length uses a whole chunk, so a credit limit needs a
// chunk for each of the shortest frames that its credits allow.
func (s *PortSettings) Reserved() (chunks [qos.Classes]int, total int) {
	for set := s.PFC.Reserved(); set != 0; set &= set - 1 {
		chunks[bits.TrailingZeros8(set)] = s.PFC.XOff + s.PFC.Headroom
		total += s.PFC.XOff + s.PFC.Headroom
	}
	c := &s.CBFC
	if s.Role != RoleLink || !c.On {
		return chunks, total
	}
	least := c.Size.Credits(0)
	for vc, limit := range c.Limit {
		chunks[vc] = int(limit) / least
		if c.Total > 0 && limit > 0 {
			chunks[vc] = int(c.Total) / least
		}
		total += chunks[vc]
	}
	if c.Total > 0 {
		total = int(c.Total) / least
	}
	return chunks, total
}

// Assured returns the number of chunks that a port needs besides those for its rings, for frames with credits and
// frames of priorities stopped by PFC.
func (s *PortSettings) Assured() int {
	_, total := s.Reserved()
	return total
}
