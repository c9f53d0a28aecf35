package llr

// kept is the place of a frame that has arrived behind a gap.
type kept struct {
	handle  uint32 // number by which the caller finds the frame
	present bool
}

// gap is the missing frames from number from up to, and without, number to.
type gap struct{ from, to uint32 }

// reorder holds the frames that a receiver keeps behind a gap, in selective replay.
//
//	next_rx_seq                               high
//	     ├── gap ──┼ kept ┼── gap ──┼── kept ──┤
//	     ├──────────── fewer than size ────────┤
//
// Gaps are in order and do not touch. Kept frames that follow next_rx_seq without a gap wait until the caller has room
// for them (Rx.NextKept).
type reorder struct {
	on     bool // both ends replay selectively since the last LLR_INIT
	space  space
	places []kept // a ring by sequence number; its length is a power of two
	gaps   []gap
	frames int      // kept now
	free   []uint32 // kept frames that were given up, until the caller has taken them back
	ever   uint32   // frames kept so far, modulo 2^32

	any  bool   // a frame has arrived since LLR_INIT
	last uint32 // number of the frame that arrived last
	high uint32 // number after the highest that has arrived
	mark uint32 // next_rx_seq when last and high were updated: frames that followed it arrived in order
	turn int    // index in gaps of the gap whose turn it is in the next report

	refused    uint32 // number of the frame that the caller last discarded for want of room
	refusedEnd uint32 // number after the highest of the frames discarded for want of room
}

// begin starts at next_rx_seq with room for size frames behind a gap, a power of two; 0 is go-back-N. The caller gets
// the frames kept so far back from FreeKept.
func (o *reorder) begin(size int, next uint32) {
	o.clear()
	if o.on = size > 0; o.on && len(o.places) != size {
		o.places, o.gaps = make([]kept, size), make([]gap, 0, size/2+1)
		o.free = append(make([]uint32, 0, size), o.free...)
	}
	if o.any, o.turn = false, 0; o.on {
		o.last, o.high, o.mark, o.refused, o.refusedEnd = next, next, next, next, next
	}
}

// clear gives up all kept frames, whose handles go to the list free, and forgets all gaps.
func (o *reorder) clear() {
	for i := range o.places {
		if o.frames == 0 {
			break
		}
		if p := &o.places[i]; p.present {
			o.free = append(o.free, p.handle)
			*p = kept{}
			o.frames--
		}
	}
	o.gaps = o.gaps[:0]
}

// at returns the place of a sequence number.
func (o *reorder) at(seq uint32) *kept { return &o.places[seq&uint32(len(o.places)-1)] }

// room reports whether a frame whose number lies ahead of next_rx_seq by ahead can be kept: it has a place, and the
// caller has taken back all frames that were given up.
func (o *reorder) room(ahead uint32) bool { return ahead < uint32(len(o.places)) && len(o.free) == 0 }

// catchUp updates last and high after the receiver has accepted frames in order by its fast path; next is next_rx_seq.
func (o *reorder) catchUp(next uint32) {
	if o.mark == next {
		return
	}
	o.any, o.last, o.mark = true, o.space.add(next, -1), next
	if o.space.ahead(o.high, next) {
		o.high = next
	}
}

// turnOf returns the place of the frame next_rx_seq if it is kept, else nil.
func (o *reorder) turnOf(next uint32) *kept {
	if o.frames == 0 || !o.at(next).present {
		return nil
	}
	return o.at(next)
}

// put keeps the frame with number seq by the caller's handle. The frame leaves its gap, or, if it is the highest so
// far, the numbers in front of it become a gap; opened is true for such a gap.
func (o *reorder) put(seq, handle uint32) (opened bool) {
	*o.at(seq) = kept{handle: handle, present: true}
	o.frames++
	o.ever++
	o.any, o.last = true, seq
	if o.space.behind(o.high, seq) {
		o.fill(seq)
		return false
	}
	opened = seq != o.high
	o.extend(seq)
	o.high = o.space.add(seq, 1)
	return opened
}

// extend records that the numbers from high up to, and without, to are missing, and sets high to to.
func (o *reorder) extend(to uint32) {
	n := len(o.gaps)
	switch {
	case to == o.high:
	case n > 0 && o.gaps[n-1].to == o.high:
		o.gaps[n-1].to = to
	default:
		o.gaps = append(o.gaps, gap{o.high, to})
	}
	o.high = to
}

// find returns, by a binary search, the index of the first gap that ends behind a number, and whether the number lies
// in that gap.
func (o *reorder) find(seq uint32) (i int, inside bool) {
	low, end := 0, len(o.gaps)
	for low < end {
		middle := (low + end) / 2
		if o.space.ahead(seq, o.gaps[middle].to) {
			end = middle
		} else {
			low = middle + 1
		}
	}
	return low, low < len(o.gaps) && !o.space.behind(o.gaps[low].from, seq)
}

// fill removes a number from the gaps: its gap ends, gets shorter, or becomes two.
func (o *reorder) fill(seq uint32) {
	i, inside := o.find(seq)
	if !inside {
		return
	}
	g, after := &o.gaps[i], o.space.add(seq, 1)
	switch {
	case g.from == seq && g.to == after:
		o.gaps = append(o.gaps[:i], o.gaps[i+1:]...)
	case g.from == seq:
		g.from = after
	case g.to == after:
		g.to = seq
	default:
		rest := gap{after, g.to}
		g.to = seq
		o.gaps = append(o.gaps, gap{})
		copy(o.gaps[i+2:], o.gaps[i+1:])
		o.gaps[i+1] = rest
	}
}

// damaged records that a frame has arrived damaged. Its number is believed only if it is the next after the highest or
// inside a gap: at worst a false number makes the partner send a frame again that was not lost. damaged reports whether
// the number is believed.
func (o *reorder) damaged(seq uint32) bool {
	if seq == o.high {
		o.extend(o.space.add(seq, 1))
	} else if _, inside := o.find(seq); !inside {
		return false
	}
	o.any, o.last = true, seq
	return true
}

// refuse records that the caller has discarded an undamaged frame for want of room.
func (o *reorder) refuse(seq uint32) {
	if o.refused = seq; !o.space.behind(o.refusedEnd, seq) {
		o.refusedEnd = o.space.add(seq, 1)
	}
}

// missRefused makes the refused frames missing, so that the next report asks for them, and reports whether any frame
// is missing. next is next_rx_seq.
func (o *reorder) missRefused(next uint32) bool {
	ahead := o.space.distance(next, o.refusedEnd)
	if o.space.ahead(o.high, o.refusedEnd) && ahead <= uint32(len(o.places)) {
		o.extend(o.refusedEnd)
	}
	if _, inside := o.find(o.refused); inside {
		o.any, o.last = true, o.refused
	}
	o.refusedEnd = o.high
	return len(o.gaps) > 0
}
