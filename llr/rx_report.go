package llr

import "uelink/wire"

// A report of a receiver has gapsMax gaps at most: the oldest, which hold up the others, and the newest, which no
// report had before. The others take turns. A receiver that always reported the oldest gaps would have only gapsMax
// gaps repaired in a loop time.
const (
	gapsMax    = 14 // gaps in a report
	gapsOldest = 2  // the oldest among these
	gapsNewest = 6  // the newest among these; the remaining places are for those whose turn it is
)

// appendGaps appends to an LLR_ACK or LLR_NACK the receiver's report: the last and the highest frame that have arrived,
// and the gaps, which are the missing frames.
func (r *Rx) appendGaps(out []wire.CtlOS) []wire.CtlOS {
	o := &r.reorder
	if o.catchUp(r.next); !o.any {
		return out
	}
	out = append(out, wire.Gap(wire.GapArrived, o.last, o.high))
	n := len(o.gaps)
	if n <= gapsMax {
		return appendMissing(out, o.gaps)
	}
	out = appendMissing(out, o.gaps[:gapsOldest])
	for range gapsMax - gapsOldest - gapsNewest {
		if o.turn < gapsOldest || o.turn >= n-gapsNewest {
			o.turn = gapsOldest
		}
		out = appendMissing(out, o.gaps[o.turn:o.turn+1])
		o.turn++
	}
	return appendMissing(out, o.gaps[n-gapsNewest:])
}

// appendMissing appends gaps as control ordered sets.
func appendMissing(out []wire.CtlOS, gaps []gap) []wire.CtlOS {
	for _, g := range gaps {
		out = append(out, wire.Gap(wire.GapMissing, g.from, g.to))
	}
	return out
}
