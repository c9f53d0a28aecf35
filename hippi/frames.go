package hippi

import "uelink/wire/micropacket"

// Hearing tells how much a frame's micropackets count.
type Hearing struct {
	All    bool // everything; false: link control only, because the frame belongs to no known epoch
	Echoed bool // the partner has heard the present epoch of this end: its Reset_ACK and Initialize_ACK count
	from   uint16
	number uint32
}

// Whole is the hearing of a wire without frames, as HIPPI-6400 has it.
var Whole = Hearing{All: true, Echoed: true}

// frames numbers the frames of one end, and drops late ones.
type frames struct {
	sent uint32 // number of the last frame sent
	from uint16 // epoch of the partner whose frames are numbered by last; 0 = none
	last uint32 // number of the latest frame received
}

// FrameHead returns the head of the next frame, for n micropackets from Transmit.
func (l *Link) FrameHead(n int, fcs bool) micropacket.FrameHead {
	l.frames.sent++
	return micropacket.FrameHead{N: uint8(n), FCS: fcs, Number: l.frames.sent, From: l.epoch, To: l.partner}
}

// Hear judges a frame by its head. ok is false for a frame that a later one of the same epoch has overtaken, and for a
// second copy: its ACK indications are old, and must not be taken for new ones.
func (l *Link) Hear(h micropacket.FrameHead) (hearing Hearing, ok bool) {
	f := &l.frames
	if f.from != 0 && h.From == f.from {
		if int32(h.Number-f.last) <= 0 {
			l.Counters.RxStaleFrames++
			return Hearing{}, false
		}
		f.last = h.Number
	}
	echoed := h.To == l.epoch
	return Hearing{All: echoed && h.From == l.partner, Echoed: echoed, from: h.From, number: h.Number}, true
}

// hearFrom records the epoch of a partner that takes part in a Link Reset or Initialize.
func (l *Link) hearFrom(h Hearing) {
	if h.from == 0 {
		return
	}
	l.partner = h.from
	if l.frames.from != h.from {
		l.frames.from, l.frames.last = h.from, h.number
	}
}
