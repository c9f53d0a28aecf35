package cbfc

import "math/bits"

// What a Size may be.
const (
	MinCreditSize     = 32
	MaxCreditSize     = 2048
	MinPacketOverhead = -16
	MaxPacketOverhead = 127
)

// MaxLimit is the largest credit limit. Half of what 15 bits count: so a CF_Update that comes
// twice or late, which seems to free almost 32,768 credits, is known by freeing more than is used.
const MaxLimit = 1<<14 - 1

// The length of a frame as it counts: at least 60 octets, and its FCS.
const (
	leastLen = 60
	fcsLen   = 4
)

// Size is how credits are counted; both ends of a channel need the same.
type Size struct {
	Credit   int // octets of one credit, a power of two, MinCreditSize to MaxCreditSize
	Overhead int // PktOvhd: octets that are added to each frame, MinPacketOverhead to MaxPacketOverhead
}

// Credits is what a frame of n octets without its FCS costs: at least 1.
func (s Size) Credits(n int) int {
	return (max(n, leastLen) + fcsLen + s.Overhead + s.Credit - 1) >> bits.TrailingZeros(uint(s.Credit))
}
