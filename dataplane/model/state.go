package model

import (
	"errors"
	"time"

	"uelink/cbfc"
	"uelink/dataplane/attach"
	"uelink/dataplane/bridge"
	"uelink/dataplane/frame"
	"uelink/dataplane/pfc"
	"uelink/dataplane/qos"
	"uelink/dataplane/sched"
	"uelink/wire"
)

// PortState is a snapshot of one port. Package control makes the API's object from it; the counters have their JSON
// keys here.
// Clauses: SAI-LLR/error-status.2.
type PortState struct {
	Name         string
	Interface    string
	Host         *HostInterface // host's end of a created veth; nil: the edge has none
	Role         Role           // RoleLink or RoleEdge
	OperStatus   OperStatus
	MTU          int // of the interface, octets; 0 before the interface exists for the first time
	CarriedMTU   int // link: largest MTU of an edge whose frames the interface carries; 0: no interface
	Speed        int // of the interface, Mb/s; 0: not known
	MAC          wire.MAC
	Queues       int      // RX queues with a socket
	RingSize     int      // entries of the TX ring
	RxRingSize   int      // entries of the RX ring of each queue
	ChunkSize    int      // octets; 0: the interface is absent, and its MTU will decide
	Worker       int      // number of the port's worker
	XConnect     string   // the port at the other side, "" if the port is in a bridge
	Bridge       string   // bridge of the port, "" if the port is in an xconnect
	QueuedFrames int      // frames waiting to leave by the port
	Dropping     bool     // frames to leave by the port, or received by it, are dropped for want of room
	StandsStill  bool     // edge: the host has accepted no frame for a while, and frames wait
	Finishes     bool     // edge: the host sent frames with unfinished checksums within the last 10 s
	Unanswered   []string // edge: IPv4 addresses for which its host asks by ARP, and nobody answers
	ErrorStatus  []ErrorStatus
	ErrorText    string // the errors of ErrorStatus, in words; "": none
	Fault        string // what is wrong with the interface now, in words; "" if nothing is
	Notice       string // last observation on the interface and the action taken, after the time of day
	CaptureEnded string // why the configured capture has ended at its limit, in words; "": it has not
	Counters     PortCounters
	QueueStats   []QueueState   // of the queues with counts, waiting frames, or a bound
	Device       DeviceCounters // counts of the kernel, outside of the sockets
	Sockets      *SocketState   // nil while the interface is absent
	Protocol     Protocol       // link
	LLR          *LLRState      // nil for an edge, and for a link that speaks HIPPI-6400-PH
	HIPPI        *HIPPIState    // nil for an edge, and for a link that speaks LLR
	CBFC         *cbfc.State    // nil for an edge, and for a link without CBFC
	PFC          *PFCState      // nil for a link, and for an edge without PFC
	Credits      *CreditState   // nil where CBFC is nil
	VCs          int            // link: virtual channels
	QoS          qos.Map
	Scheduler    sched.Settings
	Trimming     PortTrimming

	Admin        AdminStatus  // AdminUnknown while the interface is absent
	FaultReasons []string     // words for the problems of Fault, out of dataplane.FaultReasons
	NoticeReason NoticeReason // kind of Notice

	PartnerProblemCommand string // link: command against LLR.PartnerProblem; "": the other end acts, or no command helps
	PartnerProblemReason  string // link: word for LLR.PartnerProblem, out of dataplane.PartnerProblemReasons; "" for none
}

// OperStatus is whether an interface can carry frames.
type OperStatus string

// The states of an interface.
const (
	OperUp     OperStatus = "up"
	OperDown   OperStatus = "down"
	OperAbsent OperStatus = "absent" // no interface of the name, or the interface cannot be attached
)

// AdminStatus is whether an interface is switched on (ip link set up), with a carrier or without.
type AdminStatus string

// The values of AdminStatus.
const (
	AdminUnknown AdminStatus = ""
	AdminUp      AdminStatus = "up"
	AdminDown    AdminStatus = "down"
)

// ErrorStatus is a value of SAI_PORT_ERROR_STATUS, in lower case: the error has occurred since the counters were
// cleared.
type ErrorStatus string

// ErrorLLRTxFlush: the transmitter of LLR has entered FLUSH.
const ErrorLLRTxFlush ErrorStatus = "llr_tx_flush"

// SocketState is how the frames of an interface are read and sent.
type SocketState struct {
	XDPMode  attach.Mode // ModeDriver or ModeGeneric
	BindMode attach.Bind // BindCopy or BindZeroCopy, from XDP_OPTIONS
	Opener   attach.Opener
	Reason   string      // reasons for generic mode and for the opener, in words; empty: the settings leave no choice
	RxQueues []int       // queues with a socket, in order
	TxQueue  int         // queue of sent frames
	TxPath   attach.Path // way by which large batches leave: PathAFXDP or PathLive
	TxWhy    string      // reason for PathAFXDP, in words
	NoSocket []int       // RX queues with frames but without a socket
	Push     PushState   // edge
	PushWhy  string      // reason for PushOff and PushLossy, in words
	Super    SuperState  // edge
	SuperWhy string      // reason for SuperFailed, or for SuperOff though the setting asks for super-frames
	HostWait int         // edge: frames that wait in the queueing discipline of the host's end of the veth
	Stats    frame.Stats // counts of the kernel, summed over the queues
}

// PushState is whether an edge leaves frames with the host until there is room for them.
type PushState string

// The values of PushState; empty on a link.
const (
	PushOn    PushState = "on"
	PushOff   PushState = "off"   // by the setting; with auto also where push back does not work
	PushLossy PushState = "lossy" // the port shall push back, and cannot: the kernel drops frames that find no room
)

// SuperState is whether super-frames pass between an edge and its host.
type SuperState string

// The values of SuperState; empty on a link.
const (
	SuperOn     SuperState = "on"
	SuperOff    SuperState = "off"    // by the setting; with auto also where super-frames fail; or super-frames are ending
	SuperFailed SuperState = "failed" // the port shall take super-frames, and cannot
)

// QueueState is a snapshot of one queue of a port's egress.
type QueueState struct {
	Queue        int `json:"queue"`            // virtual channel of a link, 0 to 31; queue of an edge, 0 to 7
	QueuedFrames int `json:"queued_frames"`    // frames that wait in the queue now
	Occupancy    int `json:"occupancy_octets"` // octets that wait in the queue now
	Watermark    int `json:"watermark_octets"` // most octets that have waited since the counters were cleared
	Bound        int `json:"queue_octets"`     // most octets that may wait; 0: bounded by the room of the ingress ports only

	Stopped bool `json:"stopped"` // by SAI: no frame of the queue leaves (PKT_DEQUEUE_ENABLE false)
	Closed  bool `json:"closed"`  // by SAI: new frames for the queue are dropped (PKT_ENQUEUE_ENABLE false)

	QueueCounters
}

// WorkerState is the state of a worker, with the JSON of the API.
type WorkerState struct {
	Worker int           `json:"worker"`           // number of the worker, from 0
	CPU    time.Duration `json:"cpu_ns" unit:"ns"` // time that the thread of the worker has run on a CPU
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
	NoticeMTU     NoticeReason = "mtu"           // the MTU was lowered by somebody, or set without the XDP program
	NoticeVeth    NoticeReason = "veth"          // settings of the veth were put back
	NoticeCapture NoticeReason = "capture"       // a capture reached its limit
	NoticePlace   NoticeReason = "bookmark"      // the lost file of a bookmark was written again
	NoticeTxPath  NoticeReason = "tx_path"       // live frames were lost, or the kernel took long for them
	NoticeSuper   NoticeReason = "offload"       // super-frames have ended, or their filter was restored
	NoticePush    NoticeReason = "push_back"     // settings for push back were restored, or push back cannot end yet
	NoticeCarrier NoticeReason = "carrier"       // frames were lost with the carrier of a host
	NoticeRoom    NoticeReason = "replay_room"   // LLR has more room for the frames of a long loop
	NoticeMemory  NoticeReason = "memory"        // LLR has no more room for a long loop: the memory is short
	// the host sends frames with unfinished checksums
	NoticeChecksum NoticeReason = "unfinished_checksum"
)

// ErrNoBridge is returned for the name of a bridge that is not configured.
var ErrNoBridge = errors.New("no such bridge")

// ErrNotBridged is returned by operations for bridge ports only.
var ErrNotBridged = errors.New("in no bridge")

// BridgePortStatus is whether a port of a bridge takes and sends frames.
type BridgePortStatus string

// BridgeState is a snapshot of one bridge.
type BridgeState struct {
	Name     string
	Settings bridge.Settings
	Entries  int // addresses in the table, including static addresses
	Ports    []BridgePortState
	Counters bridge.Counters
}

// BridgePortState is a snapshot of one port of a bridge.
type BridgePortState struct {
	Port     string // name
	State    BridgePortStatus
	Settings bridge.PortSettings
	Counters bridge.PortCounters
}

// FDBEntry is an entry of the table of a bridge.
type FDBEntry struct {
	Bridge string // name
	Port   string // name
	MAC    [6]byte
	VLAN   uint16        // 0 in a bridge without VLAN filtering
	Static bool          // never ages; dynamic entries were learned
	Age    time.Duration // time since the last frame from the address; 0 if static
}

// The states of a port of a bridge.
const (
	BridgePortForwarding BridgePortStatus = "forwarding"
	BridgePortBlocked    BridgePortStatus = "blocked" // by the loop guard, for a while
	BridgePortDown       BridgePortStatus = "down"    // the interface is down or absent
)

// NoticeReasons returns all kinds of notices but NoNotice.
func NoticeReasons() []NoticeReason {
	return []NoticeReason{NoticeEnded, NoticeOpened, NoticeReload, NoticeProgram, NoticeQueues, NoticeNIC, NoticeMTU,
		NoticeVeth, NoticeCapture, NoticePlace, NoticeTxPath, NoticePush, NoticeSuper, NoticeCarrier,
		NoticeRoom, NoticeMemory, NoticeChecksum}
}

// CreditState is the state of a link's CBFC besides its credits.
type CreditState struct {
	Settings cbfc.Settings // in force now
	Dynamic  bool          // the settings follow LLDP's agreement
	Agreed   NegotiatedCBFC
	Leaving  bool   // the agreement was withdrawn: channels cease to use credits
	Differ   uint32 // bit n: the two ends seem to count the credits of VC n differently
}

// PFCState is a snapshot of PFC.
type PFCState struct {
	Settings PFCSettings // in force
	DCB      DCB         // edge with Settings.Dynamic: result of DCBX
	Stopped  uint8       // priorities stopped by the host now, a bitmap
	Stops    uint8       // priorities that this end has stopped the host from sending, a bitmap
	Tx       pfc.PauserCounters
	Rx       pfc.PausedCounters
	Shares   [wire.Priorities]float64 // share of the last pfc.Window, 0 to 1, in which the host stopped a priority
}

// NegotiatedCBFC is the result of LLDP's negotiation of CBFC, and the partner's announced values.
type NegotiatedCBFC struct {
	On       bool
	VCs      int       // number of virtual channels in use: the first ones
	Lossless uint32    // bit n: VC n is lossless at both ends
	Pool     int       // credits that the partner grants in all; 0: not announced
	Size     cbfc.Size // unit of the partner's counts; zero: not announced
}
