package dataplane

import "uelink/dataplane/partner"

// The words for the problems of a port are read by programs. Each problem in the text PortState.Fault has a word in
// PortState.FaultReasons.

// ReasonAttach is the word for the problem of an interface that could not be attached.
const ReasonAttach = "attach"

// troubleReasons holds the word for each problem of an interface.
var troubleReasons = [troubles]string{
	troubleProgram:  "xdp_program",
	troubleQueues:   "rx_queues",
	troubleUnseen:   "unseen_frames",
	troubleLook:     "kernel_query",
	troublePieces:   "frame_pieces",
	troubleCapture:  "capture",
	troubleMTU:      "mtu",
	troubleDeaf:     "foreign_addresses",
	troubleSpread:   "rx_spread",
	troubleSteering: "steering",
	troubleHosts:    "promiscuous",
	troublePair:     "veth",
	troublePairMTU:  "veth_mtu",
	troublePairKept: "veth_changed",
	troubleHost:     "host_network",
	troubleAbsent:   "absent",
	troubleRing:     "rx_ring_full",
	troubleChunks:   "no_chunk",
	troublePlaces:   "no_place",
	troubleMissed:   "rx_missed",
	troubleHostEnd:  "host_tx_dropped",
	troubleDriver:   "tx_dropped",
	troubleDescs:    "invalid_descriptors",
}

// The words for the problems of a port that drops frames.
const (
	reasonQueueFull = "queue_full" // text by leavingText
	reasonNoBuffer  = "no_buffer"  // text by enteringText
	reasonOversized = "oversized"  // text by longText
)

// FaultReasons returns every word that PortState.FaultReasons may hold.
func FaultReasons() []string {
	return append(troubleReasons[:], ReasonAttach, reasonQueueFull, reasonNoBuffer, reasonOversized)
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

// dropsReasons returns the words for the problems in dropsText: frames are being dropped, and where.
func (p *port) dropsReasons() (list []string) {
	d := &p.drops
	for _, c := range []struct {
		now    bool
		reason string
	}{{d.leaving.now, reasonQueueFull}, {d.entering.now, reasonNoBuffer}, {d.long.now, reasonOversized}} {
		if c.now {
			list = append(list, c.reason)
		}
	}
	return list
}

// NoticeReason is the kind of a notice of a port, PortState.Notice.
type NoticeReason string

// The kinds of notices; NoNotice while a port has none.
const (
	NoNotice      NoticeReason = ""
	NoticeEnded   NoticeReason = "problem_ended" // a problem of the port is over
	NoticeOpened  NoticeReason = "opened"        // how the interface was opened
	NoticeReload  NoticeReason = "reload"        // the sockets were opened again by a reload
	NoticeProgram NoticeReason = "xdp_program"   // the XDP program was attached again
	NoticeQueues  NoticeReason = "rx_queues"     // the number of RX queues changed
	NoticeNIC     NoticeReason = "nic"           // the NIC sent or received nothing
	NoticeMTU     NoticeReason = "mtu"           // the XDP program was detached to set the MTU
	NoticeVeth    NoticeReason = "veth"          // settings of the veth were put back
	NoticeCapture NoticeReason = "capture"       // a capture reached its limit
	NoticeTxPath  NoticeReason = "tx_path"       // live frames were lost, or the kernel took long for them
)

// NoticeReasons returns all kinds of notices but NoNotice.
func NoticeReasons() []NoticeReason {
	return []NoticeReason{NoticeEnded, NoticeOpened, NoticeReload, NoticeProgram, NoticeQueues, NoticeNIC, NoticeMTU,
		NoticeVeth, NoticeCapture, NoticeTxPath}
}

// PartnerProblemReasons returns every word of PortState.PartnerProblemReason but "".
func PartnerProblemReasons() []string { return partner.Reasons() }
