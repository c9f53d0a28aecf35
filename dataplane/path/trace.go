package path

import (
	"encoding/binary"
	"slices"
	"time"

	"uelink/cbfc"
	"uelink/dataplane/bridge"
	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/dataplane/sched"
	"uelink/llr"
	"uelink/wire"
)

// A trace follows frames of a port from their arrival to their end. The code that forwards frames knows nothing of it:
// the trace compares counters, queues and sequence numbers of all ports before and after each frame.
//
//  1. began: a frame arrives by the traced port, and the filter takes it
//  2. forwarded: the frame was dropped, waits in queues, or was sent, by one or several ports
//  3. sendTraced: a copy left its queue, was sent, or was dropped
//  4. replayed: LLR has sent a copy again
//  5. review: LLR no longer holds a copy: it was acknowledged, or flushed
//
// A domain without a trace looks at its field trace once a batch.

// tracedAtOnce bounds the frames under way in a trace; while there are as many, arriving frames are not traced.
const tracedAtOnce = 64

// Trace is the trace of a port. Its methods are for the worker's thread.
type Trace struct {
	settings model.TraceSettings
	port     *Port
	wall     time.Time // the time at begin
	begin    wire.Time
	frames   []traced // begun, in order of arrival
	open     []int    // indexes of the frames under way
	waiting  int      // copies in queues
	given    int      // frames that Take has returned
	points   []point  // by the port's number
	bridge   *model.Tally[bridge.Counters]
}

// traced is a traced frame, and its copies.
type traced struct {
	model.TracedFrame
	copies []tracedCopy
	at     wire.Time
	given  bool
}

// tracedCopy is a copy of a traced frame at the port by which it leaves.
type tracedCopy struct {
	model.TracedCopy
	out     *Port
	source  uint16 // of the waiting entry
	addr    uint32
	slot    uint32 // while LLR holds the frame
	posted  uint16 // postings of the slot before LLR's replays of the round
	flushed uint64 // of LLR, when the copy was sent
}

// point is the state of a port before a frame is handled.
type point struct {
	counters *model.Tally[model.PortCounters]
	llr      *model.Tally[llr.Counters]
	credits  *model.Tally[cbfc.PortCounters]
	bridge   *model.Tally[bridge.PortCounters]
	seq      uint32
	sent     [sched.Queues]uint64
	dropped  [sched.Queues]uint64
	length   [sched.Queues]int
	head     [sched.Queues]entry
}

// Trace begins the trace of a port of the domain. It returns nil if the domain has a trace already.
func (d *Domain) Trace(p *Port, s model.TraceSettings, wall time.Time, now wire.Time) *Trace {
	if d.trace != nil {
		return nil
	}
	t := &Trace{settings: s, port: p, wall: wall, begin: now, frames: make([]traced, 0, s.Count),
		bridge: model.NewTally[bridge.Counters]("fdb_learned", "fdb_aged", "fdb_moves")}
	for range d.ports {
		t.points = append(t.points, point{
			counters: model.NewTally[model.PortCounters]("rx_frames", "rx_octets", "tx_frames", "tx_octets", "rx_queue_changes"),
			llr:      model.NewTally[llr.Counters]("llr_tx_ok", "llr_rx_ok", "llr_rx_expected_seq_good"),
			credits:  model.NewTally[cbfc.PortCounters](),
			bridge:   model.NewTally[bridge.PortCounters]("rx_unicast", "rx_unknown", "rx_broadcast", "rx_multicast"),
		})
	}
	d.trace = t
	return t
}

// EndTrace ends a trace of the domain, unless it has ended before.
func (d *Domain) EndTrace(t *Trace) {
	if d.trace == t {
		d.trace = nil
	}
}

// Traces reports whether a trace of the domain goes on. A trace ends when the domain gets or loses a port.
func (d *Domain) Traces(t *Trace) bool { return d.trace == t }

// Take returns the traced frames that have ended since the last call, and with all those under way, too. over reports
// whether no more frames follow.
func (t *Trace) Take(all bool) (list []model.TracedFrame, over bool) {
	for i := range t.frames {
		f := &t.frames[i]
		if f.given || !all && slices.Contains(t.open, i) {
			continue
		}
		f.given = true
		t.given++
		list = append(list, f.result())
	}
	return list, t.given == t.settings.Count
}

// result returns a traced frame as it is now.
func (f *traced) result() model.TracedFrame {
	r := f.TracedFrame
	if len(f.copies) == 0 {
		r.Result = model.TraceDropped
	}
	r.Counters = append([]model.TracedCount{}, r.Counters...)
	r.Copies = []model.TracedCopy{}
	results := [...]string{
		model.TraceDropped, model.TraceWaits, model.TraceOutstanding, model.TraceAcknowledged, model.TraceSent,
	}
	worst := len(results)
	for _, c := range f.copies {
		c.Counters = append([]model.TracedCount{}, c.Counters...)
		r.Copies = append(r.Copies, c.TracedCopy)
		worst = min(worst, slices.Index(results[:], c.Result))
	}
	if worst < len(results) {
		r.Result = results[worst]
	}
	return r
}

// follows reports whether the trace, which may be nil, follows further frames of a port.
func (t *Trace) follows(p *Port) bool {
	return t != nil && t.port == p && len(t.frames) < t.settings.Count
}

// began begins to follow a frame of the traced port, if the filter takes it: addresses and rest are the parts of the
// frame from the MAC addresses, and from the EtherType on; seq is its sequence number, -1 without.
func (t *Trace) began(d *Domain, addresses, rest []byte, octets int, seq int64, now wire.Time) bool {
	if !t.follows(t.port) || len(t.open) == tracedAtOnce || !t.settings.Filter.Takes(addresses, rest) {
		return false
	}
	for len(rest) >= 6 && (binary.BigEndian.Uint16(rest) == 0x8100 || binary.BigEndian.Uint16(rest) == 0x88A8) {
		rest = rest[4:]
	}
	f := traced{at: now, TracedFrame: model.TracedFrame{
		Number: len(t.frames) + 1, Time: t.wall.Add(now.Sub(t.begin)), Port: t.port.settings.Name, Octets: octets,
		To: model.Address(addresses[:wire.AddrLen]), From: model.Address(addresses[wire.AddrLen:wire.AddressesLen]),
		EtherType: binary.BigEndian.Uint16(rest), RxSequence: seq,
	}}
	t.frames = append(t.frames, f)
	t.note(d)
	return true
}

// edgeTraced handles a batch of frames of the traced edge as fromEdge does, and follows them. It returns how many wait
// in their chunks; the others are moved to the front of descs.
func (d *Domain) edgeTraced(s *source, descs []frame.Desc, now wire.Time) (kept int) {
	for i := range descs {
		f := s.area[descs[i].Addr : descs[i].Addr+uint64(descs[i].Len)]
		follows := len(f) >= wire.HeaderLen && d.trace.began(d, f, f[wire.AddressesLen:], len(f), -1, now)
		if d.fromEdge(s, &descs[i], now) {
			kept++
		} else {
			descs[i-kept] = descs[i]
		}
		if follows {
			d.trace.forwarded(d, s, descs[i], now)
		}
	}
	return kept
}

// linkTraced handles a batch of data frames of the traced link as data does, and follows them. It returns how many wait
// in their chunks; the others are moved to the front of descs.
func (d *Domain) linkTraced(l *Link, s *source, descs []frame.Desc, now wire.Time) (kept int) {
	for i := range descs {
		f := s.area[descs[i].Addr : descs[i].Addr+uint64(descs[i].Len)]
		at, rest, octets, seq := 0, wire.AddressesLen, len(f), int64(-1)
		if p, fault := wire.ParseData(f, l.settings.Dialect); fault == wire.NoFault &&
			wire.EtherType(f) == l.settings.EtherTypeData {
			if at, rest = p.CarriedParts(); p.Sequenced {
				seq = int64(p.Seq)
			}
			octets = p.CarriedLen(len(f))
		}
		follows := d.trace.began(d, f[at:], f[rest:], octets, seq, now)
		if d.data(l, s, &descs[i], now) {
			kept++
		} else {
			descs[i-kept] = descs[i]
		}
		if follows {
			d.trace.forwarded(d, s, descs[i], now)
		}
	}
	return kept
}

// note notes the state of all ports.
func (t *Trace) note(d *Domain) {
	for i, p := range d.ports {
		if p == nil {
			continue
		}
		pt := &t.points[i]
		pt.counters.Keep(&p.Counters)
		if p.Link != nil {
			pt.llr.Keep(p.Link.LLR.Counters())
			pt.credits.Keep(&p.Link.cbfc.Count)
			pt.seq = p.Link.LLR.Tx.NextSeq()
		}
		for q := range p.queues {
			c := &p.egress.counters[q]
			pt.sent[q], pt.dropped[q], pt.length[q] = c.TxFrames, c.Dropped, p.queues[q].length
			if p.queues[q].length > 0 {
				pt.head[q] = d.entries.all[p.queues[q].head]
			}
		}
		if d.Bridge != nil {
			c := d.Bridge.PortCounters(i)
			pt.bridge.Keep(&c)
		}
	}
	if d.Bridge != nil {
		c := d.Bridge.Counters()
		t.bridge.Keep(&c)
	}
}

// counted returns the counters that have counted since note.
func (t *Trace) counted(d *Domain) (list []model.TracedCount) {
	for i, p := range d.ports {
		if p == nil {
			continue
		}
		pt, name := &t.points[i], p.settings.Name
		list = pt.counters.Changed(list, name, &p.Counters)
		if p.Link != nil {
			list = pt.llr.Changed(list, name, p.Link.LLR.Counters())
			list = pt.credits.Changed(list, name, &p.Link.cbfc.Count)
		}
		if d.Bridge != nil {
			c := d.Bridge.PortCounters(i)
			list = pt.bridge.Changed(list, name, &c)
		}
	}
	if d.Bridge != nil {
		c := d.Bridge.Counters()
		list = t.bridge.Changed(list, t.port.settings.Name, &c)
	}
	return list
}

// forwarded records what has become of the frame that began last: by which ports it was sent or dropped, and in which
// queues it waits. desc is the place of the frame in its source.
func (t *Trace) forwarded(d *Domain, s *source, desc frame.Desc, now wire.Time) {
	f := &t.frames[len(t.frames)-1]
	for i, p := range d.ports {
		if p == nil {
			continue
		}
		for q := range p.queues {
			c := tracedCopy{out: p, source: s.number, addr: uint32(desc.Addr), TracedCopy: model.TracedCopy{
				Port: p.settings.Name, Queue: q, Sequence: -1, SentNS: -1, EndNS: -1,
			}}
			switch pt := &t.points[i]; {
			case p.egress.counters[q].TxFrames != pt.sent[q]:
				c.left(pt, now.Sub(f.at))
			case p.queues[q].length != pt.length[q]:
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

// underWay reports whether a copy of the frame has no result yet.
func (f *traced) underWay() bool {
	return slices.ContainsFunc(f.copies, func(c tracedCopy) bool { return c.EndNS < 0 })
}

// left records that a copy was sent just now, after since its arrival. pt is the state of its port before that.
func (c *tracedCopy) left(pt *point, since time.Duration) {
	c.Result, c.SentNS, c.EndNS = model.TraceSent, int64(since), int64(since)
	if l := c.out.Link; l != nil && l.LLR.Tx.NextSeq() != pt.seq {
		c.Result, c.EndNS, c.Sequence = model.TraceOutstanding, -1, int64(pt.seq)
		c.slot, c.flushed = c.out.lastSlot(), l.LLR.Counters().TxFlushedFrames
	}
}

// lastSlot returns the TX slot that was posted last.
func (p *Port) lastSlot() uint32 {
	last := &p.out[(p.outLen+batch-1)%batch]
	return uint32((last.Addr - p.Slots.first) / p.Slots.size)
}

// held reports whether LLR holds the copy.
func (c *tracedCopy) held() bool {
	if c.Result != model.TraceOutstanding {
		return false
	}
	outstanding, _ := c.out.Link.LLR.Tx.Outstanding()
	behind := int((c.out.Link.LLR.Tx.NextSeq() - uint32(c.Sequence)) & wire.SeqMask)
	return behind > 0 && behind <= outstanding && c.out.Link.LLR.Counters().TxFlushedFrames == c.flushed
}

// review ends the copies that LLR no longer holds, and the frames without a copy under way.
func (t *Trace) review(now wire.Time) {
	t.open = slices.DeleteFunc(t.open, func(i int) bool {
		f := &t.frames[i]
		for j := range f.copies {
			c := &f.copies[j]
			if c.Result != model.TraceOutstanding || c.held() {
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
			if c := &t.frames[i].copies[j]; c.held() {
				c.posted = c.out.Slots.state[c.slot].posted
			}
		}
	}
}

// afterReplays counts the replays of the frames that LLR holds, since beforeReplays.
func (t *Trace) afterReplays() {
	for _, i := range t.open {
		for j := range t.frames[i].copies {
			if c := &t.frames[i].copies[j]; c.held() {
				c.Replays += max(0, int(c.out.Slots.state[c.slot].posted)-int(c.posted))
			}
		}
	}
}

// sendTraced sends waiting frames of a port as sendWaiting does, one after the other, and records which traced frames
// have left.
func (d *Domain) sendTraced(p *Port, limit int, now wire.Time) (n int) {
	for t := d.trace; n < limit && t.waiting > 0; n++ {
		t.note(d)
		if d.sendWaiting(p, 1, now) == 0 {
			return n
		}
		t.leftQueue(d, p, now)
	}
	return n + d.sendWaiting(p, limit-n, now)
}

// leftQueue records that the first frame of a queue of port p has left, if the frame is traced.
func (t *Trace) leftQueue(d *Domain, p *Port, now wire.Time) {
	pt := &t.points[p.Number]
	for q := range p.queues {
		if p.queues[q].length >= pt.length[q] {
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
