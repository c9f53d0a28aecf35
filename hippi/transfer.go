package hippi

import (
	"errors"

	"uelink/wire"
	"uelink/wire/micropacket"
)

// Errors of a Request. A Request that returns an error has changed nothing.
var (
	ErrTurn     = errors.New("hippi: the last request of this virtual channel awaits its Confirm: read the Confirm first")
	ErrForwards = errors.New("hippi: a forwarded Message is on the virtual channel: wait for its end")
	ErrNotReady = errors.New("hippi: a Link Reset or Initialize runs, or the signal is gone: wait for the state Normal")
)

// Message is the parameters of 64_TRANSFER.Request (HIPPI-6400 §5.3.1) but its virtual channel.
type Message struct {
	D    micropacket.ULA // D_ULA
	S    micropacket.ULA // S_ULA, used only if Profile.SULAAllowed is set
	SNAP uint64          // LLC/SNAP header: micropacket.SNAP of an EtherType, or another
	Data []byte          // payload; the caller leaves it alone until the Confirm
}

// Confirm is the status of a Confirm (5.3.2, 5.4.2).
type Confirm uint8

// The statuses of a Confirm.
const (
	Accept Confirm = iota // all micropackets are in the output buffer, or the link is shut down and discards them
	Reject                // the Message is too long, not allowed on the virtual channel, or the link was reset
)

// confirm is the state of the requests of a virtual channel, one at a time: TRANSFER and ADMIN share it (5.2).
type confirm struct {
	phase  confirmPhase
	status Confirm
}

// confirmPhase is the phase of the last Request of a virtual channel.
type confirmPhase uint8

// The phases of a Request, in their order.
const (
	confirmNone  confirmPhase = iota // no Request is pending: another may be issued
	confirmLater                     // the Message of the last Request is being sent
	confirmNow                       // the Confirm of the last Request waits for its reader
)

// give sets the Confirm (the outcome) of the last request of a virtual channel.
func (c *confirm) give(status Confirm) { c.phase, c.status = confirmNow, status }

// reset gives a pending request the Confirm Reject, because its Message was dropped.
func (c *confirm) reset() {
	if c.phase == confirmLater {
		c.give(Reject)
	}
}

// TransferRequest hands over a Message to be sent on a virtual channel, 0 to 3 (the standard's 64_TRANSFER.Request).
// Errors: ErrTurn, ErrForwards, ErrNotReady. A Message that is too long for the channel (LongestMessage), or is on VC3
// without an agreement (6.2), is rejected by its Confirm. During a shutdown a Message is accepted and discarded (13.2).
// Clauses: HIPPI-6400/service.3.
func (l *Link) TransferRequest(vc uint8, m Message, now wire.Time) error {
	return l.request(vc&3, now, l.allows(vc&3, &m), func(o *origin) {
		if !l.profile.SULAAllowed {
			m.S = l.profile.NativeSULA
		}
		o.kind, o.data, o.at = originMessage, m.Data, -1
		o.head = micropacket.Head{D: m.D, S: m.S, MLen: uint32(len(m.Data) + micropacket.SNAPLen), SNAP: m.SNAP}
		o.left = 1 + uint32(micropacket.DataMicropackets(len(m.Data)))
	})
}

// allows reports whether a Message may be sent on a virtual channel, by its length and the agreement of both ends.
// Clauses: HIPPI-6400/fields.3.
func (l *Link) allows(vc uint8, m *Message) bool {
	return int64(len(m.Data)) <= LongestMessage(vc) && (vc != 3 || l.agreed)
}

// request begins a request to send on a virtual channel, whose content load stores. If allowed is false, the request
// is rejected by its Confirm; during a shutdown it is accepted and discarded. Errors: ErrTurn, ErrNotReady, and
// ErrForwards within a forwarded Message, which nothing else of its virtual channel may interrupt (6.3.6, 7).
// Clauses: HIPPI-6400/service.2, HIPPI-6400/fields.10, HIPPI-6400/shutdown.2.
func (l *Link) request(vc uint8, now wire.Time, allowed bool, load func(*origin)) error {
	c := &l.confirm[vc]
	switch {
	case c.phase != confirmNone || l.src.waiting>>vc&1 != 0:
		return ErrTurn
	case l.src.origins[vc].forwards():
		return ErrForwards
	case !l.activity.indicated:
		return ErrNotReady
	case !allowed:
		l.Counters.TxRejected++
		c.give(Reject)
		return nil
	case l.state == Shutdown:
		l.Counters.TxShutdownDiscard++
		c.give(Accept)
		return nil
	case !l.Ready():
		return ErrNotReady
	}
	c.phase = confirmLater
	load(&l.src.origins[vc])
	l.src.offer(vc, now, l.profile.Credit)
	l.timers.due = min(l.timers.due, l.src.starved[vc])
	return nil
}

// left records that m, the last micropacket of a virtual channel's origin, has moved to the output buffer: its Message
// is counted, and the request, if it was not forwarded, gets the Confirm Accept.
func (l *Link) left(vc uint8, m *micropacket.Micropacket) {
	if m.Control.Tail() {
		l.Counters.TxMessages++
	}
	if o := &l.src.origins[vc]; o.kind != originForwarded {
		o.data = nil
		l.confirm[vc].give(Accept)
	}
}

// TransferConfirm returns the outcome of the last request of a virtual channel (the standard's 64_TRANSFER.Confirm
// and 64_ADMIN.Confirm), and enables the next request. ok is false if there is no outcome yet.
// Clauses: HIPPI-6400/service.4.
func (l *Link) TransferConfirm(vc uint8) (status Confirm, ok bool) {
	c := &l.confirm[vc&3]
	if c.phase != confirmNow {
		return 0, false
	}
	c.phase = confirmNone
	return c.status, true
}

// AdminRequest hands over the 32 octets of an Admin micropacket to be sent, a command on VC1 or a response on VC2
// (the standard's 64_ADMIN.Request, 5.4.1). On other virtual channels it is rejected by its Confirm. Errors: those of
// TransferRequest.
// Clauses: HIPPI-6400/service.7.
func (l *Link) AdminRequest(vc uint8, data *[micropacket.DataLen]byte, now wire.Time) error {
	return l.request(vc&3, now, vc == 1 || vc == 2, func(o *origin) {
		o.kind, o.single.Data, o.left = originAdmin, *data, 1
	})
}
