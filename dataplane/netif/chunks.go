package netif

import "uelink/wire"

// The sizes of a chunk, in octets.
const (
	SmallChunk = 2048
	LargeChunk = 4096
)

// headroom is what XDP keeps free in front of a received frame, and Slack by how much the
// kernel lets a frame be longer than the MTU: the Ethernet header and one VLAN tag.
const (
	headroom = 256
	Slack    = wire.HeaderLen + 4
)

// Fits is the largest MTU whose frames a chunk of so many octets holds.
func Fits(chunk int) int { return chunk - headroom - Slack }

// ChunkFor is the size of the chunks that hold the frames of an MTU; of one that is too
// large, LargeChunk.
func ChunkFor(mtu int) int {
	if mtu <= Fits(SmallChunk) {
		return SmallChunk
	}
	return LargeChunk
}
