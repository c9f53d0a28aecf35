package path

import "uelink/dataplane/frame"

// slots are the TX chunks of one port. A slot is free, or held by LLR as part of the replay buffer, or posted to the
// device once or several times. A slot returns to the pool when no longer held or posted.
type slots struct {
	first  uint64 // address of slot 0: kept here, because the device's geometry computes it for each frame
	size   uint64 // octets of a slot
	pool   *frame.Pool
	state  []slotState
	Posted int      // postings not yet completed, of all slots
	saved  [][]byte // by slot: frames held by LLR while the port is suspended; nil: not suspended
}

// slotState is the state of one TX slot; the zero slotState is a free slot.
type slotState struct {
	len     uint32 // length of the frame as posted, octets
	posted  uint16 // number of postings not yet completed
	unacked bool   // held by LLR for a replay
	vc      uint8  // link: VC of the frame while LLR holds the slot
}

func newSlots(g frame.Geometry) slots {
	s := slots{pool: frame.NewPool(g.TX), state: make([]slotState, g.TX)}
	s.locate(g)
	return s
}

// locate sets the address of the first TX slot and the size of a slot, from the memory layout g.
func (s *slots) locate(g frame.Geometry) { s.first, s.size = g.SlotAddr(0), uint64(g.SlotSize()) }

// addr returns the address of a TX slot.
func (s *slots) addr(slot uint32) uint64 { return s.first + uint64(slot)*s.size }

// post returns the descriptor by which the frame in a TX slot is posted, and counts the slot as posted once more.
func (s *slots) post(slot uint32) frame.Desc {
	st := &s.state[slot]
	st.posted++
	s.Posted++
	return frame.Desc{Addr: s.addr(slot), Len: st.len}
}

// completed records that the kernel has finished one posting of the TX slot at an address. A slot that LLR does
// not hold becomes free after its last posting.
func (s *slots) completed(addr uint64) {
	slot := uint32((addr - s.first) / s.size)
	st := &s.state[slot]
	st.posted--
	s.Posted--
	if st.posted == 0 && !st.unacked {
		s.pool.Give(slot)
	}
}

// release records that LLR no longer holds the frame in a TX slot. The slot becomes free unless it is still
// posted.
func (s *slots) release(slot uint32) {
	st := &s.state[slot]
	st.unacked = false
	if st.posted == 0 {
		s.pool.Give(slot)
	}
}
