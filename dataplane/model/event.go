package model

import (
	"time"

	"uelink/internal/events"
)

// The kinds of an Event.
const (
	EventLLRTxStatus = "llr_tx_status" // text: the state entered, and the reason if known
	EventLLRRxStatus = "llr_rx_status" // text: the state entered
	EventLLRStalled  = "llr_stalled"   // text: the frame that no replay delivers, or that the problem has ended
	EventHIPPI       = "hippi"         // text: the state of a HIPPI-6400-PH link, and what was lost
	EventAdmin       = "hippi_admin"   // text: an Admin micropacket received by a HIPPI-6400-PH link
	EventStandstill  = "standstill"    // of an edge; text: the edge accepts no frames, or accepts frames again
	EventDrops       = "drops"         // text: frames begin to be dropped for want of room to wait
	EventVC          = "cbfc_vc"       // text: a virtual channel, and its phase
	EventCredits     = "cbfc_credits"  // text: a virtual channel, and the problem of its credits
	EventQueue       = "queue"         // text: the queues stopped or closed by SAI, or that all are open again
	EventPFC         = "pfc"           // of an edge; text: the priorities with PFC by DCBX, or a priority stopped for long
	EventFDB         = "fdb"           // of a bridge port; text: an address that moves, or a full table
	EventConflict    = "ip_conflict"   // text: an IP address that two hosts use, or that the conflict has ended
	EventOperStatus  = "oper_status"   // text: "up", "down" or "absent"
	EventPartner     = "partner"       // text: a fact learned of the partner
	EventStart       = "partner_start" // text: the partner has restarted
	EventError       = "error"         // text: a failure or problem
	EventLog         = "log"           // of no port; text: why lines of the log are lost, or that lines are written again
	EventState       = "state"         // of no port; text: why state is not kept for a successor, or that it is kept again
	EventUpgrade     = "upgrade"       // of no port; text: the version and the process that have taken over
	EventReload      = "reload"        // of no port; text: the configuration file that is in force now
	EventNotice      = "notice"        // text: an observation on the interface, and the action taken
)

// Event is an event of a port.
type Event struct {
	Time  time.Time
	Port  string // name
	Kind  string // an Event… constant
	Text  string // details, in words
	Level events.Level
}

// Hub hands the events of the ports to subscribers.
type Hub struct{ events.Hub[Event] }

// Lags reports whether a subscriber to a Hub may have missed events, judged by the number of events that wait in its
// channel c. The subscriber calls Lags just after it has received an event.
func Lags(c <-chan Event) bool { return len(c) >= events.Backlog-1 }

// Publish sends an event with the given port, kind and text to all subscribers, and keeps it among the recent events.
// Its time is the present, its level the usual level of its kind.
func (h *Hub) Publish(port, kind, text string) { h.PublishAt(UsualLevel(kind), port, kind, text) }

// PublishAt sends an event with the given level, port, kind and text to all subscribers, and keeps it among the
// recent events. Its time is the present.
func (h *Hub) PublishAt(level events.Level, port, kind, text string) {
	h.Emit(Event{Time: time.Now(), Port: port, Kind: kind, Text: text, Level: level})
}

// UsualLevel returns the level (info, warning or error) that events of a kind have unless the publisher sets another.
func UsualLevel(kind string) events.Level {
	switch kind {
	case EventError:
		return events.Error
	case EventLLRStalled, EventDrops, EventCredits, EventFDB, EventConflict, EventLog, EventState, EventNotice:
		return events.Warning
	}
	return events.Info
}

// WarnIf returns the level of an event: Warning if the event reports that a problem has begun, Info if the problem
// has ended.
func WarnIf(problem bool) events.Level {
	if problem {
		return events.Warning
	}
	return events.Info
}
