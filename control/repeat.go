package control

// repeats keeps what the watchers were told last of each port, so that they are not told the same
// twice in a row.
type repeats map[string]Event

// is tells whether an event says what the last one of its port said, and keeps it. An event
// with a neighbour is never the same as another.
func (r repeats) is(e Event) bool {
	last, there := r[e.Port]
	r[e.Port] = e
	return there && last.Kind == e.Kind && last.Text == e.Text && last.Destination == e.Destination &&
		last.Neighbor == nil && e.Neighbor == nil
}
