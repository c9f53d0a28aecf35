package path

import (
	"slices"

	"uelink/dataplane/frame"
	"uelink/wire"
)

// Suspend removes the devices of a port for a moment, while its sockets are reopened. Frames to leave by the port
// go on waiting, and frames held by LLR are copied to separate memory, for the slots of the same numbers. If no
// other devices come, detach gives them up. SetUp ends the suspension. Suspend returns the frames in the old
// devices that were not received yet.
func (d *Domain) Suspend(p *Port, now wire.Time) (left [][]byte) {
	d.trace = nil
	if p.Link != nil {
		p.Link.giveUpKept() // while their chunks exist: the partner sends these frames again
	}
	// Posted frames may still leave, and completions are read, before the frames that have not left are counted. Then the
	// RX rings are read, for frames that have come meanwhile.
	p.flush()
	p.complete()
	left = p.left()
	if p.Link != nil {
		p.Link.LLR.Tx.SetCarrier(false, now) // LLR's replay timer stands still until SetUp
		p.Slots.keep(p.sources[0].area)      // before rescue, which replaces the area
	} else {
		if p.HIPPI == nil { // else sent again
			p.Counters.TxDropDown += uint64(p.Slots.Posted) // most have left, but the number is not known
		}
		p.Slots = slots{}
	}
	for _, s := range slices.Concat(p.caught, p.sources) {
		s.recycle() // chunks that are free go back to the device, before rescue forgets it
		d.rescue(s, now)
	}
	p.letGo()
	p.Suspended = true // frames for the port wait now, and are not dropped as for a port that is down
	d.measure()        // the longest frames of the other ports no longer depend on this port
	return left
}

// keep copies the frames that LLR holds for a replay from their TX slots, in the device's area, to separate
// memory. The postings end with the device, completed or not: LLR replays the lost frames.
func (s *slots) keep(area []byte) {
	s.saved = make([][]byte, len(s.state))
	s.Posted = 0
	for i := range s.state {
		st := &s.state[i]
		if st.posted = 0; st.unacked {
			at := s.addr(uint32(i))
			s.saved[i] = append([]byte(nil), area[at:at+uint64(st.len)]...)
		}
	}
	s.refill()
}

// LongestKept returns the length in octets of the longest frame copied by keep that LLR still holds.
func (s *slots) LongestKept() (octets int) {
	for i, f := range s.saved {
		if s.state[i].unacked {
			octets = max(octets, len(f))
		}
	}
	return octets
}

// restore copies the frames saved by keep that LLR still holds into the TX slots of another area, with at least as
// many slots, of chunks long enough for the frames.
func (s *slots) restore(g frame.Geometry, area []byte) {
	s.locate(g)
	for i, octets := range s.saved {
		if s.state[i].unacked {
			copy(area[s.addr(uint32(i)):], octets)
		}
	}
	s.saved = nil
	s.state = append(s.state, make([]slotState, g.TX-len(s.state))...)
	s.refill()
}

// refill makes a new pool of free TX slots: those neither held by LLR nor posted.
func (s *slots) refill() {
	s.pool = frame.NewPool(len(s.state))
	for range s.state {
		s.pool.Take()
	}
	for i := range s.state {
		if st := &s.state[i]; !st.unacked && st.posted == 0 {
			s.pool.Give(uint32(i))
		}
	}
}

// rescue copies the frames that wait in the chunks of a socket into separate memory, so that the socket can be closed
// at once and its interface attached again. The frames may wait for the time Drain. A source without waiting frames is
// removed.
func (d *Domain) rescue(s *source, now wire.Time) {
	var area []byte
	moved := 0
	d.eachEntry(int(s.number), func(_ *Port, e *entry) {
		at := len(area)
		area = append(area, s.frame(e)...)
		e.addr = uint32(at)
		moved++
	})
	// Credits and reserved chunks go back while s.chunks still records which frames occupy them: the copies occupy none.
	for i := range s.chunks {
		if c := &s.chunks[i]; c.refs > 0 {
			s.settle(c)
		}
	}
	s.device, s.area, s.chunks, s.spare = nil, area, nil, 0
	s.waiting, s.purgeAt = moved, now.Add(d.Drain)
	if d.orphans++; moved == 0 {
		d.removeSource(s.number)
	}
}

// removeSource removes a closed socket of which no frame waits any more from the domain.
func (d *Domain) removeSource(number uint16) {
	d.sources[number] = nil
	d.orphans--
}

// purgeAt returns when waiting frames of closed sockets are dropped next; wire.Never if no such frames wait.
func (d *Domain) purgeAt() wire.Time {
	at := wire.Never
	for _, s := range d.sources {
		if s != nil && s.device == nil {
			at = min(at, s.purgeAt)
		}
	}
	return at
}

// eachEntry calls f for every waiting frame that was received by the source (socket) with that number, and for the
// port by which the frame is to leave.
func (d *Domain) eachEntry(source int, f func(*Port, *entry)) {
	for _, p := range d.ports {
		if p == nil || p.egress.waiting == 0 {
			continue
		}
		for q := range p.egress.queues {
			i := p.egress.queues[q].head
			for range p.egress.queues[q].length {
				e := &d.entries.all[i]
				if int(e.source) == source {
					f(p, e)
				}
				i = e.next
			}
		}
	}
}

// purge drops and counts the waiting frames of closed sockets whose time to wait is over.
func (d *Domain) purge(now wire.Time) {
	for i, s := range d.sources {
		if s == nil || s.device != nil || now < s.purgeAt {
			continue
		}
		for _, p := range d.ports {
			if p != nil && p.egress.waiting > 0 {
				s.port.Counters.RxDropDetached += d.dropOf(p, uint16(i))
			}
		}
	}
}

// dropOf drops the frames of a source that wait to leave by a port, and returns their number. The other frames
// keep their order.
func (d *Domain) dropOf(p *Port, source uint16) (n uint64) {
	for queue := range p.egress.queues {
		q := &p.egress.queues[queue]
		for range q.length {
			if d.entries.all[q.head].source == source {
				d.take(p, uint8(queue))
				n++
			} else {
				q.push(&d.entries, q.pop(&d.entries))
			}
		}
	}
	return n
}

// dropQueued drops all frames that wait to leave by a port that is down.
func (d *Domain) dropQueued(p *Port) {
	for p.egress.filled != 0 {
		queue, _ := p.egress.sched.Next(p.egress.filled)
		p.Counters.TxDropDown++
		d.take(p, queue)
	}
	p.findings.standstill = standstill{reported: p.findings.standstill.reported}
}

// Catch gives an attached port frames that were caught while its sockets were reopened. The port receives them
// before frames from its new sockets.
func (d *Domain) Catch(p *Port, frames [][]byte) {
	if len(frames) == 0 {
		return
	}
	s := newSource(p, newCaught(frames))
	s.spare += p.sources[0].spare // so that no caught frame is refused for want of room
	d.enlist(s)
	d.provide()
	p.caught = []*source{s}
}

// caughtUp makes a port receive from its sockets once all caught frames have been received. Caught frames in
// queues go on waiting.
func (d *Domain) caughtUp(p *Port, now wire.Time) {
	s := p.caught[0]
	if len(s.device.(*caught).descs) == 0 {
		d.rescue(s, now)
		p.caught = nil
	}
}

// dropCaught drops and counts the caught frames that a port has not received yet.
func (d *Domain) dropCaught(p *Port, now wire.Time) {
	if p.caught == nil {
		return
	}
	c := p.caught[0].device.(*caught)
	p.Counters.RxDropDetached += uint64(len(c.descs))
	c.descs = nil
	d.caughtUp(p, now)
}
