package llr

import (
	"time"

	"uelink/wire"
)

// Bookmark is the position of a receiver. A restarted process sends the bookmark of its predecessor to the partner.
// The partner then keeps the frames that the predecessor had not accepted.
type Bookmark struct {
	Origin uint32 // init_seq of the receiver's last LLR_INIT, 0..SeqMask
	Next   uint32 // next_rx_seq, the number of the frame expected next, 0..SeqMask
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

// resumption is the state of a handshake that keeps the outstanding frames.
type resumption struct {
	on    bool      // in INIT: no frame is dropped, as the partner has a bookmark or the kind of replay changes
	since wire.Time // when on became true
}

// endAt returns when the transmitter gives up its LLR_INIT after a restart of the partner: after as long as it waits
// for the acknowledgement of frames, where the replay timer is timeout.
func (r *resumption) endAt(p *Profile, timeout time.Duration) wire.Time {
	if !r.on || p.MaxReplayCount == NoReplayLimit {
		return wire.Never
	}
	return after(r.since, max(p.HoldTimeout, times(int64(p.MaxReplayCount)+1, timeout)))
}
