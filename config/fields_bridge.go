package config

import (
	"math"
	"slices"
	"time"

	"uelink/config/schema"
	"uelink/dataplane/bridge"
	"uelink/wire"
)

// ageingMax is the longest ageing time (IEEE 802.1Q 8.8.3: 1,000,000 seconds).
const ageingMax = 1_000_000 * time.Second

// bridgeFields returns the schema of the configuration keys of a bridge, named as in iproute2's bridge command
// where it has the option.
func bridgeFields() schema.Section[bridgeEntry] {
	return slices.Concat(
		schema.Section[bridgeEntry]{
			schema.Required("name", schema.Name(), "Name of the bridge; unique among bridges and ports.",
				func(b *bridgeEntry) *string { return &b.settings.Name }),
		},
		schema.Within(switchFields(), func(b *bridgeEntry) *bridge.Settings { return &b.settings.Settings }),
		schema.Section[bridgeEntry]{
			schema.RequiredList("ports", "Ports of the bridge, 1 to 256; of role link or edge.", bridgePortFields(),
				func(b *bridgeEntry) *[]bridgePortEntry { return &b.ports }),
		})
}

// switchFields returns the schema of the configuration keys of a bridge's learning, flooding and loop guard.
func switchFields() schema.Section[bridge.Settings] {
	type settings = bridge.Settings
	return schema.Section[settings]{
		schema.Value("ageing", schema.Duration(0, ageingMax), "300s", "A learned address is removed after this time without a frame from it; 0 = never.",
			func(s *settings) *time.Duration { return &s.Ageing }),
		schema.Value("vlan_filtering", schema.Boolean(), "false",
			"Frames stay in their VLAN, and addresses are learned for each VLAN. `false`: the bridge ignores VLAN tags.",
			func(s *settings) *bool { return &s.VLANFiltering }),
		schema.Value("reserved", schema.Choice(bridge.ReservedFilter, bridge.ReservedForward), "filter",
			"Frames to 01-80-C2-00-00-00 to 0F. `filter`: they are dropped, as IEEE 802.1Q has it; "+
				"`forward`: they are flooded, except frames that never leave a link (01, 0E, MAC Control, LLDP).",
			func(s *settings) *bridge.Reserved { return &s.Reserved }),
		schema.Value("loop_guard", schema.Choice(bridge.LoopGuardEvent, bridge.LoopGuardBlock), "event",
			"Action when an address moves to and fro between two ports, as in a loop. "+
				"`event`: an event reports the address; `block`: the event, and the port to which the address moved first is blocked.",
			func(s *settings) *bridge.LoopGuard { return &s.LoopGuard }),
		schema.Value("loop_block", schema.Duration(time.Second, time.Hour), "10s", "How long `loop_guard: block` blocks a port.",
			func(s *settings) *time.Duration { return &s.BlockTime }),
		schema.Value("max_entries", schema.Whole(1, 1<<20), "131072",
			"Largest number of addresses that are learned, 32 to 64 octets of memory each. Frames to other addresses are flooded.",
			func(s *settings) *int { return &s.MaxEntries }),
	}
}

// bridgePortFields returns the schema of the configuration keys of a port in a bridge.
func bridgePortFields() schema.Section[bridgePortEntry] {
	return slices.Concat(
		schema.Section[bridgePortEntry]{
			schema.Required("port", schema.Name(), "Name of a port that is in no other bridge or xconnect.",
				func(p *bridgePortEntry) *string { return &p.Port }),
		},
		membershipFields(),
		schema.Within(limitFields(), func(p *bridgePortEntry) *bridge.PortSettings { return &p.PortSettings }),
		schema.Section[bridgePortEntry]{
			schema.List("static", "Addresses fixed to the port; they are not learned elsewhere and do not age.", staticFields(),
				func(p *bridgePortEntry) *[]bridge.Address { return &p.Static }),
		})
}

// membershipFields returns the schema of the configuration keys of a bridge port that need VLAN filtering.
func membershipFields() schema.Section[bridgePortEntry] {
	type port = bridgePortEntry
	return schema.Section[port]{
		schema.Value("pvid", schema.Whole[uint16](0, bridge.MaxVLAN), "1",
			"With `vlan_filtering` only. VLAN of received frames without a tag; 0 = frames without a tag are dropped. "+
				"Frames of this VLAN leave without a tag, unless it is in `tagged`.",
			func(p *port) *uint16 { return &p.PVID }),
		schema.Scalars("tagged", vlans(), 0, "", "With `vlan_filtering` only. VLANs whose frames leave with a tag.",
			func(p *port, list []vlanRange) { p.tagged = list }),
		schema.Scalars("untagged", vlans(), 0, "",
			"With `vlan_filtering` only. VLANs besides `pvid` whose frames leave without a tag.",
			func(p *port, list []vlanRange) { p.untagged = list }),
	}
}

// limitFields returns the schema of the configuration keys for isolation, learning and rate limits of a bridge
// port.
func limitFields() schema.Section[bridge.PortSettings] {
	type port = bridge.PortSettings
	rate := schema.Whole[uint32](0, math.MaxUint32)
	return schema.Section[port]{
		schema.Value("isolated", schema.Boolean(), "false", "No frames go from or to other isolated ports.",
			func(p *port) *bool { return &p.Isolated }),
		schema.Value("learning", schema.Boolean(), "true", "Learn addresses from frames received at the port.",
			func(p *port) *bool { return &p.Learning }),
		schema.Value("broadcast_limit", rate, "0", "Largest number of broadcasts a second accepted from the port; 0 = no limit.",
			func(p *port) *uint32 { return &p.Broadcast }),
		schema.Value("unknown_limit", rate, "0", "Largest number of unicast frames a second to unknown addresses accepted from the port; 0 = no limit.",
			func(p *port) *uint32 { return &p.Unknown }),
		schema.Value("multicast_limit", rate, "0", "Largest number of multicasts a second accepted from the port; 0 = no limit.",
			func(p *port) *uint32 { return &p.Multicast }),
	}
}

// staticFields returns the schema of a static address of a bridge port.
func staticFields() schema.Section[bridge.Address] {
	type address = bridge.Address
	return schema.Section[address]{
		schema.Required("mac", stationAddress(), "Address of a station.", func(a *address) *wire.MAC { return &a.MAC }),
		schema.Value("vlan", schema.Whole[uint16](0, bridge.MaxVLAN), "0",
			"With `vlan_filtering`: VLAN of the address, one of the port's VLANs. Else 0.",
			func(a *address) *uint16 { return &a.VLAN }),
	}
}
