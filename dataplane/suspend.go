package dataplane

import "uelink/dataplane/frame"

// suspend takes the devices from a port for a moment, until others are attached: its sockets are
// opened anew. Unlike with detach nothing is given up: what waits to leave by it goes on waiting,
// and what LLR holds is kept, in memory of its own, for the slots of the same numbers. If the
// other devices do not come, detach gives it up. setUp ends the suspension.
func (d *domain) suspend(p *port, now int64) {
	p.flush()
	p.complete()
	if p.link != nil {
		p.link.llr.Tx.SetCarrier(false, now)
		p.slots.keep(p.sources[0].area)
	} else {
		p.slots = slots{}
	}
	for _, s := range p.sources {
		s.recycle()
		d.rescue(s, now)
	}
	p.letGo()
	p.suspended = true
	d.measure()
}

// keep copies what the held slots have out of their area. The postings have ended with the
// device, whether they have completed or not: LLR has what was lost of them sent again.
func (s *slots) keep(area []byte) {
	s.kept = make([][]byte, len(s.state))
	s.pool = frame.NewPool(len(s.state))
	for range s.state {
		s.pool.Take()
	}
	s.posted = 0
	for i := range s.state {
		st := &s.state[i]
		if st.posted = 0; !st.held {
			s.pool.Give(uint32(i))
			continue
		}
		at := s.addr(uint32(i))
		s.kept[i] = append([]byte(nil), area[at:at+uint64(st.len)]...)
	}
}

// restore puts what was kept, and is still held, into the slots of another area: as many, of
// chunks that are at least as large.
func (s *slots) restore(g frame.Geometry, area []byte) {
	s.lie(g)
	for i, octets := range s.kept {
		if s.state[i].held {
			copy(area[s.addr(uint32(i)):], octets)
		}
	}
	s.kept = nil
}
