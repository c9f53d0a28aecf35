package qos

import "uelink/wire/uet"

// Classes is how many traffic classes there are, and virtual channels on a link.
const Classes = 32

// EdgeQueues is how many queues an edge port has.
const EdgeQueues = 8

// Trust is what of a frame its traffic class follows from.
type Trust uint8

// What it may follow from.
const (
	TrustNone  Trust = iota // nothing: traffic class 0
	TrustDot1p              // the priority of its VLAN tag
	TrustDSCP               // the DSCP of its IP header, else its VLAN tag
	TrustUET                // what kind of UET packet it carries, else as TrustDSCP
)

// Map is the QoS maps of a port. The zero Map has one class.
type Map struct {
	Trust    Trust
	Dot1pDEI [16]uint8       // SAI_QOS_MAP_TYPE_DOT1P_DEI_TO_TC, by PCP << 1 | DEI
	DSCP     [64]uint8       // SAI_QOS_MAP_TYPE_DSCP_TO_TC
	UET      [UETKinds]uint8 `json:",omitzero"` // by kind of packet; ByDSCP: that of its DSCP
	Queue    [Classes]uint8  // SAI_QOS_MAP_TYPE_TC_TO_VC on a link, TC_TO_QUEUE on an edge

	Classifier uet.Classifier `json:",omitzero"` // of TrustUET: what a UET packet is known by
}
