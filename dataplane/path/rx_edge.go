package path

import (
	"uelink/dataplane/checksum"
	"uelink/dataplane/frame"
	"uelink/dataplane/qos"
	"uelink/wire"
)

// intake receives a batch of frames from each RX ring of an edge port, and forwards the frames or makes them wait. It
// returns the number of frames received. Where none may wait any more, or intake has stopped (Draining), the frames
// stay in the RX rings, and the port is marked as stalled.
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
			d.asker.tookFrames(s, len(descs), now)
		}
		d.warm(s, descs, 0, wire.AddressesLen)
		retained := 0
		if d.trace.follows(p) {
			retained = d.trace.receiveEdge(d, s, descs, now)
		} else {
			for i := range descs {
				s.fetchAhead(descs, i)
				if d.fromEdge(s, &descs[i], now) {
					retained++
				} else {
					descs[i-retained] = descs[i]
				}
			}
		}
		s.device.Recycle(descs[:len(descs)-retained])
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

// alone reports whether received frames of a port may wait in all chunks of the port. It returns true for the edge of
// an xconnect if all frames go to one queue without trimming, PFC or a bound. It returns true for the link of an
// xconnect, because the link refuses frames before a drop, unless a queue of the edge is stopped: such a queue must not
// make the link refuse the frames of the other queues.
func (d *Domain) alone(p *Port) bool {
	return d.Bridge == nil && (p.link != nil && p.Other.settings.Stops.Stopped == 0 ||
		p.link == nil && p.settings.QoS.Trust == qos.TrustNone && !p.pause.on && !p.Other.tailDrops(0))
}

// tailDrops reports whether the queue of a traffic class trims frames, or has a bound beyond which it drops frames.
func (p *Port) tailDrops(class uint8) bool {
	queue := p.queueOf(class)
	return p.settings.Trimming.Trims(queue) || p.egress.queues[queue].bound > 0
}

// fromEdge forwards a frame received from the host of an edge: it finishes checksums that the host has left to
// hardware, and finds the traffic class. retained reports whether the frame waits in its chunk; otherwise (sent,
// dropped, or for this end) the caller recycles the chunk.
func (d *Domain) fromEdge(s *source, desc *frame.Desc, now wire.Time) (retained bool) {
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
		d.conflicts.receivedARP(d, p, f, 0, now)
	}
	return d.pass(s, desc, p.Other, class, wire.Retag{}, now)
}

// notCarried reports whether a frame must not be forwarded: a PAUSE or an LLDPDU concerns the two ends of the wire it
// was sent on. A station beyond would take the frame for one sent by its own neighbour. f has at least wire.HeaderLen
// octets; t is its EtherType behind VLAN tags.
func notCarried(f []byte, t uint16) bool {
	return t == wire.EtherTypeLLDP || t == wire.EtherTypeMACControl || wire.Reserved(f) && wire.MACControl(f)
}

// notCarried handles a frame of the host that a link does not carry, and that ends here. PAUSE and PFC take effect
// where they are configured; all others are counted.
func (p *Port) notCarried(f []byte, now wire.Time) {
	if wire.MACControl(f) {
		if p.pause.on && wire.EtherType(f) == wire.EtherTypeMACControl {
			p.pause.receive(f, now)
			return
		}
		p.Counters.RxMACControl++
		return
	}
	p.Counters.RxLLDP++
}
