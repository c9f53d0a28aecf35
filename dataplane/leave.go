package dataplane

import (
	"fmt"
	"math"
	"time"

	"uelink/dataplane/place"
)

// olderPartner is how long, in nanoseconds, an end that leaves waits for its partner to say that it holds frames back:
// one that knows nothing of that never does.
const olderPartner = int64(50 * time.Millisecond)

// leaving is a link whose end goes away and comes back.
type leaving struct {
	on    bool
	since int64         // ns
	back  time.Duration // within which it is back, by its profile; 0: the partner is not told
}

// tells is what the partner is told, ms; 0: nothing.
func (l *leaving) tells() uint16 {
	if !l.on {
		return 0
	}
	return uint16(min(l.back.Milliseconds(), math.MaxUint16))
}

// leave has the domain take no more frames from edges, and its partners hold back what is for this end.
func (d *domain) leave(now int64) {
	d.draining, d.rest = true, 0
	for _, l := range d.links {
		if !l.leaving.on {
			l.leaving.on, l.leaving.since = true, now
		}
	}
}

// awaited is how many partners may still send frames to an end that leaves, or have not heard that these have come.
func (d *domain) awaited(now int64) (n int) {
	for _, l := range d.links {
		if l.awaitsHeld(now) {
			n++
		}
	}
	return n
}

// awaitsHeld tells whether an end that leaves waits for its partner: until that holds back what is for this end, and
// has heard that all that it has sent is here.
func (l *link) awaitsHeld(now int64) bool {
	switch {
	case l.leaving.tells() == 0, !l.partner.Speaks(), l.partner.Held(), !l.ready():
		return false
	}
	return l.partner.Holds() || now-l.leaving.since < olderPartner
}

// reviewLeave looks whether the partner is away.
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

// awayText says that the partner leaves, is back, or has not come back.
func (l *link) awayText() string {
	switch {
	case l.away:
		return fmt.Sprintf("leaves, to be back within %v: frames for it wait here", time.Duration(l.partner.Patience()))
	case l.partner.Gone():
		return "has not come back in time: frames for it no longer wait (hold_timeout)"
	}
	return "is back"
}

// losesLLR tells whether LLR, or CBFC, goes off by what LLDP has agreed.
func (l *link) losesLLR(n Negotiated) bool {
	return l.agreed.Local && !n.Local || l.agreed.Remote && !n.Remote || l.agreed.CBFC != n.CBFC
}

// at gives the link the place where an earlier process has left how far it had come.
func (l *link) at(p *place.Place) {
	l.place = p
	l.past, l.resumes = p.Bookmark()
}

// keepPlace keeps which LLR_INIT the receiver goes by. What an earlier process has left is told to the partner until
// there is one.
func (l *link) keepPlace() {
	mark, live := l.llr.Rx.Bookmark()
	if !live {
		return
	}
	if kept, ok := l.place.Bookmark(); !ok || l.resumes || kept != mark {
		l.place.Begin(mark)
	}
	l.resumes = false
}
