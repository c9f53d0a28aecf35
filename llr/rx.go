package llr

import (
	"uelink/wire"
)

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
// A frame with the expected number that arrives before the LLR_NACK is sent is accepted; the LLR_NACK then carries
// its number.
// Clauses: UE-LINK/machines.3.
type RxState uint8

// The states of the receiver.
// Clauses: SAI-LLR/rx-status.1-4.
const (
	RxOff RxState = iota
	RxSendAcks
	RxSendNack
	RxNackSent
)

// String returns SAI's name of the receiver's state: OFF, SEND_ACKS, SEND_NACK or NACK_SENT.
func (s RxState) String() string {
	return [...]string{"OFF", "SEND_ACKS", "SEND_NACK", "NACK_SENT", "?"}[min(s, RxNackSent+1)]
}

// RxVerdict is the receiver's decision on a sequenced frame.
type RxVerdict uint8

// The verdicts of the receiver.
const (
	Deliver         RxVerdict = iota // the frame is next in order: forward it
	DeliverPoisoned                  // the frame is next, damaged before it was sent: its number has arrived, drop it
	Keep                             // selective replay: the frame lies behind a gap; call Rx.Keep, and keep it
	Ignore                           // a duplicate, out of order, damaged, or LLR is not initialised: drop it
)

// String returns the receiver's verdict on a frame: deliver, deliver poisoned, keep or ignore.
func (v RxVerdict) String() string {
	return [...]string{"deliver", "deliver poisoned", "keep", "ignore", "?"}[min(v, Ignore+1)]
}

// echoesMax is the largest number of LLR_INITs echoed at one poll. If more have come, only the latest are echoed.
const echoesMax = 4

// repeatsMax is how often a frame ahead of the expected frame must be repeated until LLR_NACK is sent again: more
// often than a wire duplicates frames.
const repeatsMax = 4

// Rx is the LLR receiver of one port.
// Clauses: UE-LINK/overview.5, SAI-LLR/overview.1.
type Rx struct {
	inOrder bool // the fast path is open: a good frame with the expected number is accepted without further checks
	owed    bool // an LLR_ACK must be sent
	state   RxState
	next    uint32 // next_rx_seq
	space   space
	octets  int // octets carried by the frames accepted or received twice since the last LLR_ACK
	count   *Counters
	forward forwarding

	overflowed bool   // the caller has discarded frames for want of room since the last RoomAvailable or LLR_INIT
	live       bool   // next_rx_seq was set by an LLR_INIT since the mode is on
	first      uint32 // next_rx_seq as the last LLR_INIT set it
	replaying  bool   // the partner's replay under way was counted in RxReplay
	repeated   repeatedFrames
	nack       repetition
	gapEnd     uint32 // in SEND_NACK and NACK_SENT: the number after the highest discarded frame

	keepsLog uint8 // log2 of the frames that this end keeps behind a gap, by its profile; 0: go-back-N
	reorder  reorder

	spacing  int // CTLOS_TARGET_SPACING in octets
	partner  partner
	echo     echoes
	arrivals arrivals
	asks     bool // the caller should send STATION to the partner: see Link.StationRequested
	delay    ackDelay
	now      wire.Time // time of the last poll
}

// repeatedFrames records the latest frames with other numbers than the expected one, to notice repetitions.
type repeatedFrames struct {
	last  uint32 // number of the last duplicate
	early uint32 // number of the last frame ahead of next_rx_seq
	count int    // how often the frame with number early has been repeated since
}

// echoes are the LLR_INITs to echo at the next poll.
type echoes struct {
	list    [echoesMax]wire.CtlOS
	waiting int // number of LLR_INITs in list
}

// arrivals counts frames, for the method arrived.
type arrivals struct {
	twice uint32 // frames received twice
	noted uint32 // sum of next_rx_seq, twice and reorder.ever at the last call of method arrived
}

// NewRx returns a receiver with profile p in state OFF.
func NewRx(p Profile) *Rx {
	r := &Rx{space: standard, count: &Counters{}, partner: newPartner(), reorder: reorder{space: standard}}
	r.SetProfile(p)
	return r
}

// SetProfile replaces the receiver's profile, with effect at once; the kind of replay changes at an LLR_INIT.
func (r *Rx) SetProfile(p Profile) { r.spacing, r.keepsLog = p.CtlOSSpacingBytes, p.Keeps() }

// SetMode sets LLR_MODE_LOCAL. When on, the receiver accepts LLR_INIT; when off, it ignores LLR_INIT and every
// sequenced frame.
// Clauses: SAI-LLR/port.1.
func (r *Rx) SetMode(on bool) {
	if on == (r.state != RxOff) {
		return
	}
	r.live, r.echo.waiting = false, 0
	r.reorder.clear()
	r.enter(RxOff)
	if on {
		r.enter(RxSendAcks)
	}
}

// State returns LLR_RX_STATUS, the state of the receiver.
func (r *Rx) State() RxState { return r.state }

// NextSeq returns next_rx_seq, the number of the frame that the receiver expects next.
func (r *Rx) NextSeq() uint32 { return r.next }

// arrived reports whether the receiver has received a frame in order, a duplicate or a frame to keep since the last
// call.
func (r *Rx) arrived() bool {
	noted := r.arrivals.noted
	r.arrivals.noted = r.next + r.arrivals.twice + r.reorder.ever
	return r.live && r.arrivals.noted != noted
}

// Live reports whether an LLR_INIT has set next_rx_seq since LLR_MODE_LOCAL was switched on.
func (r *Rx) Live() bool { return r.live }

// AwaitsFirstFrame reports whether no frame was received in order since LLR_INIT set next_rx_seq: the partner may not
// have the echo yet.
func (r *Rx) AwaitsFirstFrame() bool { return r.live && r.next == r.first }

// partnerRestarted drops the state of the partner's former start: kept frames are given up, and no frame is accepted
// before the next LLR_INIT.
func (r *Rx) partnerRestarted() {
	if r.state != RxOff {
		r.live, r.echo.waiting = false, 0
		r.reorder.clear()
		r.enter(RxSendAcks)
	}
	r.nack.numbered = false
}

// enter sets the state of the receiver, with no LLR_ACK or LLR_NACK left to send.
func (r *Rx) enter(s RxState) {
	r.state, r.replaying = s, false
	r.updateFastPath()
	r.clearOwed()
}

// updateFastPath sets whether Receive accepts undamaged frames in order by its fast path: only in state
// SEND_ACKS, outside a replay, with no frame kept.
func (r *Rx) updateFastPath() {
	r.inOrder = r.live && r.state == RxSendAcks && !r.replaying && r.reorder.frames == 0
}

// Receive decides on a frame with a sequence number that carries length octets: deliver, deliver as poisoned, keep, or
// ignore. fcs says whether its FCS image is good, poisoned or bad.
// Clauses: UE-LINK/machines.2.
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

// receive decides on a frame as Receive does, for all frames but an undamaged one in order, and counts the frame. A
// frame before the first LLR_INIT is ignored, and makes the caller send STATION to the partner.
// Clauses: SAI-LLR/go-back-n.6.
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
		r.partner.receivedSequenced()
	}
	switch {
	case !r.live:
		r.count.RxNotInitialized++
		r.asks = true
	case r.reorder.on:
		return r.receiveSelectively(seq, fcs, length)
	case seq == r.next:
		return r.receivedExpected(fcs, length)
	case r.space.ahead(r.next, seq):
		r.receivedAhead(seq, fcs)
	default:
		r.receivedDuplicate(seq, fcs, length)
	}
	return Ignore
}

// receivedAhead handles a frame ahead of the expected frame. In NACK_SENT the numbers only grow until the replay
// begins. A number that goes back, without the expected frame, shows that the replay has lost the expected frame again:
// a new gap, with an LLR_NACK of its own instead of a wait for the replay timer. A frame repeated again and again gets
// an LLR_NACK too: its sender may have no other frame, and does not know the expected number. (The number of a bad
// frame is not certain enough.)
// Clauses: UE-LINK/nack.5, SAI-LLR/error.1, SAI-LLR/go-back-n.1,7.
func (r *Rx) receivedAhead(seq uint32, fcs wire.FCS) {
	r.count.RxMissingSeq++
	if r.repeated.count++; seq != r.repeated.early || fcs == wire.FCSBad {
		r.repeated.count = 0
	}
	switch {
	case r.state == RxSendAcks:
		r.openGap()
	case r.state == RxNackSent && fcs != wire.FCSBad && (r.space.ahead(seq, r.repeated.early) ||
		r.repeated.count >= repeatsMax):
		r.count.RxReplay++
		r.openGap()
	}
	if fcs != wire.FCSBad {
		r.repeated.early = seq
	}
	if r.space.ahead(r.gapEnd, r.space.add(seq, 1)) {
		r.gapEnd = r.space.add(seq, 1)
	}
}

// openGap requests an LLR_NACK for a missing frame.
// Clauses: SAI-LLR/go-back-n.4.
func (r *Rx) openGap() {
	r.repeated.count = 0
	if r.state == RxSendAcks {
		r.gapEnd, r.repeated.early = r.next, r.next
	}
	r.enter(RxSendNack)
}

// receivedExpected handles a frame with the number next_rx_seq and returns the verdict. A bad frame is ignored and asks
// for an LLR_NACK; any other advances next_rx_seq, and may end SEND_NACK or NACK_SENT. A poisoned frame is accepted: a
// replay would only bring the same copy.
// Clauses: UE-LINK/nack.6, SAI-LLR/error.1, SAI-LLR/go-back-n.2,7.
func (r *Rx) receivedExpected(fcs wire.FCS, length int) RxVerdict {
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
	r.updateFastPath()
	r.oweAck(length)
	return verdict
}

// receivedDuplicate handles a frame that was accepted before. Its transmitter does not know so, and is owed an
// LLR_ACK.
//
// An LLR_ACK here departs from SAI-LLR, where NACK_SENT does "not send any further ACK or NACK messages". If the
// LLR_NACK was lost and there is no gap at all, because a damaged number looked like a gap or late frames have closed
// the gap, silence would last: every timed replay would bring duplicates and never the expected frame. Another
// LLR_NACK would end the silence too, but each LLR_NACK starts a replay, and replays that overtake one another would
// multiply; an LLR_ACK starts nothing.
// Clauses: SAI-LLR/go-back-n.7.
func (r *Rx) receivedDuplicate(seq uint32, fcs wire.FCS, length int) {
	r.count.RxDuplicateSeq++
	r.arrivals.twice++
	if r.state != RxSendNack {
		r.oweAck(length)
		r.forward.repeat = true
	}
	if fcs != wire.FCSBad {
		r.countReplay(seq)
	}
}

// countReplay counts the start of a replay: the first duplicate after frames in order or after an LLR_NACK, and a
// duplicate that does not lie ahead of the last duplicate. (The number of a bad frame is not certain enough.)
func (r *Rx) countReplay(seq uint32) {
	if !r.replaying || !r.space.ahead(r.repeated.last, seq) {
		r.count.RxReplay++
	}
	r.replaying, r.repeated.last = true, seq
	r.updateFastPath()
}
