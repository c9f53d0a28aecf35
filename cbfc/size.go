package cbfc

import "math/bits"

// The ranges of Size.Credit and Size.Overhead, in octets.
const (
	MinCreditSize     = 32
	MaxCreditSize     = 2048
	MinPacketOverhead = -16
	MaxPacketOverhead = 127
)

// MaxLimit is the largest credit limit, half of the range of 15 bits. So a duplicate or late CF_Update, which seems
// to free almost 32,768 credits, is recognised because it frees more credits than are used.
const MaxLimit = 1<<14 - 1

// The cost of a frame is computed from its length: at least leastLen octets without FCS, plus fcsLen octets of FCS.
const (
	leastLen = 60
	fcsLen   = 4
)

// Size is the unit of credits; both ends of a channel need the same.
type Size struct {
	Credit   int // octets of a credit, a power of two, MinCreditSize to MaxCreditSize
	Overhead int // PktOvhd: octets added to each frame, MinPacketOverhead to MaxPacketOverhead
}

// Credits returns the cost of a frame of n octets without its FCS: at least 1.
func (s Size) Credits(n int) int {
	return (max(n, leastLen) + fcsLen + s.Overhead + s.Credit - 1) >> bits.TrailingZeros(uint(s.Credit))
}
