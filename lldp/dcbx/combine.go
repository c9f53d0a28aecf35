package dcbx

import "slices"

// adopted has no more traffic classes than the device, and combines groups where the
// peer has more (DCBX, 2.4.3.1, first note: "combining priorities or priority groups
// requiring similar service into a traffic class"; which ones is left to the node).
func (c PG) adopted(own PG) PG {
	for c.classes() > int(max(own.NumTCs, 1)) {
		c = c.combined()
	}
	c.NumTCs = min(max(c.NumTCs, uint8(c.classes())), own.NumTCs)
	return c
}

// classes is how many traffic classes the groups take: one each, the strict one too.
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

// combined has a group less: the two with the smallest shares become one, so that the
// large ones stay as they are. The strict group loses its rank only if it is one of two.
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

// moved puts the priorities and the share of one group into another.
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
