package path

import (
	"uelink/dataplane/attach"
	"uelink/dataplane/netif"
	"uelink/wire"
)

// SetPumps gives an edge port its pumps, by which the worker asks the kernel for the host's frames, one for each
// device in their order. With nil, frames arrive without being asked for.
func (d *Domain) SetPumps(p *Port, pumps []Pump, now wire.Time) {
	for i, s := range p.sources {
		s.asked = asked{}
		if i < len(pumps) {
			s.asked = asked{pump: pumps[i], state: asks, called: now}
		}
	}
	d.asking, d.rest = true, 0
}

// pumps returns the pumps of an edge port that were given to SetPumps, in the same order.
func (p *Port) pumps() (all []Pump) {
	for _, s := range p.sources {
		if s.asked.pump != nil {
			all = append(all, s.asked.pump)
		}
	}
	return all
}

// tookFrames records that n frames were received from a source (RX queue) of an edge port that asks for its frames by
// a pump.
func (d *Domain) tookFrames(s *source, n int, now wire.Time) {
	a := &s.asked
	switch {
	case a.state <= settles:
		// The kernel hands over no other frame until the next Ask.
		a.state, a.called, a.next, d.asking = asks, now, now, true
	case now.Sub(a.called) >= netif.Watchdog:
		s.port.Counters.RxWatchdog += uint64(n)
	}
}

// ask makes the kernel hand over frames for the next round, at edge ports whose pumps do not rest. It runs last in a
// round, after the round's frames have left. It ends after the first edge port that got frames, because NAPI takes
// some 100 µs for them and the links must not wait longer; the next round begins with the next edge port.
func (d *Domain) ask(now wire.Time) {
	if !d.asking {
		return
	}
	d.asking = false
	for i := range d.Edges {
		at := (d.turn + i) % len(d.Edges)
		p := d.Edges[at]
		for _, s := range p.sources {
			if s.asked.state == rests {
				continue
			}
			came := d.askFor(p, s, now)
			d.asking = d.asking || s.asked.state != rests
			if came {
				d.turn = at + 1
				return
			}
		}
	}
}

// askFor asks the kernel for frames of a source (RX queue) if there is room for them, and reports whether frames
// arrived.
func (d *Domain) askFor(p *Port, s *source, now wire.Time) (came bool) {
	a := &s.asked
	if a.state == settles {
		return a.settle(s, now)
	}
	if !d.roomFor(s) {
		if a.state = holds; now.Sub(a.called) >= holdEvery {
			d.hold(p, s, now)
		}
		return false
	}
	a.state = asks
	if s.device.Waiting() > 0 || now < a.next {
		return false
	}
	a.pump.Ask()
	p.Counters.RxAsks++
	a.called = now
	if n := s.device.Waiting(); n > 0 {
		a.gather(n, now)
		return true
	}
	a.state, a.calm, a.few, a.next = settles, 0, 0, now
	return a.settle(s, now)
}

// hold keeps the frames of an edge waiting with the host, because they have no room here: it makes the kernel hand
// over at most 2 frames of source s (the socket of an RX queue) instead of all when its watchdog fires. The 2 frames
// make the kernel reorder TCP segments if the veth was full, so the worker calls hold only shortly before the
// watchdog would fire.
func (d *Domain) hold(p *Port, s *source, now wire.Time) {
	a := &s.asked
	if s.device.Waiting()+holdRoom > p.settings.RxRing() {
		a.called = now // the kernel drops the frames that its watchdog takes, and counts them
		return
	}
	a.pump.Hold()
	p.Counters.RxHolds++
	a.called = now
}

// roomFor reports whether there is room for the most frames that an Ask may bring from source s: RX ring entries to
// receive them, and room in the queues where they would wait.
func (d *Domain) roomFor(s *source) bool {
	if d.Draining || s.room() < attach.MostAsked {
		return false
	}
	a := &s.asked
	for i := 0; i < len(a.places); {
		switch at := a.places[i]; {
		case at.port.egress.queues[at.queue].length == 0:
			last := len(a.places) - 1
			a.places[i] = a.places[last]
			a.places = a.places[:last]
		case at.full(s):
			return false
		default:
			i++
		}
	}
	return true
}

// askDeadline returns when the worker must call Ask, Hold or Rest of a pump next; wire.Never if all pumps rest.
func (d *Domain) askDeadline(now wire.Time) wire.Time {
	deadline := wire.Never
	if !d.asking {
		return deadline
	}
	for _, p := range d.Edges {
		for _, s := range p.sources {
			switch s.asked.state {
			case rests:
			case settles, asks:
				deadline = min(deadline, max(s.asked.next, now))
			case holds:
				deadline = min(deadline, s.asked.called.Add(holdEvery))
			}
		}
	}
	return deadline
}
