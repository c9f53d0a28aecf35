package llr

import (
	"uelink/internal/snapshot"
	"uelink/wire"
)

// passState saves to snapshot s, or restores from it, the state of selective replay at the transmitter, with the last
// sending of each outstanding frame of the window. A state without it, of an older version, is that of go-back-N.
func (x *selective) passState(s *snapshot.State, w *window) {
	s.Bool("on", &x.on)
	s.Bool("reverted", &x.reverted)
	s.Bool("drains", &x.drains)
	snapshot.Number(s, "offer", &x.offer)
	most := x.most
	if !x.on {
		most = 0 // no limit
	}
	snapshot.Number(s, "most", &most)
	snapshot.Number(s, "serial", &x.serial)
	snapshot.Number(s, "evidence", &x.evidence)
	snapshot.Number(s, "high", &x.high)
	s.Bool("posting", &x.posting)
	gap := uint32(0) // frames from the oldest outstanding frame to the gap, the gap's included; 0: no gap
	if x.on && x.gapWaits(w) {
		gap = x.gap - w.first + 1
	}
	snapshot.Number(s, "gap", &gap)
	s.Check(gap <= w.outstanding(), "a gap at frame %d is beyond the %d outstanding frames", gap, w.outstanding())
	if s.Restoring() {
		x.gap = w.first + gap - 1
		s.Check(x.offer <= wire.KeepsMost && most <= MaxOutstandingFrames && x.on == (most > 0),
			"the partner keeps up to 2^%d frames behind a gap (2^%d is the limit), and this end may have %d outstanding (%d is "+
				"the limit, 0 means no selective replay)", x.offer, wire.KeepsMost, most, MaxOutstandingFrames)
		if x.most = most; !x.on {
			x.most = MaxOutstandingFrames
		}
		if x.on && s.Valid() {
			x.sendings, x.lost = nil, nil
			x.fit(w)
		}
	}
	if x.on && len(x.sendings) == len(w.frames) && s.Valid() {
		x.passSendings(s, w)
	}
}

// passSendings saves to snapshot s, or restores from it, the last sendings of the outstanding frames, oldest first, and
// the list of those to be sent again.
func (x *selective) passSendings(s *snapshot.State, w *window) {
	n := w.outstanding()
	at, serial, former := make([]wire.Time, n), make([]uint32, n), make([]uint32, n)
	copied := make([]uint8, n)
	for i := range n {
		f := x.sending(w.first + i)
		at[i], serial[i], former[i] = f.at, f.serial, f.former
		if f.copied {
			copied[i] = 1
		}
	}
	snapshot.Numbers(s, "at", at)
	snapshot.Numbers(s, "serials", serial)
	snapshot.Numbers(s, "formers", former)
	snapshot.Numbers(s, "copied", copied)
	lost := x.waiting(w.first)
	left := uint32(len(lost))
	snapshot.Number(s, "lost", &left)
	s.Check(left <= n, "%d frames are to be sent again, but only %d are outstanding", left, n)
	if !s.Valid() {
		return
	}
	if s.Restoring() {
		lost = make([]uint32, left)
	}
	snapshot.Numbers(s, "positions", lost)
	if !s.Restoring() {
		return
	}
	for i := range n {
		*x.sending(w.first + i) = sending{at: at[i], serial: serial[i], former: former[i], copied: copied[i] != 0}
	}
	for _, p := range lost {
		inside := p-w.first < n && !x.sending(p).lost
		if s.Check(inside, "the frame at position %d is to be sent again, but is not outstanding", p); inside {
			x.lose(p)
		}
	}
}

// waiting returns the positions of the list that are still to be posted, in a window that begins at first.
func (x *selective) waiting(first uint32) (lost []uint32) {
	for _, p := range x.lost[x.head:] {
		if int32(p-first) >= 0 && x.sending(p).lost {
			lost = append(lost, p)
		}
	}
	return lost
}

// passState saves to snapshot s, or restores from it, when the last frame was sent and probed.
func (p *tail) passState(s *snapshot.State) {
	snapshot.Number(s, "sent", &p.sent)
	s.Bool("probed", &p.probed)
	s.Bool("due", &p.due)
	snapshot.Number(s, "wait", &p.wait)
}
