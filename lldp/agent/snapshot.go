package agent

import (
	"fmt"
	"time"

	"uelink/lldp"
	"uelink/lldp/dcbx"
	"uelink/lldp/ue"
	"uelink/wire"
)

// Snapshots of what the agents know. They may be kept: what they point to never
// changes.

// Neighbor is a neighbour on a port.
type Neighbor struct {
	Port        string
	Interface   string
	Destination wire.MAC // of the agent
	lldp.Neighbor
	Now        int64            // of the snapshot, ns, on the clock of the neighbour's times
	UE         ue.Advertisement // what its UE TLVs say
	DCBX       []DCBXTLV        // what its DCBX TLVs say, whether this port has DCBX or not
	Recognized []bool           // by the agent, for each of Info.Org
}

// DCBXTLV is a DCBX TLV. One of the last three is there: Message of the protocol that
// DCBX speaks here, CIN of the one before it, or Fault, why the TLV is of no use.
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
	PDU         *lldp.PDU // that it sends, without the TLVs of UE and DCBX

	TxState          lldp.TxState
	RxState          lldp.RxState
	Timers           lldp.Timers
	Neighbors        int
	TooManyNeighbors bool
	Loop             bool
	OtherAgent       string    // empty: none has been seen
	Trouble          string    // why the interface cannot be used
	UE               ue.Result // of the nearest bridge agent
	MTU              int       // of the interface, octets; 0 while it is absent
	MAC              wire.MAC  // of the interface
}

// Statistics are the counters of an agent. Those of the socket are the port's.
type Statistics struct {
	Port        string
	Interface   string
	Destination wire.MAC
	LastChange  time.Time // of the neighbours; zero: never
	lldp.Counters
	SocketDrops      uint64 // frames that came faster than they were read
	SendErrors       uint64 // frames that the kernel did not take
	EventsSuppressed uint64 // too many at a time
}

// DCBX is DCBX on a port that has it.
type DCBX struct {
	Port      string
	Interface string
	dcbx.Snapshot
	CIN   *dcbx.CIN // what the only neighbour says in the older protocol; nil: nothing
	DCBNL DCBNL
}

// DCBNL is whether the NIC is programmed by what DCBX has come to.
type DCBNL struct {
	Status string `json:"status"` // state of the NIC's settings: "off", "waiting", "applied" or "failed"
	Error  string `json:"error"`  // error of the last attempt
}

// summary is a neighbour in one line.
func summary(n *lldp.Info, why lldp.Cause) string {
	s := fmt.Sprintf("chassis %v %v, port %v %v", n.Chassis.Subtype, n.Chassis, n.Port.Subtype, n.Port)
	if len(n.SystemName) > 0 {
		s = lldp.Text(n.SystemName) + ": " + s
	}
	if why != lldp.NotGone {
		s += ": " + why.String()
	}
	return s
}
