// Package trouble judges the facts about the interface of a port, from one tick of the watch to the next, as a pure
// machine: counters and states in, begun and ended troubles out.
package trouble

import (
	"slices"
	"strings"
	"time"

	"uelink/dataplane/model"
)

// Tick is the time between two ticks of the watch. A check with another interval says so.
const Tick = 250 * time.Millisecond

// Monitor holds the troubles of the interface of one port, and the facts of former ticks that its checks compare with.
// The zero value is that of an interface just attached. The caller passes facts to a check, and publishes the events
// that the check leaves:
//
//	counters, states ──► Check… ──► Take ──► events: begun troubles, notices (ended troubles among them)
//	                        └─────► Texts, Reasons: the present troubles
//
// A check returns a request where something is to be done about a fact; the caller does it, and passes the outcome to
// the method named in the check's comment.
type Monitor struct {
	CaptureFull bool // the capture has reached its limit, and a notice has said so

	texts  [kinds]string // text of each present trouble; empty: no such trouble
	events []Event       // events since the last Take

	drops      [kinds]Dropping // state of each drop point, by its kind
	lengths    lengths
	receive    receiveCheck
	reattached bool // the XDP program was attached again because it saw nothing
	uncaught   uncaught
	changes    uint64 // number of changes of the RX queue of data, at the last check
	departures departures
	hearing    hearing
}

// Event is a trouble that has begun, or a notice. The end of a trouble is a notice, too.
type Event struct {
	Notice model.NoticeReason // kind of the notice; NoNotice: a trouble has begun
	Text   string
}

// Take returns the events since the last call, in their order.
func (m *Monitor) Take() []Event {
	events := m.events
	m.events = nil
	return events
}

// Begin records text as the present trouble of a kind, with an event. If there is such a trouble with the same text
// already, Begin does nothing.
func (m *Monitor) Begin(k Kind, text string) {
	if m.texts[k] == text {
		return
	}
	m.texts[k] = text
	m.events = append(m.events, Event{Text: text})
}

// End ends the trouble of a kind, with text, the state after it, as a notice. If there is no such trouble, End does
// nothing.
func (m *Monitor) End(k Kind, text string) {
	if m.texts[k] != "" {
		m.texts[k] = ""
		m.Notify(model.NoticeEnded, text)
	}
}

// Set replaces the text of the trouble of a kind without an event; "" ends the trouble.
func (m *Monitor) Set(k Kind, text string) { m.texts[k] = text }

// Notify adds a notice: what was observed on the interface, and what was done about it.
func (m *Monitor) Notify(reason model.NoticeReason, text string) {
	m.events = append(m.events, Event{Notice: reason, Text: text})
}

// Text returns the text of the present trouble of a kind; "": there is none.
func (m *Monitor) Text(k Kind) string { return m.texts[k] }

// Texts returns the texts of all present troubles, in the order of the kinds, joined by semicolons.
func (m *Monitor) Texts() string { return Join(m.texts[:]...) }

// Reasons returns the words for all present troubles, in the order of the kinds.
func (m *Monitor) Reasons() (list []string) {
	for k, text := range m.texts {
		if text != "" {
			list = append(list, reasons[k])
		}
	}
	return list
}

// Join returns the non-empty texts joined by semicolons.
func Join(texts ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return s == "" }), "; ")
}
