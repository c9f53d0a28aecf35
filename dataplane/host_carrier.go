package dataplane

import (
	"time"

	"uelink/dataplane/path"
	"uelink/wire"
)

// carrierRest is the least time between two losses of a host's carrier, and from the start of the process to the
// first: a link that comes and goes does not make bonds and spanning trees of the hosts follow each time.
const carrierRest = 10 * time.Second

// hostCarrier decides when the host of an edge has a carrier, by the presence of the xconnect's link (link_loss:
// forward). It is pure: now is an argument.
//
//	            lost for delay, and the last loss is 10 s ago
//	given ────────────────────────────────────────────────────► taken
//	  ▲                      the link is present                  │
//	  ├───────────────────────────────────────────────────────────┤
//	  │                      somebody sets the interface up       │
//	  │      present                                              │
//	  └───────────── overruled ◄──────────────────────────────────┘
type hostCarrier struct {
	taken     bool
	overruled bool      // somebody has set the interface up: the interface stays up until the link was present again
	lostSince wire.Time // since when the link is lost without a pause; 0: the link is not lost
	takenAt   wire.Time // when the carrier was taken last, or the process began
}

// update handles the link's presence at time now, and returns whether the host is to have no carrier. delay is how
// long the link must have been lost before the host's carrier is taken.
func (c *hostCarrier) update(presence path.Presence, delay time.Duration, now wire.Time) (taken bool) {
	if presence != path.Lost {
		c.lostSince = 0
	}
	switch {
	case presence == path.Present:
		c.taken, c.overruled = false, false
	case presence == path.Lost && c.lostSince == 0:
		c.lostSince = max(now, 1)
	case presence == path.Lost && !c.taken && !c.overruled && now.Sub(c.lostSince) >= delay &&
		now.Sub(c.takenAt) >= carrierRest:
		c.taken, c.takenAt = true, now
	}
	return c.taken
}

// overrule records that somebody has set the interface up although the link is lost.
func (c *hostCarrier) overrule() { c.taken, c.overruled = false, true }
