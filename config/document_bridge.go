package config

import (
	"uelink/dataplane"
	"uelink/dataplane/bridge"
)

// bridgeEntry is one entry of bridges.
type bridgeEntry struct {
	settings dataplane.BridgeSettings // without its ports
	ports    []bridgePortEntry
}

// bridgePortEntry is one entry of a bridge's ports.
type bridgePortEntry struct {
	dataplane.BridgePort
	tagged   []vlanRange
	untagged []vlanRange
}

// finish returns the data plane's settings of a configured bridge, with its ports.
func (b *bridgeEntry) finish() dataplane.BridgeSettings {
	out := b.settings
	for i := range b.ports {
		out.Ports = append(out.Ports, b.ports[i].finish(out.VLANFiltering))
	}
	return out
}

// finish returns the data plane's settings of a configured bridge port, with its VLANs if filtering, the bridge's
// VLAN filtering, is on.
func (p *bridgePortEntry) finish(filtering bool) dataplane.BridgePort {
	out := p.BridgePort
	if !filtering {
		out.PVID = 0
		return out
	}
	tagged, untagged := p.vlans()
	out.Tagged, out.Untagged = tagged.list(), untagged.list()
	return out
}

// vlans returns the tagged and the untagged VLANs of a bridge port. PVID is added to the untagged VLANs, unless it
// is among the tagged.
func (p *bridgePortEntry) vlans() (tagged, untagged vlanSet) {
	tagged.add(p.tagged)
	untagged.add(p.untagged)
	if p.PVID != 0 && !tagged[p.PVID] {
		untagged[p.PVID] = true
	}
	return tagged, untagged
}

// vlanRange is the VLANs from first to last.
type vlanRange struct{ first, last uint16 }

// vlanSet is a set of VLANs, indexed by number.
type vlanSet [bridge.MaxVLAN + 1]bool

func (s *vlanSet) add(ranges []vlanRange) {
	for _, r := range ranges {
		for vlan := r.first; vlan <= r.last; vlan++ {
			s[vlan] = true
		}
	}
}

// list returns the VLAN numbers in the set, the smallest first.
func (s *vlanSet) list() (list []uint16) {
	for vlan, in := range s {
		if in {
			list = append(list, uint16(vlan))
		}
	}
	return list
}
