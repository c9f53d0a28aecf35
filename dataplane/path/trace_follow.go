package path

import (
	"slices"
	"time"

	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/wire"
)

// receiveEdge handles a batch of frames of the traced edge as fromEdge does, and follows them. It returns how many wait
// in their chunks; the others are moved to the front of descs.
func (t *Trace) receiveEdge(d *Domain, s *source, descs []frame.Desc, now wire.Time) (retained int) {
	return t.receive(d, s, descs, now, func(f []byte) bool {
		return len(f) >= wire.HeaderLen && t.began(d, f, f[wire.AddressesLen:], len(f), -1, now)
	}, func(desc *frame.Desc) bool { return d.fromEdge(s, desc, now) })
}

// receiveLink handles a batch of data frames of the traced link as Link.receiveData does, and follows them. It returns
// how many wait in their chunks; the others are moved to the front of descs.
func (t *Trace) receiveLink(d *Domain, l *Link, s *source, descs []frame.Desc, now wire.Time) (retained int) {
	return t.receive(d, s, descs, now, func(f []byte) bool {
		at, rest, octets, seq := 0, wire.AddressesLen, len(f), int64(-1)
		if p, fault := wire.ParseData(f, l.Port.settings.Dialect); fault == wire.NoFault &&
			wire.EtherType(f) == l.Port.settings.EtherTypeData {
			if at, rest = p.CarriedParts(); p.Sequenced {
				seq = int64(p.Seq)
			}
			octets = p.CarriedLen(len(f))
		}
		return t.began(d, f[at:], f[rest:], octets, seq, now)
	}, func(desc *frame.Desc) bool { return l.receiveData(d, s, desc, now) })
}

// receiveKept begins to follow a frame that was kept behind a gap, and whose turn has come. It reports whether the
// filter takes the frame.
func (t *Trace) receiveKept(d *Domain, l *Link, f *keptFrame, now wire.Time) (follows bool) {
	carried := f.source.area[f.desc.Addr : f.desc.Addr+uint64(f.desc.Len)]
	seq := int64(wire.SeqAdd(l.LLR.Rx.NextSeq(), -1))
	return t.began(d, carried, carried[wire.AddressesLen:], len(carried), seq, now)
}

// receive forwards each frame of a batch by handle, and follows the frames for which began is true. handle is true
// for a frame that waits in its chunk. receive returns the number of waiting frames, and moves the others to the
// front of descs.
func (t *Trace) receive(
	d *Domain, s *source, descs []frame.Desc, now wire.Time, began func(f []byte) bool, handle func(desc *frame.Desc) bool,
) (retained int) {
	for i := range descs {
		follows := began(s.area[descs[i].Addr : descs[i].Addr+uint64(descs[i].Len)])
		if handle(&descs[i]) {
			retained++
		} else {
			descs[i-retained] = descs[i]
		}
		if follows {
			t.forwarded(d, s, descs[i], now)
		}
	}
	return retained
}

// forwarded records what has become of the frame that began last: by which ports it was sent or dropped, and in which
// queues it waits. desc is the place of the frame in its source. A frame that LLR keeps behind a gap is not followed
// before its turn (receiveKept).
func (t *Trace) forwarded(d *Domain, s *source, desc frame.Desc, now wire.Time) {
	if l := s.port.Link; l != nil && l.LLR.Rx.CountKept() > t.points[s.port.Number].buffered {
		t.frames = t.frames[:len(t.frames)-1]
		return
	}
	f := &t.frames[len(t.frames)-1]
	for i, p := range d.ports {
		if p == nil {
			continue
		}
		for q := range p.egress.queues {
			c := tracedCopy{out: p, source: s.number, addr: uint32(desc.Addr), TracedCopy: model.TracedCopy{
				Port: p.settings.Name, Queue: q, Sequence: -1, SentNS: -1, EndNS: -1,
			}}
			switch pt := &t.points[i]; {
			case p.egress.counters[q].TxFrames != pt.sent[q]:
				c.left(pt, now.Sub(f.at))
			case p.egress.queues[q].length != pt.length[q]:
				c.Result, c.Waited = model.TraceWaits, true
				t.waiting++
			case p.egress.counters[q].Dropped != pt.dropped[q]:
				c.Result, c.EndNS = model.TraceDropped, 0
			default:
				continue
			}
			f.copies = append(f.copies, c)
		}
	}
	if !t.takesQueue(f) {
		for _, c := range f.copies {
			if c.Result == model.TraceWaits {
				t.waiting--
			}
		}
		t.frames = t.frames[:len(t.frames)-1]
		return
	}
	f.Counters = t.counted(d)
	if f.underWay() {
		t.open = append(t.open, len(t.frames)-1)
	}
}

// takesQueue reports whether the filter takes a frame by its queues.
func (t *Trace) takesQueue(f *traced) bool {
	queues := t.settings.Filter.Queues
	return len(queues) == 0 || slices.ContainsFunc(f.copies, func(c tracedCopy) bool {
		return slices.Contains(queues, uint8(c.Queue))
	})
}

// left records that a copy was sent just now. since is the time from the frame's arrival until now, pt the state of the
// copy's port before the copy was sent.
func (c *tracedCopy) left(pt *point, since time.Duration) {
	c.Result, c.SentNS, c.EndNS = model.TraceSent, int64(since), int64(since)
	if l := c.out.Link; l != nil && l.LLR.Tx.NextSeq() != pt.seq {
		c.Result, c.EndNS, c.Sequence = model.TraceOutstanding, -1, int64(pt.seq)
		c.slot, c.flushed = c.out.lastSlot(), l.LLR.Counters().TxFlushedFrames
	}
}

// isOutstanding reports whether LLR holds the copy.
func (c *tracedCopy) isOutstanding() bool {
	if c.Result != model.TraceOutstanding {
		return false
	}
	outstanding, _ := c.out.Link.LLR.Tx.Outstanding()
	behind := int((c.out.Link.LLR.Tx.NextSeq() - uint32(c.Sequence)) & wire.SeqMask)
	return behind > 0 && behind <= outstanding && c.out.Link.LLR.Counters().TxFlushedFrames == c.flushed
}

// review ends the copies that LLR no longer holds: as acknowledged, or as dropped if LLR has flushed frames since the
// copy was sent. A frame without a copy under way is no longer followed.
func (t *Trace) review(now wire.Time) {
	t.open = slices.DeleteFunc(t.open, func(i int) bool {
		f := &t.frames[i]
		for j := range f.copies {
			c := &f.copies[j]
			if c.Result != model.TraceOutstanding || c.isOutstanding() {
				continue
			}
			c.Result, c.EndNS = model.TraceAcknowledged, int64(now.Sub(f.at))
			if c.out.Link.LLR.Counters().TxFlushedFrames != c.flushed {
				c.Result, c.Counters = model.TraceDropped, []model.TracedCount{{Port: c.Port, Counter: "tx_flushed_frames"}}
			}
		}
		return !f.underWay()
	})
}

// beforeReplays notes how often the frames that LLR holds were posted, before LLR sends frames again.
func (t *Trace) beforeReplays() {
	for _, i := range t.open {
		for j := range t.frames[i].copies {
			if c := &t.frames[i].copies[j]; c.isOutstanding() {
				c.posted = c.out.Slots.state[c.slot].posted
			}
		}
	}
}

// afterReplays counts the replays of the frames that LLR holds, since beforeReplays.
func (t *Trace) afterReplays() {
	for _, i := range t.open {
		for j := range t.frames[i].copies {
			if c := &t.frames[i].copies[j]; c.isOutstanding() {
				c.Replays += max(0, int(c.out.Slots.state[c.slot].posted)-int(c.posted))
			}
		}
	}
}

// send sends waiting frames of a port as sendWaiting does, one after the other, and records which traced frames
// have left.
func (t *Trace) send(d *Domain, p *Port, limit int, now wire.Time) (n int) {
	for ; n < limit && t.waiting > 0; n++ {
		t.note(d)
		if d.sendWaiting(p, 1, now) == 0 {
			return n
		}
		t.leftQueue(d, p, now)
	}
	return n + d.sendWaiting(p, limit-n, now)
}

// leftQueue records that the first frame of a queue of port p has left, if the frame is traced: sent, or dropped if the
// queue counts no more sent frames than before.
func (t *Trace) leftQueue(d *Domain, p *Port, now wire.Time) {
	pt := &t.points[p.Number]
	for q := range p.egress.queues {
		if p.egress.queues[q].length >= pt.length[q] {
			continue
		}
		for _, i := range t.open {
			f := &t.frames[i]
			j := slices.IndexFunc(f.copies, func(c tracedCopy) bool {
				return c.Result == model.TraceWaits && c.out == p && c.Queue == q && c.source == pt.head[q].source &&
					c.addr == pt.head[q].addr
			})
			if j < 0 {
				continue
			}
			c := &f.copies[j]
			t.waiting--
			if c.left(pt, now.Sub(f.at)); p.egress.counters[q].TxFrames == pt.sent[q] {
				c.Result, c.SentNS, c.EndNS, c.Sequence = model.TraceDropped, -1, int64(now.Sub(f.at)), -1
				c.Counters = t.counted(d)
			}
		}
	}
}
