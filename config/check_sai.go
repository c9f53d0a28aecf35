package config

import (
	"uelink/config/schema"
	"uelink/dataplane/model"
)

// checkLanes reports a SAI lane number that two ports have. A port without lanes in the configuration has one lane:
// its place among the ports of role link and edge, from 0.
func (w checks) checkLanes(ports []portEntry) {
	taken := map[uint32]int{}
	place := uint32(0)
	for i := range ports {
		if ports[i].frames.Role == model.RoleHost {
			continue
		}
		lanes := ports[i].lanes
		if len(lanes) == 0 {
			lanes = []uint32{place}
		}
		place++
		for _, lane := range lanes {
			if first, twice := taken[lane]; twice {
				w.FailAt(schema.Join(schema.Element("ports", i), "sai"),
					"lane %d belongs to ports[%d] already: give each port lanes "+
						"of its own", lane, first)
				continue
			}
			taken[lane] = i
		}
	}
}
