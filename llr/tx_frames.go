package llr

import "uelink/wire"

// Verdict is the transmitter's decision on an LLR-desired frame.
type Verdict uint8

// The verdicts of the transmitter.
const (
	Sequence Verdict = iota // call Push, and send the frame with the number that Push returns
	Bare                    // send the frame without a sequence number (LLR-ineligible)
	Wait                    // keep the frame and ask again later
	Drop                    // drop the frame
)

// String returns the transmitter's verdict on a frame: sequence, bare, wait or drop.
func (v Verdict) String() string {
	return [...]string{"sequence", "bare", "wait", "drop", "?"}[min(v, Drop+1)]
}

// Admit returns whether a frame of length octets for which LLR is desired is sent with a sequence number, sent bare,
// must wait, or is dropped. The verdict Drop counts TX_DISCARD, so the caller must then drop the frame and not ask
// again. After the verdict Wait, RoomWanted may ask for more room. The verdicts Sequence and Bare change nothing.
func (t *Tx) Admit(length int) Verdict {
	if t.state == TxAdvance && t.port.carrier && t.open(length) {
		return Sequence
	}
	return t.closedVerdict()
}

// open reports whether the window has room for another outstanding frame of length octets. A frame larger than
// OUTSTANDING_BYTES_MAX is sent alone.
// Clauses: SAI-LLR/profile.1,2.
func (t *Tx) open(length int) bool {
	n := t.window.outstanding()
	return n < t.limits.frames && n < t.sel.most && n < t.replay.reach && !t.sel.drains && !t.window.full() &&
		(t.window.octets+int64(length) <= t.limits.octets || n == 0)
}

// closedVerdict returns the verdict on a frame while the window is closed, and while LLR is off, in INIT or in FLUSH.
// After a partner's restart with a bookmark frames wait: a frame without LLR would overtake the outstanding frames.
func (t *Tx) closedVerdict() Verdict {
	switch {
	case t.resume.on:
		return Wait
	case t.state == TxOff:
		return Bare
	case t.state == TxInit:
		return t.actionVerdict(t.profile.InitAction)
	case t.state == TxFlush:
		return t.actionVerdict(t.profile.FlushAction)
	}
	t.noteCrowd()
	return Wait
}

// actionVerdict returns the verdict that an action for INIT or FLUSH (INIT_LLR_FRAME_ACTION,
// FLUSH_LLR_FRAME_ACTION) means, and counts a discarded frame.
// Clauses: SAI-LLR/action.1-3.
func (t *Tx) actionVerdict(a FrameAction) Verdict {
	switch a {
	case Discard:
		t.count.TxDiscard++
		return Drop
	case Block:
		return Wait
	default: // BestEffort
		return Bare
	}
}

// Push appends the frame that Admit has just admitted: length octets in a slot that LLR owns until Free returns it.
// The result is the frame's sequence number. A poisoned frame counts as such, also when sent again. (SAI-LLR: "The
// sequence number is incremented by 1 for each subsequent frame. The frame is placed in a Replay Buffer".)
// Clauses: UE-LINK/overview.1, SAI-LLR/overview.2, SAI-LLR/tx.1,3,4.
func (t *Tx) Push(slot uint32, length int, poisoned bool, now wire.Time) (seq uint32) {
	if t.window.outstanding() == 0 {
		t.timer = now
		t.replay.restartWait(now)
		t.patience.begin(now)
	}
	t.window.push(slot, uint32(length), poisoned, now)
	t.tail.sentLast(now)
	if t.sel.on {
		t.now = now
		t.sel.stampFirst(t.window.tail-1, now)
	}
	t.countSent(poisoned)
	seq = t.seq
	t.seq = (seq + 1) & uint32(t.space)
	return seq
}

// NextSeq returns the sequence number that the next frame pushed will have.
func (t *Tx) NextSeq() uint32 { return t.seq }

// countAgain counts a frame that was sent again.
func (t *Tx) countAgain(f *held) {
	t.count.TxReplayedFrames++
	t.count.TxReplayedOctets += uint64(f.length)
	t.countSent(f.poisoned)
}

// countSent counts a frame that was sent or replayed. SAI: TX_OK and TX_POISONED count replays too.
func (t *Tx) countSent(poisoned bool) {
	if poisoned {
		t.count.TxPoisoned++
	} else {
		t.count.TxOK++
	}
}

// Free returns the next slot that LLR no longer needs, acknowledged or given up, in the order of Push. ok is false if
// LLR needs all its slots.
func (t *Tx) Free() (slot uint32, ok bool) { return t.window.pop() }

// PostLimit returns how many frames may be posted and not sent yet. Posted frames leave before the next replay, which
// sends them again: so each loss costs them, besides the frames outstanding in a loop time. On a wire that loses frames
// the limit is the postShare-th part of both together, the frames between two losses and those in a loop time. A wire
// without losses has no limit.
func (t *Tx) PostLimit() int {
	r := &t.replay
	if r.apart == 0 {
		return MaxOutstandingFrames
	}
	return max(1, int(max(r.apart, r.acked)+r.burst.longest())/postShare)
}
