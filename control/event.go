package control

import (
	"net/http"
	"slices"
	"time"

	"uelink/dataplane/path"
	"uelink/lldp"
	"uelink/lldp/agent"
	"uelink/wire"
)

// EventEnd is the kind of the last event of a watch that the daemon ends; its text is the reason.
const EventEnd = "end"

// Event is an event of a port; its JSON is one line of a watch. Its kinds are those of packages dataplane and agent.
// Only a watch of LLDP has the destination of the LLDP agent and the neighbour.
type Event struct {
	Time        time.Time     `json:"time"`
	Port        string        `json:"port"`
	Destination string        `json:"destination,omitempty"`
	Kind        string        `json:"event"`
	Text        string        `json:"text"`
	Neighbor    *LLDPNeighbor `json:"neighbor,omitempty"`
}

// portEvent converts an event of the data plane to an event of the API.
func portEvent(e path.Event) Event {
	return Event{Time: e.Time, Port: e.Port, Kind: e.Kind, Text: e.Text}
}

// lldpEvent converts an event of LLDP to an event of the API, with destination and neighbour.
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

// lldpPortEvent converts an event of LLDP to an event of the API, without destination and neighbour.
func lldpPortEvent(e agent.Event) Event {
	return Event{Time: e.Time, Port: e.Port, Kind: e.Kind, Text: e.Text}
}

// endEvent returns the event that ends a watch, with the reason.
func endEvent(why string) Event { return Event{Time: time.Now(), Kind: EventEnd, Text: why} }

// getEvents answers a request with the latest events, the oldest first. Those of the data plane and of LLDP are
// kept apart, so that neither pushes out the other's.
func (s *Server) getEvents(w http.ResponseWriter, _ *http.Request) error {
	list := []Event{}
	for _, e := range s.backend.Recent() {
		list = append(list, portEvent(e))
	}
	for _, e := range s.lldp.Recent() {
		list = append(list, lldpPortEvent(e))
	}
	slices.SortStableFunc(list, func(a, b Event) int { return a.Time.Compare(b.Time) })
	return reply(w, http.StatusOK, list)
}
