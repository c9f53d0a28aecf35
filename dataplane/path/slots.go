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
	kept   [][]byte // by slot: frames held by LLR while the port is suspended; nil: not suspended
}

type slotState struct {
	len    uint32 // of the frame as posted, octets
	posted uint16 // postings not yet completed
	held   bool   // by LLR, for a replay
	vc     uint8  // link: VC of the frame while LLR holds the slot
}

func newSlots(g frame.Geometry) slots {
	s := slots{pool: frame.NewPool(g.TX), state: make([]slotState, g.TX)}
	s.locate(g)
	return s
}

// locate sets the address and the size of the slots.
func (s *slots) locate(g frame.Geometry) { s.first, s.size = g.SlotAddr(0), uint64(g.SlotSize()) }

// addr returns the address of a slot.
func (s *slots) addr(slot uint32) uint64 { return s.first + uint64(slot)*s.size }

// post returns the descriptor for posting a slot, and counts the slot as posted.
func (s *slots) post(slot uint32) frame.Desc {
	st := &s.state[slot]
	st.posted++
	s.Posted++
	return frame.Desc{Addr: s.addr(slot), Len: st.len}
}

// completed records the completion of one posting of the slot at an address.
func (s *slots) completed(addr uint64) {
	slot := uint32((addr - s.first) / s.size)
	st := &s.state[slot]
	st.posted--
	s.Posted--
	if st.posted == 0 && !st.held {
		s.pool.Give(slot)
	}
}

// release ends LLR's hold of a slot.
func (s *slots) release(slot uint32) {
	st := &s.state[slot]
	st.held = false
	if st.posted == 0 {
		s.pool.Give(slot)
	}
}
