package llr

import (
	"uelink/internal/snapshot"
	"uelink/wire"
)

// passSelective saves to snapshot s, or restores from it, the state of selective replay at the transmitter, with the
// last sending of each outstanding frame. A state without it, of an older version, is that of go-back-N.
func (t *Tx) passSelective(s *snapshot.State) {
	x := &t.sel
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
	gap := uint32(0) // none, or how many frames are outstanding up to it
	if x.on && t.gapWaits() {
		gap = x.gap - t.window.first + 1
	}
	snapshot.Number(s, "gap", &gap)
	s.Check(gap <= t.window.outstanding(), "a gap at %d of %d frames", gap, t.window.outstanding())
	if s.Restoring() {
		x.gap = t.window.first + gap - 1
		s.Check(x.offer <= wire.KeepsMost && most <= MaxOutstandingFrames && x.on == (most > 0),
			"room for 2^%d or %d frames", x.offer, most)
		if x.most = most; !x.on {
			x.most = MaxOutstandingFrames
		}
		if x.on && s.Valid() {
			x.sendings, x.lost = nil, nil
			x.fit(&t.window)
		}
	}
	if x.on && len(x.sendings) == len(t.window.frames) && s.Valid() {
		t.passSendings(s)
	}
	s.Check(!x.posting || len(x.lost) > 0 && t.state == TxReplay, "nothing to post in %v", t.state)
}

// passSendings saves to snapshot s, or restores from it, the last sendings of the outstanding frames, oldest first, and
// the list of those to be sent again.
func (t *Tx) passSendings(s *snapshot.State) {
	n := t.window.outstanding()
	at, serial, former := make([]wire.Time, n), make([]uint32, n), make([]uint32, n)
	copied := make([]uint8, n)
	for i := range n {
		f := t.sending(t.window.first + i)
		at[i], serial[i], former[i] = f.at, f.serial, f.former
		if f.copied {
			copied[i] = 1
		}
	}
	snapshot.Numbers(s, "at", at)
	snapshot.Numbers(s, "serials", serial)
	snapshot.Numbers(s, "formers", former)
	snapshot.Numbers(s, "copied", copied)
	lost := t.waiting()
	left := uint32(len(lost))
	snapshot.Number(s, "lost", &left)
	s.Check(left <= n, "%d frames to be sent again, %d are outstanding", left, n)
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
		*t.sending(t.window.first + i) = sending{at: at[i], serial: serial[i], former: former[i], copied: copied[i] != 0}
	}
	for _, p := range lost {
		inside := p-t.window.first < n && !t.sending(p).lost
		if s.Check(inside, "position %d is sent again", p); inside {
			t.lose(p)
		}
	}
}

// waiting returns the positions of the list that are still to be posted.
func (t *Tx) waiting() (lost []uint32) {
	for _, p := range t.sel.lost[t.sel.head:] {
		if int32(p-t.window.first) >= 0 && t.sending(p).lost {
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

// passState saves to snapshot s, or restores from it, the gaps and the kept frames of a receiver at next_rx_seq. The
// content of the frames belongs to the caller.
func (o *reorder) passState(s *snapshot.State, next uint32) {
	s.Bool("on", &o.on)
	snapshot.Number(s, "ever", &o.ever)
	s.Bool("any", &o.any)
	snapshot.Number(s, "last", &o.last)
	snapshot.Number(s, "high", &o.high)
	snapshot.Number(s, "mark", &o.mark)
	snapshot.Number(s, "turn", &o.turn)
	snapshot.Number(s, "refused", &o.refused)
	snapshot.Number(s, "refused_end", &o.refusedEnd)
	s.Check(max(o.last, o.high, o.mark, o.refused, o.refusedEnd) <= uint32(o.space), "a number outside its space")
	size := len(o.places)
	snapshot.Number(s, "size", &size)
	s.Check(size == 0 && !o.on || size >= 2 && size <= SelectiveFramesMax && size&(size-1) == 0, "%d places", size)
	if s.Restoring() && s.Valid() {
		o.frames, o.places, o.gaps = 0, make([]kept, size), make([]gap, 0, size/2+1)
		o.free = make([]uint32, 0, size)
	}
	if size > 0 && s.Valid() {
		o.passGaps(s, next)
		o.passPlaces(s, next)
	}
}

// passGaps saves the gaps to snapshot s, or restores them: in pairs of the distances from next_rx_seq.
func (o *reorder) passGaps(s *snapshot.State, next uint32) {
	n := len(o.gaps)
	snapshot.Number(s, "gaps", &n)
	if s.Check(n >= 0 && n <= len(o.places)/2, "%d gaps", n); !s.Valid() {
		return
	}
	ends := make([]uint32, 2*n)
	for i, g := range o.gaps {
		ends[2*i], ends[2*i+1] = o.space.distance(next, g.from), o.space.distance(next, g.to)
	}
	snapshot.Numbers(s, "ends", ends)
	if !s.Restoring() {
		return
	}
	end := o.space.distance(next, o.high)
	for i := range n {
		from, to := ends[2*i], ends[2*i+1]
		s.Check(from < to && to <= end && end <= uint32(len(o.places)), "a gap from %d to %d of %d", from, to, end)
		s.Check(i == 0 || ends[2*i-1] < from, "a gap at %d after another at %d", from, ends[max(0, 2*i-1)])
		o.gaps = append(o.gaps, gap{o.space.add(next, int(from)), o.space.add(next, int(to))})
	}
}

// passPlaces saves the kept frames to snapshot s, or restores them, with those that the caller has yet to take back.
func (o *reorder) passPlaces(s *snapshot.State, next uint32) {
	var ahead, handles []uint32
	for d := range uint32(len(o.places)) {
		if k := o.at(o.space.add(next, int(d))); k.present {
			ahead, handles = append(ahead, d), append(handles, k.handle)
		}
	}
	frames, given := len(ahead), len(o.free)
	snapshot.Number(s, "frames", &frames)
	snapshot.Number(s, "given", &given)
	s.Check(min(frames, given) >= 0 && max(frames, given) <= len(o.places), "%d, %d frames", frames, given)
	if !s.Valid() {
		return
	}
	if s.Restoring() {
		ahead, handles = make([]uint32, frames), make([]uint32, frames)
		o.free = o.free[:given]
	}
	snapshot.Numbers(s, "ahead", ahead)
	snapshot.Numbers(s, "handles", handles)
	snapshot.Numbers(s, "free", o.free)
	for i := 0; s.Restoring() && i < frames; i++ {
		seq := o.space.add(next, int(ahead[i]))
		_, missing := o.find(seq)
		s.Check(!o.at(seq).present && !missing && ahead[i] < uint32(len(o.places)), "a frame %d ahead", ahead[i])
		*o.at(seq) = kept{handle: handles[i], present: true}
		o.frames++
	}
}
