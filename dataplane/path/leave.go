package path

import (
	"fmt"
	"math"
	"time"

	"uelink/dataplane/place"
	"uelink/wire"
)

// olderPartner is how long a leaving end waits for the partner to report that it holds frames back. An
// older partner never reports.
const olderPartner = 50 * time.Millisecond

// leaving is the announcement to a partner that this end is about to restart.
type leaving struct {
	on    bool
	since wire.Time
	back  time.Duration // longest absence to announce, hold_timeout of the profile; 0: nothing is announced
}

// announced returns for how long this end will be absent, in milliseconds, as its STATION tells the partner; 0 if
// this end does not leave.
func (l *leaving) announced() uint16 {
	if !l.on {
		return 0
	}
	return uint16(min(l.back.Milliseconds(), math.MaxUint16))
}

// Leave makes all links announce to their partners that this end is about to restart, and pauses the hosts behind
// edge ports by PFC.
func (d *Domain) Leave(now wire.Time) {
	d.rest = 0
	for _, p := range d.Edges {
		if p.pause.on {
			p.pause.pauser.Leave()
		}
	}
	for _, l := range d.links {
		if l.Link != nil && !l.Link.absence.leaving.on {
			l.Link.absence.leaving.on, l.Link.absence.leaving.since = true, now
		}
	}
}

// Pauses reports whether at least one edge port of the domain has a host that obeys PFC, and so can be stopped when
// this end leaves.
func (d *Domain) Pauses() bool {
	for _, p := range d.Edges {
		if p.pause.on && p.settings.PFC.Priorities != 0 {
			return true
		}
	}
	return false
}

// Awaited returns the number of links on which this end, before it leaves, still waits for the partner: the
// partner may still send data, or has unacknowledged frames.
func (d *Domain) Awaited(now wire.Time) (n int) {
	for _, l := range d.links {
		if l.Link != nil && l.Link.awaitsHeld(now) {
			n++
		}
	}
	return n
}

// awaitsHeld reports whether this end, which leaves, must still wait for the partner: the partner does not hold new
// frames back yet, or has unacknowledged frames.
func (l *Link) awaitsHeld(now wire.Time) bool {
	switch {
	case l.absence.leaving.announced() == 0, !l.Partner.SendsStation(), l.Partner.HoldsAllFrames(), !l.Port.Ready():
		return false
	}
	return l.Partner.HoldsFrames() || now.Sub(l.absence.leaving.since) < olderPartner
}

// reviewLeave updates whether the partner is away for a restart, as it has announced. When the time to come back
// is over, it applies an LLDP result that was postponed because it switches LLR off.
func (l *Link) reviewLeave(now wire.Time) {
	if away := l.Partner.Away(now); away != l.absence.away {
		l.absence.away = away
		if away {
			l.absence.postponedTo = now.Add(l.Partner.Patience())
		}
	}
	if l.modes.postponed != nil && now >= l.absence.postponedTo {
		n := *l.modes.postponed
		l.Agree(n, now)
	}
}

// awayText returns the text of the event that the partner leaves, is back, or has not come back.
func (l *Link) awayText() string {
	switch {
	case l.absence.away:
		return fmt.Sprintf("leaves, to be back within %v: frames for it wait here", l.Partner.Patience())
	case l.Partner.Leaving():
		return "has not come back in time: frames for it no longer wait (hold_timeout)"
	}
	return "is back"
}

// losesLLR reports whether a new agreement of LLDP switches LLR off, or changes CBFC.
func (l *Link) losesLLR(n Negotiated) bool {
	return l.modes.agreed.Local && !n.Local || l.modes.agreed.Remote && !n.Remote || l.modes.agreed.CBFC != n.CBFC
}

// SetPlace gives the link its place, the memory in which the receiver's position (bookmark) survives the process,
// and reads the bookmark that an earlier process left there.
func (l *Link) SetPlace(p *place.Place) {
	l.bookmark.place = p
	l.bookmark.past, l.bookmark.resumes = p.Bookmark()
}

// MovePlace gives the link another place, because the file of the present one is lost, or there was none. The bookmark
// moves along.
func (l *Link) MovePlace(p *place.Place) {
	if saved, ok := l.bookmark.place.Bookmark(); ok {
		p.Write(saved)
	}
	l.bookmark.place = p
}

// keepPlace writes the receiver's position (bookmark) for the next process, once an LLR_INIT has set the
// receiver's sequence numbers. Until then the bookmark of the earlier process stays, and STATION reports it to the
// partner.
func (l *Link) keepPlace() {
	mark, live := l.LLR.Rx.Bookmark()
	if !live {
		return
	}
	if saved, ok := l.bookmark.place.Bookmark(); !ok || l.bookmark.resumes || saved != mark {
		l.bookmark.place.Write(mark)
	}
	l.bookmark.resumes = false
}
