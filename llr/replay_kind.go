package llr

import (
	"math/bits"

	"uelink/wire"
)

// ReplayKind is how lost frames are sent again. UE-LINK §2.2 leaves it to the implementation; SAI-LLR describes
// go-back-N.
type ReplayKind uint8

// The kinds of replay.
const (
	GoBackN   ReplayKind = iota // the lost frame and all frames after it are sent again
	Auto                        // the lost frames alone, if the partner keeps frames and the window is small enough
	Selective                   // as Auto; a window that is too large is a fault of the profile
)

// String returns the name of a kind of replay in the configuration: go_back_n, auto or selective.
func (k ReplayKind) String() string {
	return [...]string{"go_back_n", "auto", "selective", "?"}[min(k, Selective+1)]
}

// SelectiveFramesMax is the largest window of selective replay, and the most frames kept behind a gap. Window, frames
// behind a gap and frames that come late together need different sequence numbers: so the window is a quarter of the
// numbers, not half.
const SelectiveFramesMax = 1 << wire.KeepsMost

// Keeps returns the log2 of the frames that a receiver with this profile keeps behind a gap, as STATION reports it: as
// many as the window of the profile has, rounded up to a power of two. 0 is go-back-N, because the profile says so or
// its window is larger than SelectiveFramesMax.
func (p Profile) Keeps() uint8 {
	if p.Replay == GoBackN || p.ReplaySlots() > SelectiveFramesMax {
		return 0
	}
	return uint8(max(1, bits.Len(uint(p.ReplaySlots()-1))))
}

// KeptFrames returns how many frames a receiver with this profile keeps behind a gap, 0 or a power of two. The caller
// needs room for them.
func (p Profile) KeptFrames() int {
	if log := p.Keeps(); log > 0 {
		return 1 << log
	}
	return 0
}

// Replays returns the kind of replay in force at the transmitter since the last LLR_INIT_ECHO: GoBackN or Selective.
func (t *Tx) Replays() ReplayKind { return kindInForce(t.sel.on) }

// Replays returns the kind of replay in force at the receiver since the last LLR_INIT: GoBackN or Selective.
func (r *Rx) Replays() ReplayKind { return kindInForce(r.reorder.on) }

// kindInForce returns the kind of replay that is in force at an end: Selective, or GoBackN if selective is false.
func kindInForce(selective bool) ReplayKind {
	if selective {
		return Selective
	}
	return GoBackN
}

// SetReplay replaces the kind of replay in the profile of both machines. Where the partner wants the same, the
// transmitter changes the kind: it begins LLR again when nothing is outstanding.
func (l *Link) SetReplay(k ReplayKind) {
	l.Tx.profile.Replay = k
	l.Rx.keepsLog = l.Tx.profile.Keeps()
	l.Tx.checkKind()
}

// checkKind makes new frames wait if the two ends want another kind of replay than at the last LLR_INIT.
func (t *Tx) checkKind() {
	t.sel.drains = t.running() && t.sel.wanted(&t.profile) != (t.sel.on || t.sel.reverted)
}

// drained reports whether the kind of replay can change without a loss: all that was sent is acknowledged.
func (t *Tx) drained() bool { return t.sel.drains && t.running() && t.window.outstanding() == 0 }

// changeKind starts the handshake after which frames are replayed by the other kind. Until then frames wait, whatever
// INIT_LLR_FRAME_ACTION says: no frame of a link that works is lost because its profile changes.
func (t *Tx) changeKind(now wire.Time) {
	t.ended.reinits++
	t.ended.reinitReason = reinitKind
	t.enterInit(now)
	t.resume.on, t.resume.since = true, now
}

// goBack sets go-back-N until the next LLR_INIT. It ends a selective replay under way, which would not post all frames
// that an LLR_NACK asks for.
func (t *Tx) goBack(now wire.Time) {
	if t.sel.posting {
		t.state, t.timer, t.replay.begun = TxAdvance, now, false
	}
	t.sel.dropLost()
	t.sel.on, t.sel.reverted, t.sel.most = false, true, MaxOutstandingFrames
	t.tail.sentLast(now)
}

// PartnerKeeps reports whether the partner keeps frames behind a gap, by its last STATION.
func (l *Link) PartnerKeeps() bool { return l.Tx.sel.offer > 0 }

// ReplayReason is why a link goes back N, as a word that programs can compare.
type ReplayReason string

// The reasons for go-back-N.
const (
	ReplaySelective  ReplayReason = ""           // no go-back-N: frames are replayed selectively, both ways
	ReplayConfigured ReplayReason = "configured" // the profile says go_back_n
	ReplayWindow     ReplayReason = "window"     // the profile's window is larger than SelectiveFramesMax
	ReplayMemory     ReplayReason = "memory"     // the sockets have too few chunks for the frames to be kept
	ReplayPartner    ReplayReason = "partner"    // the partner keeps no frames
	ReplayNextInit   ReplayReason = "next_init"  // both ends keep frames, from the next LLR_INIT on
)

// ReplayReasons returns all reasons for go-back-N.
func ReplayReasons() []ReplayReason {
	return []ReplayReason{ReplayConfigured, ReplayWindow, ReplayMemory, ReplayPartner, ReplayNextInit}
}
