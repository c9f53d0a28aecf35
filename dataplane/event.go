package dataplane

import (
	"errors"
	"time"

	"uelink/internal/events"
)

// ErrNoPort says that no port of that name is configured.
var ErrNoPort = errors.New("no such port")

// ErrNotLink says that what was asked for is done on link ports only.
var ErrNotLink = errors.New("not a link port")

// ErrNotEdge says that what was asked for is done on edge ports only.
var ErrNotEdge = errors.New("not an edge port")

// The kinds of an Event.
const (
	EventLLRTxStatus = "llr_tx_status" // text: the state entered, and why where that is known
	EventLLRRxStatus = "llr_rx_status" // text: the state entered
	EventLLRStalled  = "llr_stalled"   // text: the frame that no replay brings across
	EventStandstill  = "standstill"    // of an edge; text: that it takes no frames, or takes them again
	EventDrops       = "drops"         // text: that frames begin to be dropped for want of room to wait
	EventVC          = "cbfc_vc"       // text: a virtual channel, and the phase that it is in
	EventCredits     = "cbfc_credits"  // text: a virtual channel, and what is wrong with its credits
	EventPFC         = "pfc"           // of an edge; text: which priorities have it by DCBX, that one is stopped for long
	EventFDB         = "fdb"           // of a port of a bridge; text: an address that moves, a table that is full
	EventOperStatus  = "oper_status"   // text: "up", "down" or "absent"
	EventPartner     = "partner"       // text: what was learned of the partner
	EventStart       = "partner_start" // text: that the partner has started anew
	EventError       = "error"         // text: what failed, or is wrong
	EventNotice      = "notice"        // text: what was seen of the interface, and what was done about it
)

// Event is something that happened on a port.
type Event struct {
	Time time.Time
	Port string // name
	Kind string // one of those above
	Text string // what exactly, in words
}

// hub hands the events of the ports to subscribers.
type hub struct{ events.Hub[Event] }

// emit reports that something has happened now.
func (h *hub) emit(port, kind, text string) {
	h.Emit(Event{Time: time.Now(), Port: port, Kind: kind, Text: text})
}
