package llr

import "uelink/wire"

// Bookmark is how far a receiver has come. A process that is started anew tells the partner of the bookmark that its
// predecessor has left, so that the partner keeps what the predecessor had not taken.
type Bookmark struct {
	Origin uint32 // init_seq of the LLR_INIT that the receiver goes by, 0..SeqMask
	Next   uint32 // next_rx_seq, 0..SeqMask
}

// Bookmark returns how far the receiver has come; ok is false while no LLR_INIT has set next_rx_seq.
func (r *Rx) Bookmark() (b Bookmark, ok bool) { return Bookmark{Origin: r.first, Next: r.next}, r.live }

// resumes returns the bookmark that the partner tells in a control frame.
func resumes(list []wire.CtlOS) (b Bookmark, ok bool) {
	var told wire.Station
	for i := range list {
		if list[i].Type == wire.StationCtlOS && list[i].Item == wire.StationResumes {
			told.Take(list[i])
		}
	}
	return Bookmark{Origin: told.Origin, Next: told.Next}, told.Resumes
}

// partnerRestarted takes that the partner has been started anew. If it knows where its predecessor was, what that had
// not taken stays and is sent again after the next handshake; else LLR begins with nothing.
func (t *Tx) partnerRestarted(list []wire.CtlOS, now int64) {
	if b, ok := resumes(list); ok && t.partnerResumed(b, now) {
		return
	}
	t.now = now
	t.initialiseAgain(reinitRestarted, now)
}

// partnerResumed has the next LLR_INIT continue at a bookmark, and tells whether the bookmark fits: it belongs to this
// transmitter's last handshake, and to the frames that are outstanding. What the partner's predecessor has taken
// without an acknowledgement is counted: it may have ended before it passed these frames on.
func (t *Tx) partnerResumed(b Bookmark, now int64) bool {
	taken := t.space.distance(t.acked(), t.space.add(b.Next, -1))
	if t.state == TxOff || t.state == TxFlush || !t.hello.sent || b.Origin != t.hello.seq ||
		taken > t.window.outstanding() {
		return false
	}
	t.count.PartnerResumed++
	t.count.TxUnconfirmed += uint64(taken)
	t.count.TxReinit++
	t.reinits++
	t.again = reinitResumed
	t.window.release(taken)
	t.beginInit(now)
	t.replay.again = t.window.tail
	t.hello.seq, t.resuming, t.resumedAt = b.Next, true, now
	t.hello.sent = false
	t.hello.resume(now)
	return true
}

// notResumedAt is when the transmitter gives up that the partner answers the LLR_INIT by which it continues: as it
// would give up frames that the partner does not acknowledge.
func (t *Tx) notResumedAt() int64 {
	if !t.resuming || t.profile.MaxReplayCount == NoReplayLimit {
		return never
	}
	return after(t.resumedAt, max(int64(t.profile.HoldTimeout), times(int64(t.profile.MaxReplayCount)+1, t.timeout)))
}
