package bridge

import "uelink/wire"

// Limits of the events that an attacker can cause.
const (
	eventsKept = 256 // events kept until the owner fetches them; a power of two
	eventRate  = 10  // events in a second, of each kind that frames alone can cause
)

// EventKind is the kind of an event.
type EventKind uint8

// The kinds of events.
const (
	Moved     EventKind = iota + 1 // Address moved from port From to port To
	Flapping                       // Address moves back and forth between From and To; From is its first port
	Blocked                        // the loop guard has blocked port To, for Flapping of Address
	Unblocked                      // port To is no longer blocked
	TableFull                      // the table has no room for Address at port To; reported once until there is room
	Room                           // after TableFull an eighth of the table is free again
	numKinds
)

// String returns the event kind's name in the log: moved, flapping, blocked, unblocked, table_full or room.
func (k EventKind) String() string {
	return [...]string{"?", "moved", "flapping", "blocked", "unblocked", "table_full", "room", "?"}[min(k, numKinds)]
}

// MarshalText returns the event kind's name in the log (moved, flapping and so on) as octets. The error is always
// nil.
func (k EventKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Event is an occurrence for an operator.
type Event struct {
	Kind    EventKind
	Address Address
	From    int // port number
	To      int // port number
}

// events is a ring of the events that the owner has not fetched yet.
type events struct {
	ring       [eventsKept]Event
	next       int // the oldest event
	count      int
	limits     [numKinds]bucket
	suppressed uint64 // beyond the rate
	lost       uint64 // found no room
}

// newEvents returns an empty ring of events. Only the kinds of events that frames alone can cause get a rate
// limit; Blocked and Unblocked are limited by BlockTime, Room by TableFull.
func newEvents(now wire.Time) (e events) {
	for _, kind := range []EventKind{Moved, Flapping, TableFull} {
		e.limits[kind] = newBucket(eventRate)
		e.limits[kind].last = now
	}
	return e
}

// add appends an event to the ring, or counts it as suppressed (rate limit) or lost (full ring).
func (e *events) add(event Event, now wire.Time) {
	switch {
	case !e.limits[event.Kind].take(now):
		e.suppressed++
	case e.count == eventsKept:
		e.lost++
	default:
		e.ring[(e.next+e.count)%eventsKept] = event
		e.count++
	}
}

// Events appends to list the events since the last call, the oldest first. Moved, Flapping and TableFull are each
// limited to 10 a second, and 8 at once; the excess is counted as EventsSuppressed. Events beyond 256 between two
// calls are counted as EventsLost.
func (b *Bridge) Events(list []Event) []Event {
	e := &b.events
	for range e.count {
		list = append(list, e.ring[e.next])
		e.next = (e.next + 1) % eventsKept
	}
	e.count = 0
	return list
}
