package cbfc

// wireOverhead is what an Ethernet frame takes on a wire besides its octets without FCS: preamble,
// FCS and the gap to the next one.
const wireOverhead = 8 + fcsLen + 12

// LimitFor is the credit limit that a channel needs to have so many octets under way, as they count on a
// wire, frames of up to longest octets without FCS among them: what these cost at most, what may be
// freed until CF_Update says so, and a frame that waits for its credits. It is at most MaxLimit, which
// may be less than is needed.
func (s *Settings) LimitFor(octets, longest int) int {
	credits, length := s.Size.dearest(longest)
	inLoop := (float64(octets) + float64(s.CFMinSpacing)) * float64(credits) / float64(length+wireOverhead)
	return int(min(inLoop+1, MaxLimit-float64(s.Size.Credits(longest)))) + s.Size.Credits(longest)
}

// dearest is the length, up to longest octets, of the frames that cost most for what they take on a
// wire, and what one costs. That is the shortest one, or one that has just begun another credit: the
// first of these, or the last.
func (s Size) dearest(longest int) (credits, octets int) {
	least := s.Credits(leastLen)
	credits, octets = least, leastLen
	for _, c := range []int{least + 1, s.Credits(longest)} {
		n := (c-1)*s.Credit - s.Overhead - fcsLen + 1
		if n > leastLen && n <= longest && c*(octets+wireOverhead) > credits*(n+wireOverhead) {
			credits, octets = c, n
		}
	}
	return credits, octets
}
