package model

import (
	"net/netip"
	"time"

	"uelink/cbfc"
	"uelink/dataplane/attach"
	"uelink/dataplane/qos"
	"uelink/dataplane/sched"
	"uelink/dataplane/trim"
	"uelink/hippi"
	"uelink/wire"
)

// PortSettings is the settings of one port.
type PortSettings struct {
	Name      string         // unique
	Interface string         // unique
	Host      *HostInterface `json:",omitempty"` // edge: the other end of Interface; the data plane creates both ends; nil: Interface exists
	Role      Role
	Protocol  Protocol     `json:",omitzero"` // link
	Dialect   wire.Dialect // link: preamble image
	FCS       bool         // link: send an FCS image with every data frame

	Encapsulation Encapsulation `json:",omitzero"` // link
	Partner       wire.MAC      `json:",omitzero"` // addressed link: the partner's address; zero: the first station heard

	MTU      MTU
	Offloads Offloads
	Native   attach.NativeAction // link: action for native frames
	XDP      attach.Mode
	Bind     attach.Bind

	Promiscuous   Promiscuous
	AllowZeroCopy bool `json:",omitempty"` // zero copy also where the default route or the ssh connection in use is

	TxPath     attach.Path
	Opener     attach.Opener
	Queues     attach.Queues  `json:",omitzero"` // RX queues with a socket; none = all queues of the interface
	TxQueue    attach.TxQueue `json:",omitzero"` // queue of sent frames
	RingSize   int            // entries of the TX ring, a power of two
	RxRingSize int            // entries of the RX ring, a power of two; 0: RingSize
	ChunkSize  int            // octets, 2048 or 4096; 0 = 2048 where the MTU allows, else 4096

	Capture      string // path of a pcapng file with the frames of the port, "" = none
	CaptureLimit int64  // octets at which the capture ends

	EtherTypeData    uint16 // link
	EtherTypeControl uint16 // link

	LLR   LLRSettings   // link
	HIPPI HIPPISettings `json:",omitzero"` // link with Protocol HIPPI6400

	VCs         int           // link: virtual channels of this end, 1 to qos.Classes
	NoLLR       uint32        `json:",omitempty"` // link: VCs without LLR, as a bitmap
	QueueOctets [cbfc.VCs]int `json:",omitzero"`  // link: most octets that wait for a VC of best effort; 0: no separate bound
	CBFC        cbfc.Settings `json:",omitzero"`  // link
	CBFCDynamic bool          `json:",omitempty"` // link: CBFC is on while both ends offer CBFC by LLDP, within both offers
	PFC         PFCSettings   `json:",omitzero"`  // edge
	PushBack    PushBack      `json:",omitempty"` // edge
	Offload     Offload       `json:",omitempty"` // edge
	QoS         qos.Map       // class of received frames, queue of sent frames
	Trimming    PortTrimming  `json:",omitzero"`  // trimming of frames without room in the queues of the port
	Groups      bool          `json:",omitempty"` // edge: DCBX's priority groups are the scheduler while DCBX runs
	// Applications: on an edge, DCBX's Application table is the QoS map while DCBX runs, if the trust of QoS is TrustNone.
	Applications bool           `json:",omitempty"`
	Scheduler    sched.Settings `json:",omitzero"` // scheduler of the queues of an edge, or of the VCs of a link
	Stops        QueueStops     `json:",omitzero"` // set by a client of SAI for a while, and by no configuration
	Managed      Managed        `json:",omitzero"` // set by a client of SAI, and by no configuration
}

// Managed is what a client of SAI has set of a port's interface. The zero Managed leaves the interface as it is.
type Managed struct {
	MTU   int         `json:",omitempty"` // octets; 0: not set
	Admin AdminStatus `json:",omitempty"` // AdminUnknown: not set
}

// QueueStops is the queues of a port that a client of SAI has stopped or closed, as bitmaps. The zero value is none.
type QueueStops struct {
	Stopped uint32 // no frame leaves: SAI_QUEUE_ATTR_PKT_DEQUEUE_ENABLE false
	Closed  uint32 // new frames are dropped: SAI_QUEUE_ATTR_PKT_ENQUEUE_ENABLE false
}

// LLRSettings is the settings of LLR on a link, as in SONiC's table LLR_PORT.
type LLRSettings struct {
	Mode    LLRMode
	Local   bool   // LLR_MODE_LOCAL: accept LLR_INIT and receive reliably
	Remote  bool   // LLR_MODE_REMOTE: send LLR_INIT and transmit reliably
	Profile string // name of a profile, as in dataplane.Settings.Profiles
}

// HostInterface is the kernel's end of a veth created for an edge. The host sends through the link by this interface.
type HostInterface struct {
	Name      string         // unique
	Addresses []netip.Prefix // none: the administrator sets them
	MAC       wire.MAC       `json:",omitzero"` // zero: an address drawn at random once, and kept
}

// Overhead returns by how many octets a link frame can be longer than the frame it carries. On a link that speaks
// HIPPI-6400-PH it is 0, because carried frames are divided.
func (s *PortSettings) Overhead() int {
	switch {
	case s.Protocol == HIPPI6400:
		return 0
	case s.Addressed():
		return wire.Overhead + wire.AddressesLen
	}
	return wire.Overhead
}

// OwnEtherTypes returns the EtherTypes of a link's frames; none for an edge.
func (s *PortSettings) OwnEtherTypes() []uint16 {
	if s.Role != RoleLink {
		return nil
	}
	return []uint16{s.EtherTypeData, s.EtherTypeControl}
}

// SamePort reports whether the settings s and old describe the same port: equal interface, role and link protocol, and
// both with or both without a veth that the data plane creates (Host).
func (s *PortSettings) SamePort(old *PortSettings) bool {
	return s.Interface == old.Interface && s.Role == old.Role && s.Protocol == old.Protocol &&
		(s.Host == nil) == (old.Host == nil)
}

// TrimmingSettings is how to trim frames without room in queues that trim: SONiC's SWITCH_TRIMMING|GLOBAL. The zero
// TrimmingSettings trims no frame.
type TrimmingSettings struct {
	trim.Settings
	Class uint8 // traffic class of trimmed frames, SAI_SWITCH_ATTR_PACKET_TRIM_TC_VALUE
}

// PortTrimming is the trimming of frames that are to leave by a port.
type PortTrimming struct {
	Queues uint32 // queues with packet_discard_action trim, a bit for each queue or VC
	DSCP   uint8  // DSCP that this port gives to trimmed frames, 0 to 63; not used if Queues is 0
}

// PFCSettings is priority-based flow control (802.1Qbb) between an edge port and its host. Priority n is traffic class
// n of received frames, and queue n of sent frames. The zero value has no PFC.
type PFCSettings struct {
	Priorities uint8 // bitmap
	Dynamic    bool  // the priorities follow DCBX
	XOff       int   // number of chunks in use by a priority at which the host must stop the priority
	XOn        int   // number of chunks in use at which the host may send the priority again
	Headroom   int   // number of chunks for frames that arrive after the stop
	Rate       int64 // bit/s for converting pause quanta to time, at both ends
	Pause      bool  // 802.3 PAUSE is obeyed too
}

// Reserved returns a bitmap of the priorities that PFC may stop and for which RX chunks are therefore reserved.
func (s *PFCSettings) Reserved() uint8 {
	if s.Dynamic {
		return 1<<wire.Priorities - 1
	}
	return s.Priorities
}

// HIPPISettings are the settings of a link that speaks HIPPI-6400-PH.
type HIPPISettings struct {
	Profile hippi.Profile `json:",omitzero"`
	Recover time.Duration // time between two Link Resets of a link that was shut down; 0: only a command ends the shutdown
}

// Trims reports whether a queue, 0 to 31, trims frames for which it has no room.
func (t PortTrimming) Trims(queue uint8) bool { return t.Queues>>(queue&31)&1 == 1 }
