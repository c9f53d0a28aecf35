// Package negotiation decides when each direction of a link's LLR is on: by configuration
// and commands in mode static, and while both ends want it in mode dynamic. It is a pure
// machine: its caller tells it the time and what LLR has got done, asks it for the state of
// each direction, and switches LLR accordingly.
//
// A direction does not go off at once. It retires first, so that no frame is lost: the
// transmitter takes no new frame and waits until what is outstanding has been delivered,
// the receiver goes on until the partner's transmitter has done the same.
//
//	       wanted                 not wanted
//	OFF ──────────► ON ───────────────────────► RETIRING
//	 ▲              ▲          wanted             │  │
//	 │              └─────────────────────────────┘  │
//	 └───────────────────────────────────────────────┘
//	   transmitter: nothing is outstanding, or the time to drain is over
//	   receiver: the partner sends a frame without LLR; or nothing with LLR has come
//	   for a while; or, in mode static, the time to drain is over
//
// Wanted is, in mode static, what the configuration or a command says, and in mode dynamic
// that and what LLDP has agreed.
package negotiation

import "math"

// Quiet is how long the receiver of a link whose LLR is no longer wanted stays on after
// the last sequenced frame or LLR_INIT, unless the partner shows earlier that its
// transmitter is off, in nanoseconds: longer than LLDP takes to tell the partner again and
// again.
const Quiet = 5e9

// never is the deadline of what does not expire.
const never = math.MaxInt64

// State is that of one direction.
type State uint8

// The states of a direction.
const (
	Off State = iota
	On
	Retiring // still on, on its way off
)

// String is the state's name.
func (s State) String() string {
	return [...]string{"OFF", "ON", "RETIRING", "?"}[min(s, Retiring+1)]
}

// Both is a yes or no for each direction, as this end sees it.
type Both struct {
	Local  bool // LLR_MODE_LOCAL: receive reliably
	Remote bool // LLR_MODE_REMOTE: transmit reliably
}

// Progress is what LLR has got done.
type Progress struct {
	Outstanding int    // frames that were sent and are not acknowledged
	Received    uint64 // sequenced frames that have come, and LLR_INIT that were answered
}

// direction is one of the two.
type direction struct {
	state State
	began int64 // RETIRING: since when
}

// want has a direction go on, or retire.
func (d *direction) want(on bool, now int64) {
	switch {
	case on:
		d.state = On
	case d.state == On:
		d.state, d.began = Retiring, now
	}
}

// Machine is both directions of one link. The zero value is a link in mode static with
// LLR off.
type Machine struct {
	dynamic bool
	willing Both // what this end wants
	agreed  Both // what LLDP says
	drain   int64

	transmitter, receiver direction

	received uint64 // Progress.Received when it was last looked
	quiet    int64  // since when it is that
}

// Configure says whether LLDP decides too, what this end wants, and for how long a
// transmitter retires at most, in nanoseconds. In mode static that bounds the receiver too.
func (m *Machine) Configure(dynamic bool, willing Both, drain, now int64) {
	m.dynamic, m.willing, m.drain = dynamic, willing, drain
	m.follow(now)
}

// Agree takes what LLDP has agreed.
func (m *Machine) Agree(agreed Both, now int64) {
	m.agreed = agreed
	m.follow(now)
}

// AllowRemote is LLR_MODE_REMOTE by command.
func (m *Machine) AllowRemote(on bool, now int64) {
	m.willing.Remote = on
	m.follow(now)
}

// AllowLocal is LLR_MODE_LOCAL by command. In mode static the receiver goes off at once:
// nothing makes the partner stop, so there is no end of its frames to wait for.
func (m *Machine) AllowLocal(on bool, now int64) {
	m.willing.Local = on
	m.follow(now)
	if !m.dynamic && !on {
		m.receiver.state = Off
	}
}

// follow has each direction do what is wanted.
func (m *Machine) follow(now int64) {
	want := m.willing
	if m.dynamic {
		want = Both{Local: want.Local && m.agreed.Local, Remote: want.Remote && m.agreed.Remote}
	}
	m.transmitter.want(want.Remote, now)
	was := m.receiver.state
	if m.receiver.want(want.Local, now); m.receiver.state != was {
		m.quiet = now
	}
}

// Unsequenced says that the partner has sent a frame without LLR: its transmitter is off,
// unless a handshake is under way, in which it sends such frames too. That is so while the
// receiver is initialised and no sequenced frame has come since.
func (m *Machine) Unsequenced(handshake bool) {
	if m.receiver.state == Retiring && !handshake {
		m.receiver.state = Off
	}
}

// Poll ends what has retired, or has done so for too long.
func (m *Machine) Poll(p Progress, now int64) {
	if p.Received != m.received {
		m.received, m.quiet = p.Received, now
	}
	if m.transmitter.state == Retiring && (p.Outstanding == 0 || now > m.transmitter.began+m.drain) {
		m.transmitter.state = Off
	}
	if m.receiver.state == Retiring && now > m.receiverEnds() {
		m.receiver.state = Off
	}
}

// receiverEnds is until when the receiver retires if nothing comes.
func (m *Machine) receiverEnds() int64 {
	if m.dynamic {
		return m.quiet + Quiet
	}
	return min(m.quiet+Quiet, m.receiver.began+m.drain)
}

// Deadline is when Poll has something to do though nothing else happens, in nanoseconds.
func (m *Machine) Deadline() int64 {
	at := int64(never)
	if m.transmitter.state == Retiring {
		at = m.transmitter.began + m.drain + 1
	}
	if m.receiver.state == Retiring {
		at = min(at, m.receiverEnds()+1)
	}
	return at
}

// Dynamic tells whether LLDP decides too.
func (m *Machine) Dynamic() bool { return m.dynamic }

// Willing is what this end wants.
func (m *Machine) Willing() Both { return m.willing }

// Agreed is what LLDP says.
func (m *Machine) Agreed() Both { return m.agreed }

// Transmitter is the state of the direction from here to the partner.
func (m *Machine) Transmitter() State { return m.transmitter.state }

// Receiver is the state of the direction from the partner to here.
func (m *Machine) Receiver() State { return m.receiver.state }
