package model

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"time"

	"uelink/dataplane/sched"
	"uelink/wire"
)

// MostTraced is the largest number of frames of a trace.
const MostTraced = 1000

// MostQueues is the number of queues of a port, and of virtual channels of a link.
const MostQueues = sched.Queues

// TraceSettings choose the frames of a trace: the next Count frames that a port receives and the filter takes.
type TraceSettings struct {
	Count  int // 1 to MostTraced
	Filter TraceFilter
}

// TraceFilter takes a frame that each non-empty list of the filter takes.
type TraceFilter struct {
	MACs       []Address    // source or destination; MACs and IPs count as one list
	IPs        []netip.Addr // source or destination
	EtherTypes []uint16     // behind VLAN tags
	Queues     []uint8      // queue, or virtual channel, by which the frame leaves
}

// Matches reports whether the filter takes a frame, whatever its queue. addresses begins with the two MAC addresses,
// rest with the EtherType or a VLAN tag.
func (f *TraceFilter) Matches(addresses, rest []byte) bool {
	for len(rest) >= 4 && isTag(binary.BigEndian.Uint16(rest)) {
		rest = rest[4:]
	}
	if len(addresses) < wire.AddressesLen || len(rest) < 2 {
		return false
	}
	kind := binary.BigEndian.Uint16(rest)
	if len(f.EtherTypes) > 0 && !slices.Contains(f.EtherTypes, kind) {
		return false
	}
	if len(f.MACs)+len(f.IPs) == 0 {
		return true
	}
	from, to := ipAddresses(kind, rest[2:])
	return slices.Contains(f.MACs, Address(addresses)) || slices.Contains(f.MACs, Address(addresses[wire.AddrLen:])) ||
		from.IsValid() && (slices.Contains(f.IPs, from) || slices.Contains(f.IPs, to))
}

// isTag reports whether an EtherType is that of a VLAN tag.
func isTag(kind uint16) bool { return kind == 0x8100 || kind == 0x88A8 }

// ipAddresses returns source and destination of an IP packet; invalid addresses if it is none.
func ipAddresses(kind uint16, packet []byte) (from, to netip.Addr) {
	switch {
	case kind == 0x0800 && len(packet) >= 20:
		return netip.AddrFrom4([4]byte(packet[12:])), netip.AddrFrom4([4]byte(packet[16:]))
	case kind == 0x86DD && len(packet) >= 40:
		return netip.AddrFrom16([16]byte(packet[8:])), netip.AddrFrom16([16]byte(packet[24:]))
	}
	return from, to
}

// The results of a traced frame, or of one of its copies.
const (
	TraceDropped      = "dropped"      // not delivered; the counters have the reason
	TraceWaits        = "waits"        // in a queue, when the trace ended
	TraceOutstanding  = "outstanding"  // sent, and not acknowledged when the trace ended
	TraceAcknowledged = "acknowledged" // acknowledged by the partner of a link
	TraceSent         = "sent"         // handed to the interface of an edge, or to a link without a sequence number
)

// TracedFrame is what has become of a frame since its arrival at a port.
type TracedFrame struct {
	Number    int       `json:"number"`    // number of the frame in the trace, from 1
	Time      time.Time `json:"time"`      // time of the arrival
	Port      string    `json:"port"`      // port by which the frame arrived
	Octets    int       `json:"octets"`    // length of the frame, without a shim and without FCS
	From      Address   `json:"from"`      // source address
	To        Address   `json:"to"`        // destination address
	EtherType uint16    `json:"ethertype"` // EtherType, behind VLAN tags
	// arrival by a link: sequence number of LLR; -1: none
	RxSequence int64 `json:"rx_sequence"`
	// the worst result of the copies: "dropped", "waits", "outstanding", "acknowledged" or "sent"
	Result string `json:"result"`
	// counters that counted the frame when it was forwarded, except the counters that count every frame
	Counters []TracedCount `json:"counters"`
	Copies   []TracedCopy  `json:"copies"` // one for each port by which the frame leaves
}

// TracedCopy is a traced frame at a port by which it leaves.
type TracedCopy struct {
	Port     string `json:"port"`     // port by which the copy leaves
	Queue    int    `json:"queue"`    // number of the port's queue, or of the link's virtual channel
	Result   string `json:"result"`   // "dropped", "waits", "outstanding", "acknowledged" or "sent"
	Waited   bool   `json:"waited"`   // the copy has waited in the queue
	Sequence int64  `json:"sequence"` // sequence number of LLR; -1: none
	Replays  int    `json:"replays"`  // times that the copy was sent again
	SentNS   int64  `json:"sent_ns"`  // time from the arrival to the first sending, ns; -1: not sent
	EndNS    int64  `json:"end_ns"`   // time from the arrival to the result, ns; -1: not ended
	// counters that counted the copy when it left the queue or LLR, except the counters that count every frame
	Counters []TracedCount `json:"counters"`
}

// TracedCount is a counter of a port that has counted a traced frame.
type TracedCount struct {
	Port    string `json:"port"`
	Counter string `json:"counter"` // the counter's key in the API
}
