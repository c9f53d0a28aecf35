package path

import (
	"uelink/dataplane/frame"
	"uelink/wire"
)

// shareOfRoom bounds a queue where the frames of an ingress may go to several queues. A frame may wait while the queue
// has fewer than shareOfRoom times the free chunks of the ingress. So a queue that stands still leaves room to other
// queues; the more queues stand still, the less room each has (Choudhury and Hahne, Dynamic queue length thresholds,
// 1998).
const shareOfRoom = 4

// pass sends a frame by port out at once if no other frame is ahead of it. Else the frame waits in its chunk. retained
// reports whether the chunk must be kept.
func (d *Domain) pass(
	s *source, desc *frame.Desc, out *Port, class uint8, retag wire.Retag, now wire.Time,
) (retained bool) {
	queue := out.queueOf(class)
	if out.HIPPI != nil {
		queue = out.HIPPI.channelOf(queue, int(desc.Len))
	}
	if out.egress.free(queue) {
		f := s.area[desc.Addr : desc.Addr+uint64(desc.Len)]
		if o := out.send(f, queue, retag, s.port, now); o == sent || o == dropped {
			if o == sent && out.egress.shaped {
				out.egress.sched.Sent(queue, len(f))
			}
			return false
		}
	}
	return d.wait(s, desc, out, queue, retag)
}

// wait puts a frame into a queue of port out if the queue is open and there is room to wait; else the frame is trimmed
// or dropped, and counted. A frame in a reserved chunk (assured) needs only a queue entry; any other also a free chunk,
// and room within the bound of the queue and its share of the chunks. wait reports whether the frame's chunk must be
// kept.
func (d *Domain) wait(s *source, desc *frame.Desc, out *Port, queue uint8, retag wire.Retag) bool {
	q := &out.egress.queues[queue]
	if out.egress.closed>>queue&1 != 0 {
		out.Counters.TxDropQueueClosed++
		out.egress.counters[queue].Drop(int(desc.Len))
		return false // a frame for a closed queue is not trimmed, and does not count as a frame beyond PFC or credits
	}
	queued := s.holds(desc.Addr) // a flooded frame, which waits in another queue already
	assured := queued && s.chunks[desc.Addr>>s.shift].assured || !queued && s.hasAssured()
	switch {
	case !assured && !queued && s.room() <= 0:
		s.port.Counters.RxDropNoBuffer++
	case !assured && (q.bounded(int(desc.Len)) || !d.alone(s.port) && q.length >= shareOfRoom*s.room()):
		out.Counters.TxDropQueueFull++
	case !d.entries.hasFree(assured):
		s.port.Counters.RxDropNoBuffer++
	default:
		d.enqueue(s, desc, out, queue, retag, assured)
		return true
	}
	out.egress.counters[queue].Drop(int(desc.Len))
	switch a := &s.arrives; {
	case a.credits > 0:
		s.port.Counters.RxDropLossless++
	case a.assured:
		s.port.Counters.RxDropPFC++
	default:
		return d.Trimming.trim(d, s, desc, out, queue, retag)
	}
	return false
}

// enqueue appends a frame to a queue of port out, with desc.Len octets to send, and returns the frame's queue entry;
// assured is true if the frame lies in a chunk reserved for its class.
func (d *Domain) enqueue(s *source, desc *frame.Desc, out *Port, queue uint8, retag wire.Retag, assured bool) *entry {
	i, e := d.entries.take(assured)
	e.addr, e.length, e.source, e.retag = uint32(desc.Addr), uint16(desc.Len), s.number, retag
	s.hold(desc.Addr)
	s.asked.waitsAt(out, queue)
	out.egress.queues[queue].push(&d.entries, i)
	out.egress.filled |= 1 << queue
	out.egress.waiting++
	return e
}

// sendQueued sends waiting frames of a port as sendWaiting does, and lets a trace of the domain follow them.
func (d *Domain) sendQueued(p *Port, limit int, now wire.Time) (n int) {
	if d.trace != nil {
		return d.trace.send(d, p, limit, now)
	}
	return d.sendWaiting(p, limit, now)
}

// sendWaiting sends up to limit of the frames that wait at a port, in the order of the scheduler, and returns how many
// left the queues, dropped frames included. It ends early when the port has no room; a queue without credits is left
// out until credits come.
func (d *Domain) sendWaiting(p *Port, limit int, now wire.Time) (n int) {
	for {
		queue, ok := p.egress.sched.Next(p.egress.filled &^ (p.egress.shut | p.egress.halted))
		if !ok {
			return n
		}
		if n >= limit {
			p.blocked = true
			return n
		}
		e := &d.entries.all[p.egress.queues[queue].head]
		s := d.sources[e.source]
		f, retag := p.waitingFrame(s, e, &d.Trimming.settings.Settings)
		switch p.send(f, queue, retag, s.port, now) {
		case waits:
			return n
		case starved:
			p.blockQueue(queue, now)
			continue
		case sent:
			p.egress.sched.Sent(queue, int(e.length))
			d.Trimming.sent(p, e)
		case dropped:
		}
		d.take(p, queue)
		n++
	}
}

// take removes the first frame of a port's queue, which was sent or is dropped, and releases its chunk. With the last
// waiting frame of a closed socket the source is removed; an empty queue waits for credits no longer.
func (d *Domain) take(p *Port, queue uint8) {
	q := &p.egress.queues[queue]
	i := q.pop(&d.entries)
	e := &d.entries.all[i]
	d.Trimming.taken(p, e)
	s := d.sources[e.source]
	if s.release(uint64(e.addr)); s.device == nil && s.waiting == 0 {
		d.removeSource(e.source)
	}
	d.freed = true
	d.entries.give(i)
	p.egress.waiting--
	if q.length == 0 {
		p.egress.filled &^= 1 << queue
		p.unblockQueue(queue, d.Last)
	}
}

// uncarried reports whether a frame that arrived over link p must not be forwarded, and counts such frames: MAC
// control frames (a PAUSE would stop the host's transmitter) and LLDPDUs. No uelink sends them over a link, but a
// partner of another make might. Of an ARP frame that an xconnect forwards it records who claims an address.
func (d *Domain) uncarried(p *Port, carried []byte, now wire.Time) bool {
	t := wire.TrueType(carried)
	switch {
	case !notCarried(carried, t):
		if t == wire.EtherTypeARP && d.Bridge == nil {
			d.conflicts.receivedARP(d, p, carried, 0, now)
		}
		return false
	case wire.MACControl(carried):
		p.Counters.RxMACControl++
	default:
		p.Counters.RxLLDP++
	}
	return true
}
