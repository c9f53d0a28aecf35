package llr

// Verdict is what the transmitter wants done with an LLR-desired frame.
type Verdict uint8

// The verdicts of the transmitter.
const (
	Sequence Verdict = iota // give it to Push, send it with the number that Push returns
	Bare                    // send it LLR-ineligible
	Wait                    // keep it and ask again later
	Drop                    // drop it
)

// String is the verdict in a word.
func (v Verdict) String() string {
	return [...]string{"sequence", "bare", "wait", "drop", "?"}[min(v, Drop+1)]
}

// Admit says what to do now with an LLR-desired frame of length octets. It
// changes nothing but that Drop counts TX_DISCARD: so it is asked once for a
// frame that is then dropped.
func (t *Tx) Admit(length int) Verdict {
	if t.state == TxAdvance && t.carrier && t.open(length) {
		return Sequence
	}
	return t.refuse()
}

// open tells whether the window takes one more frame. A frame that is larger
// than OUTSTANDING_BYTES_MAX still goes, alone.
func (t *Tx) open(length int) bool {
	n := t.window.outstanding()
	return n < t.maxFrames && n < t.replay.reach && !t.window.full() &&
		(t.window.octets+int64(length) <= t.maxOctets || n == 0)
}

// refuse is Admit for a frame that the window does not take now. While a partner that has restarted takes up where it
// was, frames wait: one that went without LLR would overtake those that are kept.
func (t *Tx) refuse() Verdict {
	switch {
	case t.resuming:
		return Wait
	case t.state == TxOff:
		return Bare
	case t.state == TxInit:
		return t.act(t.profile.InitAction)
	case t.state == TxFlush:
		return t.act(t.profile.FlushAction)
	}
	return Wait
}

// act is INIT_LLR_FRAME_ACTION or FLUSH_LLR_FRAME_ACTION as a verdict.
func (t *Tx) act(a FrameAction) Verdict {
	switch a {
	case Discard:
		t.count.TxDiscard++
		return Drop
	case Block:
		return Wait
	}
	return Bare
}

// Push takes the frame that Admit has just let in: length octets in a slot that
// is LLR's until Free returns it. It returns the frame's sequence number.
// (SAI-LLR: "The sequence number is incremented by 1 for each subsequent frame.
// The frame is placed in a Replay Buffer".)
func (t *Tx) Push(slot uint32, length int, poisoned bool, now int64) (seq uint32) {
	if t.window.outstanding() == 0 {
		t.timer = now
		t.replay.moved(now)
		t.patience.begin(now)
	}
	t.window.push(slot, uint32(length), poisoned, now)
	t.sent(poisoned)
	seq = t.seq
	t.seq = (seq + 1) & uint32(t.space)
	return seq
}

// NextSeq is the number that Push will give.
func (t *Tx) NextSeq() uint32 { return t.seq }

// sent counts a frame on the wire. SAI: TX_OK and TX_POISONED count replays too.
func (t *Tx) sent(poisoned bool) {
	if poisoned {
		t.count.TxPoisoned++
	} else {
		t.count.TxOK++
	}
}

// Free returns the next slot that LLR no longer needs, acknowledged or given up,
// in the order in which they were pushed. ok is false when there is none.
func (t *Tx) Free() (slot uint32, ok bool) { return t.window.pop() }
