package agent

import (
	"sync"
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

// eventBacklog is how many events a subscriber may lag behind before it misses
// some.
const eventBacklog = 256

// hub hands events to subscribers; it never blocks who reports one.
type hub struct {
	mu          sync.Mutex
	subscribers map[chan Event]struct{}
}

func newHub() *hub { return &hub{subscribers: map[chan Event]struct{}{}} }

func (h *hub) emit(e Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.subscribers {
		select {
		case c <- e:
		default:
		}
	}
}

func (h *hub) subscribe() (<-chan Event, func()) {
	c := make(chan Event, eventBacklog)
	h.mu.Lock()
	h.subscribers[c] = struct{}{}
	h.mu.Unlock()
	return c, sync.OnceFunc(func() {
		h.mu.Lock()
		delete(h.subscribers, c)
		h.mu.Unlock()
		close(c)
	})
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
