package dcbnl

import "uelink/lldp/dcbx"

const classes = 8 // traffic classes, and groups, that DCBNL speaks of

// How a traffic class shares its group's bandwidth.
const (
	sharing    = 0 // with the other classes of the group
	linkStrict = 2 // served before every class that shares
)

// class is a traffic class of the NIC: DCB_TC_ATTR_PARAM of linux/dcbnl.h.
type class struct {
	group      uint8 // 0 to 7
	priorities uint8 // bit i is priority i
	strict     uint8 // sharing or linkStrict
	share      uint8 // percent of its group's bandwidth
}

// groups is what a NIC is told of priority groups.
type groups struct {
	class     [classes]class
	bandwidth [classes]uint8 // percent of the link, by group
}

// arrange gives each group that has priorities a traffic class, in the order of
// the groups, and the strict priorities the class after them. DCBNL numbers groups
// 0 to 7: the strict ones take the first that is free, without bandwidth. Groups
// 8 to 14 are reserved; their priorities get no class of their own but the first.
func arrange(pg dcbx.PG) groups {
	var members [classes]uint8
	strict := uint8(0)
	for priority, group := range pg.Group {
		switch bit := uint8(1) << priority; {
		case group == dcbx.PGStrict:
			strict |= bit
		case group < classes:
			members[group] |= bit
		default:
			members[0] |= bit
		}
	}
	var g groups
	next, free := 0, -1
	for group, priorities := range members {
		if priorities == 0 {
			if free < 0 {
				free = group
			}
			continue
		}
		g.class[next] = class{uint8(group), priorities, sharing, 100}
		g.bandwidth[group] = pg.Percentage[group]
		next++
	}
	if strict != 0 { // then at most seven groups are taken
		g.class[next] = class{uint8(free), strict, linkStrict, 0}
	}
	return g
}
