package dcbx

import "fmt"

// Output collects the actions that inputs ask of the caller. Inputs only append; the caller clears
// the output with Reset.
// Clauses: DCBX/control.1.
type Output struct {
	// Changed is somethingChangedLocal: an LLDPDU with the new payload of
	// Port.AppendTLV should go out without waiting for the timer.
	Changed bool
	// PG, PFC and App are the calls of SetCfg, oldest first: the last counts.
	PG  []Setting[PG]
	PFC []Setting[PFC]
	App []Setting[App]
	// Events are the manager notifications.
	Events []Event
	// Steps are the entered states, if Trace is on.
	Trace bool
	Steps []Step
}

// Reset empties the output and keeps its memory and Trace.
func (o *Output) Reset() {
	*o = Output{PG: o.PG[:0], PFC: o.PFC[:0], App: o.App[:0], Events: o.Events[:0], Steps: o.Steps[:0], Trace: o.Trace}
}

// Setting is one call of SetCfg (DCBX, 2.4.3.3). A call is made when a value differs from the
// previous call.
// Clauses: DCBX/feature.6.
type Setting[C any] struct {
	// Config and Apply are the two parameters of SetCfg. Apply is false if the feature operates without the peer.
	Config C
	Apply  bool
	// OperMode is the operational state of the feature.
	OperMode bool
	// Oper are the resulting values to operate by.
	Oper C
}

// EventKind is the kind of a notification to the manager (DCBX, 2.4.4).
type EventKind uint8

// The kinds of events. Kinds from EventNotCompatible on concern one feature.
// Clauses: DCBX/goals.1, DCBX/notifications.1-4.
const (
	EventPeerFound          EventKind = iota + 1 // the first usable DCBX TLV of a peer
	EventPeerTimedOut                            // the peer stopped sending LLDPDUs
	EventPeerShutDown                            // the peer sent a shutdown LLDPDU
	EventPeerNotAdvertising                      // an LLDPDU without a DCBX TLV
	EventSeveralNeighbors                        // more than one station on the link
	EventPeerMalformed                           // the peer's DCBX TLV is unusable
	EventOneWay                                  // DCBX is disabled because LLDP does not go both ways
	EventNotCompatible                           // Compatible() failed
	EventFeatureAbsent                           // the peer does not advertise the feature
	EventFeatureDuplicate                        // the peer's TLV has the feature, or control, twice
	EventErrorSet                                // the feature's Error flag went on
	EventErrorCleared                            // the feature's Error flag went off
	EventOperOn                                  // the feature's OperMode went on
	EventOperOff                                 // the feature's OperMode went off or stays off because of the peer
	EventPeerUnusable                            // the peer insists on unusable settings
)

// eventNames has the names of the events in the API, by EventKind.
var eventNames = [...]string{"?", "peer_found", "peer_timed_out", "peer_shut_down", "peer_not_advertising",
	"several_neighbors", "peer_malformed", "one_way", "not_compatible", "feature_absent", "feature_duplicate",
	"error_set", "error_cleared", "oper_on", "oper_off", "peer_unusable"}

// eventTexts has the events in words, by EventKind.
var eventTexts = [...]string{"?", "a peer speaks DCBX", "the peer stopped sending LLDPDUs", "the peer shut LLDP down",
	"the peer's LLDPDU has no DCBX TLV", "several LLDP neighbors: DCBX waits until only one is left",
	"the peer's DCBX TLV is malformed and passed over", "LLDP does not go both ways: DCBX is disabled",
	"the peer's configuration is not compatible with ours", "the peer does not advertise the feature",
	"the peer's TLV holds the feature or control more than once", "this end sets the error flag",
	"this end clears the error flag",
	"on, as agreed with the peer", "off", "our own settings are in force"}

// String returns the notification kind's name, such as peer_found.
func (k EventKind) String() string { return eventNames[within(k, eventNames[:])] }

// MarshalText returns the notification kind's name, such as peer_found, as octets. The error is always nil.
func (k EventKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// within returns k as an index into names; 0 if k is out of range.
func within[K ~uint8](k K, names []string) int {
	if int(k) >= len(names) {
		return 0
	}
	return int(k)
}

// Event is a notification. Feature is 0 for an event of the port.
type Event struct {
	Kind    EventKind `json:"kind"`
	Feature Feature   `json:"feature"`
	Why     Reason    `json:"why"` // ReasonNone where the kind is the reason
}

// String returns the notification as a sentence for an operator.
func (e Event) String() string {
	text := e.Feature.String() + ": " + eventTexts[within(e.Kind, eventTexts[:])]
	if e.Kind == EventOperOff && e.Feature != FeaturePFC {
		text += ", our own settings are in force" // DCBX, 3.1.4
	}
	if e.Why != ReasonNone {
		text += ": " + string(e.Why)
	}
	return text
}

// Step says that a machine enters a state: the machine of Feature, or the control machine if Feature is 0.
type Step struct {
	Feature Feature
	State   string
}

// String returns the machine and the state that it has entered, as "control Wait" or "pfc KeepLocal".
func (s Step) String() string {
	if s.Feature == 0 {
		return "control " + s.State
	}
	return fmt.Sprintf("%s %s", s.Feature, s.State)
}

// step adds a state that the machine of a feature has entered to the trace, if Trace is on.
func (o *Output) step(f Feature, state fmt.Stringer) {
	if o.Trace {
		o.Steps = append(o.Steps, Step{f, state.String()})
	}
}

// notify adds a notification of the kind k about a feature to the events.
func (o *Output) notify(k EventKind, f Feature) { o.notifyOf(Event{Kind: k, Feature: f}) }

// notifyOf adds a notification, with its reason, to the events.
func (o *Output) notifyOf(e Event) { o.Events = append(o.Events, e) }
