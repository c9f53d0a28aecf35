package dataplane

import (
	"uelink/dataplane/frame"
	"uelink/llr"
)

// PortState is a snapshot of one port; its JSON is what the API serves.
type PortState struct {
	Name         string       `json:"name"`
	Interface    string       `json:"interface"`
	Role         string       `json:"role"`        // "link" or "edge"
	OperStatus   string       `json:"oper_status"` // "up", "down" or "absent"
	MTU          int          `json:"mtu"`         // of the interface, octets
	MAC          string       `json:"mac"`
	XDPMode      string       `json:"xdp_mode"`  // "driver" or "generic"
	BindMode     string       `json:"bind_mode"` // "copy" or "zerocopy", from XDP_OPTIONS
	Opener       string       `json:"opener"`
	Queues       int          `json:"queues"`
	RingSize     int          `json:"ring_size"`
	ChunkSize    int          `json:"chunk_size"` // 0: the MTU decides, and the interface is absent
	Worker       int          `json:"worker"`
	XConnect     string       `json:"xconnect,omitempty"` // the port at the other side
	Bridge       string       `json:"bridge,omitempty"`   // that the port belongs to
	QueuedFrames int          `json:"queued_frames"`      // that wait to leave by it
	StandsStill  bool         `json:"stands_still"`       // edge: it has had no room for frames for a while
	ErrorStatus  []string     `json:"error_status"`       // SAI_PORT_ERROR_STATUS names in lower case, e.g. "llr_tx_flush": since it was last cleared
	ErrorText    string       `json:"error_text"`         // what happened, in words; empty if nothing did
	Counters     PortCounters `json:"counters"`
	Socket       frame.Stats  `json:"socket"` // the kernel's, summed over the queues
	LLR          *LLRState    `json:"llr,omitempty"`
}

// PortCounters counts frames (and octets where named so) on one port.
type PortCounters struct {
	RxFrames uint64 `json:"rx_frames"`
	RxOctets uint64 `json:"rx_octets"`
	TxFrames uint64 `json:"tx_frames"`
	TxOctets uint64 `json:"tx_octets"`

	RxRunt           uint64 `json:"rx_runt"`            // shorter than an Ethernet header
	RxOversized      uint64 `json:"rx_oversized"`       // longer than the other port can carry
	RxDropDetached   uint64 `json:"rx_drop_detached"`   // edge: waiting frames that went with their interface
	RxOwnEtherType   uint64 `json:"rx_own_ethertype"`   // edge: a host sent one of our EtherTypes, dropped
	RxMACControl     uint64 `json:"rx_mac_control"`     // edge: PAUSE, PFC and other MAC Control frames, not carried
	RxLLDP           uint64 `json:"rx_lldp"`            // edge: LLDP frames behind a VLAN tag, not carried
	RxShimTruncated  uint64 `json:"rx_shim_truncated"`  // link: data frame too short for its shim
	RxShimBadSFD     uint64 `json:"rx_shim_bad_sfd"`    // link: preamble image not of this dialect
	RxShimReserved   uint64 `json:"rx_shim_reserved"`   // link: reserved bits or octets set
	RxOtherDialect   uint64 `json:"rx_other_dialect"`   // link: preamble image of another dialect
	RxOtherEtherType uint64 `json:"rx_other_ethertype"` // link: control frame under an EtherType that is not ours
	RxBareBadFCS     uint64 `json:"rx_bare_bad_fcs"`    // link: unsequenced frame with a bad or poisoned FCS image
	RxBare           uint64 `json:"rx_bare"`            // link: unsequenced frames delivered
	RxNative         uint64 `json:"rx_native"`          // link: native frames delivered, before the partner's first shim
	RxNativeDropped  uint64 `json:"rx_native_dropped"`  // link: native frames from a partner that shims, damaged shims, and what is never carried
	RxVC             uint64 `json:"rx_vc_unknown"`      // link: frame on a virtual channel that is not there
	RxDropNoBuffer   uint64 `json:"rx_drop_no_buffer"`  // frames that had to wait, and all chunks for that are in use
	RxRefused        uint64 `json:"rx_refused"`         // link: data frames while the edge stood still; with LLR they come again

	RxControl          uint64 `json:"rx_control"` // link: control frames accepted
	RxControlTruncated uint64 `json:"rx_control_truncated"`
	RxControlCRC       uint64 `json:"rx_control_crc"`
	RxControlVersion   uint64 `json:"rx_control_version"`
	RxControlCount     uint64 `json:"rx_control_count"`
	RxControlReserved  uint64 `json:"rx_control_reserved"`
	RxControlType      uint64 `json:"rx_control_type"` // unknown CtlOS type in a valid control frame
	TxControl          uint64 `json:"tx_control"`      // link: control frames sent

	TxBare          uint64 `json:"tx_bare"`            // link: sent unsequenced, in a shim
	TxNative        uint64 `json:"tx_native"`          // link: sent native, partner not known
	TxDropDown      uint64 `json:"tx_drop_down"`       // dropped because the interface is down or absent
	TxDropQueueFull uint64 `json:"tx_drop_queue_full"` // frames that had to wait, and the queue has its share of chunks
	TxFlushed       uint64 `json:"tx_flushed"`         // link: frames dropped from the replay buffer
	TxKicks         uint64 `json:"tx_kicks"`           // system calls to have frames sent
}

// LLRState is the LLR side of a link port.
type LLRState struct {
	Mode              string       `json:"llr_mode"`
	Local             bool         `json:"llr_mode_local"`
	Remote            bool         `json:"llr_mode_remote"`
	Profile           string       `json:"llr_profile"`
	Dialect           string       `json:"dialect"`
	FCS               bool         `json:"fcs"`
	TxStatus          string       `json:"tx_status"` // OFF, INIT, ADVANCE, REPLAY, FLUSH
	RxStatus          string       `json:"rx_status"` // OFF, SEND_ACKS, SEND_NACK, NACK_SENT
	FlushReason       string       `json:"flush_reason,omitempty"`
	FlushFrame        string       `json:"flush_frame"` // the frame that did not get through: octets and addresses
	Stalled           string       `json:"stalled"`     // the frame that no replay brings across, while that is so
	PartnerKnown      bool         `json:"partner_known"`
	PartnerMAC        string       `json:"partner_mac,omitempty"`
	PartnerBusy       bool         `json:"partner_busy"`              // it takes no frames now: its edge stands still
	PartnerProblem    string       `json:"partner_problem,omitempty"` // what keeps the two ends from working together
	OutstandingFrames int          `json:"outstanding_frames"`
	OutstandingBytes  int64        `json:"outstanding_bytes"`
	Counters          llr.Counters `json:"counters"`

	Negotiation *LLRNegotiation `json:"negotiation,omitempty"` // in mode dynamic
}

// LLRNegotiation is what LLDP has to do with the LLR of a link in mode dynamic. A
// direction is on while both ends offer LLR and this one is willing; before it
// goes off it delivers what is outstanding.
type LLRNegotiation struct {
	Partner       string `json:"partner"` // "none", "present", "aged", "withdrawn" or "ambiguous"
	WillingLocal  bool   `json:"willing_local"`
	WillingRemote bool   `json:"willing_remote"`
	AgreedLocal   bool   `json:"agreed_local"`
	AgreedRemote  bool   `json:"agreed_remote"`
	Retiring      bool   `json:"retiring"` // on its way off
}
