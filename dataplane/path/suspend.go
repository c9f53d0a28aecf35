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
	p.flush()
	p.complete()
	left = p.left()
	if p.Link != nil {
		p.Link.LLR.Tx.SetCarrier(false, now)
		p.Slots.keep(p.sources[0].area)
	} else {
		if p.HIPPI == nil { // else sent again
			p.Counters.TxDropDown += uint64(p.Slots.Posted) // most have left, but the number is not known
		}
		p.Slots = slots{}
	}
	for _, s := range slices.Concat(p.caught, p.sources) {
		s.recycle()
		d.rescue(s, now)
	}
	p.letGo()
	p.Suspended = true
	d.measure()
	return left
}

// keep copies the frames that LLR holds for a replay from their TX slots, in the device's area, to separate
// memory. The postings end with the device, completed or not: LLR replays the lost frames.
func (s *slots) keep(area []byte) {
	s.kept = make([][]byte, len(s.state))
	s.Posted = 0
	for i := range s.state {
		st := &s.state[i]
		if st.posted = 0; st.held {
			at := s.addr(uint32(i))
			s.kept[i] = append([]byte(nil), area[at:at+uint64(st.len)]...)
		}
	}
	s.refill()
}

// LongestKept returns the length in octets of the longest frame copied by keep that LLR still holds.
func (s *slots) LongestKept() (octets int) {
	for i, f := range s.kept {
		if s.state[i].held {
			octets = max(octets, len(f))
		}
	}
	return octets
}

// restore copies the frames saved by keep that LLR still holds into the TX slots of another area, with at least as
// many slots, of chunks long enough for the frames.
func (s *slots) restore(g frame.Geometry, area []byte) {
	s.locate(g)
	for i, octets := range s.kept {
		if s.state[i].held {
			copy(area[s.addr(uint32(i)):], octets)
		}
	}
	s.kept = nil
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
		if st := &s.state[i]; !st.held && st.posted == 0 {
			s.pool.Give(uint32(i))
		}
	}
}
