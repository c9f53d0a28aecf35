package agent

import (
	"time"

	"uelink/internal/events"
	"uelink/wire"
)

// The kinds of an Event besides those of lldp.EventKind.
const (
	EventInterface   = "interface"      // Text is "up", "down" or "absent"
	EventNegotiation = "ue_negotiation" // the result of the UE negotiation has changed
	EventOtherAgent  = "other_agent"    // another LLDP agent of this host sends on the interface
	EventError       = "error"          // the interface cannot be used, or can be used again
	EventDCBNL       = "dcbnl"          // the NIC was programmed, or the error
	EventDCBX        = "dcbx_"          // followed by the name of a dcbx.EventKind
	EventDialect     = "dcbx_dialect"   // the dialect of DCBX that is spoken, or that the peer speaks another
)

// Event is an event of a port.
type Event struct {
	Time        time.Time
	Port        string
	Destination wire.MAC // of the agent; zero for an event of the whole port
	Kind        string
	Text        string
	Neighbor    *Neighbor // of events about neighbours
	Level       events.Level
}
