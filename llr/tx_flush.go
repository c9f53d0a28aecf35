package llr

// Why FLUSH was entered (SAI-LLR, 'Flush' State in LLR Tx).
const (
	flushReplayCount = "replay count"
	flushPCSLost     = "pcs lost"
	flushDataAge     = "data age"
	flushTooLong     = "frame too long for the wire" // ours, see SetFrameLimit
	flushNotResumed  = "not resumed"                 // ours, see notResumedAt
)

// Stuck is the oldest frame that is outstanding, or was when FLUSH was entered: the one
// that does not get through.
type Stuck struct {
	Slot   uint32
	Length int // octets of the carried frame; 0 = nothing was outstanding
}

// SetFrameLimit says how long a frame may be, in octets, that the wire carries: if a
// longer one is outstanding that no replay brings across, FLUSH does not wait for
// REPLAY_COUNT_MAX, which may be no limit.
func (t *Tx) SetFrameLimit(octets int) { t.longest = octets }

// Flushes is how often FLUSH was entered; unlike the counter it is never cleared.
func (t *Tx) Flushes() uint64 { return t.flushes }

// FlushReason says why FLUSH was last entered: "replay count", "pcs lost", "data age",
// "frame too long for the wire" or "not resumed". It is empty if FLUSH was not entered since the mode was
// set, LLR was initialised by command, or ClearFlush.
func (t *Tx) FlushReason() string { return t.reason }

// FlushedFrame is the frame that did not get through when FLUSH was last entered.
// What its slot holds is certain until Free has returned the slot.
func (t *Tx) FlushedFrame() Stuck { return t.stuck }

// ClearFlush forgets why FLUSH was entered, but not in FLUSH itself.
func (t *Tx) ClearFlush() {
	if t.state != TxFlush {
		t.reason, t.stuck = "", Stuck{}
	}
}

// Stalled is the oldest outstanding frame while replays bring no progress, and how many
// in a row have not; 0 if all is well.
func (t *Tx) Stalled() (f Stuck, replays int) {
	if !t.running() || t.replay.row <= wholeReplays || t.window.outstanding() == 0 {
		return Stuck{}, 0
	}
	return t.front(), t.replay.row
}

// front is the oldest outstanding frame; there is one.
func (t *Tx) front() Stuck {
	f := t.window.at(t.window.first)
	return Stuck{Slot: f.slot, Length: int(f.length)}
}

func (t *Tx) enterFlush(reason string, now int64) {
	t.count.TxFlush++
	t.flushes++
	t.reason, t.stuck = reason, Stuck{}
	if t.window.outstanding() > 0 {
		t.stuck = t.front()
	}
	t.dropAll()
	t.state, t.resuming = TxFlush, false
	if t.profile.ReInitOnFlush {
		t.enterInit(now)
	}
}

// dropAll gives up everything outstanding: Free hands the slots back.
func (t *Tx) dropAll() {
	n := t.window.outstanding()
	t.count.TxFlushedFrames += uint64(n)
	t.window.release(n)
}
