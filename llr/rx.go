package llr

import "uelink/wire"

// RxState is SAI_PORT_LLR_RX_STATUS.
//
//	     mode on              missing, or expected and bad
//	OFF ─────────► SEND_ACKS ──────────────────────────────► SEND_NACK
//	                 ▲   ▲                                    │  │   ▲
//	                 │   │ all that was discarded is here     │  │   │
//	                 │   └────────────────────────────────────┘  │   │ expected and bad,
//	                 │                                  LLR_NACK │   │ or lost again
//	                 │ expected, good or poisoned        is sent ▼   │
//	                 └──────────────────────────────────────── NACK_SENT
//
//	from any state but OFF: mode off ─► OFF; LLR_INIT ─► SEND_ACKS
//
// A frame that is expected while the LLR_NACK still waits to be sent is accepted,
// and the LLR_NACK then carries its number.
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
	DeliverPoisoned                  // the next frame, damaged before it was sent: its place is taken, it goes nowhere
	Ignore                           // duplicate, out of order, damaged or not expected at all: forget it
)

// String is the verdict in a word.
func (v RxVerdict) String() string {
	return [...]string{"deliver", "deliver poisoned", "ignore", "?"}[min(v, Ignore+1)]
}

// ackDelayMax is how long, in nanoseconds, an LLR_ACK is held back if neither
// CTLOS_TARGET_SPACING is reached nor the link idle in the meantime.
const ackDelayMax = 100_000

// echoesMax is how many LLR_INIT are remembered to be echoed at one poll; of
// more, the latest.
const echoesMax = 4

// repeatsMax is how often a frame comes again before which others are missing until
// LLR_NACK is sent again: more often than a wire that doubles frames makes it.
const repeatsMax = 4

// Rx is the LLR receiver of one port.
type Rx struct {
	inOrder bool // the next frame is an ordinary one: fast path
	owed    bool // there is something to acknowledge
	state   RxState
	next    uint32 // next_rx_seq
	space   space
	octets  int // of frames accepted or seen again since the last LLR_ACK
	count   *Counters

	refused   bool   // frames that are wanted were discarded for want of room
	live      bool   // next_rx_seq was set by an LLR_INIT since the mode is on
	first     uint32 // to this
	replaying bool   // the start of the replay under way was counted
	last      uint32 // number of the last duplicate
	early     uint32 // number of the last frame that came too early
	repeats   int    // how often that has come again since
	gapEnd    uint32 // SEND_NACK, NACK_SENT: after the highest number that was discarded

	spacing   int
	partner   partner
	echoes    [echoesMax]wire.CtlOS
	waiting   int    // echoes to be sent
	twice     uint32 // frames that came twice
	noted     uint32 // next + twice when came was last asked
	asks      bool   // the partner is to be told who this end is
	held      bool   // the LLR_ACK that is owed was held back at heldSince
	heldSince int64  // when
	now       int64  // of the last poll
}

// NewRx returns a receiver that is OFF.
func NewRx(p Profile) *Rx {
	return &Rx{space: standard, count: &Counters{}, spacing: p.CtlOSSpacingBytes, partner: newPartner()}
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

// Owes tells whether the partner is owed an LLR_ACK.
func (r *Rx) Owes() bool { return r.owed }

// came reports whether a frame has come since the last call that was the next in order, or came again.
func (r *Rx) came() bool {
	noted := r.noted
	r.noted = r.next + r.twice
	return r.live && r.noted != noted
}

// Live tells whether next_rx_seq was set by an LLR_INIT since the mode is on.
func (r *Rx) Live() bool { return r.live }

// Refuse notes that a sequenced frame, which is not damaged, was discarded because there
// was no room for it: a "buffer overflow" (UE-LINK §2.2).
func (r *Rx) Refuse(seq uint32) {
	r.refused = r.refused || r.live && (seq == r.next || r.space.ahead(r.next, seq))
}

// Resume has the partner send again what was refused, now that there is room.
func (r *Rx) Resume() {
	if r.refused && r.live {
		r.openGap()
	}
	r.refused = false
}

// Begins tells whether no frame has come in order since next_rx_seq was set by an
// LLR_INIT: the partner may not know of that yet.
func (r *Rx) Begins() bool { return r.live && r.next == r.first }

// forget is for a partner that has restarted: nothing of it is taken before its next
// LLR_INIT.
func (r *Rx) forget() {
	if r.state != RxOff {
		r.live, r.waiting = false, 0
		r.enter(RxSendAcks)
	}
}

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
		r.next = (seq + 1) & uint32(r.space)
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
	switch {
	case !r.live:
		r.count.RxNotInitialized++
		r.asks = true
	case seq == r.next:
		return r.expected(fcs, length)
	case r.space.ahead(r.next, seq):
		r.missing(seq, fcs)
	default:
		r.duplicate(seq, fcs, length)
	}
	return Ignore
}

// missing takes note of a frame before which others are missing. While NACK_SENT
// the numbers only grow until the replay begins; one that goes back without the
// expected frame having come shows that the replay has lost it again: that is
// another gap, and it gets an LLR_NACK of its own instead of a wait for the
// replay timer. So does one that comes again and again: its sender may have nothing
// else, and does not know what is expected here. (Of a bad frame the number is not
// certain enough for that.)
func (r *Rx) missing(seq uint32, fcs wire.FCS) {
	r.count.RxMissingSeq++
	if r.repeats++; seq != r.early || fcs == wire.FCSBad {
		r.repeats = 0
	}
	switch {
	case r.state == RxSendAcks:
		r.openGap()
	case r.state == RxNackSent && fcs != wire.FCSBad && (r.space.ahead(seq, r.early) || r.repeats >= repeatsMax):
		r.count.RxReplay++
		r.openGap()
	}
	if fcs != wire.FCSBad {
		r.early = seq
	}
	if r.space.ahead(r.gapEnd, r.space.add(seq, 1)) {
		r.gapEnd = r.space.add(seq, 1)
	}
}

// openGap has an LLR_NACK sent.
func (r *Rx) openGap() {
	r.repeats = 0
	if r.state == RxSendAcks {
		r.gapEnd, r.early = r.next, r.next
	}
	r.enter(RxSendNack)
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
		r.openGap()
		return Ignore
	}
	r.next = r.space.add(r.next, 1)
	if r.state == RxNackSent || r.state == RxSendNack && !r.space.ahead(r.next, r.gapEnd) {
		r.state = RxSendAcks
	}
	r.replaying = false
	r.settle()
	r.owe(length)
	return verdict
}

// duplicate takes note of a frame that was accepted before. It shows that the
// transmitter does not know so, and an LLR_ACK is owed.
//
// That departs from SAI-LLR, where NACK_SENT does "not send any further ACK or
// NACK messages". If the LLR_NACK was lost and there is no gap at all, because a
// damaged number looked like one or late frames have closed it, silence would last:
// every timed replay would bring duplicates and none the frame that is waited for.
// Another LLR_NACK would end that too, but each starts a replay, and replays that
// overtake one another would multiply; an LLR_ACK starts nothing.
func (r *Rx) duplicate(seq uint32, fcs wire.FCS, length int) {
	r.count.RxDuplicateSeq++
	r.twice++
	if r.state != RxSendNack {
		r.owe(length)
	}
	if fcs != wire.FCSBad {
		r.noteReplay(seq)
	}
}

// noteReplay counts the start of a replay: the first duplicate after frames in
// order or after an LLR_NACK, and one that does not lie ahead of the one before
// it. (Of a bad frame the number is not certain enough for that.)
func (r *Rx) noteReplay(seq uint32) {
	if !r.replaying || !r.space.ahead(r.last, seq) {
		r.count.RxReplay++
	}
	r.replaying, r.last = true, seq
	r.settle()
}
