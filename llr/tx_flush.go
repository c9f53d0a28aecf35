package llr

import "uelink/wire"

// Why FLUSH was entered (SAI-LLR, 'Flush' State in LLR Tx).
const (
	flushReplayCount = "replay count"
	flushPCSLost     = "pcs lost"
	flushDataAge     = "data age"
	flushTooLong     = "frame too long for the wire" // not in SAI: see SetFrameLimit
	flushNotResumed  = "not resumed"                 // not in SAI: see resumption.endAt
)

// Stuck is the oldest outstanding frame, or the oldest when FLUSH was entered: the frame that does not get through.
type Stuck struct {
	Slot   uint32
	Length int // octets of the carried frame; 0 = nothing was outstanding
}

// endings counts how often outstanding frames were given up, with the latest reasons.
type endings struct {
	flushes      uint64
	reason       string // reason of the latest FLUSH
	stuck        Stuck
	reinits      uint64
	reinitReason string
}

// SetFrameLimit sets the longest frame that the wire carries, in octets. If replays do not bring a longer frame
// across, FLUSH does not wait for REPLAY_COUNT_MAX, which may be no limit.
func (t *Tx) SetFrameLimit(octets int) { t.port.longest = octets }

// Flushes returns how often FLUSH was entered; unlike the counter it is never cleared.
func (t *Tx) Flushes() uint64 { return t.ended.flushes }

// FlushReason returns the reason of the last FLUSH: "replay count", "pcs lost", "data age", "frame too long for the
// wire" or "not resumed". It is empty if there was no FLUSH since the mode was set, LLR was initialised by command,
// or ClearFlush.
func (t *Tx) FlushReason() string { return t.ended.reason }

// FlushReasons returns every text that FlushReason returns but "".
func FlushReasons() []string {
	return []string{flushReplayCount, flushPCSLost, flushDataAge, flushTooLong, flushNotResumed}
}

// FlushedFrame returns slot and length of the frame that did not get through at the last FLUSH. The content of its
// slot is unchanged until Free has returned the slot.
func (t *Tx) FlushedFrame() Stuck { return t.ended.stuck }

// ClearFlush forgets the reason of the last FLUSH, except in FLUSH.
func (t *Tx) ClearFlush() {
	if t.state != TxFlush {
		t.ended.reason, t.ended.stuck = "", Stuck{}
	}
}

// Stalled returns the oldest outstanding frame, and the number of replays in a row without progress, once this number
// is above wholeReplays; otherwise 0.
func (t *Tx) Stalled() (f Stuck, replays int) {
	if !t.running() || t.replay.row <= wholeReplays || t.window.outstanding() == 0 {
		return Stuck{}, 0
	}
	return t.front(), t.replay.row
}

// front returns slot and length of the oldest outstanding frame; at least one frame must be outstanding.
func (t *Tx) front() Stuck {
	f := t.window.at(t.window.first)
	return Stuck{Slot: f.slot, Length: int(f.length)}
}

// enterFlush drops all outstanding frames and enters FLUSH, or INIT with RE_INIT_ON_FLUSH. It records the reason, a
// text of FlushReasons, and the oldest of these frames.
// Clauses: UE-LINK/init.11, SAI-LLR/flush.1,4.
func (t *Tx) enterFlush(reason string, now wire.Time) {
	t.count.TxFlush++
	t.ended.flushes++
	t.ended.reason, t.ended.stuck = reason, Stuck{}
	if t.window.outstanding() > 0 {
		t.ended.stuck = t.front()
	}
	t.dropAll()
	t.state, t.resume.on = TxFlush, false
	if t.profile.ReInitOnFlush {
		t.enterInit(now)
	}
}

// dropAll gives up all outstanding frames and counts them: Free returns their slots.
func (t *Tx) dropAll() {
	n := t.window.outstanding()
	t.count.TxFlushedFrames += uint64(n)
	t.sel.dropLost()
	t.tail = tail{}
	t.window.release(n)
}
