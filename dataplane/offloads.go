package dataplane

import (
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
	if s.member.host.super != nil { // super-frames need the offloads
		s.member.monitor.Set(trouble.Offloads, "")
		return
	}
	var on []string
	if s.member.host.offloads() != netif.OffloadsStay {
		_, requested, err := ethtool.Offloads(s.member.ifname())
		if err != nil {
			return // the interface is going; reconcile handles that
		}
		on = slices.DeleteFunc(requested, func(name string) bool { // InsertTags has switched on the offloads of VLAN tags
			return strings.HasPrefix(name, "tx-vlan-")
		})
	}
	s.member.monitor.CheckOffloads(s.member.ifname(), on)
	s.group.publishTroubles(s.member)
}
