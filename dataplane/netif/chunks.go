package netif

import (
	"uelink/dataplane/frame"
	"uelink/dataplane/xsk"
	"uelink/wire"
)

// The sizes of a chunk, in octets.
const (
	SmallChunk = 2048
	LargeChunk = 4096
)

// LargestFrame is the longest frame that there may be, of as many chunks as one may take, in octets.
const LargestFrame = xsk.MostPieces * LargeChunk

// headroom is what XDP keeps free in front of a received frame, and Slack by how much the
// kernel lets a frame be longer than the MTU: the Ethernet header and one VLAN tag.
const (
	headroom = 256
	Slack    = wire.HeaderLen + wire.VLANTagLen
)

// Fits is the largest MTU whose frames a chunk of so many octets holds.
func Fits(chunk int) int { return chunk - headroom - Slack }

// FitsPieces is the largest MTU whose frames that many chunks of so many octets hold.
func FitsPieces(chunk, pieces int) int {
	if pieces <= 1 {
		return Fits(chunk)
	}
	return pieces*chunk - Slack
}

// ChunkFor is the size of the chunks for the frames of an MTU: LargeChunk where one of SmallChunk
// does not hold them.
func ChunkFor(mtu int) int {
	if mtu <= Fits(SmallChunk) {
		return SmallChunk
	}
	return LargeChunk
}

// PiecesFor is in how many chunks of so many octets a frame of an MTU may lie. More than
// xsk.MostPieces are too many.
func PiecesFor(mtu, chunk int) int {
	if mtu <= Fits(chunk) {
		return 1
	}
	return max(2, (mtu+Slack+chunk-1)/chunk)
}

// underWay is how many received frames may be with their reader, or on their way back, besides
// those that wait.
const underWay = 128

// InPieces is a geometry for frames that take up to so many chunks. There is a place for each frame that may wait.
// Where none may (Spare is 0), there is one for each frame that the RX chunks hold. Either way there are some more.
func InPieces(g frame.Geometry, pieces int) frame.Geometry {
	g.Pieces, g.Places = pieces, 0
	switch {
	case pieces <= 1:
	case g.Spare > 0:
		g.Places = g.Spare + underWay
	default:
		g.Places = g.RX/pieces + underWay
	}
	return g
}
