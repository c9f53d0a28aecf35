package traffic

import (
	"fmt"
	"slices"
	"strings"
)

// LostSize is a frame length with lost frames.
type LostSize struct {
	Octets int    `json:"octets"` // length of the frame without FCS, tags included
	Sent   uint64 `json:"sent"`
	Lost   uint64 `json:"lost"`
}

// lostSizes returns, for each frame length of which frames were lost, how many were sent and lost, the shortest
// length first, and the longest length that was sent (0 if nothing was lost). With more frames than the history
// holds, only the latest count.
func (f *flow) lostSizes() (lost []LostSize, longest int) {
	if f.arrivals.unique == f.next {
		return nil, 0
	}
	first := uint64(0)
	if f.next > history {
		first = f.next - history
	}
	bySize := map[int]*LostSize{}
	for n := first; n < f.next; n++ {
		octets := f.sizes[n%uint64(len(f.sizes))]
		size := bySize[octets]
		if size == nil {
			size = &LostSize{Octets: octets}
			bySize[octets] = size
		}
		size.Sent++
		if !f.arrivals.contains(n) {
			size.Lost++
		}
	}
	for _, size := range bySize {
		if longest = max(longest, size.Octets); size.Lost > 0 {
			lost = append(lost, *size)
		}
	}
	slices.SortFunc(lost, func(a, b LostSize) int { return a.Octets - b.Octets })
	return lost, longest
}

// lostText returns lines of text that name the frame lengths of which frames were lost; "" without loss. If no
// frame of the longest lengths arrived, the text says that an MTU is too small.
func (d *Direction) lostText() (text string) {
	if d.Delivered == 0 { // all frames are lost, of any length
		return ""
	}
	title, long := d.title(false), d.tooLong()
	if len(long) > 0 {
		text = fmt.Sprintf("%s: no frame of %s arrived: an MTU on the way is too small. A link needs 14 octets more than "+
			"its hosts, 26 with encapsulation: addressed; uelink llr interface says what its wire carries.\n", title,
			octetsText(long))
	}
	rest := d.LostSizes[:len(d.LostSizes)-len(long)]
	switch {
	case len(rest) > sizesShown:
		text += fmt.Sprintf("%s: lost frames of %s.\n", title, octetsText(rest))
	case len(rest) > 0:
		var list []string
		for _, s := range rest {
			list = append(list, fmt.Sprintf("%d octets (%s of %s)", s.Octets, Count(s.Lost), Count(s.Sent)))
		}
		text += fmt.Sprintf("%s: lost frames of %s.\n", title, strings.Join(list, ", "))
	}
	return text
}

// sizesShown is how many lengths are listed one by one.
const sizesShown = 6

// byChance is how many frames of the longest lengths may be lost by chance: with fewer, no MTU is blamed.
const byChance = 8

// tooLong returns the longest frame lengths of which no frame at all arrived, while shorter frames did; nil if
// these were too few frames (below byChance) to blame an MTU.
func (d *Direction) tooLong() []LostSize {
	if n := len(d.LostSizes); n == 0 || d.Delivered == 0 || d.LostSizes[n-1].Octets < d.longest {
		return nil
	}
	i, sent := len(d.LostSizes), uint64(0)
	for i > 0 && d.LostSizes[i-1].Lost == d.LostSizes[i-1].Sent {
		i--
		sent += d.LostSizes[i].Sent
	}
	if sent < byChance {
		return nil
	}
	return d.LostSizes[i:]
}

// octetsText returns the range of the frame lengths as text, such as "1501 to 1514 octets".
func octetsText(sizes []LostSize) string {
	first, last := sizes[0].Octets, sizes[len(sizes)-1].Octets
	if first == last {
		return fmt.Sprintf("%d octets", first)
	}
	return fmt.Sprintf("%d to %d octets", first, last)
}
