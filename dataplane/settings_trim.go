package dataplane

import "uelink/dataplane/trim"

// TrimmingSettings is how to trim frames without room in queues that trim: SONiC's SWITCH_TRIMMING|GLOBAL. The zero
// TrimmingSettings trims no frame.
type TrimmingSettings struct {
	trim.Settings
	Class uint8 // traffic class of trimmed frames, SAI_SWITCH_ATTR_PACKET_TRIM_TC_VALUE
}

// PortTrimming is the trimming of frames to leave by a port.
type PortTrimming struct {
	Queues uint32 // queues with packet_discard_action trim, a bit for each queue or VC
	DSCP   uint8  // DSCP of frames trimmed here, 0 to 63; only with such queues
}
