package dataplane

import (
	"fmt"
	"math"
	"time"

	"uelink/dataplane/place"
)

// olderPartner is how long, in nanoseconds, an end that leaves waits for the partner to report that frames are held
// back. An older partner never reports.
const olderPartner = int64(50 * time.Millisecond)

// leaving is the announcement that this end is about to restart.
type leaving struct {
	on    bool
	since int64         // ns
	back  time.Duration // longest absence to announce, hold_timeout of the profile; 0: nothing is announced
}

// tells returns the milliseconds to announce to the partner; 0: nothing.
func (l *leaving) tells() uint16 {
	if !l.on {
		return 0
	}
	return uint16(min(l.back.Milliseconds(), math.MaxUint16))
}

// leave announces to the partners of all links that this end leaves.
func (d *domain) leave(now int64) {
	d.rest = 0
	for _, l := range d.links {
		if !l.leaving.on {
			l.leaving.on, l.leaving.since = true, now
		}
	}
}

// awaited counts the partners that may still send data, or still have unacknowledged frames.
func (d *domain) awaited(now int64) (n int) {
	for _, l := range d.links {
		if l.awaitsHeld(now) {
			n++
		}
	}
	return n
}

// awaitsHeld reports whether an end that leaves has to wait for the partner: until the partner holds new frames back
// and has an acknowledgement for every frame sent.
func (l *link) awaitsHeld(now int64) bool {
	switch {
	case l.leaving.tells() == 0, !l.partner.SendsStation(), l.partner.Held(), !l.ready():
		return false
	}
	return l.partner.HoldsFrames() || now-l.leaving.since < olderPartner
}

// reviewLeave follows the announcements of the partner. When the time to come back is over, a loss of LLR by LLDP takes
// effect.
func (l *link) reviewLeave(now int64) {
	if away := l.partner.Away(now); away != l.away {
		l.away = away
		if away {
			l.postponedTo = now + l.partner.Patience()
		}
	}
	if l.postponed != nil && now >= l.postponedTo {
		n := *l.postponed
		l.agree(n, now)
	}
}

// awayText returns the text of the event: the partner leaves, is back, or has not come back.
func (l *link) awayText() string {
	switch {
	case l.away:
		return fmt.Sprintf("leaves, to be back within %v: frames for it wait here", time.Duration(l.partner.Patience()))
	case l.partner.Leaving():
		return "has not come back in time: frames for it no longer wait (hold_timeout)"
	}
	return "is back"
}

// losesLLR reports whether a new agreement of LLDP switches LLR off, or changes CBFC.
func (l *link) losesLLR(n Negotiated) bool {
	return l.agreed.Local && !n.Local || l.agreed.Remote && !n.Remote || l.agreed.CBFC != n.CBFC
}

// at gives the link its place, and opens the bookmark left there by an earlier process.
func (l *link) at(p *place.Place) {
	l.place = p
	l.past, l.resumes = p.Bookmark()
}

// keepPlace writes the bookmark when an LLR_INIT has set the numbers of the receiver. Until the first LLR_INIT the
// bookmark of the earlier process stays, and is told to the partner.
func (l *link) keepPlace() {
	mark, live := l.llr.Rx.Bookmark()
	if !live {
		return
	}
	if kept, ok := l.place.Bookmark(); !ok || l.resumes || kept != mark {
		l.place.Write(mark)
	}
	l.resumes = false
}
