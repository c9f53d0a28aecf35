package llr

import "uelink/wire"

// RxState is SAI_PORT_LLR_RX_STATUS.
//
//	     mode on              missing, or expected and bad
//	OFF ─────────► SEND_ACKS ──────────────────────────────► SEND_NACK
//	                   ▲                                       │   ▲
//	                   │ expected,                 LLR_NACK is │   │ expected
//	                   │ good or poisoned              sent    ▼   │ and bad
//	                   └─────────────────────────────────── NACK_SENT
//
//	from any state but OFF: mode off ─► OFF; LLR_INIT ─► SEND_ACKS
//
// A frame that is expected while the NACK still waits to be sent is accepted, and
// the NACK then carries its number: what follows it was discarded.
type RxState uint8

// The states of the receiver.
const (
	RxOff RxState = iota
	RxSendAcks
	RxSendNack
	RxNackSent
)

// String is SAI's name of the state.
func (s RxState) String() string {
	return [...]string{"OFF", "SEND_ACKS", "SEND_NACK", "NACK_SENT", "?"}[min(s, RxNackSent+1)]
}

// RxVerdict is what the receiver wants done with a sequenced frame.
type RxVerdict uint8

// The verdicts of the receiver.
const (
	Deliver         RxVerdict = iota // the next frame: pass it on
	DeliverPoisoned                  // the next frame, damaged before it was sent: its place is taken, nothing can carry it on
	Ignore                           // duplicate, out of order, damaged or not expected at all: forget it
)

// String is the verdict in a word.
func (v RxVerdict) String() string {
	return [...]string{"deliver", "deliver poisoned", "ignore", "?"}[min(v, Ignore+1)]
}

// ackDelayMax is how long, in nanoseconds, an LLR_ACK is held back if neither
// CTLOS_TARGET_SPACING is reached nor the ring ever runs empty.
const ackDelayMax = 100_000

// echoesMax is how many LLR_INIT are remembered to be echoed at one poll; of
// more, the latest.
const echoesMax = 4

// Rx is the LLR receiver of one port.
type Rx struct {
	inOrder bool // the next frame is an ordinary one: fast path
	owed    bool // there is something to acknowledge
	state   RxState
	next    uint32 // next_rx_seq
	octets  int    // of frames accepted or seen again since the last LLR_ACK
	count   *Counters

	live      bool   // next_rx_seq was set by an LLR_INIT since the mode is on
	replaying bool   // the start of the replay under way was counted
	last      uint32 // number of the last duplicate

	spacing   int
	partner   partner
	echoes    [echoesMax]wire.CtlOS
	waiting   int   // echoes to be sent
	held      bool  // the LLR_ACK that is owed was held back at heldSince
	heldSince int64 // when
	now       int64 // of the last poll
}

// NewRx returns a receiver that is OFF.
func NewRx(p Profile) *Rx {
	return &Rx{count: &Counters{}, spacing: p.CtlOSSpacingBytes}
}

// SetProfile replaces the profile at once.
func (r *Rx) SetProfile(p Profile) { r.spacing = p.CtlOSSpacingBytes }

// SetMode is LLR_MODE_LOCAL: on lets LLR_INIT be received, off ignores it and
// every sequenced frame.
func (r *Rx) SetMode(on bool) {
	if on == (r.state != RxOff) {
		return
	}
	r.live, r.waiting = false, 0
	r.enter(RxOff)
	if on {
		r.enter(RxSendAcks)
	}
}

// State is LLR_RX_STATUS.
func (r *Rx) State() RxState { return r.state }

// NextSeq is next_rx_seq.
func (r *Rx) NextSeq() uint32 { return r.next }

// enter changes the state with nothing owed to the partner.
func (r *Rx) enter(s RxState) {
	r.state, r.replaying = s, false
	r.settle()
	r.acked()
}

// settle finds out whether the fast path is open.
func (r *Rx) settle() { r.inOrder = r.live && r.state == RxSendAcks && !r.replaying }

func (r *Rx) acked() { r.owed, r.octets, r.held = false, 0, false }

func (r *Rx) owe(length int) {
	r.owed = true
	r.octets += length
}

// Receive takes a sequenced frame that carries length octets.
func (r *Rx) Receive(seq uint32, fcs wire.FCS, length int) RxVerdict {
	if r.inOrder && seq == r.next && fcs == wire.FCSGood {
		r.count.RxOK++
		r.count.RxExpectedSeqGood++
		r.next = (seq + 1) & wire.SeqMask
		r.owed = true
		r.octets += length
		return Deliver
	}
	return r.receive(seq, fcs, length)
}

func (r *Rx) receive(seq uint32, fcs wire.FCS, length int) RxVerdict {
	switch fcs {
	case wire.FCSGood:
		r.count.RxOK++
	case wire.FCSPoisoned:
		r.count.RxPoisoned++
	case wire.FCSBad:
		r.count.RxBad++
	}
	if fcs != wire.FCSBad {
		r.partner.sequenced()
	}
	ahead := wire.SeqDistance(r.next, seq)
	switch {
	case !r.live:
		r.count.RxNotInitialized++
		return Ignore
	case ahead == 0:
		return r.expected(fcs, length)
	case ahead <= wire.SeqMask/2:
		r.count.RxMissingSeq++
		if r.state == RxSendAcks {
			r.enter(RxSendNack)
		}
		return Ignore
	}
	r.duplicate(seq, fcs, length)
	return Ignore
}

// expected takes a frame with the number next_rx_seq. Poisoned it is accepted:
// asking for it again would only bring the same copy.
func (r *Rx) expected(fcs wire.FCS, length int) RxVerdict {
	if r.state == RxNackSent && !r.replaying {
		r.count.RxReplay++
	}
	verdict := Deliver
	switch fcs {
	case wire.FCSGood:
		r.count.RxExpectedSeqGood++
	case wire.FCSPoisoned:
		r.count.RxExpectedSeqPoisoned++
		verdict = DeliverPoisoned
	case wire.FCSBad:
		r.count.RxExpectedSeqBad++
		r.enter(RxSendNack)
		return Ignore
	}
	r.next = wire.SeqAdd(r.next, 1)
	if r.state == RxNackSent {
		r.state = RxSendAcks
	}
	r.replaying = false
	r.settle()
	r.owe(length)
	return verdict
}

// duplicate takes note of a frame that was accepted before. It shows that an
// LLR_ACK was lost, so one is owed; but not while NACK_SENT (seed 001: "Does not
// send any further ACK or NACK messages during this period").
//
// The first one after frames in order starts a replay, and so does one that
// does not lie ahead of the one before it. Of a bad frame the number is not
// certain enough to count a replay.
func (r *Rx) duplicate(seq uint32, fcs wire.FCS, length int) {
	r.count.RxDuplicateSeq++
	if r.state == RxSendAcks {
		r.owe(length)
	}
	if fcs == wire.FCSBad {
		return
	}
	if ahead := wire.SeqDistance(r.last, seq); !r.replaying || ahead == 0 || ahead > wire.SeqMask/2 {
		r.count.RxReplay++
	}
	r.replaying, r.last = true, seq
	r.settle()
}
