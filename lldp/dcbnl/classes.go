package dcbnl

import "uelink/lldp/dcbx"

const classes = 8 // traffic classes, and also groups, of DCBNL

// How a traffic class shares the bandwidth of its group.
const (
	sharing    = 0 // with the other classes of the group
	linkStrict = 2 // served before every sharing class
)

// class is a traffic class of the NIC: DCB_TC_ATTR_PARAM of linux/dcbnl.h.
type class struct {
	group      uint8 // 0 to 7
	priorities uint8 // bit i is priority i
	strict     uint8 // sharing or linkStrict
	share      uint8 // percent of its group's bandwidth
}

// groups are the priority groups as DCBNL programs them.
type groups struct {
	class     [classes]class
	bandwidth [classes]uint8 // percent of the link, by group
}

// arrange returns how DCBNL maps Priority Groups to traffic classes: one class for each group with priorities, in
// the order of the groups, and the next for the strict priorities. DCBNL numbers groups 0 to 7, so the strict
// priorities get the first unused group, without bandwidth. Groups 8 to 14 are reserved; their priorities join
// group 0.
// Clauses: DCBX/feature-tlv.18, DCBX/pg.2.
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
	if strict != 0 { // at least one priority is strict, so at most seven groups are in use
		g.class[next] = class{uint8(free), strict, linkStrict, 0}
	}
	return g
}
