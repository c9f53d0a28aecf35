package wire

// GapItem is the kind of a GAP control ordered set, by which a receiver that keeps frames behind a gap reports which
// frames it has. GAP is private: a partner that does not know it ignores it. It goes in the control frame of an LLR_ACK
// or LLR_NACK. The data are two sequence numbers; the high nibble of D4 is the item.
type GapItem = StationItem

// The items of GAP.
const (
	GapMissing GapItem = 0 // the frames from the first number up to, and without, the second are missing
	GapArrived GapItem = 1 // number of the frame that arrived last; number after the highest that has arrived
)

// KeepsMost is the largest Station.Keeps. The window and the frames kept behind a gap have at most 2^KeepsMost frames
// each, together half of the sequence numbers, so that the number of a late frame is never taken for the number of
// another frame.
const KeepsMost = SeqBits - 2

// Gap returns a GAP control ordered set: an item with its two sequence numbers, 0..SeqMask. D2, D3 and the upper half
// of D5 are the first number, the rest of D5, D6 and D7 the second.
func Gap(item GapItem, first, second uint32) CtlOS {
	both := uint64(first&SeqMask)<<SeqBits | uint64(second&SeqMask)
	c := stationData(item, uint16(both>>24), uint32(both)&0xFFFFFF)
	c.Type = GapCtlOS
	return c
}

// Gap returns the two sequence numbers of a GAP control ordered set with an item; ok is false for any other control
// ordered set.
func (c CtlOS) Gap(item GapItem) (first, second uint32, ok bool) {
	d := &c.Data
	first = uint32(d[0])<<12 | uint32(d[1])<<4 | uint32(d[2])>>4
	second = uint32(d[2]&0xF)<<16 | uint32(d[3])<<8 | uint32(d[4])
	return first, second, c.Type == GapCtlOS && c.Item == item
}
