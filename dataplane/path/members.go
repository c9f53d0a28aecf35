package path

import (
	"slices"

	"uelink/dataplane/acd"
	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/wire"
)

// Add adds a port without devices to the domain, and gives the port the lowest free number.
func (d *Domain) Add(p *Port) {
	d.trace = nil // a trace ends when the domain gets or loses a port
	if p.link != nil {
		d.links = append(d.links, p)
	} else {
		d.Edges = append(d.Edges, p)
	}
	d.prompt = d.prompt || p.HIPPI != nil
	for i := range d.ports {
		if d.ports[i] == nil {
			d.ports[i], p.Number = p, i
			return
		}
	}
	d.ports, p.Number = append(d.ports, p), len(d.ports)
}

// Remove removes a port without devices from a domain; frames waiting to leave by the port are dropped.
func (d *Domain) Remove(p *Port) {
	d.trace = nil // a trace ends when the domain gets or loses a port
	d.dropQueued(p)
	d.conflicts.table.Forget(p.Number)
	p.findings.asked, p.findings.conflicts = acd.Asked{}, ""
	d.ports[p.Number] = nil
	d.links = slices.DeleteFunc(d.links, func(l *Port) bool { return l == p })
	d.Edges = slices.DeleteFunc(d.Edges, func(e *Port) bool { return e == p })
	d.prompt = slices.ContainsFunc(d.links, func(l *Port) bool { return l.HIPPI != nil })
}

// Exchange replaces the port old, without devices, by the port next, which continues its counters.
func (d *Domain) Exchange(old, next *Port) {
	d.Remove(old) // before Add, which gives next the number that is free now: the old one
	if d.Bridge != nil {
		d.Bridge.RemovePort(old.Number)
	}
	d.Add(next)
	next.Counters, next.egress.counters = old.Counters, old.egress.counters
	next.link.continues(old)
	if next.Other = old.Other; next.Other != nil {
		next.Other.Other = next
	}
	for _, s := range d.sources { // sources of closed sockets, whose frames still wait elsewhere: next counts their drops
		if s != nil && s.port == old {
			s.port = next
		}
	}
}

// enter numbers the sockets of an attached port in the domain, and allocates queue entries for the frames that may wait
// in the chunks of the sockets.
func (d *Domain) enter(p *Port) {
	for _, s := range p.sources {
		d.enlist(s)
	}
	d.provide()
}

// provide allocates queue entries for all frames that may wait in the domain. A frame in a reserved chunk may wait in
// every queue at once.
func (d *Domain) provide() {
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
	d.Trimming.reserve(d)
}

// floodShare is the number of queue entries for each chunk that may wait: a flooded frame uses several entries.
const floodShare = 2

// enlist gives a source the lowest free number of the domain: queue entries name their source by it, in 16 bits.
func (d *Domain) enlist(s *source) {
	for i := range d.sources {
		if d.sources[i] == nil {
			d.sources[i], s.number = s, uint16(i)
			return
		}
	}
	s.number = uint16(len(d.sources))
	d.sources = append(d.sources, s)
}

// Attach gives a port of the domain its devices, one for each RX queue; mac and mtu are those of the interface. A trace
// of the domain ends.
func (d *Domain) Attach(p *Port, devices []frame.Device, mac [6]byte, mtu int) {
	d.trace = nil
	p.attach(devices, mac, mtu)
	if p.Link != nil {
		p.Link.provideKept()
	}
	d.enter(p)
	d.measure()
}

// Detach removes the devices of a port. Frames received by the port that wait elsewhere are copied out of its
// chunks, so that the devices can be closed at once; the copies may wait until Drain is over. Frames waiting to
// leave by an edge port are dropped; frames waiting for a link stay.
func (d *Domain) Detach(p *Port, now wire.Time) {
	d.trace = nil
	d.dropCaught(p, now)
	if p.Link != nil {
		p.Link.giveUpKept() // before rescue, which forgets the devices that their chunks go back to
	}
	for _, s := range p.sources {
		s.recycle()
		d.rescue(s, now)
	}
	if p.link != nil {
		p.link.detached(now) // LLR gives up the frames in the slots, which detach takes away
	} else {
		d.dropQueued(p)
	}
	p.detach()
	d.measure()
}

// Configure applies new settings to a port, and reserves chunks by them for frames that must not be dropped.
func (d *Domain) Configure(p *Port, s model.PortSettings, profile llr.Profile, now wire.Time) {
	p.configure(s, profile, d.Drain, now)
	d.assure(p)
	d.rest = 0 // a queue may send again
}

// SetUp records whether the interface of a port has its carrier, and ends a suspension of the port (Suspend). An edge
// port that goes down drops the frames waiting to leave by it.
func (d *Domain) SetUp(p *Port, up bool, now wire.Time) {
	d.rest, p.Suspended = 0, false
	if p.link != nil {
		p.link.setUp(up, now)
		return
	}
	p.pause.restart(now)
	if p.iface.up = up; !up {
		d.dropQueued(p)
	}
}

// SetMTU records the MTU of a port, and computes the longest frames of the links again.
func (d *Domain) SetMTU(p *Port, mtu int) {
	p.setMTU(mtu)
	d.measure()
}

// SetTagRoom records how many octets of an edge's MTU are room for a second VLAN tag, which partner and wire need not
// carry. Until the first call the room is that of one tag.
func (d *Domain) SetTagRoom(p *Port, octets int) {
	if octets != p.iface.tagRoom {
		p.iface.tagRoom = octets
		d.measure()
	}
}

// SetMAC records the address of a port; a link then announces the new address to its partner.
func (d *Domain) SetMAC(p *Port, mac wire.MAC, now wire.Time) {
	p.iface.mac = mac
	if p.Link != nil {
		p.Link.Partner.AddressChanged(now)
	}
}

// measure computes, for each link that speaks LLR, the longest frame that this end can send and receive. The limit
// comes from the MTU of the link's interface and from the longest frame that another port of the domain can carry.
func (d *Domain) measure() {
	for _, l := range d.links {
		if l.Link == nil {
			continue
		}
		l.Link.Lengths.most, l.Link.Lengths.requiredIn, l.Link.Lengths.widest = 0, 0, nil
		for _, p := range d.ports {
			if p == nil || p == l || !p.Attached() {
				continue
			}
			l.Link.Lengths.requiredIn = max(l.Link.Lengths.requiredIn, p.longestCarried()-p.iface.tagRoom)
			if p.longestCarried() > l.Link.Lengths.most {
				l.Link.Lengths.most, l.Link.Lengths.widest = p.longestCarried(), p
			}
		}
		l.Link.Lengths.bound(l.Link.Port.iface.maxFrame, l.Link.addressing.shim, l.Link.Port.settings.FCS)
		l.Link.Lengths.Carries = min(l.iface.maxFrame, l.Link.Partner.MaxFrame())
	}
}

// assure reserves in the memory of a port's sockets the chunks for frames that must not be dropped, by the present
// settings.
func (d *Domain) assure(p *Port) {
	for _, s := range p.sources {
		s.assure()
	}
	d.provide()
}

// SetPumps gives an edge port its pumps, by which the worker asks the kernel for the host's frames, one for each
// device in their order. With nil, frames arrive without being asked for.
func (d *Domain) SetPumps(p *Port, pumps []Pump, now wire.Time) {
	for i, s := range p.sources {
		s.asked = asked{}
		if i < len(pumps) {
			s.asked = asked{pump: pumps[i], state: asks, called: now}
		}
	}
	d.asker.asking, d.rest = true, 0
}

// ConfigureTrimming applies the settings of packet trimming to the domain, and reserves chunks for trimmed frames.
func (d *Domain) ConfigureTrimming(s model.TrimmingSettings) {
	d.Trimming.settings = s
	d.Trimming.reserve(d)
}
