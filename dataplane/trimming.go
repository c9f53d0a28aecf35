package dataplane

import (
	"uelink/dataplane/frame"
	"uelink/dataplane/trim"
	"uelink/wire"
)

// Packet trimming (UE 1.0.1 §4.1, UE-LINK §6.2). A frame that finds no room to wait in a queue
// which asks for it waits in the queue of trimmed frames instead, if there is room for it there. It
// still takes a chunk. So of the chunks that may wait a part is kept for trimmed frames. That it is
// trimmed is a mark in its entry, and it is cut in the copy on the way out: a flooded
// frame shares its chunk with others that are not trimmed.

// keptForTrimmed is which part of the chunks of an ingress is kept for trimmed frames: one in so
// many.
const keptForTrimmed = 8

// trimming is packet trimming in a domain.
type trimming struct {
	settings TrimmingSettings
	counters TrimCounters
}

// trimMark is what is to be done to an entry that is trimmed; the zero trimMark is of a whole one.
type trimMark struct {
	ip    uint8 // where its IP header begins in the chunk, before its VLAN tag is edited; 0: it is whole
	dscp  uint8 // that it gets
	queue uint8 // that had no room for it, where it is counted
}

// trims tells whether a queue, 0 to 31, asks for trimming.
func (t PortTrimming) trims(queue uint8) bool { return t.Queues>>(queue&31)&1 == 1 }

// configureTrimming takes the settings.
func (d *domain) configureTrimming(s TrimmingSettings) {
	d.trimming.settings = s
	d.keepForTrimmed()
}

// keepForTrimmed keeps chunks for trimmed frames if a port asks for trimming.
func (d *domain) keepForTrimmed() {
	asked := false
	for _, p := range d.ports {
		asked = asked || p != nil && p.settings.Trimming.Queues != 0
	}
	for _, s := range d.sources {
		if s == nil {
			continue
		}
		if s.kept = 0; asked {
			s.kept = (s.spare - s.assured.total) / keptForTrimmed
		}
	}
}

// trim has a frame that finds no room in a queue wait in the queue of trimmed frames, and be cut when it leaves. It
// tells whether its chunk is kept.
func (d *domain) trim(s *source, desc *frame.Desc, out *port, queue uint8, retag wire.Retag) (kept bool) {
	if !out.settings.Trimming.trims(queue) {
		return false
	}
	plan, ok := d.trimming.settings.PlanFor(s.area[desc.Addr : desc.Addr+uint64(desc.Len)])
	if !ok {
		return false
	}
	counters := d.trimCounters(out, queue)
	for _, c := range counters {
		c.TrimPackets++
	}
	to := out.queueOf(d.trimming.settings.Class)
	if !d.takesTrimmed(s, &out.queues[to], plan.Len) {
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

// takesTrimmed tells whether a frame that is trimmed to n octets may wait in a queue.
func (d *domain) takesTrimmed(s *source, q *queue, n int) bool {
	room := s.roomTrimmed()
	return room > 0 && q.length < shareOfRoom*room && !q.bounded(n) && d.entries.has(false)
}

// trimCounters is where a frame is counted that a queue of a port has trimmed.
func (d *domain) trimCounters(out *port, queue uint8) [3]*TrimCounters {
	return [...]*TrimCounters{
		&out.egress.counters[queue].TrimCounters, &out.counters.TrimCounters, &d.trimming.counters,
	}
}

// waitingFrame is the octets of an entry as they leave, but for the edit that is returned with
// them. Those of a trimmed one are complete.
func (p *port) waitingFrame(s *source, e *entry, settings *trim.Settings) ([]byte, wire.Retag) {
	f := s.frame(e)
	if e.trim.ip == 0 {
		return f, e.retag
	}
	plan := trim.Plan{Len: len(f), IP: int(e.trim.ip)}
	n := settings.Put(p.edited[:], f, plan, e.trim.dscp, e.retag)
	return p.edited[:n], wire.Retag{}
}

// trimmedSent counts an entry of a port that was sent, if it is trimmed.
func (d *domain) trimmedSent(p *port, e *entry) {
	if e.trim.ip == 0 {
		return
	}
	for _, c := range d.trimCounters(p, e.trim.queue) {
		c.TxTrimPackets++
	}
	e.trim = trimMark{}
}

// trimmedTaken counts an entry that leaves its queue at a port, if it is trimmed and was not sent.
func (d *domain) trimmedTaken(p *port, e *entry) {
	if e.trim.ip == 0 {
		return
	}
	for _, c := range d.trimCounters(p, e.trim.queue) {
		c.DroppedTrimPackets++
	}
}
