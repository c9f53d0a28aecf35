package hippi

import "uelink/wire/micropacket"

// Hearing says which micropackets of a frame count, by the epochs in its head.
type Hearing struct {
	All    bool   // all micropackets; false: link control only, because the frame belongs to no known epoch
	Echoed bool   // the partner has heard the present epoch of this end: its Reset_ACK and Initialize_ACK count
	from   uint16 // epoch of the sender of the frame; 0: no frame
	number uint32 // number of the frame
}

// Whole is the Hearing for micropackets that come without frames, as on the wire of HIPPI-6400: all of them count.
var Whole = Hearing{All: true, Echoed: true}

// frames numbers the frames of one end, and drops late ones.
type frames struct {
	sent uint32 // number of the last frame sent
	from uint16 // epoch of the partner whose frames are numbered by last; 0 = none
	last uint32 // number of the latest frame received
	far  uint32 // number of the last frame that was dropped because it is far ahead of last
}

// A frame is far ahead of the latest if more frames than farAhead would lie between them. More frames than that are
// hardly ever lost in a row. But damage may have changed the number, unnoticed because it has changed the flag of the
// FCS image too; if that number were believed, all later frames would look overtaken. So a frame far ahead is dropped,
// unless the frame before it was as far ahead.
const farAhead = 64

// FrameHead returns the head of the next frame to send, which carries n micropackets from Transmit. fcs is whether
// the frame has an FCS image. The head tells the partner whether it may use VC3.
func (l *Link) FrameHead(n int, fcs bool) micropacket.FrameHead {
	l.frames.sent++
	l.offered = l.offered || l.profile.VC3
	return micropacket.FrameHead{N: uint8(n), FCS: fcs, VC3: l.profile.VC3, Number: l.frames.sent, From: l.epoch,
		To: l.partner}
}

// Hear decides by the head of a received frame whether its micropackets may be passed to Receive, with the returned
// hearing. ok is false for a second copy, for a frame that a later one of the same epoch has overtaken, because its
// ACK indications are old, and for a lone frame whose number is far ahead. Hear notes whether the partner allows VC3.
func (l *Link) Hear(h micropacket.FrameHead) (hearing Hearing, ok bool) {
	f := &l.frames
	if f.from != 0 && h.From == f.from && !f.follows(h.Number) {
		l.Counters.RxStaleFrames++
		return Hearing{}, false
	}
	echoed := h.To == l.epoch
	hearing = Hearing{All: echoed && h.From == l.partner, Echoed: echoed, from: h.From, number: h.Number}
	if hearing.All {
		l.takesVC3 = h.VC3
		l.agreed = l.agreed || l.VC3()
	}
	return hearing, true
}

// follows reports whether a frame with the given number comes after the latest frame, and then records it as the
// latest. A frame far ahead (farAhead) is recorded in far instead, and follows only if the frame recorded there before
// was shortly before it.
func (f *frames) follows(number uint32) bool {
	ahead := int32(number - f.last)
	if ahead > farAhead {
		before := int32(number - f.far)
		f.far = number
		if before <= 0 || before > farAhead {
			return false
		}
	}
	if ahead <= 0 {
		return false
	}
	f.last = number
	return true
}

// hearFrom records the partner's epoch, by a frame of a partner that takes part in a Link Reset or Initialize. With a
// new epoch the partner's frames are numbered from this frame on.
func (l *Link) hearFrom(h Hearing) {
	if h.from == 0 {
		return
	}
	l.partner = h.from
	if l.frames.from != h.from {
		l.frames.from, l.frames.last, l.frames.far = h.from, h.number, h.number
	}
}
