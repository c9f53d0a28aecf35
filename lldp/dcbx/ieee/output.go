package ieee

import "uelink/lldp/dcbx"

// Output collects the actions that inputs ask of the caller. Inputs only append; the caller clears the output with
// Reset.
type Output struct {
	// Changed: an LLDPDU with the new TLVs of Port.AppendTLVs should go out without waiting for the timer.
	Changed bool
	// Events are the notifications, oldest first.
	Events []Event
}

// Reset empties the output and keeps its memory.
func (o *Output) Reset() { *o = Output{Events: o.Events[:0]} }

// Event is a notification. Its kinds are the kinds of the other dialect that have a meaning here.
type Event struct {
	Kind    dcbx.EventKind
	Feature string // "port", "ets" or "pfc"
	Text    string // a clause for an operator
}

// String returns the notification as a sentence for an operator.
func (e Event) String() string { return e.Feature + ": " + e.Text }

// notify adds a notification about a feature, or about the port, to the events.
func (o *Output) notify(k dcbx.EventKind, feature, text string) {
	o.Events = append(o.Events, Event{k, feature, text})
}
