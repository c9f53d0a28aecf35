package store

import (
	"uelink/cbfc"

	"uelink/sai"
)

// Numbers of a port's attributes of CBFC that the code names.
const (
	portReceiverSize     = 0xce
	portReceiverOverhead = 0xcf
	portSenderSize       = 0xd1
	portSenderOverhead   = 0xd2
	portSenderLimit      = 0xd3
	portCCTimer          = 0xd4
	portCFMinSpacing     = 0xd5
	portCFMaxSpacing     = 0xd7
	portQueueToVC        = 0xd8
	portTCToVC           = 0xd9
)

// nativeOverhead is the value of CBFC_RECEIVER_PACKET_OVERHEAD that means CBFC_RECEIVER_NATIVE_PACKET_OVERHEAD.
const nativeOverhead = 128

// portCBFCAttributes returns the table of a port's attributes of CBFC.
func portCBFCAttributes() []Attribute {
	const both = "; both directions have the same value, and both ends need the same"
	const octetsOfTime = "given as the number of octets that the link carries in that time"
	return []Attribute{
		{ID: 0xcb, Name: "CBFC_RECEIVER_NATIVE_CREDIT_SIZE", Kind: sai.U16, Flags: ReadOnly, Links: true, Can: reads,
			read: func(*view, *object) sai.Value { return number(cbfc.MaxCreditSize) }, Acts: "octets of a chunk: 2048"},
		{ID: 0xcc, Name: "CBFC_RECEIVER_NATIVE_PACKET_OVERHEAD", Kind: sai.S16, Flags: ReadOnly, Links: true, Can: reads,
			read: func(*view, *object) sai.Value { return sai.Value{} }, Acts: "0"},
		{ID: 0xcd, Name: "CBFC_RECEIVER_NATIVE_TOTAL_CREDITS", Kind: sai.U16, Flags: ReadOnly, Links: true, Can: reads,
			read: totalCredits, Acts: "credits granted to all channels together (total_credits of the configuration); 0: each channel has a limit of its own"},
		{ID: portReceiverSize, Name: "CBFC_RECEIVER_CREDIT_SIZE", Kind: sai.U16, Flags: CreateAndSet, Links: true, Can: sets,
			Most: cbfc.MaxCreditSize, read: creditSize(portReceiverSize), Acts: "octets of a credit, a power of two from 32 on; 0: 2048" + both},
		{ID: portReceiverOverhead, Name: "CBFC_RECEIVER_PACKET_OVERHEAD", Kind: sai.S16, Flags: CreateAndSet, Default: nativeOverhead,
			Links: true, Can: sets, Least: cbfc.MinPacketOverhead, Most: nativeOverhead, read: overhead(portReceiverOverhead),
			Acts: "octets added to the length of a frame to count its credits; 128: CBFC_RECEIVER_NATIVE_PACKET_OVERHEAD, which is 0" + both},
		{ID: 0xd0, Name: "CBFC_SENDER_SUPPORTED_CREDIT_SIZE", Kind: sai.U16List, Flags: ReadOnly, Links: true, Can: reads,
			read: func(*view, *object) sai.Value { return sai.Value{List: creditSizes()} }, Acts: "the powers of two from 32 to 2048"},
		{ID: portSenderSize, Name: "CBFC_SENDER_CREDIT_SIZE", Kind: sai.U16, Flags: CreateAndSet, Default: 128, Links: true, Can: sets,
			Least: cbfc.MinCreditSize, Most: cbfc.MaxCreditSize, read: creditSize(portSenderSize),
			Acts: "octets of a credit, a power of two" + both + "; until this is set: 2048"},
		{ID: portSenderOverhead, Name: "CBFC_SENDER_PACKET_OVERHEAD", Kind: sai.S16, Flags: CreateAndSet, Links: true, Can: sets,
			Least: cbfc.MinPacketOverhead, Most: cbfc.MaxPacketOverhead, read: overhead(portSenderOverhead),
			Acts: "octets added to a frame before its credits are counted" + both},
		{ID: portSenderLimit, Name: "CBFC_SENDER_CREDIT_LIMIT", Kind: sai.U32, Flags: CreateAndSet, Links: true, Can: sets,
			Least: 0, Most: cbfc.MaxLimit, read: senderLimit,
			Acts: "most credits that all channels of the port use together, never more than the partner grants; 0: each channel " +
				"has a limit of its own; until this is set: the total that the partner grants"},
		{ID: portCCTimer, Name: "CBFC_CC_MESSAGE_TIMER", Kind: sai.U32, Flags: CreateAndSet, Default: 256, Links: true, Can: sets,
			Least: 1, Most: 250_000, read: ccTimer, Acts: "microseconds between two CC_Updates while credits are in use; until this is set: 10 ms"},
		{ID: portCFMinSpacing, Name: "CBFC_CF_MIN_SPACING", Kind: sai.U32, Flags: CreateAndSet, Default: 6400, Links: true, Can: sets,
			Least: 800, Most: 1 << 20, read: cfMinSpacing, Acts: "shortest time between two CF_Updates, " + octetsOfTime},
		{ID: 0xd6, Name: "CTLOS_MIN_SPACING", Kind: sai.U32, Flags: CreateAndSet, Default: 6400, Links: true,
			Acts: "LLR_ACK and CF_Update have spacings of their own: CTLOS_TARGET_SPACING and CBFC_CF_MIN_SPACING"},
		{ID: portCFMaxSpacing, Name: "CBFC_CF_MAX_SPACING", Kind: sai.U32, Flags: CreateAndSet, Default: 1 << 18, Links: true, Can: sets,
			Least: 16 << 10, Most: 1 << 20, Step: 16 << 10, read: cfMaxSpacing,
			Acts: "longest time until freed credits are reported, " + octetsOfTime},
		{ID: portQueueToVC, Name: "QOS_QUEUE_TO_VC_MAP", Kind: sai.ObjectID, Flags: CreateAndSet, Links: true, Refers: sai.TypeQoSMap,
			Can: sets, read: portMap(mapQueueToVC), Acts: "QOS_TC_TO_QUEUE_MAP gives the queue of a frame's class, and this " +
				"map the queue's virtual channel; null: QOS_TC_TO_VC_MAP acts"},
		{ID: portTCToVC, Name: "QOS_TC_TO_VC_MAP", Kind: sai.ObjectID, Flags: CreateAndSet, Links: true, Refers: sai.TypeQoSMap, Can: sets,
			read: portMap(mapTCToVC), Acts: "gives the virtual channel of a sent frame, by the frame's traffic class, while QOS_QUEUE_TO_VC_MAP is null; " +
				"null: channel 0. The traffic class of a received frame is the number of its channel"},
		{ID: 0xdb, Name: "QOS_VIRTUAL_CHANNEL_LIST", Kind: sai.ObjectList, Flags: ReadOnly, Links: true, Refers: sai.TypeVC, Can: reads,
			read: objectsOfPort(sai.TypeVC, vcPort), Acts: "virtual channels of the port that are objects"},
		{ID: 0xdc, Name: "CBFC_CREDIT_POOL_LIST", Kind: sai.ObjectList, Flags: ReadOnly, Links: true, Refers: sai.TypeCreditPool, Can: reads,
			read: objectsOfPort(sai.TypeCreditPool, poolPort), Acts: "credit pools of the port"},
	}
}

// Numbers of the attributes of a virtual channel.
const (
	vcPort = iota
	vcIndex
	vcNativeLimit
	vcProfile
	vcReceiver
	vcSender
)

// vcAttributes returns the table of a virtual channel's attributes.
func vcAttributes() []Attribute {
	return []Attribute{
		{ID: vcPort, Name: "PORT", Kind: sai.ObjectID, Flags: Mandatory | CreateOnly | Key, Refers: sai.TypePort, Can: creates,
			Acts: "a link port with fcs: true"},
		{ID: vcIndex, Name: "INDEX", Kind: sai.U8, Flags: Mandatory | CreateOnly | Key, Least: 0, Most: cbfc.VCs - 1, Can: creates,
			Acts: "number of the channel; the port gets as many channels as it needs"},
		{ID: vcNativeLimit, Name: "CBFC_RECEIVER_NATIVE_CREDIT_LIMIT", Kind: sai.U32, Flags: ReadOnly, Can: reads, read: nativeLimit,
			Acts: "credits that this end grants for the channel; 0: it grants none"},
		{ID: vcProfile, Name: "CBFC_SENDER_CREDIT_PROFILE", Kind: sai.ObjectID, Flags: CreateAndSet, Refers: sai.TypeCreditProfile, Can: all,
			Acts: "pool of the channel's credits, and the channel's share; null: all credits that the partner grants, none reserved"},
		{ID: vcReceiver, Name: "CBFC_RECEIVER_ENABLE", Kind: sai.Bool, Flags: CreateAndSet, Can: all, read: receiverEnabled,
			Acts: "this end grants the partner credits for 256 of the shortest frames"},
		{ID: vcSender, Name: "CBFC_SENDER_ENABLE", Kind: sai.Bool, Flags: CreateAndSet, Can: all, read: senderEnabled,
			Acts: "frames sent on the channel need credits: the channel is lossless"},
	}
}

// Numbers of the attributes of a credit pool and of a credit profile.
const (
	poolPort   = 0
	poolSize   = 1
	poolShared = 2

	creditPool     = 0
	creditReserved = 1
	creditMode     = 2
	creditDynamic  = 3
	creditStatic   = 4
)

// thresholdStatic is SAI_CBFC_CREDIT_PROFILE_THRESHOLD_MODE_STATIC.
const thresholdStatic = 1

// poolAttributes returns the table of a credit pool's attributes.
func poolAttributes() []Attribute {
	return []Attribute{
		{ID: poolPort, Name: "PORT", Kind: sai.ObjectID, Flags: Mandatory | CreateOnly, Refers: sai.TypePort, Can: creates,
			Acts: "a link port; a port has one pool at most"},
		{ID: poolSize, Name: "SIZE", Kind: sai.U64, Flags: Mandatory | CreateAndSet, Least: 1, Most: cbfc.MaxLimit, Can: all,
			read: sizeOfPool, Acts: "most credits that all channels of the pool use together, never more than the partner grants. More " +
				"than half of what 15 bits count is refused, so that a late CF_Update is recognised. A pool made by " +
				"the configuration has, until this is set, the total that the partner grants; 0: not yet known"},
		{ID: poolShared, Name: "SHARED_SIZE", Kind: sai.U64, Flags: ReadOnly, Can: reads, read: sharedSize,
			Acts: "SIZE minus the credits that the profiles of enabled channels reserve"},
	}
}

// creditProfileAttributes returns the table of a credit profile's attributes.
func creditProfileAttributes() []Attribute {
	return []Attribute{
		{ID: creditPool, Name: "POOL_ID", Kind: sai.ObjectID, Flags: Mandatory | CreateOnly, Refers: sai.TypeCreditPool, MayNull: true,
			Can: creates, Acts: "pool of the credits; null: the port's credits (CBFC_SENDER_CREDIT_LIMIT)"},
		{ID: creditReserved, Name: "RESERVED_CREDIT_SIZE", Kind: sai.U64, Flags: Mandatory | CreateAndSet, Least: 0, Most: cbfc.MaxLimit,
			Can: all, Acts: "credits of the pool that are reserved for each channel of this profile; no other channel uses them"},
		{ID: creditMode, Name: "THRESHOLD_MODE", Kind: sai.Enum, Flags: CreateOnly, Can: creates,
			Enum: []Enumerator{{"SAI_CBFC_CREDIT_PROFILE_THRESHOLD_MODE_NONE", 0},
				{"SAI_CBFC_CREDIT_PROFILE_THRESHOLD_MODE_STATIC", thresholdStatic}},
			Acts: "NONE: a channel uses its reserved credits alone. STATIC: also up to SHARED_STATIC_TH shared credits. " +
				"DYNAMIC is refused, and missing in the list of sai_query_attribute_enum_values_capability, because " +
				"its threshold changes with every frame: take STATIC instead"},
		{ID: creditDynamic, Name: "SHARED_DYNAMIC_TH", Kind: sai.S8, Flags: Mandatory | CreateAndSet, When: &Condition{creditMode, 2},
			Acts: "a threshold that changes with every frame of the other channels"},
		{ID: creditStatic, Name: "SHARED_STATIC_TH", Kind: sai.U64, Flags: Mandatory | CreateAndSet,
			When: &Condition{creditMode, thresholdStatic}, Least: 0, Most: cbfc.MaxLimit, Can: all,
			Acts: "most shared credits that the channel uses; 0: no limit"},
	}
}

// Numbers of the attributes of a QoS map, and the types of maps.
const (
	mapType = 0
	mapList = 1

	mapDot1p     = 0
	mapDSCP      = 2
	mapTCToQueue = 4
	mapDot1pDEI  = 15
	mapTCToVC    = 16
	mapQueueToVC = 17
)

// mapAttributes returns the table of a QoS map's attributes.
func mapAttributes() []Attribute {
	return []Attribute{
		{ID: mapType, Name: "TYPE", Kind: sai.Enum, Flags: Mandatory | CreateOnly, Can: creates,
			Enum: []Enumerator{{"SAI_QOS_MAP_TYPE_DOT1P_TO_TC", mapDot1p}, {"SAI_QOS_MAP_TYPE_DSCP_TO_TC", mapDSCP},
				{"SAI_QOS_MAP_TYPE_TC_TO_QUEUE", mapTCToQueue}, {"SAI_QOS_MAP_TYPE_DOT1P_DEI_TO_TC", mapDot1pDEI},
				{"SAI_QOS_MAP_TYPE_TC_TO_VC", mapTCToVC}, {"SAI_QOS_MAP_TYPE_QUEUE_TO_VC", mapQueueToVC}},
			Acts: "other types are refused"},
		{ID: mapList, Name: "MAP_TO_VALUE_LIST", Kind: sai.MapList, Flags: Mandatory | CreateAndSet, Can: all,
			Acts: "keys left out are mapped to 0; a map DOT1P_TO_TC made by the configuration shows the classes of frames with DEI 0"},
	}
}
