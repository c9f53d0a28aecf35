package dcbx

import "slices"

// adopted returns the peer's Priority Groups c as this end adopts them, with at most own.NumTCs traffic classes.
// If c has more groups, groups are combined (DCBX, 2.4.3.1, first note: "combining priorities or priority groups
// requiring similar service into a traffic class"; the choice of groups is left to the node).
// Clauses: DCBX/pg.4.
func (c PG) adopted(own PG) PG {
	for c.classes() > int(max(own.NumTCs, 1)) {
		c = c.combined()
	}
	c.NumTCs = min(max(c.NumTCs, uint8(c.classes())), own.NumTCs)
	return c
}

// classes returns the number of traffic classes that the Priority Groups need: one for each group with priorities,
// the strict group included.
func (c PG) classes() (n int) {
	used, _ := c.used()
	for _, in := range used {
		if in {
			n++
		}
	}
	if slices.Contains(c.Group[:], PGStrict) {
		n++
	}
	return n
}

// combined returns c with one group less: the two groups with the smallest shares become one, so
// that the large groups keep their shares. The strict group is combined only if just two groups are
// left.
func (c PG) combined() PG {
	used, _ := c.used()
	smallest, next := -1, -1
	for group, in := range used {
		switch {
		case !in:
		case smallest < 0 || c.Percentage[group] < c.Percentage[smallest]:
			smallest, next = group, smallest
		case next < 0 || c.Percentage[group] < c.Percentage[next]:
			next = group
		}
	}
	if next < 0 {
		return c.moved(PGStrict, smallest)
	}
	return c.moved(max(smallest, next), min(smallest, next))
}

// moved returns c with the priorities and the share of group from moved into group into.
func (c PG) moved(from, into int) PG {
	for priority, group := range c.Group {
		if int(group) == from {
			c.Group[priority] = uint8(into)
		}
	}
	if from < groups {
		c.Percentage[into] += c.Percentage[from]
		c.Percentage[from] = 0
	}
	return c
}

// Limited returns the Priority Groups with groups combined until they need no more than NumTCs traffic classes.
// Clauses: 802.1Qaz/ets.4.
func (c PG) Limited() PG { return c.adopted(c) }
