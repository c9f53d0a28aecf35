package path

import (
	"uelink/dataplane/frame"
	"uelink/wire"
)

// moving is a frame waiting to leave by a port that moves to another domain.
type moving struct {
	octets []byte
	queue  uint8
	retag  wire.Retag
	trim   trimMark
}

// Transfer moves a port with its devices to another domain. No worker may step either domain. Frames waiting to leave
// by the port move too, in order; frames received by the port and waiting elsewhere go on waiting there. Both are
// copied to separate memory, and may wait for up to drain.
func (d *Domain) Transfer(p *Port, to *Domain, now wire.Time) {
	// Devices and pumps are noted, and chunks without a frame are given back, before rescue takes the devices away.
	var devices []frame.Device
	pumps := p.pumps()
	if p.Link != nil {
		p.Link.giveUpKept()
	}
	for _, s := range p.sources {
		s.recycle()
		devices = append(devices, s.device)
	}
	// Frames that go along are taken out first. Then rescue copies only those that stay: received by the port, and waiting
	// to leave by others.
	left := d.letGoCaught(p, now)
	frames := d.takeAll(p)
	heir := d.heir(p)
	for _, s := range p.sources {
		device, waiting := s.device, s.waitingChunks()
		d.rescue(s, now)
		device.Recycle(waiting) // the frames in these chunks are copied now
		s.port = heir
	}
	for _, s := range d.sources {
		if s != nil && s.port == p {
			s.port = heir
		}
	}
	d.Remove(p)
	if d.Bridge != nil {
		d.Bridge.RemovePort(p.Number)
	}
	p.Other, p.sources = nil, p.sources[:0]
	if p.Link != nil {
		p.Link.dataFrom = nil
	}
	to.Add(p)
	for _, device := range devices {
		p.sources = append(p.sources, newSource(p, device))
	}
	to.enter(p) // numbers the sources, which the next calls need, and makes room for their entries
	to.SetPumps(p, pumps, now)
	to.Catch(p, left)
	to.queueAgain(p, frames, now)
	d.Trimming.Counters.TrimPackets -= trimmedOf(frames)
	to.Trimming.Counters.TrimPackets += trimmedOf(frames)
	d.measure()
	to.measure()
	d.rest, to.rest = 0, 0
}

// waitingChunks returns a list with the address of each RX chunk of a socket whose frame waits in a queue; lengths
// are 0.
func (s *source) waitingChunks() (chunks []frame.Desc) {
	for i := range s.chunks {
		if s.chunks[i].refs > 0 {
			chunks = append(chunks, frame.Desc{Addr: uint64(i) << s.shift})
		}
	}
	return chunks
}

// letGoCaught removes from the domain, and returns, the frames caught while a port's sockets were reopened that
// the port has not received yet.
func (d *Domain) letGoCaught(p *Port, now wire.Time) (left [][]byte) {
	if p.caught == nil {
		return nil
	}
	c := p.caught[0].device.(*caught)
	for _, desc := range c.descs {
		left = append(left, c.area[desc.Addr:][:desc.Len])
	}
	c.descs = nil
	d.caughtUp(p, now)
	return left
}

// heir returns the port that counts drops of waiting frames whose ingress port (argument leaves) is removed from the
// domain: any other port.
func (d *Domain) heir(leaves *Port) *Port {
	for _, p := range d.ports {
		if p != nil && p != leaves {
			return p
		}
	}
	return leaves // nothing waits in a domain without ports
}

// takeAll removes and returns all frames that wait to leave by a port, queue by queue, in their order.
func (d *Domain) takeAll(p *Port) (frames []moving) {
	for queue := range p.egress.queues {
		for p.egress.queues[queue].length > 0 {
			e := &d.entries.all[p.egress.queues[queue].head]
			frames = append(frames, moving{
				octets: append([]byte(nil), d.sources[e.source].frame(e)...), queue: uint8(queue), retag: e.retag, trim: e.trim,
			})
			e.trim = trimMark{} // no trimmed frame any more: take must not count the frame as dropped
			d.take(p, uint8(queue))
		}
	}
	return frames
}

// trimmedOf returns how many of the frames are trimmed.
func trimmedOf(frames []moving) (n uint64) {
	for _, f := range frames {
		if f.trim.ip != 0 {
			n++
		}
	}
	return n
}

// queueAgain puts frames that takeAll has returned into the queues of a port of this domain. The frames may wait
// for the time Drain.
func (d *Domain) queueAgain(p *Port, frames []moving, now wire.Time) {
	if len(frames) == 0 {
		return
	}
	s := &source{port: p, waiting: len(frames), purgeAt: now.Add(d.Drain)}
	d.enlist(s)
	d.orphans++
	d.provide()
	for _, f := range frames {
		i, e := d.entries.take(false)
		e.addr, e.length, e.source, e.retag, e.trim = uint32(len(s.area)), uint16(len(f.octets)), s.number, f.retag, f.trim
		s.area = append(s.area, f.octets...)
		p.egress.queues[f.queue].push(&d.entries, i)
		p.egress.filled |= 1 << f.queue
		p.egress.waiting++
	}
}
