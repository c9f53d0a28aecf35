// Package dataplane is the frame path: workers that own ports, and what happens
// to a frame between an edge port and a link port.
package dataplane

import (
	"net/netip"
	"time"

	"uelink/bpf"
	"uelink/cbfc"
	"uelink/dataplane/netif"
	"uelink/dataplane/qos"
	"uelink/dataplane/sched"
	"uelink/dataplane/xsk"
	"uelink/llr"
	"uelink/wire"
)

// Settings is everything the data plane is told: validated by package config.
type Settings struct {
	Workers      int           // OS threads that own ports; links are spread over them, 0 = 1
	Spin         time.Duration // how long a worker polls after its last work before it sleeps
	DrainTimeout time.Duration // how long Drain waits for LLR to deliver what it holds
	Profiles     map[string]llr.Profile
	Ports        []PortSettings
	XConnects    []XConnect
	Bridges      []BridgeSettings
	Trimming     TrimmingSettings `json:",omitzero"`
}

// PortSettings is one port.
type PortSettings struct {
	Name      string         // unique
	Interface string         // unique
	Host      *HostInterface `json:",omitempty"` // edge: the other end of Interface, both of which are made; nil: Interface is there
	Role      Role
	Dialect   wire.Dialect // link: preamble image
	FCS       bool         // link: send an FCS image with every data frame

	Encapsulation Encapsulation `json:",omitzero"` // link
	Partner       wire.MAC      `json:",omitzero"` // addressed link: the partner's; zero: the first that is heard

	MTU      MTU
	Offloads Offloads
	Native   bpf.NativeAction // link: what becomes of native frames
	XDP      bpf.Mode
	Bind     xsk.Bind

	Promiscuous   Promiscuous
	AllowZeroCopy bool `json:",omitempty"` // also on the interface of the default route, or of the ssh connection in use

	Opener     xsk.Opener
	Queues     netif.Queues  `json:",omitzero"` // RX queues that get a socket; none = all that the interface has
	TxQueue    netif.TxQueue `json:",omitzero"` // by which frames leave
	RingSize   int           // entries of the TX ring, a power of two
	RxRingSize int           // entries of the RX ring, a power of two; 0: RingSize
	ChunkSize  int           // octets, 2048 or 4096; 0 = 2048 where the MTU allows, else 4096

	Capture      string // path of a pcapng file with the frames of the port, "" = none
	CaptureLimit int64  // octets after which the capture ends

	EtherTypeData    uint16 // link
	EtherTypeControl uint16 // link

	LLR LLRSettings // link

	VCs         int            // link: virtual channels of this end, 1 to qos.Classes
	NoLLR       uint32         `json:",omitempty"` // link: VCs without LLR, as a bitmap
	QueueOctets [cbfc.VCs]int  `json:",omitzero"`  // link: most octets that wait for a VC of best effort; 0: no bound of its own
	CBFC        cbfc.Settings  `json:",omitzero"`  // link
	CBFCDynamic bool           `json:",omitempty"` // link: CBFC is on while both ends offer it by LLDP, as far as both do
	PFC         PFCSettings    `json:",omitzero"`  // edge
	QoS         qos.Map        // class of what comes in, queue of what leaves
	Trimming    PortTrimming   `json:",omitzero"`  // of what finds no room in them
	Groups      bool           `json:",omitempty"` // edge: DCBX's priority groups are the scheduler while it runs
	Scheduler   sched.Settings `json:",omitzero"`  // of the queues of an edge, of the VCs of a link
}

// LLRSettings is SONiC's LLR_PORT.
type LLRSettings struct {
	Mode    LLRMode
	Local   bool   // LLR_MODE_LOCAL: accept LLR_INIT, so receive reliably
	Remote  bool   // LLR_MODE_REMOTE: send LLR_INIT, so transmit reliably
	Profile string // name in Settings.Profiles
}

// HostInterface is the kernel's end of a veth that is made for an edge: the host's own way through the link.
type HostInterface struct {
	Name      string         // unique
	Addresses []netip.Prefix // none: they are left to others
}

// XConnect ties one edge port to one link port.
type XConnect struct {
	Edge string
	Link string
}

// Overhead is by how many octets the longest link frame of a port is longer than what it carries.
func (s *PortSettings) Overhead() int {
	if s.Encapsulation == Addressed {
		return wire.Overhead + wire.AddressesLen
	}
	return wire.Overhead
}
