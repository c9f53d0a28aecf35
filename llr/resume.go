package llr

import "uelink/wire"

// Bookmark is the position of a receiver. A restarted process sends the bookmark of its predecessor to the partner.
// The partner then keeps the frames that the predecessor had not accepted.
type Bookmark struct {
	Origin uint32 // init_seq of the receiver's last LLR_INIT, 0..SeqMask
	Next   uint32 // next_rx_seq, 0..SeqMask
}

// Bookmark returns the position of the receiver, from which a successor of this process can go on; ok is false
// while no LLR_INIT has set next_rx_seq.
func (r *Rx) Bookmark() (b Bookmark, ok bool) { return Bookmark{Origin: r.first, Next: r.next}, r.live }

// findBookmark returns the bookmark, the position of the receiver before a restart, in a control frame of the
// partner; ok is false if there is none.
func findBookmark(list []wire.CtlOS) (b Bookmark, ok bool) {
	var reported wire.Station
	for i := range list {
		if list[i].Type == wire.StationCtlOS && list[i].Item == wire.StationResumes {
			reported.Update(list[i])
		}
	}
	return Bookmark{Origin: reported.Origin, Next: reported.Next}, reported.Resumes
}

// partnerRestarted handles a restart of the partner. With a valid bookmark (the receiver's position before the
// restart) in the control frame list, the frames that the partner's predecessor had not accepted stay outstanding
// and are sent again after the next handshake. Without a bookmark all outstanding frames are dropped and LLR
// initialises again.
func (t *Tx) partnerRestarted(list []wire.CtlOS, now wire.Time) {
	if b, ok := findBookmark(list); ok && t.partnerResumed(b, now) {
		return
	}
	t.now = now
	t.initialiseAgain(reinitRestarted, now)
}

// partnerResumed makes the next LLR_INIT continue at the partner's bookmark, its receiver's position before the
// restart. It reports whether the bookmark is valid: Origin is the init_seq of this transmitter's last LLR_INIT,
// and Next lies in the window. Frames that the predecessor accepted and did not acknowledge are counted in
// TxUnconfirmed: the predecessor may have ended before forwarding them.
func (t *Tx) partnerResumed(b Bookmark, now wire.Time) bool {
	taken := t.space.distance(t.acked(), t.space.add(b.Next, -1))
	if t.state == TxOff || t.state == TxFlush || !t.hello.sent || b.Origin != t.hello.seq ||
		taken > t.window.outstanding() {
		return false
	}
	t.count.PartnerResumed++
	t.count.TxUnconfirmed += uint64(taken)
	t.count.TxReinit++
	t.ended.reinits++
	t.ended.reinitReason = reinitResumed
	t.window.release(taken)
	t.beginInit(now)
	t.replay.repeatedTo = t.window.tail
	t.hello.seq, t.resume.on, t.resume.since = b.Next, true, now
	t.hello.sent = false
	t.hello.sendNow(now)
	return true
}

// notResumedAt returns when the transmitter gives up its LLR_INIT after a restart of the partner: after as long as it
// waits for the acknowledgement of frames.
func (t *Tx) notResumedAt() wire.Time {
	if !t.resume.on || t.profile.MaxReplayCount == NoReplayLimit {
		return wire.Never
	}
	return after(t.resume.since, max(t.profile.HoldTimeout, times(int64(t.profile.MaxReplayCount)+1, t.limits.timeout)))
}
