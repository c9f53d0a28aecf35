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
	GoBackN   ReplayKind = iota // the lost frame and all after it
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

// Keeps returns the log2 of the frames that a receiver with this profile keeps behind a gap, as STATION reports it:
// room for a window of its own size. 0 is go-back-N, because the profile says so or its window is larger than
// SelectiveFramesMax.
func (p Profile) Keeps() uint8 {
	if p.Replay == GoBackN || p.ReplaySlots() > SelectiveFramesMax {
		return 0
	}
	return uint8(max(1, bits.Len(uint(p.ReplaySlots()-1))))
}
