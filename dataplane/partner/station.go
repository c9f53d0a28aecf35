package partner

import (
	"math"

	"uelink/wire"
)

// How often STATION is said, in nanoseconds: by an end that has LLR on, each
// stationInterval; by one that has not, in answer to its partner, answerInterval apart.
// While the end takes no frames, leaves, or holds frames for a partner that leaves, it says so busyInterval apart.
// A probe is replied to after replyDelay, so that its sender learns what has come of it.
// On request, for a change, and the first earlyStations times that a partner is there it
// comes requestInterval after the one before.
const (
	stationInterval = 1_000_000_000
	answerInterval  = 100_000_000
	requestInterval = 1_000_000
	busyInterval    = 20_000_000
	replyDelay      = 30_000_000
	earlyStations   = 3
)

// station is what this end has said of itself, and when it does so again.
type station struct {
	start    uint32
	said     wire.Station
	ever     bool
	at       int64 // when it was said last
	on       bool  // LLR is on in a direction, or CBFC, or this end insists, or is addressed
	insists  bool  // nothing is sent to a partner that is not known
	early    int   // how often it is still said without delay
	answers  bool  // the partner has spoken, and LLR or CBFC is on there, or it is addressed
	requests bool  // the partner has shown that it does not know this end
	replyAt  int64 // when a probe is to be replied to; 0 = there is none
}

// due tells whether STATION is to be said now; is is what it would say.
func (s *station) due(is *wire.Station, now int64) bool {
	since := now - s.at
	switch {
	case !s.on && !s.answers:
		return false
	case !s.ever:
		return true
	case !s.on:
		return since >= answerInterval || s.early > 0 && since >= requestInterval
	}
	return since >= stationInterval || urgent(is) && since >= busyInterval || s.replies(now) ||
		since >= requestInterval && (s.requests || s.early > 0 || s.changed(*is))
}

// probed notes a probe of the partner.
func (s *station) probed(now int64) {
	if s.replyAt == 0 {
		s.replyAt = now + replyDelay
	}
}

// replies reports whether a probe is to be replied to now.
func (s *station) replies(now int64) bool { return s.replyAt != 0 && now >= s.replyAt }

// changed reports whether this end would say anything else than last, how many control frames have come apart.
func (s *station) changed(is wire.Station) bool {
	is.Controls = s.said.Controls
	return is != s.said
}

// urgent tells whether an end says what the partner must not miss.
func urgent(is *wire.Station) bool { return is.Busy || is.Holds || is.Leaves > 0 }

// deadline is when STATION is due by itself.
func (s *station) deadline() int64 {
	switch {
	case !s.on && !s.answers:
		return math.MaxInt64
	case s.early > 0 || s.requests:
		return s.at + requestInterval
	case !s.on:
		return s.at + answerInterval
	case urgent(&s.said):
		return s.at + busyInterval
	case s.replyAt != 0:
		return min(s.at+stationInterval, s.replyAt)
	}
	return s.at + stationInterval
}

// Say appends the STATION that is due, to be sent in one control frame with what LLR
// says. self is this end as its port knows it; the rest of it is filled in. asked: the
// partner has shown that it does not know this end.
func (p *Partner) Say(self wire.Station, says []wire.CtlOS, asked bool, now int64) []wire.CtlOS {
	s := &p.station
	self.Start, self.Longest, self.SeenShim, self.Controls = s.start, p.longest.octets(now), p.shims, p.controls
	s.on = self.Local || self.Remote || self.CBFC || self.Addressed || s.insists
	s.requests = s.requests || asked
	if !greets(says) && !s.due(&self, now) {
		return says
	}
	s.said, s.ever, s.at = self, true, now
	if s.replies(now) {
		s.replyAt = 0
	}
	s.early, s.answers, s.requests = max(0, s.early-1), s.answers && s.early > 1, false
	return self.Items(says)
}

// Insist has this end say STATION also while LLR and CBFC are off, as an end needs that sends nothing to a partner that
// is not known. So the partner gets to know this end. If the partner insists, too, this end gets to know the partner.
func (p *Partner) Insist(on bool) { p.station.insists = on }

// Said appends the STATION that was said last, with how many control frames have come by now.
func (p *Partner) Said(out []wire.CtlOS) []wire.CtlOS {
	p.station.said.Controls = p.controls
	return p.station.said.Items(out)
}

// greets tells whether LLR says something with which STATION goes.
func greets(says []wire.CtlOS) bool {
	for i := range says {
		if says[i].Type == wire.LLRInit || says[i].Type == wire.LLRInitEcho {
			return true
		}
	}
	return false
}
