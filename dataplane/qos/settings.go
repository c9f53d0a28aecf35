package qos

import "uelink/wire/uet"

// Classes is the number of traffic classes, and of virtual channels on a link.
const Classes = 32

// EdgeQueues is the number of queues of an edge port.
const EdgeQueues = 8

// Trust selects the field of a frame that determines its traffic class.
type Trust uint8

// The fields.
const (
	TrustNone  Trust = iota // no field: traffic class 0
	TrustDot1p              // the priority of its VLAN tag
	TrustDSCP               // the DSCP of its IP header, or without IP its VLAN tag
	TrustUET                // the kind of its UET packet, or without UET as TrustDSCP
)

// Map holds the QoS maps of a port. The zero Map has one class.
type Map struct {
	Trust    Trust
	Dot1pDEI [16]uint8       // SAI_QOS_MAP_TYPE_DOT1P_DEI_TO_TC, by PCP << 1 | DEI
	DSCP     [64]uint8       // SAI_QOS_MAP_TYPE_DSCP_TO_TC
	UET      [UETKinds]uint8 `json:",omitzero"` // by kind of packet; ByDSCP: the class of its DSCP
	Queue    [Classes]uint8  // SAI_QOS_MAP_TYPE_TC_TO_VC on a link, TC_TO_QUEUE on an edge

	Classifier uet.Classifier `json:",omitzero"` // for TrustUET: how UET packets are recognised
}
