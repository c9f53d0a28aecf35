package lldp

// EventKind is what has happened.
type EventKind uint8

// The kinds of events.
const (
	NeighborAdded EventKind = iota
	NeighborUpdated
	NeighborDeleted
	TooManyNeighborsBegan // there was no room for a neighbour
	TooManyNeighborsEnded
	LoopBegan // the agent receives frames with its own chassis id and port id
	LoopEnded
)

// String is the name of the event in the API.
func (k EventKind) String() string {
	return [...]string{"neighbor_added", "neighbor_updated", "neighbor_deleted", "too_many_neighbors",
		"too_many_neighbors_ended", "loop", "loop_ended", "unknown"}[min(k, LoopEnded+1)]
}

// Cause is why a neighbour was deleted.
type Cause uint8

// The causes. NotGone is that of a neighbour that is there.
const (
	NotGone     Cause = iota
	Aged              // its TTL ran out
	ShutDown          // it said so, by a shutdown LLDPDU
	Initialized       // the receive machine began anew: link up again, reception disabled
	Displaced         // long silent, its place was needed for another
)

// String is the cause in a word.
func (c Cause) String() string {
	return [...]string{"", "aged", "shutdown", "initialized", "displaced", "unknown"}[min(c, Displaced+1)]
}

// Event is one that an agent reports. Neighbor is that of the first three kinds
// and zero for others; Cause that of NeighborDeleted.
type Event struct {
	Kind     EventKind
	Cause    Cause
	Neighbor Neighbor
}
