package dataplane

import (
	"uelink/dataplane/frame"
	"uelink/dataplane/netif"
)

// edgeRxRing is how many entries the RX ring of an edge has by default, at least. TCP of Linux sends up to 4 MB
// (net.ipv4.tcp_wmem) in a burst: 2,900 frames of 1448 octets.
const edgeRxRing = 4096

// DefaultRxRing returns how many entries the RX ring of a port has by default; ring is the size of its TX ring.
func DefaultRxRing(r Role, ring int) int {
	if r == RoleEdge {
		return max(ring, edgeRxRing)
	}
	return ring
}

// rxRing returns how many entries the RX ring has.
func (s *PortSettings) rxRing() int {
	if s.RxRingSize == 0 {
		return s.RingSize
	}
	return s.RxRingSize
}

// away is the most frames in a port's TX ring, or with the driver, outside of a replay buffer: a frame without a slot
// waits in the chunk of its arrival.
const away = 256

// geometry returns how the memory of a socket is cut; window is the replay slots of a link. How large a chunk is the
// MTU decides. RingSize chunks never wait: they are for what arrives while as many frames wait as may.
func (s *PortSettings) geometry(window int) frame.Geometry {
	return frame.Geometry{RX: s.RingSize + s.spare(), Spare: s.spare(), TX: min(s.RingSize, away) + window}
}

// spare returns how many chunks of an ingress may wait: the entries of the RX ring, plus the assured chunks.
func (s *PortSettings) spare() int { return s.rxRing() + s.Assured() }

// inPieces returns a geometry for frames of up to pieces chunks. Each waiting frame takes a place of that many chunks,
// so fewer may wait: together as many octets as the RX ring holds, but at least RingSize frames.
func (s *PortSettings) inPieces(g frame.Geometry, pieces int) frame.Geometry {
	if pieces > 1 {
		g.Spare -= max(0, s.rxRing()-max(s.RingSize, s.rxRing()/pieces))
	}
	return netif.InPieces(g, pieces)
}
