package dataplane

import (
	"time"

	"uelink/bpf"
	"uelink/cbfc"
	"uelink/dataplane/frame"
	"uelink/dataplane/qos"
	"uelink/dataplane/sched"
	"uelink/dataplane/xsk"
	"uelink/llr"
	"uelink/wire"
)

// PortState is a snapshot of one port. Package control makes what the API says of it; the
// counters have their names there as JSON keys here, where they are counted.
type PortState struct {
	Name         string
	Interface    string
	Host         *HostInterface // of an edge whose veth was made
	Role         Role           // RoleLink or RoleEdge
	OperStatus   OperStatus
	MTU          int // of the interface, octets; 0 before it is there for the first time
	Speed        int // of the interface, Mb/s; 0: not known
	MAC          wire.MAC
	Queues       int    // RX queues with a socket
	RingSize     int    // entries of the TX ring
	RxRingSize   int    // entries of the RX ring of each queue
	ChunkSize    int    // 0: the MTU decides, and the interface is absent
	Worker       int    // number of the one that serves the port
	XConnect     string // the port at the other side, "" if the port is in a bridge
	Bridge       string // that the port belongs to, "" if it is in an xconnect
	QueuedFrames int    // that wait to leave by it
	Dropping     bool   // frames that are to leave by it, or came in by it, are dropped for want of room
	StandsStill  bool   // edge: it has had no room for frames for a while
	ErrorStatus  []ErrorStatus
	ErrorText    string // what happened, in words; "" if nothing did
	Fault        string // what is wrong with the interface now, in words; "" if nothing is
	Notice       string // what was noticed last on the interface and done about it, after the time of day
	Counters     PortCounters
	QueueStats   []QueueState   // of the queues that have counted something, hold frames, or have a bound
	Device       DeviceCounters // the kernel's, outside of the sockets
	Sockets      *SocketState   // nil while the interface is absent
	LLR          *LLRState      // nil of an edge
	CBFC         *cbfc.State    // nil of an edge, and of a link without
	PFC          *PFCState      // nil of a link, and of an edge without
	Credits      *CreditState   // nil where CBFC is
	VCs          int            // link: virtual channels
	QoS          qos.Map
	Scheduler    sched.Settings
	Trimming     PortTrimming
}

// OperStatus is whether an interface can carry frames.
type OperStatus string

// The states of an interface.
const (
	OperUp     OperStatus = "up"
	OperDown   OperStatus = "down"
	OperAbsent OperStatus = "absent" // there is none of that name, or it cannot be taken
)

// ErrorStatus is one of SAI_PORT_ERROR_STATUS, in lower case: it has happened since the
// counters were cleared.
type ErrorStatus string

// ErrorLLRTxFlush: the transmitter of LLR has entered FLUSH.
const ErrorLLRTxFlush ErrorStatus = "llr_tx_flush"

// SocketState is how the frames of an interface are read and sent.
type SocketState struct {
	XDPMode  bpf.Mode // ModeDriver or ModeGeneric
	BindMode xsk.Bind // BindCopy or BindZeroCopy, from XDP_OPTIONS
	Opener   xsk.Opener
	Reason   string      // why in generic mode, and opened so, in words; empty: the settings leave no choice
	RxQueues []int       // with a socket, in their order
	TxQueue  int         // that frames leave by
	NoSocket []int       // RX queues by which frames come that find no socket
	Stats    frame.Stats // the kernel's, summed over the queues
}

// QueueState is a snapshot of one queue of a port's egress.
type QueueState struct {
	Queue        int // virtual channel of a link, 0 to 31; queue of an edge, 0 to 7
	QueuedFrames int // that wait now
	Occupancy    int // octets of these frames
	Watermark    int // the most that Occupancy has been since the counters were cleared
	Bound        int // the most that it may be; 0: what the room of the ingresses allows
	Counters     QueueCounters
}

// PortCounters counts frames (and octets where named so) on one port.
type PortCounters struct {
	RxFrames uint64 `json:"rx_frames"`
	RxOctets uint64 `json:"rx_octets"`
	TxFrames uint64 `json:"tx_frames"`
	TxOctets uint64 `json:"tx_octets"`

	RxRunt         uint64 `json:"rx_runt"`          // shorter than an Ethernet header
	RxOversized    uint64 `json:"rx_oversized"`     // longer than the other port can carry
	RxDropDetached uint64 `json:"rx_drop_detached"` // edge: waiting frames that went with their interface
	RxOwnEtherType uint64 `json:"rx_own_ethertype"` // edge: a host sent one of our EtherTypes, dropped
	// PAUSE, PFC and other MAC Control frames: of a host, not carried; in a shim, not delivered
	RxMACControl uint64 `json:"rx_mac_control"`
	// LLDP: of a host behind a VLAN tag, not carried; in a shim, not delivered
	RxLLDP           uint64 `json:"rx_lldp"`
	RxShimTruncated  uint64 `json:"rx_shim_truncated"`  // link: data frame too short for its shim
	RxShimBadSFD     uint64 `json:"rx_shim_bad_sfd"`    // link: preamble image not of this dialect
	RxShimReserved   uint64 `json:"rx_shim_reserved"`   // link: reserved bits or octets set
	RxOtherDialect   uint64 `json:"rx_other_dialect"`   // link: preamble image of another dialect
	RxOtherEtherType uint64 `json:"rx_other_ethertype"` // link: control frame under an EtherType that is not ours
	RxBareBadFCS     uint64 `json:"rx_bare_bad_fcs"`    // link: unsequenced frame with a bad or poisoned FCS image
	RxBare           uint64 `json:"rx_bare"`            // link: unsequenced frames delivered
	RxNative         uint64 `json:"rx_native"`          // link: native frames delivered, before the partner's first shim
	// link: native frames from a partner that shims, damaged shims, and what is never carried
	RxNativeDropped uint64 `json:"rx_native_dropped"`
	// link: control and addressed frames of another station than the partner, or for another
	RxOtherStation uint64 `json:"rx_other_station"`
	RxLooped       uint64 `json:"rx_looped"`         // link: control frames of this port itself that came back to it
	RxVC           uint64 `json:"rx_vc_unknown"`     // link: frame on a virtual channel that is not there
	RxDropNoBuffer uint64 `json:"rx_drop_no_buffer"` // frames that had to wait, and all chunks for that are in use
	// link: of these, those that had credits: the partner sent more than it had
	RxDropLossless uint64 `json:"rx_drop_lossless"`
	// edge: frames of a priority that the host was told to stop: it does not honour PFC
	RxDropPFC uint64 `json:"rx_drop_pfc"`
	// frames for the port that came by an RX queue without a socket, and went to the host's network
	RxNoSocket uint64 `json:"rx_no_socket"`
	// link: batches of data that came by another RX queue than those before
	RxQueueChanges uint64 `json:"rx_queue_changes"`
	// link: data frames while the edge stood still; with LLR they come again
	RxRefused uint64 `json:"rx_refused"`

	RxControl          uint64 `json:"rx_control"` // link: control frames accepted
	RxControlTruncated uint64 `json:"rx_control_truncated"`
	RxControlCRC       uint64 `json:"rx_control_crc"`
	RxControlVersion   uint64 `json:"rx_control_version"`
	RxControlCount     uint64 `json:"rx_control_count"`
	RxControlReserved  uint64 `json:"rx_control_reserved"`
	RxControlType      uint64 `json:"rx_control_type"` // unknown CtlOS type in a valid control frame
	TxControl          uint64 `json:"tx_control"`      // link: control frames sent

	TxBare   uint64 `json:"tx_bare"`   // link: sent unsequenced, in a shim
	TxNative uint64 `json:"tx_native"` // link: sent native, partner not known
	// link: dropped because the partner is not known: native frames are the host's, or its address goes outside
	TxDropNoPartner uint64 `json:"tx_drop_no_partner"`
	TxDropDown      uint64 `json:"tx_drop_down"` // dropped because the interface is down or absent
	// frames that had to wait, and the queue has its share of chunks, or its queue_octets
	TxDropQueueFull uint64 `json:"tx_drop_queue_full"`
	TxFlushed       uint64 `json:"tx_flushed"` // link: frames dropped from the replay buffer
	TxKicks         uint64 `json:"tx_kicks"`   // system calls to have frames sent

	TrimCounters
}

// LLRState is the LLR side of a link port.
type LLRState struct {
	Mode              LLRMode
	Local             bool // LLR_MODE_LOCAL
	Remote            bool // LLR_MODE_REMOTE
	Profile           string
	Dialect           wire.Dialect
	FCS               bool
	Encapsulation     Encapsulation // that is configured
	Sends             Encapsulation // in which frames leave now
	OtherStation      wire.MAC      // addressed: the last other station that spoke since the partner is known; zero: none
	TxStatus          llr.TxState
	RxStatus          llr.RxState
	FlushReason       string // "" if it has not flushed
	FlushFrame        string // the frame that did not get through: octets and addresses
	Stalled           string // the frame that no replay brings across, while that is so
	PartnerKnown      bool
	PartnerMAC        wire.MAC // while it is known
	PartnerBusy       bool     // it takes no frames now: its edge stands still
	PartnerAway       bool     // it has said that it leaves, and has time to come back: frames for it wait
	PartnerProblem    string   // what keeps the two ends from working together, in words
	OutstandingFrames int
	OutstandingBytes  int64
	Counters          llr.Counters
	LoopTime          *llr.LoopTime // nil while it is not known
	Advice            llr.Advice    // what follows from it for the profile; 0 while it is not known
	AdvisedLimit      int           // and for the credit limit of a lossless VC, credits; 0 without CBFC, too

	MaxOutstandingFrames int           // OUTSTANDING_FRAMES_MAX in force
	MaxReplayTimer       time.Duration // REPLAY_TIMER_MAX in force

	Negotiation *LLRNegotiation // nil but in mode dynamic
}

// LLRNegotiation is what LLDP has to do with the LLR of a link in mode dynamic. A
// direction is on while both ends offer LLR and this one is willing; before it
// goes off it delivers what is outstanding.
type LLRNegotiation struct {
	Partner       string // what LLDP knows of it, in its word: "none" if nothing
	WillingLocal  bool
	WillingRemote bool
	AgreedLocal   bool
	AgreedRemote  bool
	Retiring      bool // on its way off
}
