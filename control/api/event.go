package api

import (
	"time"

	"uelink/dataplane/model"
	"uelink/lldp"
	"uelink/lldp/agent"
	"uelink/wire"
)

// EventEnd is the kind of the last event of a watch that the daemon ends; its text is the reason.
const EventEnd = "end"

// EndUpgraded is the reason for the end of a watch that the client can continue with the process that has taken over.
const EndUpgraded = "upgraded: another process has taken over"

// LastEvents is the number of past events in an answer to a request that does not say how many.
const LastEvents = 512

// Event is an event of a port; its JSON is one line of a watch. Its kinds are those of packages dataplane and agent.
// Only a watch of LLDP has the destination of the LLDP agent and the neighbour.
type Event struct {
	Time        time.Time `json:"time"`
	Port        string    `json:"port"`
	Destination string    `json:"destination,omitempty"`
	Kind        string    `json:"event"`
	Text        string    `json:"text"`
	Level       string    `json:"level,omitempty"` // info, warn or error
	// number of events of the same port and kind left out before this event
	Omitted  uint64        `json:"omitted,omitempty"`
	Neighbor *LLDPNeighbor `json:"neighbor,omitempty"`
}

// PortEvent converts an event of the data plane to an event of the API.
func PortEvent(e model.Event) Event {
	return Event{Time: e.Time, Port: e.Port, Kind: e.Kind, Text: e.Text, Level: e.Level.String()}
}

// LLDPWatchEvent converts an event of LLDP to an event of the API, with destination and neighbour.
func LLDPWatchEvent(e agent.Event) Event {
	out := LLDPEvent(e)
	if e.Destination != (wire.MAC{}) {
		out.Destination = lldp.DestinationName(e.Destination)
	}
	if e.Neighbor != nil {
		n := NewLLDPNeighbor(*e.Neighbor)
		out.Neighbor = &n
	}
	return out
}

// LLDPEvent converts an event of LLDP to an event of the API, without destination and neighbour.
func LLDPEvent(e agent.Event) Event {
	return Event{Time: e.Time, Port: e.Port, Kind: e.Kind, Text: e.Text, Level: e.Level.String()}
}

// EndEvent returns the event that ends a watch, with the reason.
func EndEvent(reason string) Event { return Event{Time: time.Now(), Kind: EventEnd, Text: reason} }

// EventKey identifies an event.
type EventKey struct {
	at               int64
	port, kind, text string
}

// Key returns the values by which two events are the same.
func (e Event) Key() EventKey { return EventKey{e.Time.UnixNano(), e.Port, e.Kind, e.Text} }

// Same reports whether e and other are the same event, received twice: once from a watch and once from the list of
// past events.
func (e Event) Same(other Event) bool { return e.Key() == other.Key() }

// EndTrailer is the trailer of a stream of frames with the reason of its end, if the daemon ends it.
const EndTrailer = "Uelink-End"
