package dataplane

import "uelink/dataplane/trim"

// TrimmingSettings is what frames are trimmed to that find no room in queues which ask for it:
// SONiC's SWITCH_TRIMMING|GLOBAL. The zero TrimmingSettings trims none.
type TrimmingSettings struct {
	trim.Settings
	Class uint8 // traffic class of trimmed frames, SAI_SWITCH_ATTR_PACKET_TRIM_TC_VALUE
}

// PortTrimming is trimming of what is to leave by a port.
type PortTrimming struct {
	Queues uint32 // those whose packet_discard_action is trim, a bit for each queue or VC
	DSCP   uint8  // of what is trimmed here, 0 to 63; only where there are such queues
}
