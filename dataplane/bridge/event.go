package bridge

// Limits of what an attacker can have told.
const (
	eventsKept = 256 // until the owner takes them; a power of two
	eventRate  = 10  // a second, of each kind that frames alone can cause
)

// EventKind is what has happened.
type EventKind uint8

// The kinds of events.
const (
	Moved     EventKind = iota + 1 // Address moved from port From to port To
	Flapping                       // Address moves to and fro between From and To, the later of the two
	Blocked                        // the loop guard has blocked port To, for Flapping of Address
	Unblocked                      // port To is no longer blocked
	TableFull                      // the table has no room for Address, come to port To; told once until there is room
	numKinds
)

// String is the kind in the words of the log.
func (k EventKind) String() string {
	return [...]string{"?", "moved", "flapping", "blocked", "unblocked", "table_full", "?"}[min(k, numKinds)]
}

// MarshalText is String.
func (k EventKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Event is something that an operator wants to know.
type Event struct {
	Kind    EventKind
	Address Address
	From    int // port number
	To      int // port number
}

// events is a ring of those that the owner has not taken yet.
type events struct {
	ring       [eventsKept]Event
	next       int // to be taken
	count      int
	limits     [numKinds]bucket
	suppressed uint64 // beyond the rate
	lost       uint64 // found no room
}

// newEvents limits what frames alone can cause. Blocked and Unblocked are limited by BlockTime.
func newEvents(now int64) (e events) {
	for _, kind := range []EventKind{Moved, Flapping, TableFull} {
		e.limits[kind] = newBucket(eventRate)
		e.limits[kind].last = now
	}
	return e
}

// tell adds an event.
func (e *events) tell(what Event, now int64) {
	switch {
	case !e.limits[what.Kind].take(now):
		e.suppressed++
	case e.count == eventsKept:
		e.lost++
	default:
		e.ring[(e.next+e.count)%eventsKept] = what
		e.count++
	}
}

// Events appends to list what has happened since the last call, the oldest first. Of each of
// Moved, Flapping and TableFull there are no more than 10 a second, and 8 at once; the others
// are counted as EventsSuppressed. Those beyond 256 between two calls are counted as EventsLost.
func (b *Bridge) Events(list []Event) []Event {
	e := &b.events
	for range e.count {
		list = append(list, e.ring[e.next])
		e.next = (e.next + 1) % eventsKept
	}
	e.count = 0
	return list
}
