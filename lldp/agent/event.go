package agent

import (
	"time"

	"uelink/wire"
)

// The kinds of an Event besides those of lldp.EventKind.
const (
	EventInterface   = "interface"      // text: "up", "down" or "absent"
	EventNegotiation = "ue_negotiation" // the result of the UE negotiation has changed
	EventOtherAgent  = "other_agent"    // another LLDP agent of this host speaks on the interface
	EventError       = "error"
	EventDCBNL       = "dcbnl" // the NIC has been programmed, or why not
	EventDCBX        = "dcbx_" // followed by the name of a dcbx.EventKind
)

// Event is something that happened on a port.
type Event struct {
	Time        time.Time
	Port        string
	Destination wire.MAC // of the agent; zero if it is not one agent's
	Kind        string
	Text        string
	Neighbor    *Neighbor // of events about neighbours
}

// repeats tells whether an event says what the one before on its port said. An update of a
// neighbour has its content, which is never the same.
func (e Event) repeats(next Event) bool {
	return e.Kind == next.Kind && e.Text == next.Text && e.Destination == next.Destination &&
		e.Neighbor == nil && next.Neighbor == nil
}

// What a port may report: eventBurst at once, then eventRate a second.
const (
	eventBurst = 100
	eventRate  = 20
)

// allowance bounds the events of a port, so that whoever makes neighbours come
// and go costs no more than reading the frames.
type allowance struct {
	started    bool
	left       int64 // events, times second
	at         int64
	suppressed uint64
}

// take tells whether another event may be reported.
func (a *allowance) take(now int64) bool {
	if !a.started {
		a.started, a.left, a.at = true, eventBurst*second, now
	}
	a.left = min(eventBurst*second, a.left+min(now-a.at, eventBurst*second)*eventRate)
	a.at = now
	if a.left < second {
		a.suppressed++
		return false
	}
	a.left -= second
	return true
}
