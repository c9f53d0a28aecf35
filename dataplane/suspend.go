package dataplane

import (
	"slices"

	"uelink/dataplane/frame"
)

// suspend takes the devices from a port for a moment, until others are attached: its sockets are
// opened anew. Unlike with detach nothing is given up: what waits to leave by it goes on waiting,
// and what LLR holds is kept, in memory of its own, for the slots of the same numbers. If the
// other devices do not come, detach gives it up. setUp ends the suspension. It returns what the port has not received
// yet of what its devices hold.
func (d *domain) suspend(p *port, now int64) (left [][]byte) {
	p.flush()
	p.complete()
	left = p.left()
	if p.link != nil {
		p.link.llr.Tx.SetCarrier(false, now)
		p.slots.keep(p.sources[0].area)
	} else {
		p.counters.TxDropDown += uint64(p.slots.posted) // most have left, and that is not known
		p.slots = slots{}
	}
	for _, s := range slices.Concat(p.caught, p.sources) {
		s.recycle()
		d.rescue(s, now)
	}
	p.letGo()
	p.suspended = true
	d.measure()
	return left
}

// keep copies what the held slots have out of their area. The postings have ended with the
// device, whether they have completed or not: LLR has what was lost of them sent again.
func (s *slots) keep(area []byte) {
	s.kept = make([][]byte, len(s.state))
	s.posted = 0
	for i := range s.state {
		st := &s.state[i]
		if st.posted = 0; st.held {
			at := s.addr(uint32(i))
			s.kept[i] = append([]byte(nil), area[at:at+uint64(st.len)]...)
		}
	}
	s.refill()
}

// longestKept returns how long the longest frame is that was kept and is still held, octets.
func (s *slots) longestKept() (octets int) {
	for i, f := range s.kept {
		if s.state[i].held {
			octets = max(octets, len(f))
		}
	}
	return octets
}

// restore puts what was kept, and is still held, into the slots of another area: as many at least, of
// chunks in which the frames fit.
func (s *slots) restore(g frame.Geometry, area []byte) {
	s.lie(g)
	for i, octets := range s.kept {
		if s.state[i].held {
			copy(area[s.addr(uint32(i)):], octets)
		}
	}
	s.kept = nil
	s.state = append(s.state, make([]slotState, g.TX-len(s.state))...)
	s.refill()
}

// refill makes the pool anew, of the slots that are neither held nor posted.
func (s *slots) refill() {
	s.pool = frame.NewPool(len(s.state))
	for range s.state {
		s.pool.Take()
	}
	for i := range s.state {
		if st := &s.state[i]; !st.held && st.posted == 0 {
			s.pool.Give(uint32(i))
		}
	}
}
