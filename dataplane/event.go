package dataplane

import (
	"errors"
	"time"
)

// ErrNoPort says that no port of that name is configured.
var ErrNoPort = errors.New("no such port")

// ErrNotLink says that what was asked for is done on link ports only.
var ErrNotLink = errors.New("not a link port")

// The kinds of an Event.
const (
	EventLLRTxStatus = "llr_tx_status" // text: the state entered, and why where that is known
	EventLLRRxStatus = "llr_rx_status" // text: the state entered
	EventLLRStalled  = "llr_stalled"   // text: the frame that no replay brings across
	EventStandstill  = "standstill"    // of an edge; text: that it takes no frames, or takes them again
	EventDrops       = "drops"         // text: that frames begin to be dropped for want of room to wait
	EventFDB         = "fdb"           // of a port of a bridge; text: an address that moves, a table that is full
	EventOperStatus  = "oper_status"   // text: "up", "down" or "absent"
	EventPartner     = "partner"       // text: what was learned of the partner
	EventError       = "error"         // text: what failed
)

// Event is something that happened on a port; its JSON is one line of a watch.
type Event struct {
	Time time.Time `json:"time"`
	Port string    `json:"port"`
	Kind string    `json:"event"`
	Text string    `json:"text"`
}
