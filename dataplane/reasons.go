package dataplane

import (
	"uelink/dataplane/partner"
	"uelink/dataplane/path"
)

// The words for the problems of a port are read by programs. Each problem in the text PortState.Fault has a word in
// PortState.FaultReasons.

// ReasonAttach is the word for the problem of an interface that could not be attached.
const ReasonAttach = "attach"

// troubleReasons holds the word for each problem of an interface.
var troubleReasons = [troubles]string{
	troubleProgram:   "xdp_program",
	troubleQueues:    "rx_queues",
	troubleUnseen:    "unseen_frames",
	troubleLook:      "kernel_query",
	troublePieces:    "frame_pieces",
	troubleCapture:   "capture",
	troubleMTU:       "mtu",
	troubleDeaf:      "foreign_addresses",
	troubleSpread:    "rx_spread",
	troubleSteering:  "steering",
	troubleHosts:     "promiscuous",
	troublePair:      "veth",
	troublePairMTU:   "veth_mtu",
	troublePairKept:  "veth_changed",
	troubleTwin:      "same_address",
	troubleHost:      "host_network",
	troubleAbsent:    "absent",
	troubleRenamed:   "renamed",
	troubleRing:      "rx_ring_full",
	troubleChunks:    "no_chunk",
	troublePlaces:    "no_place",
	troubleMissed:    "rx_missed",
	troubleHostEnd:   "host_tx_dropped",
	troubleDriver:    "tx_dropped",
	troubleDescs:     "invalid_descriptors",
	troubleSuperRoom: "rx_super_no_room",
	troubleSuperLost: "super_frames",
	troubleQdisc:     "host_qdisc_dropped",
	troublePush:      "push_back",
	troubleSuper:     "offload",
	troublePlace:     "bookmark",
	troubleLinkLoss:  "link_loss",
	troubleTooLong:   "rx_too_long",
	troubleHostMTU:   "host_mtu",
	troubleLowered:   "mtu_lowered",
	troubleOffloads:  "offloads",
}

// FaultReasons returns every word that PortState.FaultReasons may hold.
func FaultReasons() []string {
	return append(troubleReasons[:], ReasonAttach, path.ReasonQueueFull, path.ReasonNoBuffer, path.ReasonOversized,
		path.ReasonChanged, path.ReasonLinkFrames, path.ReasonVLAN, path.ReasonConflict, path.ReasonQueueStopped)
}

// faultReasons returns the words for all present problems of the interface of a port.
func (a *attachment) faultReasons() (list []string) {
	if a.lastErr != "" {
		list = append(list, ReasonAttach)
	}
	for i, text := range a.faults {
		if text != "" {
			list = append(list, troubleReasons[i])
		}
	}
	return list
}

// PartnerProblemReasons returns every word of PortState.PartnerProblemReason but "".
func PartnerProblemReasons() []string { return partner.Reasons() }
