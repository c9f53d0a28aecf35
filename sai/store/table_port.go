package store

import (
	"uelink/wire"

	"uelink/sai"
)

// Numbers of a port's attributes that the code names.
const (
	portSpeedSet   = 0x1f
	portAdminState = 0x22
	portMTUSet     = 0x36
	portDot1p      = 0x48
	portDSCP       = 0x4a
	portTCToQueue  = 0x4c
	portPFCMode    = 0x55
	portPFC        = 0x56
	portDot1pDEI   = 0xda
	portLLRLocal   = 0xc0
	portLLRRemote  = 0xc1
	portLLRProfile = 0xc2
	portLLRTx      = 0xc3
	portLLRRx      = 0xc4
)

// portErrorFlush is SAI_PORT_ERROR_STATUS_LLR_TX_FLUSH.
const portErrorFlush = 0x2000

// The operational states of a port, sai_port_oper_status_t.
const (
	portUp         = 1
	portDown       = 2
	portNotPresent = 4
)

// managedSets is the text in Acts about attributes that clients may set if the configuration permits this.
const managedSets = "; if the configuration has `sai: {manage_interfaces: true}`, a value is set on the interface, " +
	"and restored when the daemon ends; otherwise only the present value is accepted"

// The range of the MTU, with the Ethernet header: the least MTU for IPv4, and the largest that the kernel allows.
const (
	leastPortMTU = 68 + wire.HeaderLen
	mostPortMTU  = 65535 + wire.HeaderLen
)

// portAttributes returns the table of a port's attributes other than those of LLR and CBFC.
func portAttributes() []Attribute {
	return []Attribute{
		{ID: 0x0, Name: "TYPE", Kind: sai.Enum, Flags: ReadOnly, Can: reads, CPU: true,
			Enum: []Enumerator{{"SAI_PORT_TYPE_LOGICAL", 0}, {"SAI_PORT_TYPE_CPU", 1}},
			read: func(_ *view, o *object) sai.Value { return truth(o.oid == CPUPortOID) }, Acts: "LOGICAL; for the CPU port: CPU"},
		{ID: 0x1, Name: "OPER_STATUS", Kind: sai.Enum, Flags: ReadOnly, Can: reads, CPU: true, read: portState,
			Enum: []Enumerator{{"SAI_PORT_OPER_STATUS_UNKNOWN", 0}, {"SAI_PORT_OPER_STATUS_UP", portUp},
				{"SAI_PORT_OPER_STATUS_DOWN", portDown}, {"SAI_PORT_OPER_STATUS_TESTING", 3},
				{"SAI_PORT_OPER_STATUS_NOT_PRESENT", portNotPresent}},
			Acts: "state of the interface; NOT_PRESENT while it is absent"},
		{ID: 0x4, Name: "QOS_NUMBER_OF_QUEUES", Kind: sai.U32, Flags: ReadOnly, Can: reads, CPU: true, read: numberOfQueues,
			Acts: "number of a link's virtual channels, or of an edge's queues"},
		{ID: 0x5, Name: "QOS_QUEUE_LIST", Kind: sai.ObjectList, Flags: ReadOnly, Refers: sai.TypeQueue, Can: reads, CPU: true,
			read: queueList, Acts: "queues of the port, from queue 0 on"},
		{ID: 0x6, Name: "QOS_NUMBER_OF_SCHEDULER_GROUPS", Kind: sai.U32, Flags: ReadOnly, Can: reads, CPU: true, read: zero,
			Acts: "0: a port schedules its queues itself"},
		{ID: 0x7, Name: "QOS_SCHEDULER_GROUP_LIST", Kind: sai.ObjectList, Flags: ReadOnly, Can: reads, CPU: true, read: noObjects,
			Acts: "empty"},
		{ID: 0x1a, Name: "NUMBER_OF_INGRESS_PRIORITY_GROUPS", Kind: sai.U32, Flags: ReadOnly, Can: reads, CPU: true, read: zero,
			Acts: "0: frames that wait are bounded for each port and queue, not for priority groups"},
		{ID: 0x1b, Name: "INGRESS_PRIORITY_GROUP_LIST", Kind: sai.ObjectList, Flags: ReadOnly, Can: reads, CPU: true,
			read: noObjects, Acts: "empty"},
		{ID: 0x1d, Name: "OPER_SPEED", Kind: sai.U32, Flags: ReadOnly, Can: reads, read: portSpeed,
			Acts: "speed of the interface, Mb/s; 0: not known"},
		{ID: 0x1e, Name: "HW_LANE_LIST", Kind: sai.U32List, Flags: Mandatory | CreateOnly | Key, Can: reads, read: portLanes,
			Acts: "sai.lanes of the port in the configuration; without this key: place of the port in the configuration, from 0"},
		{ID: portSpeedSet, Name: "SPEED", Kind: sai.U32, Flags: Mandatory | CreateAndSet, Can: sets, Kept: true, read: portSpeed,
			Acts: "speed of the interface, Mb/s; 0: not known; the host's administrator sets it, and another value is refused"},
		{ID: portAdminState, Name: "ADMIN_STATE", Kind: sai.Bool, Flags: CreateAndSet, Can: sets, CPU: true, read: portAdmin,
			Acts: "the interface is up" + managedSets},
		{ID: portMTUSet, Name: "MTU", Kind: sai.U32, Flags: CreateAndSet, Default: 1514, Least: leastPortMTU, Most: mostPortMTU,
			Can: sets, read: portMTU, Acts: "longest frame of the interface without FCS, octets" + managedSets +
				"; on a link at least what the edges need"},
		{ID: portDot1p, Name: "QOS_DOT1P_TO_TC_MAP", Kind: sai.ObjectID, Flags: CreateAndSet, Refers: sai.TypeQoSMap, Can: sets,
			read: portMap(mapDot1p),
			Acts: "class of a received frame by the priority of its VLAN tag; null: QOS_DOT1P_DEI_TO_TC_MAP acts; both null: class 0"},
		{ID: portDSCP, Name: "QOS_DSCP_TO_TC_MAP", Kind: sai.ObjectID, Flags: CreateAndSet, Refers: sai.TypeQoSMap, Can: sets,
			read: portMap(mapDSCP),
			Acts: "class of a received frame by the DSCP of its IP header, even if the frame has a VLAN tag; null: the tag decides"},
		{ID: portTCToQueue, Name: "QOS_TC_TO_QUEUE_MAP", Kind: sai.ObjectID, Flags: CreateAndSet, Refers: sai.TypeQoSMap, Can: sets,
			read: portMap(mapTCToQueue), Acts: "queue of a frame by its class; null: the queue of the same number. On a link " +
				"this acts only while QOS_QUEUE_TO_VC_MAP has a map"},
		{ID: portPFCMode, Name: "PRIORITY_FLOW_CONTROL_MODE", Kind: sai.Enum, Flags: CreateAndSet, Can: sets, Edges: true, Kept: true,
			Enum: []Enumerator{{"SAI_PORT_PRIORITY_FLOW_CONTROL_MODE_COMBINED", 0}}, read: zero,
			Acts: "COMBINED: a priority has PFC in both directions"},
		{ID: portPFC, Name: "PRIORITY_FLOW_CONTROL", Kind: sai.U8, Flags: CreateAndSet, Can: sets, Edges: true, read: portPriorities,
			Acts: "priorities with PFC, as bits: uelinkd pauses the host's frames of a class, and the host pauses a queue of the port. " +
				"`xoff`, `xon`, `headroom` and `rate` are those of the configuration, or defaults. While DCBX has agreed on the priorities, another value is refused"},
		{ID: 0xb4, Name: "ERROR_STATUS", Kind: sai.Enum, Flags: ReadOnly, Can: reads, read: portError,
			Enum: []Enumerator{{"SAI_PORT_ERROR_STATUS_CLEAR", 0}, {"SAI_PORT_ERROR_STATUS_LLR_TX_FLUSH", portErrorFlush}},
			Acts: "LLR_TX_FLUSH while the transmitter is in FLUSH"},
		{ID: portDot1pDEI, Name: "QOS_DOT1P_DEI_TO_TC_MAP", Kind: sai.ObjectID, Flags: CreateAndSet, Refers: sai.TypeQoSMap, Can: sets,
			read: portMap(mapDot1pDEI), Acts: "class of a received frame by priority and DEI of its VLAN tag; this map or " +
				"QOS_DOT1P_TO_TC_MAP acts, whichever was set last, and the other one reads as null"},
	}
}

// portLLRAttributes returns the table of a port's attributes of LLR.
func portLLRAttributes() []Attribute {
	return []Attribute{
		{ID: portLLRLocal, Name: "LLR_MODE_LOCAL", Kind: sai.Bool, Flags: CreateAndSet, Links: true, Can: sets, read: llrLocal,
			Acts: "LLR_INIT is answered, and frames are received reliably; needs LLR_PROFILE"},
		{ID: portLLRRemote, Name: "LLR_MODE_REMOTE", Kind: sai.Bool, Flags: CreateAndSet, Links: true, Can: sets, read: llrRemote,
			Acts: "LLR_INIT is sent, and frames are sent reliably; needs LLR_PROFILE. Setting false and then true ends FLUSH"},
		{ID: portLLRProfile, Name: "LLR_PROFILE", Kind: sai.ObjectID, Flags: CreateAndSet, Links: true, Refers: sai.TypeLLRProfile,
			Can: sets, read: llrProfile, Acts: "LLR uses the profile from now on; null is refused while LLR_MODE_LOCAL or LLR_MODE_REMOTE is true"},
		{ID: portLLRTx, Name: "LLR_TX_STATUS", Kind: sai.Enum, Flags: ReadOnly, Links: true, Can: reads, read: llrTx,
			Enum: []Enumerator{{"SAI_PORT_LLR_TX_STATUS_OFF", 0}, {"SAI_PORT_LLR_TX_STATUS_INIT", 1},
				{"SAI_PORT_LLR_TX_STATUS_ADVANCE", 2}, {"SAI_PORT_LLR_TX_STATUS_REPLAY", 3}, {"SAI_PORT_LLR_TX_STATUS_FLUSH", 4}},
			Acts: "state of the transmitter"},
		{ID: portLLRRx, Name: "LLR_RX_STATUS", Kind: sai.Enum, Flags: ReadOnly, Links: true, Can: reads, read: llrRx,
			Enum: []Enumerator{{"SAI_PORT_LLR_RX_STATUS_OFF", 0}, {"SAI_PORT_LLR_RX_STATUS_SEND_ACKS", 1},
				{"SAI_PORT_LLR_RX_STATUS_SEND_NACK", 2}, {"SAI_PORT_LLR_RX_STATUS_NACK_SENT", 3}},
			Acts: "state of the receiver"},
	}
}
