package path

import (
	"uelink/dataplane/attach"
	"uelink/dataplane/netif"
	"uelink/wire"
)

// asker asks for the frames of a domain's edges.
type asker struct {
	asking bool // an edge may have a source whose pump does not rest
	turn   int  // number of the edge that is asked first
}

// tookFrames records that n frames were received from source s, an RX queue with a pump. If the queue rested or
// settled, the worker asks for its frames from now on. If the last call of the pump is netif.Watchdog or longer ago,
// the kernel's watchdog has brought the frames, which is counted (RxWatchdog).
func (r *asker) tookFrames(s *source, n int, now wire.Time) {
	a := &s.asked
	switch {
	case a.state <= settles:
		// A frame came without an Ask: from now on the kernel hands over frames only by Ask.
		a.state, a.called, a.next, r.asking = asks, now, now, true
	case now.Sub(a.called) >= netif.Watchdog:
		s.port.Counters.RxWatchdog += uint64(n)
	}
}

// ask makes the kernel hand over frames for the next round, at edge ports whose pumps do not rest. It runs last in a
// round, after the round's frames have left. It ends after the first edge port that got frames, because NAPI takes
// some 100 µs for them and the links must not wait longer; the next round begins with the next edge port.
func (r *asker) ask(d *Domain, now wire.Time) {
	if !r.asking {
		return
	}
	r.asking = false
	for i := range d.Edges {
		at := (r.turn + i) % len(d.Edges)
		p := d.Edges[at]
		for _, s := range p.sources {
			if s.asked.state == rests {
				continue
			}
			came := r.askFor(d, p, s, now)
			r.asking = r.asking || s.asked.state != rests
			if came {
				r.turn = at + 1
				return
			}
		}
	}
}

// askFor asks the kernel for frames of a source (RX queue) when the time of the next Ask has come, and reports whether
// frames arrived. Without room for them it calls Hold instead, every holdEvery. After an Ask that brings no frame the
// queue begins to settle.
func (r *asker) askFor(d *Domain, p *Port, s *source, now wire.Time) (came bool) {
	a := &s.asked
	if a.state == settles {
		return a.settle(s, now)
	}
	if !r.roomFor(d, s) {
		if a.state = holds; now.Sub(a.called) >= holdEvery {
			a.hold(p, s, now)
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

// roomFor reports whether there is room for the most frames that an Ask may bring from source s: RX ring entries to
// receive them, and room in the queues (places) where frames of the source wait now. It forgets the queues that are
// empty.
func (r *asker) roomFor(d *Domain, s *source) bool {
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

// deadline returns when the worker must call Ask, Hold or Rest of a pump next; wire.Never if all pumps rest.
func (r *asker) deadline(d *Domain, now wire.Time) wire.Time {
	deadline := wire.Never
	if !r.asking {
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
