package cbfc

// wireOverhead is the number of octets that an Ethernet frame takes on a wire beyond its length without FCS: preamble,
// FCS and interframe gap.
const wireOverhead = 8 + fcsLen + 12

// LimitFor returns the credit limit that a channel needs for octets outstanding, as counted on a wire, with frames of
// up to longest octets without FCS. The limit covers the highest cost of these octets, the credits freed between two
// CF_Updates, and a frame that waits for its credits. The result is at most MaxLimit, which may be less than needed.
func (s *Settings) LimitFor(octets, longest int) int {
	credits, length := s.Size.dearest(longest)
	inLoop := (float64(octets) + float64(s.CFMinSpacing)) * float64(credits) / float64(length+wireOverhead)
	return int(min(inLoop+1, MaxLimit-float64(s.Size.Credits(longest)))) + s.Size.Credits(longest)
}

// dearest returns the frame length, up to longest octets, with the highest cost for its octets on a wire, and the
// cost in credits. The dearest frame is the shortest, or a frame that has just begun another credit: of these the
// shortest or the longest.
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
