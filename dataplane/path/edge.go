package path

import (
	"uelink/dataplane/checksum"
	"uelink/dataplane/frame"
	"uelink/dataplane/qos"
	"uelink/wire"
)

// intake receives a batch of frames from each RX ring of an edge port, and forwards the frames or makes them wait.
// It returns the number of frames received.
func (d *Domain) intake(p *Port, now wire.Time) (n int) {
	if d.Draining {
		p.stalled = len(p.sources) > 0
		return 0
	}
	for _, s := range p.inlets() {
		limit := d.intakeLimit(p, s)
		if p.stalled = limit == 0; p.stalled {
			return n
		}
		descs := p.receive(s, limit)
		if len(descs) == 0 {
			continue
		}
		d.checkCrowd(s, len(descs))
		if s.asked.pump != nil {
			d.tookFrames(s, len(descs), now)
		}
		d.warm(s, descs, 0, wire.AddressesLen)
		kept := 0
		if d.trace.follows(p) {
			kept = d.edgeTraced(s, descs, now)
		} else {
			for i := range descs {
				s.fetchAhead(descs, i)
				if d.fromEdge(s, &descs[i], now) {
					kept++
				} else {
					descs[i-kept] = descs[i]
				}
			}
		}
		s.device.Recycle(descs[:len(descs)-kept])
		n += len(descs)
	}
	return n
}

// intakeLimit returns the number of frames to receive from a socket of an edge in a round: at most a batch, and,
// if frames may wait in all chunks (alone), at most the chunks left. More frames stay in the RX ring: the kernel
// drops an overflow at less cost.
func (d *Domain) intakeLimit(p *Port, s *source) int {
	if d.alone(p) {
		return min(batch, s.room())
	}
	return batch
}

// alone reports whether received frames of a port may wait in all chunks of the port: of the edge of an xconnect, if
// all frames go to one queue without trimming, PFC or a bound; of the link of an xconnect, because the link refuses
// frames before a drop. A stopped queue of the edge must not make the link refuse the frames of the other queues.
func (d *Domain) alone(p *Port) bool {
	return d.Bridge == nil && (p.link != nil && p.Other.settings.Stops.Stopped == 0 ||
		p.link == nil && p.settings.QoS.Trust == qos.TrustNone && !p.pause.on && !p.Other.tailDrops(0))
}

// tailDrops reports whether the queue of a traffic class trims frames, or has a bound beyond which it drops frames.
func (p *Port) tailDrops(class uint8) bool {
	queue := p.queueOf(class)
	return p.settings.Trimming.Trims(queue) || p.queues[queue].bound > 0
}

// fromEdge forwards a frame received from the host of an edge. kept reports whether the frame waits in its chunk;
// otherwise the caller recycles the chunk.
func (d *Domain) fromEdge(s *source, desc *frame.Desc, now wire.Time) (kept bool) {
	p := s.port
	f := s.area[desc.Addr : desc.Addr+uint64(desc.Len)]
	if len(f) < wire.HeaderLen {
		p.Counters.RxRunt++
		return false
	}
	t := wire.TrueType(f)
	if notCarried(f, t) {
		p.notCarried(f, now)
		return false
	}
	if checksum.Finish(f) {
		p.Counters.RxUnfinishedChecksum++
	}
	class := uint8(0)
	if p.settings.QoS.Trust != qos.TrustNone {
		class = p.settings.QoS.Class(f)
	}
	s.arrives = arrival{class: class, assured: uint32(p.settings.PFC.Priorities)>>class&1 == 1}
	if d.Bridge != nil {
		return d.switched(s, desc, class, now)
	}
	if t == wire.EtherTypeARP {
		d.receivedARP(p, f, 0, now)
	}
	return d.pass(s, desc, p.Other, class, wire.Retag{}, now)
}

// sendPlain copies a frame to an edge port's next TX slot and posts the slot, and returns whether the frame was
// sent, must wait or was dropped. A frame too long for the port is dropped and counted at from, the ingress.
func (p *Port) sendPlain(carried []byte, from *Port) outcome {
	switch {
	case p.Suspended:
		return waits
	case !p.Ready():
		p.Counters.TxDropDown++
		return dropped
	case len(carried) > p.maxFrame:
		from.Counters.RxOversized++
		return dropped
	case p.txRoom() == 0:
		p.blocked = true
		return waits
	}
	slot, chunk := p.slot()
	p.Slots.state[slot].len = uint32(copy(chunk, carried))
	p.twin.look(chunk)
	p.post(slot)
	return sent
}

// chunk returns the next TX slot of an edge port for a frame of n octets of a traffic class from a link, or nil if
// the frame cannot leave at once. The frame is copied to the slot before LLR decides whether to deliver the frame.
func (p *Port) chunk(n int, class uint8) []byte {
	if p.link != nil || !p.free(p.queueOf(class)) || p.shaped || !p.Ready() || n > p.maxFrame || p.txRoom() == 0 {
		return nil
	}
	_, chunk := p.next()
	return chunk
}

// emit posts the slot that chunk has returned, with a frame of n octets in it, for sending.
func (p *Port) emit(n int, queue uint8) {
	slot, chunk := p.slot()
	p.Slots.state[slot].len = uint32(n)
	p.twin.look(chunk)
	p.post(slot)
	p.egress.counters[queue].Sent(n)
}
