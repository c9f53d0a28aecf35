package llr

import (
	"uelink/internal/snapshot"
	"uelink/wire"
)

// passState saves to snapshot s, or restores from it, the state of the receiver: each field that the type explains, by
// its name in snapshots. A restored state that cannot be makes the snapshot invalid.
func (r *Rx) passState(s *snapshot.State) {
	s.Bool("owed", &r.owed)
	snapshot.Number(s, "state", &r.state)
	snapshot.Number(s, "next", &r.next)
	r.space.passState(s)
	snapshot.Number(s, "octets", &r.octets)
	s.Bool("overflowed", &r.overflowed)
	s.Bool("live", &r.live)
	snapshot.Number(s, "first", &r.first)
	s.Bool("replaying", &r.replaying)
	snapshot.Number(s, "last", &r.repeated.last)
	snapshot.Number(s, "early", &r.repeated.early)
	snapshot.Number(s, "repeats", &r.repeated.count)
	snapshot.Number(s, "gap_end", &r.gapEnd)
	s.Group("nack", r.nack.passState)
	snapshot.Number(s, "keeps_log", &r.keepsLog)
	r.reorder.space = r.space
	s.Group("reorder", func(s *snapshot.State) { r.reorder.passState(s, r.next) })
	snapshot.Number(s, "spacing", &r.spacing)
	s.Group("partner", r.partner.passState)
	s.Struct("echoes", &r.echo.list)
	snapshot.Number(s, "waiting", &r.echo.waiting)
	snapshot.Number(s, "twice", &r.arrivals.twice)
	snapshot.Number(s, "noted", &r.arrivals.noted)
	s.Bool("asks", &r.asks)
	s.Bool("held", &r.delay.on)
	snapshot.Number(s, "held_since", &r.delay.since)
	snapshot.Number(s, "now", &r.now)
	s.Check(r.state <= RxNackSent, "state %d", r.state)
	s.Check(max(r.next, r.first, r.repeated.last, r.repeated.early, r.gapEnd) <= uint32(r.space),
		"a sequence number of the receiver is above the largest, %d", uint32(r.space))
	s.Check(r.echo.waiting >= 0 && r.echo.waiting <= echoesMax, "%d echoes", r.echo.waiting)
	s.Check(r.state != RxOff || !r.live, "the receiver is initialised by LLR_INIT, but its state is OFF")
	if s.Restoring() {
		r.updateFastPath()
	}
}

// passState saves to snapshot s, or restores from it, the schedule by which the last LLR_NACK is copied and repeated.
func (p *repetition) passState(s *snapshot.State) {
	s.Bool("numbered", &p.numbered)
	snapshot.Number(s, "number", &p.number)
	s.Bool("copied", &p.copied)
	s.Bool("awaited", &p.awaited)
	s.Bool("late", &p.late)
	s.Bool("slow", &p.slow)
	snapshot.Number(s, "sent", &p.sent)
	snapshot.Number(s, "due", &p.due)
	snapshot.Number(s, "wait", &p.wait)
	snapshot.Number(s, "answer", &p.answer)
	snapshot.Number(s, "spread", &p.spread)
	s.Check(p.number <= wire.NackMask, "LLR_NACK number %d", p.number)
}

// passState saves to snapshot s, or restores from it, what is known about the partner's transmitter (start id, nonce,
// numbers).
func (p *partner) passState(s *snapshot.State) {
	p.space.passState(s)
	s.Bool("known", &p.accepted)
	snapshot.Numbers(s, "nonce", p.nonce[:])
	s.Bool("started", &p.started)
	snapshot.Number(s, "start", &p.start)
	s.Bool("fresh", &p.fresh)
	snapshot.Number(s, "heard", &p.heard)
	s.Group("inits", p.inits.passState)
	s.Group("starts", p.starts.passState)
	snapshot.Number(s, "keeps", &p.keeps)
	s.Check(p.keeps <= wire.KeepsMost, "the partner keeps up to 2^%d frames behind a gap, but 2^%d is the limit", p.keeps,
		wire.KeepsMost)
}

// passState saves to snapshot s, or restores from it, the list of suspects, messages that claim to come from the
// partner and do not fit its known state, each with how often and when it was seen.
func (p *suspects) passState(s *snapshot.State) {
	snapshot.List(s, "seen", &p.seen, suspectsMax, func(s *snapshot.State, x *sighting) {
		snapshot.Numbers(s, "nonce", x.nonce[:])
		snapshot.Number(s, "number", &x.number)
		snapshot.Number(s, "acked", &x.acked)
		snapshot.Number(s, "runs", &x.runs)
		snapshot.Number(s, "at", &x.at)
	})
	snapshot.Number(s, "next", &p.next)
	snapshot.Number(s, "rx", &p.rx)
	s.Check(p.next >= 0 && p.next <= max(0, len(p.seen)-1), "next suspect %d of %d", p.next, len(p.seen))
	if s.Restoring() {
		p.seen = append(make([]sighting, 0, suspectsMax), p.seen...)
	}
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
	s.Check(max(o.last, o.high, o.mark, o.refused, o.refusedEnd) <= uint32(o.space), "a sequence number is "+
		"above the largest, %d", uint32(o.space))
	size := len(o.places)
	snapshot.Number(s, "size", &size)
	s.Check(size == 0 && !o.on || size >= 2 && size <= SelectiveFramesMax && size&(size-1) == 0,
		"the receiver cannot have %d places for kept frames", size)
	if s.Restoring() && s.Valid() {
		o.frames, o.places, o.gaps = 0, make([]kept, size), make([]gap, 0, size/2+1)
		o.free = make([]uint32, 0, size)
	}
	if size > 0 && s.Valid() {
		o.passGaps(s, next)
		o.passPlaces(s, next)
	}
}

// passGaps saves the gaps to snapshot s, or restores them: as pairs of the distances of begin and end from next_rx_seq,
// next. Restored gaps that touch, are out of order or lie beyond the highest frame make the snapshot invalid.
func (o *reorder) passGaps(s *snapshot.State, next uint32) {
	n := len(o.gaps)
	snapshot.Number(s, "gaps", &n)
	if s.Check(n >= 0 && n <= len(o.places)/2, "%d gaps do not fit the %d places for kept frames", n,
		len(o.places)); !s.Valid() {
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
		s.Check(from < to && to <= end && end <= uint32(len(o.places)), "a gap begins at next_rx_seq + %d and ends "+
			"at + %d: its end must be behind its beginning, and not behind the end of the received frames, at + %d, which is "+
			"at + %d at most", from, to, end, len(o.places))
		s.Check(i == 0 || ends[2*i-1] < from, "a gap begins at next_rx_seq + %d, but the previous gap ends at + %d: "+
			"gaps must be in order and not touch", from, ends[max(0, 2*i-1)])
		o.gaps = append(o.gaps, gap{o.space.add(next, int(from)), o.space.add(next, int(to))})
	}
}

// passPlaces saves the kept frames to snapshot s, or restores them: the distance of each from next_rx_seq, next, and
// its handle, and the handles that the caller has yet to take back. A restored frame that is also missing, or kept
// twice, makes the snapshot invalid.
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
	s.Check(min(frames, given) >= 0 && max(frames, given) <= len(o.places), "%d frames kept, and %d "+
		"given up that the caller has yet to take back: each must be 0 to %d", frames, given, len(o.places))
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
		s.Check(!o.at(seq).present && !missing && ahead[i] < uint32(len(o.places)), "a kept frame at "+
			"next_rx_seq + %d: the snapshot has it twice or in a gap, or it is beyond the %d places for kept frames", ahead[i],
			len(o.places))
		*o.at(seq) = kept{handle: handles[i], present: true}
		o.frames++
	}
}
