package llr

import "uelink/wire"

// Selective replay keeps the frames that arrive behind a gap: only the missing frames cross the wire again. Frames go
// on in the order of their numbers all the same, each once: next_rx_seq, LLR_ACK and the bookmark are those of
// go-back-N, and a kept frame is accepted when next_rx_seq passes it. The kind of replay changes at LLR_INIT only
// (reorder.begin).

// startReplay sets the kind of replay after an LLR_INIT: selective if both ends keep frames behind a gap.
func (r *Rx) startReplay() {
	size := 0
	if r.keepsLog > 0 && r.partner.keeps > 0 {
		size = 1 << r.keepsLog
	}
	r.reorder.begin(size, r.next)
}

// receiveSelectively decides on a frame while both ends replay selectively: on a duplicate, the frame next_rx_seq, or a
// frame behind a gap.
func (r *Rx) receiveSelectively(seq uint32, fcs wire.FCS, length int) RxVerdict {
	o := &r.reorder
	o.catchUp(r.next)
	ahead := r.space.distance(r.next, seq)
	switch {
	case r.space.behind(r.next, seq) || ahead < uint32(len(o.places)) && o.at(seq).present:
		r.receivedAgain(seq, fcs, length)
		return Ignore
	case ahead == 0:
		return r.receivedNext(fcs, length)
	}
	return r.receivedBehindGap(seq, ahead, fcs, length)
}

// receivedAgain handles a frame that was accepted or is kept.
func (r *Rx) receivedAgain(seq uint32, fcs wire.FCS, length int) {
	r.count.RxDuplicateSeq++
	r.arrivals.twice++
	if fcs != wire.FCSBad {
		r.reorder.any, r.reorder.last = true, seq
	}
	r.oweReport(length)
}

// oweReport records that the partner must get a report soon, whether or not it acknowledges more frames.
func (r *Rx) oweReport(length int) {
	if r.state != RxSendNack {
		r.oweAck(length)
		r.forward.repeat = true
	}
}

// receivedNext handles a frame with the number next_rx_seq and returns the verdict. A bad frame is ignored and becomes
// a gap; any other advances next_rx_seq. A poisoned frame is accepted, as in go-back-N.
func (r *Rx) receivedNext(fcs wire.FCS, length int) RxVerdict {
	o := &r.reorder
	if fcs == wire.FCSBad {
		r.count.RxExpectedSeqBad++
		r.missDamaged(r.next)
		return Ignore
	}
	r.countRepair(r.next)
	o.fill(r.next)
	r.next = r.space.add(r.next, 1)
	o.catchUp(r.next)
	r.oweAck(length)
	r.closeGaps()
	if fcs == wire.FCSPoisoned {
		r.count.RxExpectedSeqPoisoned++
		return DeliverPoisoned
	}
	r.count.RxExpectedSeqGood++
	return Deliver
}

// receivedBehindGap handles a frame ahead of next_rx_seq that has not arrived before: Keep if it is undamaged and has a
// place. Frames without a place are not counted as arrived: the partner has sent more than this end keeps.
func (r *Rx) receivedBehindGap(seq, ahead uint32, fcs wire.FCS, length int) RxVerdict {
	r.count.RxMissingSeq++
	switch {
	case !r.reorder.room(ahead):
		r.oweReport(length)
	case fcs == wire.FCSBad:
		r.missDamaged(seq)
	default:
		r.oweReport(length)
		return Keep
	}
	return Ignore
}

// Keep keeps the frame with number seq, on which Receive has just decided Keep. NextKept or FreeKept returns its
// handle. A caller without room does not call Keep, and the frame is lost. A new gap in front of the frame asks for an
// LLR_NACK.
func (r *Rx) Keep(seq, handle uint32) {
	r.countRepair(seq)
	if r.reorder.put(seq, handle) {
		r.enter(RxSendNack)
	}
	r.closeGaps()
}

// missDamaged asks for a frame that has arrived damaged, if its number is believed.
func (r *Rx) missDamaged(seq uint32) {
	if r.reorder.damaged(seq) {
		r.enter(RxSendNack)
	}
}

// countRepair counts the start of a replay: frame seq lies in a gap, and the frame received before seq did not.
func (r *Rx) countRepair(seq uint32) {
	repairs := r.space.behind(r.reorder.high, seq)
	if repairs && !r.replaying {
		r.count.RxReplay++
	}
	r.replaying = repairs
}

// closeGaps ends SEND_NACK and NACK_SENT when nothing is missing, and sets whether the fast path of Receive is open.
func (r *Rx) closeGaps() {
	if len(r.reorder.gaps) == 0 {
		r.state, r.replaying = RxSendAcks, false
	}
	r.updateFastPath()
}

// PeekKept returns the handle of the frame that NextKept would return, and ok as NextKept does.
func (r *Rx) PeekKept() (handle uint32, ok bool) {
	if k := r.reorder.turnOf(r.next); k != nil {
		return k.handle, true
	}
	return 0, false
}

// NextKept accepts the kept frame that is next in order and returns its handle: the caller delivers the frame, or drops
// it if it was poisoned. Call it after Deliver and DeliverPoisoned, and whenever there is room to deliver, until ok is
// false. Accepted frames are acknowledged at once: they are many, and the partner's window may be full.
func (r *Rx) NextKept() (handle uint32, ok bool) {
	o := &r.reorder
	k := o.turnOf(r.next)
	if k == nil {
		return 0, false
	}
	handle = k.handle
	*k = kept{}
	o.frames--
	r.count.RxKept++
	r.next = r.space.add(r.next, 1)
	o.mark = r.next
	r.owed, r.octets = true, max(r.octets, r.spacing)
	r.updateFastPath()
	return handle, true
}

// GiveUpKept gives up all kept frames, because the caller is about to lose the memory in which they lie. They are
// missing again: the partner, which has no acknowledgement of them, sends them again.
func (r *Rx) GiveUpKept() {
	o := &r.reorder
	if o.frames == 0 {
		return
	}
	o.catchUp(r.next)
	o.clear()
	o.gaps = append(o.gaps, gap{r.next, o.high})
	r.enter(RxSendNack)
}

// FreeKept returns the handle of a kept frame that was given up, by GiveUpKept, or because LLR was initialised again or
// switched off. Call it after GiveUpKept, ReceivedControl and SetMode, until ok is false; until then no other frame is
// kept.
func (r *Rx) FreeKept() (handle uint32, ok bool) {
	o := &r.reorder
	n := len(o.free) - 1
	if n < 0 {
		return 0, false
	}
	handle, o.free = o.free[n], o.free[:n]
	return handle, true
}

// CountKept returns how many frames are kept behind a gap, or wait for NextKept.
func (r *Rx) CountKept() int { return r.reorder.frames }

// Keeps returns the log2 of the frames that the receiver keeps behind a gap from the next LLR_INIT on, as STATION
// reports it; 0: go-back-N.
func (r *Rx) Keeps() uint8 { return r.keepsLog }
