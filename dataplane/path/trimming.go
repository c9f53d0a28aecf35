package path

import (
	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/wire"
)

// Packet trimming (UE 1.0.1 §4.1, UE-LINK §6.2). A frame without room in a queue that trims waits in the queue of
// trimmed frames instead, if that queue has room. The frame still uses a whole chunk, so a part of the chunks that may
// wait is reserved for trimmed frames. A mark in the queue entry makes the frame trimmed, and the copy at sending is
// cut: a flooded frame shares its chunk with entries that are not trimmed.

// keptForTrimmed is the part of an ingress's chunks reserved for trimmed frames: one in keptForTrimmed.
const keptForTrimmed = 8

// trimming is the settings of packet trimming in a domain, and the counters of all its ports together.
type trimming struct {
	settings model.TrimmingSettings
	Counters model.TrimCounters
}

// trimMark is how to trim an entry; the zero trimMark is an untrimmed entry.
type trimMark struct {
	ip    uint8 // offset of the IP header in the chunk, before the VLAN tag is edited; 0: not trimmed
	dscp  uint8 // new DSCP
	queue uint8 // queue without room, whose counters count the frame
}

// reserve reserves chunks of every socket of the domain for trimmed frames, if a port of the domain trims.
func (t *trimming) reserve(d *Domain) {
	asked := false
	for _, p := range d.ports {
		asked = asked || p != nil && p.settings.Trimming.Queues != 0
	}
	for _, s := range d.sources {
		if s == nil {
			continue
		}
		if s.trimmedRoom = 0; asked {
			s.trimmedRoom = (s.spare - s.assured.total) / keptForTrimmed
		}
	}
}

// trim makes a frame for which its queue has no room wait in the queue of trimmed frames, to be cut at sending, if
// it may be trimmed. It reports whether the frame's chunk must be kept.
// Clauses: UE-LINK/trimming.4.
func (t *trimming) trim(d *Domain, s *source, desc *frame.Desc, out *Port, queue uint8,
	retag wire.Retag) (retained bool) {
	if !out.settings.Trimming.Trims(queue) {
		return false
	}
	plan, ok := t.settings.PlanFor(s.area[desc.Addr : desc.Addr+uint64(desc.Len)])
	if !ok {
		return false
	}
	counters := t.counters(out, queue)
	for _, c := range counters {
		c.TrimPackets++
	}
	to := out.queueOf(t.settings.Class)
	if out.egress.closed>>to&1 != 0 || !t.takesTrimmed(d, s, &out.egress.queues[to], plan.Len) {
		for _, c := range counters {
			c.DroppedTrimPackets++
		}
		return false
	}
	cut := *desc
	cut.Len = uint32(plan.Len)
	e := d.enqueue(s, &cut, out, to, retag, false)
	e.trim = trimMark{ip: uint8(plan.IP), dscp: out.settings.Trimming.DSCP, queue: queue}
	return true
}

// takesTrimmed reports whether there is room for a frame, trimmed to n octets, to wait in a queue.
func (t *trimming) takesTrimmed(d *Domain, s *source, q *queue, n int) bool {
	room := s.roomTrimmed()
	return room > 0 && q.length < shareOfRoom*room && !q.bounded(n) && d.entries.hasFree(false)
}

// counters returns the counters in which a frame trimmed by a queue counts: those of the queue, of the port
// and of the domain.
func (t *trimming) counters(out *Port, queue uint8) [3]*model.TrimCounters {
	return [...]*model.TrimCounters{
		&out.egress.counters[queue].TrimCounters, &out.Counters.TrimCounters, &t.Counters,
	}
}

// sent counts a waiting frame that was sent, if it is trimmed, and removes its mark, so that taken does not count it as
// dropped.
func (t *trimming) sent(p *Port, e *entry) {
	if e.trim.ip == 0 {
		return
	}
	for _, c := range t.counters(p, e.trim.queue) {
		c.TxTrimPackets++
	}
	e.trim = trimMark{}
}

// taken counts a waiting frame that was removed from its queue without being sent, if it is trimmed.
func (t *trimming) taken(p *Port, e *entry) {
	if e.trim.ip == 0 {
		return
	}
	for _, c := range t.counters(p, e.trim.queue) {
		c.DroppedTrimPackets++
	}
}
