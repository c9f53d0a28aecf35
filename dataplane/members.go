package dataplane

import (
	"slices"

	"uelink/dataplane/frame"
	"uelink/llr"
	"uelink/wire"
)

// add adds a port without devices to the domain, and numbers the port.
func (d *domain) add(p *port) {
	if p.link != nil {
		d.links = append(d.links, p.link)
	} else {
		d.edges = append(d.edges, p)
	}
	for i := range d.ports {
		if d.ports[i] == nil {
			d.ports[i], p.number = p, i
			return
		}
	}
	d.ports, p.number = append(d.ports, p), len(d.ports)
}

// remove removes a port without devices from a domain; frames waiting to leave by the port are dropped.
func (d *domain) remove(p *port) {
	d.dropQueued(p)
	d.ports[p.number] = nil
	d.links = slices.DeleteFunc(d.links, func(l *link) bool { return l == p.link })
	d.edges = slices.DeleteFunc(d.edges, func(e *port) bool { return e == p })
}

// exchange replaces a port without devices by the port next. next continues the counters of old.
func (d *domain) exchange(old, next *port) {
	d.remove(old)
	if d.bridge != nil {
		d.bridge.RemovePort(old.number)
	}
	d.add(next)
	next.counters, next.egress.counters = old.counters, old.egress.counters
	*next.link.llr.Counters() = *old.link.llr.Counters()
	next.link.cbfc.Count = old.link.cbfc.Count
	if next.other = old.other; next.other != nil {
		next.other.other = next
	}
	for _, s := range d.sources {
		if s != nil && s.port == old {
			s.port = next
		}
	}
}

// enter numbers the sockets of an attached port in the domain, and allocates queue entries for the frames that may wait
// in the chunks of the sockets.
func (d *domain) enter(p *port) {
	for _, s := range p.sources {
		d.enlist(s)
	}
	d.provide()
}

// provide allocates queue entries for all frames that may wait in the domain. A frame with an assured chunk may wait in
// every queue.
func (d *domain) provide() {
	n, assured := 0, 0
	for _, s := range d.sources {
		if s != nil {
			n += max(s.spare, s.waiting)
			assured += s.assured.total
		}
	}
	assured *= max(1, len(d.ports)-1)
	d.entries.grow(floodShare*n + assured)
	d.entries.keep(assured)
	d.keepForTrimmed()
}

// floodShare is the number of queue entries for each chunk that may wait: a flooded frame uses several entries.
const floodShare = 2

func (d *domain) enlist(s *source) {
	for i := range d.sources {
		if d.sources[i] == nil {
			d.sources[i], s.number = s, uint16(i)
			return
		}
	}
	s.number = uint16(len(d.sources))
	d.sources = append(d.sources, s)
}

// attach gives a port of the domain its devices, one for each RX queue.
func (d *domain) attach(p *port, devices []frame.Device, mac [6]byte, mtu int) {
	p.attach(devices, mac, mtu)
	d.enter(p)
	d.measure()
}

// detach removes the devices of a port. Frames of the port waiting elsewhere are copied out of its chunks, so that the
// devices can be closed at once; the copies may wait until drain is over. Frames waiting to leave by an edge port are
// dropped; frames waiting for a link stay.
func (d *domain) detach(p *port, now int64) {
	d.dropCaught(p, now)
	for _, s := range p.sources {
		s.recycle()
		d.rescue(s, now)
	}
	if p.link != nil {
		p.link.dropHeld(now)
	} else {
		d.dropQueued(p)
	}
	p.detach()
	d.measure()
}

// configure applies new settings to a port, and sets the assured chunks of its sources.
func (d *domain) configure(p *port, s PortSettings, profile llr.Profile, now int64) {
	p.configure(s, profile, d.drain, now)
	d.assure(p)
}

// setUp records the carrier of a port. An edge port that goes down drops the frames waiting to leave by it.
func (d *domain) setUp(p *port, up bool, now int64) {
	d.rest, p.suspended = 0, false
	if p.link != nil {
		p.link.setUp(up, now)
		return
	}
	p.pause.restart(now)
	if p.up = up; !up {
		d.dropQueued(p)
	}
}

// setMTU records the MTU of a port, and computes the longest frames of the links again.
func (d *domain) setMTU(p *port, mtu int) {
	p.setMTU(mtu)
	d.measure()
}

// setMAC records the address of a port; a link then announces the new address to its partner.
func (d *domain) setMAC(p *port, mac wire.MAC, now int64) {
	p.mac = mac
	if p.link != nil {
		p.link.partner.AddressChanged(now)
	}
}

// measure computes the longest frame of each link that this end can send or accept: the interface carries the link
// frame, and the carried frame fits another port.
func (d *domain) measure() {
	for _, l := range d.links {
		most := 0
		for _, p := range d.ports {
			if p != nil && p != &l.port && p.attached() {
				most = max(most, p.longestCarried())
			}
		}
		l.most = most
		l.bound()
		l.carries = min(l.maxFrame, l.partner.MaxFrame())
	}
}
