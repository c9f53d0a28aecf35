package llr

import (
	"time"

	"uelink/wire"
)

// Selective replay numbers all sendings of frames, those of replays too (serial). On a wire that keeps the order a
// frame is lost if the partner lacks it, and has received another that was sent later: also a frame that was sent
// again, and lost again. (RFC 8985 does so by the time of sending.) So each report of the partner says everything, and
// no message is needed that could be lost. A frame that is lost goes into the list of frames to be sent again, at most
// once.
//
// A wire may let some frames be overtaken, so a lost frame has reorderMost others sent after it and before a received
// one. The last frames before a pause have not: see judge and tail.
const reorderMost = 3

// sending is the last sending of an outstanding frame.
type sending struct {
	at     wire.Time
	serial uint32 // of this sending
	former uint32 // serial of the sending before, of which the last answer may be
	copied bool   // the frame was sent more than once
	lost   bool   // waits in the list of frames to be sent again
}

// selective is the transmitter's side of selective replay.
type selective struct {
	on       bool
	reverted bool      // both ends wanted it at the last LLR_INIT_ECHO, but the partner sent no reports
	drains   bool      // the ends want the other kind now: no new frames, until LLR_INIT
	offer    uint8     // log2 of the frames that the partner keeps, by its last STATION
	most     uint32    // frames that may be outstanding, because the partner keeps so many
	sendings []sending // a ring as the window's
	serial   uint32    // of the last sending
	evidence uint32    // highest serial of a frame that the partner has received
	high     uint32    // position after the highest frame that the partner has received
	gap      uint32    // position of the oldest frame that the last report calls missing and that may be only late, overtaken by others
	lost     []uint32  // positions of frames to be sent again, in this order; some were acknowledged since
	head     int       // index in lost of the next
	posting  bool      // REPLAY posts the frames of this list
}

// startSelective sets the kind of replay after the LLR_INIT_ECHO, by what both ends keep. Frames that a restarted
// partner has not accepted are outstanding: they are sent again soon, and none is lost before.
func (t *Tx) startSelective() {
	s := &t.sel
	s.on, s.most = t.wantsSelective(), MaxOutstandingFrames
	s.reverted, s.drains = false, false
	t.dropLost()
	if !s.on {
		return
	}
	s.most = 1 << s.offer
	s.fit(&t.window)
	s.high, s.gap = t.window.first, t.window.first-1
	for p := t.window.first; p != t.window.tail; p++ {
		t.stampFirst(p, t.window.at(p).pushed)
	}
}

// goBack sets go-back-N until the next LLR_INIT. A repair under way ends: it would not post all that an LLR_NACK asks
// for.
func (t *Tx) goBack(now wire.Time) {
	if t.sel.posting {
		t.state, t.timer, t.replay.begun = TxAdvance, now, false
	}
	t.dropLost()
	t.sel.on, t.sel.reverted, t.sel.most = false, true, MaxOutstandingFrames
	t.tail.sentLast(now)
}

// grow gives the replay buffer room for at least n frames.
func (t *Tx) grow(n int) {
	if t.window.grow(n); t.sel.on {
		t.sel.fit(&t.window)
	}
}

// fit makes the ring of sendings as large as the window's. Positions keep their meaning.
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

// recordReleased records that the window begins later: the partner has received what lies before.
func (t *Tx) recordReleased() {
	if t.sel.on && int32(t.sel.high-t.window.first) < 0 {
		t.sel.high = t.window.first
	}
	t.tail.recordProgress(t.window.outstanding(), t.now)
}

// dropLost empties the list of frames to be sent again.
func (t *Tx) dropLost() {
	s := &t.sel
	for _, p := range s.lost[s.head:] {
		t.sending(p).lost = false
	}
	s.lost, s.head, s.posting = s.lost[:0], 0, false
}

// sending returns the last sending of the frame at a position of the window.
func (t *Tx) sending(position uint32) *sending { return &t.sel.sendings[position&t.window.mask] }

// stampFirst records that the frame at a position is sent for the first time.
func (t *Tx) stampFirst(position uint32, now wire.Time) {
	t.sel.serial++
	*t.sending(position) = sending{at: now, serial: t.sel.serial, former: t.sel.serial}
}

// stampAgain records that the frame at a position is sent again.
func (t *Tx) stampAgain(position uint32, now wire.Time) {
	f := t.sending(position)
	t.sel.serial++
	*f = sending{at: now, serial: t.sel.serial, former: f.serial, copied: true}
	t.tail.sent = now
}

// later reports whether serial a is later than serial b by more than n sendings.
func later(a, b uint32, n int32) bool { return int32(a-b) > n }

// usual returns how long the partner usually takes to acknowledge a frame, and half of that; a loop time must be known.
// The last wait counts, not only the least: a frame may wait in a queue before it is on the wire.
func (p *patience) usual() time.Duration {
	d := max(p.least, p.wait, p.slow)
	return d + d/2
}

// lose puts a frame into the list of frames to be sent again, unless it is there.
func (t *Tx) lose(position uint32) {
	f := t.sending(position)
	if f.lost {
		return
	}
	f.lost = true
	t.sel.lost = append(t.sel.lost, position)
}

// beginRepair enters REPLAY: the frames of the list are posted.
func (t *Tx) beginRepair(now wire.Time) {
	r := &t.replay
	if t.state != TxReplay {
		r.counted, r.byTimer, r.timed, r.begun, r.began = false, false, false, true, now
		t.patience.maybe = 0
	}
	t.sel.posting, t.state = true, TxReplay
	t.skipRepaired()
}

// skipRepaired skips the frames of the list that were acknowledged meanwhile. At the end of the list it leaves REPLAY,
// and restarts the replay timer.
func (t *Tx) skipRepaired() {
	s := &t.sel
	for ; s.head < len(s.lost); s.head++ {
		if p := s.lost[s.head]; int32(p-t.window.first) >= 0 && t.sending(p).lost {
			return
		}
	}
	t.dropLost()
	if !t.replay.counted {
		t.count.TxReplay++
		t.replay.counted = true
	}
	t.timer, t.rearm = t.now, true
	t.state = TxAdvance
}

// repair returns the slot of the next frame of the list.
func (t *Tx) repair() (slot uint32) {
	s := &t.sel
	p := s.lost[s.head]
	s.head++
	f := t.window.at(p)
	t.stampAgain(p, t.now)
	if int32(p+1-t.replay.repeatedTo) > 0 {
		t.replay.repeatedTo = p + 1
	}
	t.count.TxSelected++
	t.countAgain(f)
	t.skipRepaired()
	return f.slot
}

// askByOldest sends the oldest frame again, because the replay timer has expired: the answer says what is missing.
func (t *Tx) askByOldest(now wire.Time) {
	if t.countAttempt(now) {
		t.lose(t.window.first)
		t.beginRepair(now)
	}
}
