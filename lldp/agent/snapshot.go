package agent

import (
	"time"

	"uelink/lldp"
	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/dialect"
	"uelink/lldp/dcbx/ieee"
	"uelink/lldp/ue"
	"uelink/wire"
)

// Neighbor is a neighbour on a port.
type Neighbor struct {
	Port        string
	Interface   string
	Destination wire.MAC // of the agent
	lldp.Neighbor
	Now        wire.Time        // time of the snapshot, on the clock of Neighbor's times
	UE         ue.Advertisement // the neighbour's UE TLVs
	DCBX       []DCBXTLV        // the neighbour's DCBX TLVs, also on a port without DCBX
	Recognized []bool           // for each TLV of Info.Org: the agent has a provider for the TLV
}

// DCBXTLV is a DCBX TLV. One of the last three fields is set: Message, of the protocol version that
// DCBX uses here; CIN, of the previous version; or Fault, the reason why the TLV is unusable.
type DCBXTLV struct {
	Subtype uint8
	Message *dcbx.Message
	CIN     *dcbx.CIN
	Fault   string
}

// Interface is an agent: a port and a destination address.
type Interface struct {
	Port        string
	Interface   string
	Destination wire.MAC
	Status      string // "up", "down" or "absent"
	Mode        lldp.AdminStatus
	PDU         *lldp.PDU // sent by the agent, without the TLVs of UE and DCBX

	TxState          lldp.TxState
	RxState          lldp.RxState
	Timers           lldp.Timers
	Neighbors        int
	TooManyNeighbors bool
	Loop             bool
	OtherAgent       string    // another LLDP agent of this host; empty: none
	Trouble          string    // the reason why the interface cannot be used
	UE               ue.Result // outcome of the UE negotiation; zero for other agents than that of the nearest bridge
	DCBX             []Finding // findings about DCBX; none for other agents than that of the nearest bridge
	MTU              int       // MTU of the interface, octets; 0 while absent
	MAC              wire.MAC  // of the interface
}

// Statistics are the counters of an agent. The socket's counters are the port's.
type Statistics struct {
	Port        string
	Interface   string
	Destination wire.MAC
	LastChange  time.Time // last change of the neighbours; zero: never
	lldp.Counters
	SocketDrops      uint64 // frames lost because Run read too slowly
	SendErrors       uint64 // frames refused by the kernel
	FaultyUETLVs     uint64 // unusable UE TLVs that the nearest bridge agent has received
	EventsSuppressed uint64 // events not reported, over the rate limit
}

// DCBX is the state of DCBX on a port with DCBX.
type DCBX struct {
	Port          string
	Interface     string
	Version       string        // configured: "auto", "ieee" or "cee"
	Dialect       string        // spoken: "ieee" or "cee"
	Heard         dialect.Heard // in the latest LLDPDU of the only neighbour
	dcbx.Snapshot               // of CEE; Running, Enabled, Peer and Note are those of the dialect that is spoken
	IEEE          ieee.Snapshot
	CIN           *dcbx.CIN // the only neighbour's TLV of the older protocol (CIN); nil: none
	DCBNL         DCBNL
}

// DCBNL is the state of programming the NIC with the outcome of DCBX.
type DCBNL struct {
	Status string `json:"status"` // state of the NIC's settings: "off", "waiting", "applied" or "failed"
	Error  string `json:"error"`  // error of the last attempt
}
