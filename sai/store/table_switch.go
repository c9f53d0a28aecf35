package store

import (
	"uelink/dataplane/qos"

	"uelink/sai"
)

// Numbers of the switch's attributes that the code names, and texts in Acts that several attributes share.
const (
	switchPortList      = 0x2
	switchMACAddress    = 0x53
	switchInit          = 0x74
	switchStateNotify   = 0x75
	switchPortNotify    = 0x78
	neverCalled         = "the library keeps the callback and never calls it: the daemon has no such event"
	noACL               = "0: the daemon has no ACLs"
	keptByTheLibrary    = "the library keeps the callback, and calls it on its notification thread"
	storeAndForwardOnly = "a frame is forwarded when all of it has arrived"
)

// switchAttributes returns the table of the attributes of the switch object, which stands for the daemon.
func switchAttributes() []Attribute {
	return []Attribute{
		{ID: 0x0, Name: "NUMBER_OF_ACTIVE_PORTS", Kind: sai.U32, Flags: ReadOnly, Can: reads, read: numberOfPorts,
			Acts: "number of the ports"},
		{ID: 0x1, Name: "MAX_NUMBER_OF_SUPPORTED_PORTS", Kind: sai.U32, Flags: ReadOnly, Can: reads, read: numberOfPorts,
			Acts: "number of the ports: the configuration makes them"},
		{ID: switchPortList, Name: "PORT_LIST", Kind: sai.ObjectList, Flags: ReadOnly, Refers: sai.TypePort, Can: reads, read: portList,
			Acts: "all ports, in the order of the configuration"},
		{ID: 0x3, Name: "PORT_MAX_MTU", Kind: sai.U32, Flags: ReadOnly, Can: reads, read: largestMTU,
			Acts: "longest frame of any port's interface without FCS, octets"},
		{ID: 0x4, Name: "CPU_PORT", Kind: sai.ObjectID, Flags: ReadOnly, Refers: sai.TypePort, Can: reads, read: fixed(CPUPortOID),
			Acts: "a port of TYPE CPU without queues, which is not in PORT_LIST: the kernel handles frames addressed to this machine"},
		{ID: 0x12, Name: "OPER_STATUS", Kind: sai.Enum, Flags: ReadOnly, Enum: switchStates(), Can: reads,
			read: func(*view, *object) sai.Value { return sai.Value{Number: 1} }, Acts: "UP while the daemon answers"},
		{ID: 0x19, Name: "ACL_ENTRY_MINIMUM_PRIORITY", Kind: sai.U32, Flags: ReadOnly, Can: reads, read: zero, Acts: noACL},
		{ID: 0x1a, Name: "ACL_ENTRY_MAXIMUM_PRIORITY", Kind: sai.U32, Flags: ReadOnly, Can: reads, read: zero, Acts: noACL},
		{ID: 0x24, Name: "DEFAULT_VLAN_ID", Kind: sai.ObjectID, Flags: ReadOnly, Refers: sai.TypeVLAN, Can: reads,
			read: fixed(defaultVLANOID), Acts: "VLAN 1"},
		{ID: 0x27, Name: "DEFAULT_VIRTUAL_ROUTER_ID", Kind: sai.ObjectID, Flags: ReadOnly, Refers: sai.TypeVirtualRouter, Can: reads,
			read: fixed(virtualRouterOID), Acts: "the only virtual router"},
		{ID: 0x29, Name: "DEFAULT_1Q_BRIDGE_ID", Kind: sai.ObjectID, Flags: ReadOnly, Refers: sai.TypeBridge, Can: reads,
			read: fixed(defaultBridgeOID), Acts: "the only bridge"},
		{ID: 0x2c, Name: "QOS_MAX_NUMBER_OF_TRAFFIC_CLASSES", Kind: sai.U8, Flags: ReadOnly, Can: reads,
			read: func(*view, *object) sai.Value { return number(qos.Classes) }, Acts: "32"},
		{ID: 0x44, Name: "DEFAULT_TRAP_GROUP", Kind: sai.ObjectID, Flags: ReadOnly, Refers: sai.TypeTrapGroup, Can: reads,
			read: fixed(defaultTrapGroupOID), Acts: "the trap group of traps for which a client sets no TRAP_GROUP"},
		{ID: 0x50, Name: "SWITCHING_MODE", Kind: sai.Enum, Flags: CreateAndSet, Default: 1, Can: reads,
			Enum: []Enumerator{{"SAI_SWITCH_SWITCHING_MODE_STORE_AND_FORWARD", 1}},
			read: func(*view, *object) sai.Value { return sai.Value{Number: 1} }, Acts: storeAndForwardOnly},
		{ID: 0x53, Name: "SRC_MAC_ADDRESS", Kind: sai.MAC, Flags: CreateAndSet, Can: all, Kept: true,
			read: switchMAC, Acts: "address of the first port's interface, which the kernel has set; another one is refused"},
		{ID: 0x72, Name: "SWITCH_HARDWARE_INFO", Kind: sai.S8List, Flags: CreateOnly, Can: creates, Kept: true,
			Acts: "the library keeps the value, which has no effect"},
		{ID: switchInit, Name: "INIT_SWITCH", Kind: sai.Bool, Flags: Mandatory | CreateOnly, Can: creates, Kept: true,
			read: func(*view, *object) sai.Value { return truth(true) },
			Acts: "attaches to the running daemon; false is refused"},
		{ID: switchStateNotify, Name: "SWITCH_STATE_CHANGE_NOTIFY", Kind: sai.Pointer, Flags: CreateAndSet, Can: hears,
			Kept: true, Acts: keptByTheLibrary + ": DOWN when the daemon does not answer, UP when the daemon answers again"},
		{ID: 0x76, Name: "SWITCH_SHUTDOWN_REQUEST_NOTIFY", Kind: sai.Pointer, Flags: CreateAndSet, Can: hears, Kept: true,
			Acts: neverCalled},
		{ID: 0x77, Name: "FDB_EVENT_NOTIFY", Kind: sai.Pointer, Flags: CreateAndSet, Can: hears, Kept: true, Acts: neverCalled},
		{ID: switchPortNotify, Name: "PORT_STATE_CHANGE_NOTIFY", Kind: sai.Pointer, Flags: CreateAndSet, Can: hears,
			Kept: true, Acts: keptByTheLibrary + " when the state of an interface changes, or LLR enters or leaves FLUSH"},
	}
}

func zero(*view, *object) sai.Value { return sai.Value{} }

func switchStates() []Enumerator {
	return []Enumerator{{"SAI_SWITCH_OPER_STATUS_UNKNOWN", 0}, {"SAI_SWITCH_OPER_STATUS_UP", 1},
		{"SAI_SWITCH_OPER_STATUS_DOWN", 2}, {"SAI_SWITCH_OPER_STATUS_FAILED", 3}}
}
