package path

import (
	"fmt"
	"math"
	"time"

	"uelink/dataplane/partner"
	"uelink/wire"
)

// Presence is whether a link can carry frames: its interface has a carrier, and a partner answers.
type Presence uint8

// The states of Presence.
const (
	Present Presence = iota
	Waiting          // the partner restarts, or is awaited for hold_timeout: frames for it wait
	Lost             // no carrier, or no partner
)

// absence is which end of a link is away, and for how long frames wait.
type absence struct {
	introduces  bool      // the partner is known, but has not sent its STATION yet
	away        bool      // the partner restarts, as announced, and may still come back in time: frames wait
	leaving     leaving   // state of this end's own leaving
	postponedTo wire.Time // latest end of the partner's absence
}

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

// awaitsHeld reports whether this end, which leaves, must still wait for the partner: the partner does not hold new
// frames back yet, or has unacknowledged frames.
func (a *absence) awaitsHeld(p *partner.Partner, now wire.Time) bool {
	if a.leaving.announced() == 0 || !p.SendsStation() || p.HoldsAllFrames() {
		return false
	}
	return p.HoldsFrames() || now.Sub(a.leaving.since) < olderPartner
}

// update records whether the partner is away for a restart, as it has announced, and until when results of LLDP that
// switch LLR off are postponed.
func (a *absence) update(p *partner.Partner, now wire.Time) {
	if away := p.Away(now); away != a.away {
		a.away = away
		if away {
			a.postponedTo = now.Add(p.Patience())
		}
	}
}

// text returns the text of the event that the partner leaves, is back, or has not come back.
func (a *absence) text(p *partner.Partner) string {
	switch {
	case a.away:
		return fmt.Sprintf("the partner restarts, and will be back within %v: frames for the partner wait at this end",
			p.Patience())
	case p.Leaving():
		return "the partner has not come back in time: frames for the partner no longer wait (hold_timeout)"
	}
	return "the partner is back"
}
