package lldp

// EventKind is the kind of an event.
type EventKind uint8

// The kinds of events.
const (
	NeighborAdded EventKind = iota
	NeighborUpdated
	NeighborDeleted
	TooManyNeighborsBegan // a neighbour found no room in the table
	TooManyNeighborsEnded
	LoopBegan // the agent receives frames with its own chassis id and port id
	LoopEnded
)

// String returns the event's name in the API, such as neighbor_added or loop.
func (k EventKind) String() string {
	return [...]string{"neighbor_added", "neighbor_updated", "neighbor_deleted", "too_many_neighbors",
		"too_many_neighbors_ended", "loop", "loop_ended", "unknown"}[min(k, LoopEnded+1)]
}

// Cause is the reason for the deletion of a neighbour.
type Cause uint8

// The causes. A present neighbour has NotGone.
const (
	NotGone     Cause = iota
	Aged              // the TTL ran out
	ShutDown          // the neighbour sent a shutdown LLDPDU
	Initialized       // the receive machine started again: link up again, reception disabled
	Displaced         // the neighbour was long silent, and a new neighbour needed the place
)

// String returns why a neighbour was deleted: aged, shutdown, initialized or displaced; "" for no cause.
func (c Cause) String() string {
	return [...]string{"", "aged", "shutdown", "initialized", "displaced", "unknown"}[min(c, Displaced+1)]
}

// Event is a report of an agent. Neighbor is set only for NeighborAdded, NeighborUpdated and NeighborDeleted, Cause
// only for NeighborDeleted.
type Event struct {
	Kind     EventKind
	Cause    Cause
	Neighbor Neighbor
}
