package netif

import (
	"uelink/dataplane/xsk"
	"uelink/wire"
)

// The sizes of a chunk, in octets.
const (
	SmallChunk = 2048
	LargeChunk = 4096
)

// LargestFrame is the longest frame that a port can carry, in octets: the most chunks that a frame may take, of the
// large size.
const LargestFrame = xsk.MostPieces * LargeChunk

// headroom is the number of octets that XDP keeps free in front of a received frame. Slack is the number of octets
// by which a frame may exceed the MTU: the Ethernet header and one VLAN tag.
const (
	headroom = 256
	Slack    = wire.HeaderLen + wire.VLANTagLen
)

// Fits returns the largest MTU whose frames fit into one chunk of the given size in octets.
func Fits(chunk int) int { return chunk - headroom - Slack }

// FitsPieces returns the largest MTU whose frames fit into pieces chunks of the given size in octets.
func FitsPieces(chunk, pieces int) int {
	if pieces <= 1 {
		return Fits(chunk)
	}
	return pieces*chunk - Slack
}

// ChunkFor returns the chunk size for the frames of an MTU, in octets: LargeChunk where SmallChunk is too small.
func ChunkFor(mtu int) int {
	if mtu <= Fits(SmallChunk) {
		return SmallChunk
	}
	return LargeChunk
}

// PiecesFor returns in how many chunks of the given size a frame of an MTU may lie. More than xsk.MostPieces are
// too many.
func PiecesFor(mtu, chunk int) int {
	if mtu <= Fits(chunk) {
		return 1
	}
	return max(2, (mtu+Slack+chunk-1)/chunk)
}
