package llr

import (
	"time"

	"uelink/wire"
)

// Selective replay numbers all sendings of frames, those of replays too (serial). On a wire that keeps the order a
// frame is lost if the partner lacks it, and has received another that was sent later: also a frame that was sent
// again, and lost again. (RFC 8985 does so by the time of sending.) So each report of the partner is complete, and a
// lost report does no harm. A frame that is lost goes into the list of frames to be sent again, at most once.
//
// A wire may let some frames be overtaken. So a frame counts as lost only if at least reorderMost others were sent
// after it and before a received one. The last frames before a pause have no others after them: see judge and tail.
const reorderMost = 3

// sending is the last sending of an outstanding frame.
type sending struct {
	at     wire.Time // when the frame was sent
	serial uint32    // of this sending
	former uint32    // serial of the sending before: the last answer may be to that sending
	copied bool      // the frame was sent more than once
	lost   bool      // the frame waits in the list of frames to be sent again
}

// selective is the transmitter's side of selective replay.
type selective struct {
	on       bool
	reverted bool      // both ends wanted selective replay at the last LLR_INIT_ECHO, but the partner sent no reports
	drains   bool      // the ends want the other kind of replay now: no new frames, until LLR_INIT
	offer    uint8     // log2 of the frames that the partner keeps behind a gap, by its last STATION
	most     uint32    // how many frames may be outstanding, because the partner keeps so many
	sendings []sending // last sendings, a ring by position like the window
	serial   uint32    // serial of the last sending of any frame
	evidence uint32    // highest serial of a frame that the partner has received
	high     uint32    // position after the highest frame that the partner has received
	gap      uint32    // position of the oldest frame that the last report calls missing and that may be only late, overtaken by others
	lost     []uint32  // positions of frames to be sent again, in this order; some were acknowledged since
	head     int       // index in lost of the next frame to be sent again
	posting  bool      // the state is REPLAY, and the frames of the list lost are posted
}

// wanted reports whether both ends say now that they keep frames behind a gap.
func (s *selective) wanted(p *Profile) bool { return s.offer > 0 && p.Keeps() > 0 }

// start sets the kind of replay after the LLR_INIT_ECHO: selective if both ends keep frames behind a gap. Frames that a
// restarted partner has not accepted are outstanding: they are sent again soon, and none counts as lost before that.
func (s *selective) start(p *Profile, w *window) {
	s.on, s.most = s.wanted(p), MaxOutstandingFrames
	s.reverted, s.drains = false, false
	s.dropLost()
	if !s.on {
		return
	}
	s.most = 1 << s.offer
	s.fit(w)
	s.high, s.gap = w.first, w.first-1
	for p := w.first; p != w.tail; p++ {
		s.stampFirst(p, w.at(p).pushed)
	}
}

// fit makes the ring of sendings, and the room of the list of lost frames, as large as the window's ring. Positions
// keep their meaning.
func (s *selective) fit(w *window) {
	if len(s.sendings) == len(w.frames) {
		return
	}
	larger := make([]sending, len(w.frames))
	for p := w.first; p != w.tail && len(s.sendings) > 0; p++ {
		larger[p&w.mask] = s.sendings[p&uint32(len(s.sendings)-1)]
	}
	s.sendings, s.lost = larger, append(make([]uint32, 0, len(larger)), s.lost...)
}

// recordReleased records that the window begins at first now: the partner has received the frames before.
func (s *selective) recordReleased(first uint32) {
	if s.on && int32(s.high-first) < 0 {
		s.high = first
	}
}

// dropLost empties the list of frames to be sent again.
func (s *selective) dropLost() {
	for _, p := range s.lost[s.head:] {
		s.sending(p).lost = false
	}
	s.lost, s.head, s.posting = s.lost[:0], 0, false
}

// sending returns the last sending of the frame at a position of the window.
func (s *selective) sending(position uint32) *sending {
	return &s.sendings[position&uint32(len(s.sendings)-1)]
}

// stampFirst records that the frame at a position is sent for the first time.
func (s *selective) stampFirst(position uint32, now wire.Time) {
	s.serial++
	*s.sending(position) = sending{at: now, serial: s.serial, former: s.serial}
}

// stampAgain records that the frame at a position is sent again, with a serial of its own.
func (s *selective) stampAgain(position uint32, now wire.Time) {
	f := s.sending(position)
	s.serial++
	*f = sending{at: now, serial: s.serial, former: f.serial, copied: true}
}

// arrivedBy returns the serial of the sending by which the frame has arrived, by an answer that comes now. An answer
// sooner than a loop time after a copy, by the least loop time, is of the sending before.
func (f *sending) arrivedBy(least time.Duration, now wire.Time) (serial uint32) {
	if f.copied && (least == forever || now < after(f.at, least)) {
		return f.former
	}
	return f.serial
}

// gapWaits reports whether a frame that the last report calls missing is not judged yet.
func (s *selective) gapWaits(w *window) bool { return s.gap-w.first < w.outstanding() }

// later reports whether serial a is later than serial b by more than n sendings.
func later(a, b uint32, n int32) bool { return int32(a-b) > n }

// lose puts a frame into the list of frames to be sent again, unless it is there.
func (s *selective) lose(position uint32) {
	f := s.sending(position)
	if f.lost {
		return
	}
	f.lost = true
	s.lost = append(s.lost, position)
}

// next returns the position of the next frame of the list.
func (s *selective) next() (position uint32) { return s.lost[s.head] }

// skipAcked skips the frames of the list that lie before first, acknowledged meanwhile, and reports whether there are
// others.
func (s *selective) skipAcked(first uint32) (more bool) {
	for ; s.head < len(s.lost); s.head++ {
		if p := s.next(); int32(p-first) >= 0 && s.sending(p).lost {
			return true
		}
	}
	return false
}
