// Package negotiation decides when each direction of a link's LLR is on: in mode static by configuration and
// commands, in mode dynamic also by the agreement of both ends over LLDP. It is a pure machine: its caller passes the
// time and the progress of LLR, reads the state of each direction, and switches LLR accordingly.
//
// A direction does not go off at once. It retires first, so that no frame is lost: the transmitter accepts no new
// frame and waits until the outstanding frames are delivered, the receiver stays on until the partner's transmitter
// has done the same.
//
//	      wanted                 not wanted
//	OFF ──────────► ON ───────────────────────► RETIRING
//	 ▲              ▲          wanted             │  │
//	 │              └─────────────────────────────┘  │
//	 └───────────────────────────────────────────────┘
//	   transmitter: no frame is outstanding, or the time to drain is over
//	   receiver: the partner sends a frame without LLR; or no frame with LLR was
//	   received for a while; or, in mode static, the time to drain is over
//
// In mode static a direction is wanted by the configuration or a command; in mode dynamic LLDP must have agreed on it
// too.
package negotiation

import (
	"time"

	"uelink/wire"
)

// Quiet is how long the receiver of an unwanted direction stays on after the last sequenced frame or LLR_INIT,
// unless the partner shows earlier that its transmitter is off. Quiet is longer than several LLDP transmissions to
// the partner.
const Quiet = 5 * time.Second

// State is the state of one direction.
type State uint8

// The states of a direction.
const (
	Off State = iota
	On
	Retiring // wanted no more, and still on until drained
)

// String returns the name of the state of LLR in one direction: OFF, ON or RETIRING (to go off when drained).
func (s State) String() string {
	return [...]string{"OFF", "ON", "RETIRING", "?"}[min(s, Retiring+1)]
}

// Both is a yes or no for each direction, as this end sees it.
type Both struct {
	Local  bool // LLR_MODE_LOCAL: receive reliably
	Remote bool // LLR_MODE_REMOTE: transmit reliably
}

// Progress is the counts of LLR by which retiring directions go off.
type Progress struct {
	Outstanding int    // frames sent and not acknowledged
	Received    uint64 // sequenced frames received, and LLR_INITs answered
}

// direction is the state of one direction.
type direction struct {
	state State
	began wire.Time // RETIRING: since when
}

// set switches a direction of LLR on (at once), or lets it retire: it goes off later, when drained.
func (d *direction) set(on bool, now wire.Time) {
	switch {
	case on:
		d.state = On
	case d.state == On:
		d.state, d.began = Retiring, now
	}
}

// Machine decides on both directions of one link. The zero value is a link in mode static with LLR off.
// Clauses: UE-LINK/link-tlv.8.
type Machine struct {
	dynamic bool
	willing Both // wanted by this end
	agreed  Both // agreed on by LLDP
	drain   time.Duration

	transmitter, receiver direction

	received uint64    // Progress.Received at the last change
	quiet    wire.Time // when Received last changed
}

// Configure sets the mode, the directions of LLR wanted by this end, and drain, the longest time that a
// transmitter may take to deliver its frames before it goes off. In mode static drain also bounds the receiver.
func (m *Machine) Configure(dynamic bool, willing Both, drain time.Duration, now wire.Time) {
	m.dynamic, m.willing, m.drain = dynamic, willing, drain
	m.apply(now)
}

// ReceivedAgreement handles a new result of LLDP: the directions of LLR that both ends agree on.
func (m *Machine) ReceivedAgreement(agreed Both, now wire.Time) {
	m.agreed = agreed
	m.apply(now)
}

// SetRemote handles a command that sets LLR_MODE_REMOTE: whether this end wants to send with LLR.
func (m *Machine) SetRemote(on bool, now wire.Time) {
	m.willing.Remote = on
	m.apply(now)
}

// SetLocal handles a command that sets LLR_MODE_LOCAL: whether this end wants to receive with LLR. In mode static
// the receiver goes off at once: the partner does not stop sending, so there is no end of its frames to wait for.
func (m *Machine) SetLocal(on bool, now wire.Time) {
	m.willing.Local = on
	m.apply(now)
	if !m.dynamic && !on {
		m.receiver.state = Off
	}
}

// apply switches each direction of LLR on, or lets it retire, by what this end wants and, in mode dynamic, what LLDP
// has agreed on. When the receiver changes its state, its time without frames begins again.
func (m *Machine) apply(now wire.Time) {
	want := m.willing
	if m.dynamic {
		want = Both{Local: want.Local && m.agreed.Local, Remote: want.Remote && m.agreed.Remote}
	}
	m.transmitter.set(want.Remote, now)
	old := m.receiver.state
	if m.receiver.set(want.Local, now); m.receiver.state != old {
		m.quiet = now
	}
}

// ReceivedUnsequenced handles a frame of the partner without LLR: the partner's transmitter is off. handshake means
// that the receiver is initialised and has received no sequenced frame since: then the partner may be in a handshake,
// in which it sends frames without LLR too, and the receiver stays on.
func (m *Machine) ReceivedUnsequenced(handshake bool) {
	if m.receiver.state == Retiring && !handshake {
		m.receiver.state = Off
	}
}

// Poll switches off the directions of LLR that retire and are done: the transmitter without outstanding frames or out
// of time, the receiver after its time without frames. p is the progress of LLR up to now.
func (m *Machine) Poll(p Progress, now wire.Time) {
	if p.Received != m.received {
		m.received, m.quiet = p.Received, now
	}
	if m.transmitter.state == Retiring && (p.Outstanding == 0 || now > m.transmitter.began.Add(m.drain)) {
		m.transmitter.state = Off
	}
	if m.receiver.state == Retiring && now > m.receiverEnds() {
		m.receiver.state = Off
	}
}

// receiverEnds returns when the retiring receiver goes off if no frame is received until then.
func (m *Machine) receiverEnds() wire.Time {
	if m.dynamic {
		return m.quiet.Add(Quiet)
	}
	return min(m.quiet.Add(Quiet), m.receiver.began.Add(m.drain))
}

// Deadline returns when Poll must be called next if no other event comes, or wire.Never.
func (m *Machine) Deadline() wire.Time {
	at := wire.Never
	if m.transmitter.state == Retiring {
		at = m.transmitter.began.Add(m.drain) + 1
	}
	if m.receiver.state == Retiring {
		at = min(at, m.receiverEnds()+1)
	}
	return at
}

// Dynamic reports whether the mode is dynamic: LLDP decides, too.
func (m *Machine) Dynamic() bool { return m.dynamic }

// Willing returns the directions of LLR wanted by this end.
func (m *Machine) Willing() Both { return m.willing }

// Agreed returns the directions of LLR agreed on by LLDP.
func (m *Machine) Agreed() Both { return m.agreed }

// Transmitter returns the state of LLR in the direction to the partner: off, on or retiring.
func (m *Machine) Transmitter() State { return m.transmitter.state }

// Receiver returns the state of LLR in the direction from the partner: off, on or retiring.
func (m *Machine) Receiver() State { return m.receiver.state }
