package store

import "uelink/sai"

// Numbers of those attributes of objects that are only stored (isKept) which the code names; portInterface is a value
// of interfaceType.
const (
	hostifName     = 2
	trapType       = 0
	tableEntryType = 0
	routeNextHop   = 2
	routeFamily    = 4

	routerMAC     = 7
	interfaceType = 1
	portInterface = 0
)

// keptPrefix begins the effect of an attribute that is only stored.
const keptPrefix = "kept without effect: "

// packetActions returns the values of sai_packet_action_t.
func packetActions() []Enumerator {
	list := []Enumerator{}
	for i, name := range []string{"DROP", "FORWARD", "COPY", "COPY_CANCEL", "TRAP", "LOG", "DENY", "TRANSIT",
		"DONOTDROP"} {
		list = append(list, Enumerator{"SAI_PACKET_ACTION_" + name, int64(i)})
	}
	return list
}

// virtualRouterAttributes returns the table of the default virtual router's attributes.
func virtualRouterAttributes() []Attribute {
	const acts = keptPrefix + "the kernel does the routing, not the daemon"
	return []Attribute{
		{ID: 0, Name: "ADMIN_V4_STATE", Kind: sai.Bool, Flags: CreateAndSet, Default: 1, Can: sets, Kept: true, Acts: acts},
		{ID: 1, Name: "ADMIN_V6_STATE", Kind: sai.Bool, Flags: CreateAndSet, Default: 1, Can: sets, Kept: true, Acts: acts},
		{ID: 2, Name: "SRC_MAC_ADDRESS", Kind: sai.MAC, Flags: CreateAndSet, Can: reads, read: switchMAC,
			Acts: "MAC address of the switch"},
	}
}

// routerInterfaceAttributes returns the table of a router interface's attributes.
func routerInterfaceAttributes() []Attribute {
	const acts = keptPrefix + "addresses and routes are set in the kernel"
	return []Attribute{
		{ID: 0, Name: "VIRTUAL_ROUTER_ID", Kind: sai.ObjectID, Flags: Mandatory | CreateOnly, Refers: sai.TypeVirtualRouter,
			Can: creates, Kept: true, Acts: acts},
		{ID: interfaceType, Name: "TYPE", Kind: sai.Enum, Flags: Mandatory | CreateOnly, Can: creates, Kept: true,
			Enum: []Enumerator{{"SAI_ROUTER_INTERFACE_TYPE_LOOPBACK", 2}, {"SAI_ROUTER_INTERFACE_TYPE_PORT", portInterface}},
			Acts: acts + "; other types are refused"},
		{ID: 2, Name: "PORT_ID", Kind: sai.ObjectID, Flags: Mandatory | CreateOnly, Refers: sai.TypePort, Can: creates, Kept: true,
			When: &Condition{interfaceType, portInterface}, Acts: acts},
		{ID: routerMAC, Name: "SRC_MAC_ADDRESS", Kind: sai.MAC, Flags: CreateAndSet, Can: all, Kept: true, read: interfaceMAC,
			Acts: acts + "; until this is set: MAC address of the switch"},
		{ID: 8, Name: "ADMIN_V4_STATE", Kind: sai.Bool, Flags: CreateAndSet, Default: 1, Can: all, Kept: true, Acts: acts},
		{ID: 9, Name: "ADMIN_V6_STATE", Kind: sai.Bool, Flags: CreateAndSet, Default: 1, Can: all, Kept: true, Acts: acts},
		{ID: 0xa, Name: "MTU", Kind: sai.U32, Flags: CreateAndSet, Default: 1514, Can: all, Kept: true, Acts: acts},
	}
}

// hostifAttributes returns the table of the attributes of a host interface.
func hostifAttributes() []Attribute {
	const acts = keptPrefix + "no interface is made, because each port has its own, whatever NAME says"
	return []Attribute{
		{ID: 0, Name: "TYPE", Kind: sai.Enum, Flags: Mandatory | CreateOnly, Can: creates, Kept: true,
			Enum: []Enumerator{{"SAI_HOSTIF_TYPE_NETDEV", 0}}, Acts: acts + "; other types are refused"},
		{ID: 1, Name: "OBJ_ID", Kind: sai.ObjectID, Flags: Mandatory | CreateOnly, Refers: sai.TypePort, Can: creates, Kept: true,
			Acts: acts},
		{ID: hostifName, Name: "NAME", Kind: sai.Text, Flags: Mandatory | CreateOnly, Can: creates, Kept: true, Acts: acts},
		{ID: 3, Name: "OPER_STATUS", Kind: sai.Bool, Flags: CreateAndSet, Can: all, Kept: true, Acts: acts},
		{ID: 4, Name: "QUEUE", Kind: sai.U32, Flags: CreateAndSet, Can: all, Kept: true, Acts: acts},
	}
}

// trapGroupAttributes returns the table of a trap group's attributes.
func trapGroupAttributes() []Attribute {
	const acts = keptPrefix + "the kernel handles frames addressed to this machine"
	return []Attribute{
		{ID: 0, Name: "ADMIN_STATE", Kind: sai.Bool, Flags: CreateAndSet, Default: 1, Can: all, Kept: true, Acts: acts},
		{ID: 1, Name: "QUEUE", Kind: sai.U32, Flags: CreateAndSet, Can: all, Kept: true, Acts: acts},
		{ID: 2, Name: "POLICER", Kind: sai.ObjectID, Flags: CreateAndSet, Acts: "the daemon has no policers"},
	}
}

// trapAttributes returns the table of a trap's attributes.
func trapAttributes() []Attribute {
	const acts = keptPrefix + "the kernel handles frames addressed to this machine"
	return []Attribute{
		{ID: trapType, Name: "TRAP_TYPE", Kind: sai.Enum, Flags: Mandatory | CreateOnly | Key, Least: 0, Most: 0xa000 - 1,
			Can: creates, Kept: true, Acts: acts},
		{ID: 1, Name: "PACKET_ACTION", Kind: sai.Enum, Flags: Mandatory | CreateAndSet, Enum: packetActions(), Can: all, Kept: true,
			Acts: acts},
		{ID: 2, Name: "TRAP_PRIORITY", Kind: sai.U32, Flags: CreateAndSet, Can: all, Kept: true, Acts: acts},
		{ID: 4, Name: "TRAP_GROUP", Kind: sai.ObjectID, Flags: CreateAndSet, Refers: sai.TypeTrapGroup, Object: defaultTrapGroupOID,
			Can: all, Kept: true, Acts: acts},
	}
}

// tableEntryAttributes returns the table of the attributes of an entry of the table of host interfaces.
func tableEntryAttributes() []Attribute {
	const acts = keptPrefix + "the kernel handles frames addressed to this machine, on the interface of the port that " +
		"received them"
	return []Attribute{
		{ID: tableEntryType, Name: "TYPE", Kind: sai.Enum, Flags: Mandatory | CreateOnly, Can: creates, Kept: true,
			Enum: []Enumerator{{"SAI_HOSTIF_TABLE_ENTRY_TYPE_WILDCARD", 4}}, Acts: acts + "; other types are refused"},
		{ID: 3, Name: "CHANNEL_TYPE", Kind: sai.Enum, Flags: Mandatory | CreateOnly, Can: creates, Kept: true,
			Enum: []Enumerator{{"SAI_HOSTIF_TABLE_ENTRY_CHANNEL_TYPE_NETDEV_PHYSICAL_PORT", 2}},
			Acts: acts + "; other channels are refused"},
	}
}

// routeAttributes returns the table of a route's attributes.
func routeAttributes() []Attribute {
	const acts = keptPrefix + "the kernel does the routing, not the daemon"
	return []Attribute{
		{ID: 0, Name: "PACKET_ACTION", Kind: sai.Enum, Flags: CreateAndSet, Default: 1, Enum: packetActions(), Can: all, Kept: true,
			Acts: acts},
		{ID: routeNextHop, Name: "NEXT_HOP_ID", Kind: sai.ObjectID, Flags: CreateAndSet, Refers: sai.TypePort,
			Also: sai.TypeRouterInterface, Can: all, Kept: true, Acts: acts + "; must be the CPU port or a router interface"},
		{ID: routeFamily, Name: "IP_ADDR_FAMILY", Kind: sai.Enum, Flags: ReadOnly, Can: reads, read: familyOf,
			Enum: []Enumerator{{"SAI_IP_ADDR_FAMILY_IPV4", 0}, {"SAI_IP_ADDR_FAMILY_IPV6", 1}}, Acts: "address family of the prefix"},
	}
}

// vlanAttributes returns the table of the default VLAN's attributes.
func vlanAttributes() []Attribute {
	return []Attribute{
		{ID: 0, Name: "VLAN_ID", Kind: sai.U16, Flags: Mandatory | CreateOnly | Key, Can: reads,
			read: func(*view, *object) sai.Value { return sai.Value{Number: 1} }, Acts: "1"},
		{ID: 1, Name: "MEMBER_LIST", Kind: sai.ObjectList, Flags: ReadOnly, Can: reads, read: noObjects,
			Acts: "empty: " + configuredVLANs},
	}
}

// bridgeAttributes returns the table of the default bridge's attributes.
func bridgeAttributes() []Attribute {
	return []Attribute{
		{ID: 0, Name: "TYPE", Kind: sai.Enum, Flags: Mandatory | CreateOnly, Can: reads,
			Enum: []Enumerator{{"SAI_BRIDGE_TYPE_1Q", 0}}, read: func(*view, *object) sai.Value { return sai.Value{} }, Acts: "1Q"},
		{ID: 1, Name: "PORT_LIST", Kind: sai.ObjectList, Flags: ReadOnly, Can: reads, read: noObjects,
			Acts: "empty: " + configuredVLANs},
	}
}

// configuredVLANs is the reason in Acts of lists without objects.
const configuredVLANs = "bridges, VLANs and their ports are in the configuration, and no objects of SAI"

func noObjects(*view, *object) sai.Value { return sai.Value{OIDs: []sai.OID{}} }

// interfaceMAC returns the address of a router interface: as it was set, or else that of the switch.
func interfaceMAC(v *view, o *object) sai.Value {
	if set := o.values[routerMAC]; set.MAC != "" {
		return set
	}
	return switchMAC(v, o)
}

// familyOf returns the address family of a route.
func familyOf(_ *view, o *object) sai.Value { return truth(isIPv6(o.entry.Prefix)) }

// fixed returns a function that reads the id of an object that is always there.
func fixed(oid sai.OID) func(*view, *object) sai.Value {
	return func(*view, *object) sai.Value { return sai.Value{OID: oid} }
}
