package control

// repeats keeps the last event of each port that was sent to the watchers, so that it is not sent twice in a row.
type repeats map[string]Event

// repeated reports whether an event repeats the last event of its port, and keeps it. An event with a neighbour repeats
// none.
func (r repeats) repeated(e Event) bool {
	last, there := r[e.Port]
	r[e.Port] = e
	return there && last.Kind == e.Kind && last.Text == e.Text && last.Destination == e.Destination &&
		last.Neighbor == nil && e.Neighbor == nil
}
