package sched

const (
	priorities = 8 // of 802.1p, each with the queue of its number
	groups     = 8 // with a percentage
	strict     = 15
)

// PriorityGroups is the parameters of DCBX's Priority Group feature that a scheduler goes by (DCBX,
// 3.1.1).
type PriorityGroups struct {
	Group      [priorities]uint8 // of each priority: 0 to 7, or 15, which has no bandwidth limit
	Percentage [groups]uint8     // of the bandwidth, for each of the groups 0 to 7
}

// Strict priority of the queues. Those of group 15 are above each other by their number, as
// those with a strict scheduler are.
const (
	levelRest   = iota // of a group with 0 %: they get what the others leave
	levelShare         // of a group with a share
	levelStrict        // of group 15, and upwards
)

// precision is a multiple of 1 to 8: the share of a group is a whole number of each of its queues.
const precision = 840

// maxWeight is the largest weight of a queue.
const maxWeight = 255

// Queues is what the groups make of the queues 0 to 7. The queues of a group have equal parts of
// its percentage as their weights. A group of which not all queues have frames gets less than its
// percentage while other groups have some. Shares that differ by more than 255 times are brought
// nearer to each other.
func (g *PriorityGroups) Queues() (queues [priorities]QueueSettings) {
	var parts [priorities]int
	var largest, common int
	for q := range queues {
		if g.Group[q] == strict {
			queues[q].Group = levelStrict + uint8(q)
			continue
		}
		if parts[q] = g.part(g.Group[q]); parts[q] > 0 {
			queues[q].Group = levelShare
		}
		largest, common = max(largest, parts[q]), divisor(common, parts[q])
	}
	for q, part := range parts {
		switch {
		case part == 0: // all queues without a weight are alike
		case largest/common <= maxWeight:
			queues[q].Weight = uint8(part / common)
		default:
			queues[q].Weight = uint8(max(1, (part*maxWeight+largest/2)/largest))
		}
	}
	return queues
}

// part is the share that a queue of a group has, in percent / precision.
func (g *PriorityGroups) part(group uint8) int {
	if group >= groups {
		return 0 // reserved
	}
	n := 0
	for _, other := range g.Group {
		if other == group {
			n++
		}
	}
	return int(g.Percentage[group]) * precision / n
}

// divisor is the greatest common divisor; that of 0 and n is n.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
