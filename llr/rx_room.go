package llr

// Overflowed records that the caller discarded the undamaged frame with number seq for want of room: a "buffer
// overflow" (UE-LINK §2.2).
// Clauses: UE-LINK/nack.7.
func (r *Rx) Overflowed(seq uint32) {
	if !r.live || r.space.behind(r.next, seq) {
		return
	}
	if r.overflowed = true; r.reorder.on {
		r.reorder.refuse(seq)
	}
}

// RoomAvailable requests, by an LLR_NACK, the retransmission of frames discarded for want of room, now that the
// caller has room.
// Clauses: UE-LINK/nack.7.
func (r *Rx) RoomAvailable() {
	switch {
	case !r.overflowed || !r.live:
	case !r.reorder.on:
		r.openGap()
	default:
		r.reorder.catchUp(r.next)
		if r.reorder.missRefused(r.next) {
			r.enter(RxSendNack)
		}
	}
	r.overflowed = false
}
