package control

import (
	"time"

	"uelink/dataplane"
	"uelink/lldp"
	"uelink/lldp/agent"
	"uelink/wire"
)

// EventEnd is the kind of the last event of a watch that the daemon ends; its
// text says why.
const EventEnd = "end"

// Event is something that happened on a port; its JSON is one line of a watch. Its
// kinds are those of packages dataplane and agent. The destination of the LLDP agent
// and the neighbour are only in a watch of LLDP, where there are such.
type Event struct {
	Time        time.Time     `json:"time"`
	Port        string        `json:"port"`
	Destination string        `json:"destination,omitempty"`
	Kind        string        `json:"event"`
	Text        string        `json:"text"`
	Neighbor    *LLDPNeighbor `json:"neighbor,omitempty"`
}

// portEvent is an event of the data plane.
func portEvent(e dataplane.Event) Event {
	return Event{Time: e.Time, Port: e.Port, Kind: e.Kind, Text: e.Text}
}

// lldpEvent is an event of LLDP in full.
func lldpEvent(e agent.Event) Event {
	out := lldpPortEvent(e)
	if e.Destination != (wire.MAC{}) {
		out.Destination = lldp.DestinationName(e.Destination)
	}
	if e.Neighbor != nil {
		n := newLLDPNeighbor(*e.Neighbor)
		out.Neighbor = &n
	}
	return out
}

// lldpPortEvent is an event of LLDP as one of its port.
func lldpPortEvent(e agent.Event) Event {
	return Event{Time: e.Time, Port: e.Port, Kind: e.Kind, Text: e.Text}
}

// endEvent is the last line of a watch.
func endEvent(why string) Event { return Event{Time: time.Now(), Kind: EventEnd, Text: why} }
