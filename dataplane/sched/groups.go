package sched

// Numbers of DCBX's Priority Group feature.
const (
	priorities = 8  // number of 802.1p priorities; priority n has queue n
	groups     = 8  // number of groups with a percentage
	strict     = 15 // number of the group without a limit
)

// PriorityGroups holds the parameters of DCBX's Priority Group feature that a scheduler needs (DCBX, 3.1.1).
type PriorityGroups struct {
	Group      [priorities]uint8 // group of each priority: 0 to 7, or 15, which has no bandwidth limit
	Percentage [groups]uint8     // share of the bandwidth, for each of the groups 0 to 7
}

// Levels of strict priority (QueueSettings.Group) that the queues of Priority Groups get, the lowest first. Each queue
// of group 15 has a level of its own, levelStrict plus its number.
const (
	levelRest   = iota // of a group with 0 %: bandwidth that other groups leave
	levelShare         // of a group with a share
	levelStrict        // of queue 0 in group 15
)

// precision is a multiple of 1 to 8: so the share of a group divides into whole numbers for its queues.
const precision = 840

// maxWeight is the largest weight of a queue.
const maxWeight = 255

// Queues returns the scheduler settings of queues 0 to 7 for the Priority Groups. The queues of a group have equal
// parts of its percentage as weights. A group gets less than its percentage while some of its queues have no
// frames and other groups have some. Shares that differ by more than 255 times are brought closer together.
// Clauses: DCBX/pg.1.
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
		case part == 0: // queues without a weight share equally
		case largest/common <= maxWeight:
			queues[q].Weight = uint8(part / common)
		default:
			queues[q].Weight = uint8(max(1, (part*maxWeight+largest/2)/largest))
		}
	}
	return queues
}

// part returns the share of a single queue of a Priority Group: precision is 1 %. It is 0 for groups above 7.
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

// divisor returns the greatest common divisor of a and b; for 0 and n it is n.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
