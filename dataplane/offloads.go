package dataplane

import (
	"fmt"
	"slices"
	"strings"

	"uelink/dataplane/ethtool"
	"uelink/dataplane/netif"
	"uelink/dataplane/trouble"
)

// checkOffloads reports offloads of a port's interface that are to be off (key offloads) and are on: the driver has
// refused to switch them off, or somebody has switched them on since. Offloads that a driver has on by itself, as a
// veth has GRO with an XDP program, nobody can switch off, and they are no problem.
func (s survey) checkOffloads() {
	if s.port.host.super != nil { // whose offloads are on
		s.port.monitor.Set(trouble.Offloads, "")
		return
	}
	var on []string
	if s.port.host.offloads() != netif.OffloadsStay {
		_, requested, err := ethtool.Offloads(s.port.ifname())
		if err != nil {
			return // the interface is going; reconcile handles that
		}
		on = slices.DeleteFunc(requested, func(name string) bool { // InsertTags switches these on
			return strings.HasPrefix(name, "tx-vlan-")
		})
	}
	if len(on) == 0 {
		s.group.endTrouble(s.port, trouble.Offloads, "the offloads of the interface are off")
		return
	}
	slices.Sort(on)
	s.group.beginTrouble(s.port, trouble.Offloads,
		fmt.Sprintf("offloads of %s that are to be off are on: %s: frames may come joined, or "+
			"with unfinished checksums; type: ethtool -K %s %s off; if the driver refuses, set offloads: leave", s.port.ifname(),
			strings.Join(on, ", "), s.port.ifname(), strings.Join(on, " off ")))
}
