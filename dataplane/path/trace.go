package path

import (
	"encoding/binary"
	"slices"
	"time"

	"uelink/cbfc"
	"uelink/dataplane/bridge"
	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/wire"
)

// A trace follows frames of a port from their arrival to their end. The code that forwards frames knows nothing of it:
// the trace compares counters, queues and sequence numbers of all ports before and after each frame.
//
//  1. began: a frame arrives by the traced port, and the filter takes it
//  2. forwarded: the frame was dropped, waits in queues, or was sent, by one or several ports
//  3. send: a copy left its queue, was sent, or was dropped
//  4. beforeReplays, afterReplays: LLR sends a copy again
//  5. review: LLR no longer holds a copy: it was acknowledged, or flushed
//
// These functions are in trace_follow.go, but began. A domain without a trace only checks its field trace, once a
// batch.

// tracedAtOnce bounds the frames under way in a trace; while there are as many, arriving frames are not traced.
const tracedAtOnce = 64

// Trace is the trace of a port. Its methods are for the worker's thread.
type Trace struct {
	settings model.TraceSettings
	port     *Port
	wall     time.Time // wall-clock time at begin
	begin    wire.Time
	frames   []traced // traced frames, in order of arrival
	open     []int    // indexes of the frames under way
	waiting  int      // number of copies that wait in queues
	given    int      // number of frames that Take has returned
	points   []point  // state of each port before the present frame was handled, by the port's number
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
	source  uint16 // source of the queue entry while the copy waits
	addr    uint32 // address in that source
	slot    uint32 // TX slot, while LLR holds the frame
	posted  uint16 // postings of the slot before LLR's replays of the round
	flushed uint64 // frames flushed by LLR so far, when the copy was sent
}

// Trace begins the trace of a port of the domain. It returns nil if the domain has a trace already. wall is the
// wall-clock time at now. The counters named in the tallies grow with every frame, and are not in the trace.
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

// Take returns the traced frames that have ended since the last call, and if all is true those under way, too. over
// reports whether no more frames follow.
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

// result returns a traced frame as it is now. Its result is that of the copy that got least far.
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

// began begins to follow a frame of the traced port, if the filter takes it, and reports whether it does: addresses and
// rest are the parts of the frame from the MAC addresses, and from the EtherType on; octets is its length, seq its
// sequence number, -1 without. It notes the state of all ports before the frame is handled.
func (t *Trace) began(d *Domain, addresses, rest []byte, octets int, seq int64, now wire.Time) bool {
	if !t.follows(t.port) || len(t.open) == tracedAtOnce || !t.settings.Filter.Matches(addresses, rest) {
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

// underWay reports whether a copy of the frame has no result yet.
func (f *traced) underWay() bool {
	return slices.ContainsFunc(f.copies, func(c tracedCopy) bool { return c.EndNS < 0 })
}
