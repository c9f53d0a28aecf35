package partner

import (
	"time"

	"uelink/wire"
)

// Intervals of STATION. An end with LLR on sends STATION each stationInterval. An end without LLR
// answers its partner's STATION, answerInterval apart. An end that accepts no frames, leaves, or holds frames for a
// leaving partner sends STATION busyInterval apart. A probe is answered after replyDelay, so that its sender learns
// the result. STATION on request, after a change, and the first earlyStations times with a new partner, is
// requestInterval apart.
const (
	stationInterval = time.Second
	answerInterval  = 100 * time.Millisecond
	requestInterval = time.Millisecond
	busyInterval    = 20 * time.Millisecond
	replyDelay      = 30 * time.Millisecond
	earlyStations   = 3
)

// station is the schedule and the content of this end's STATION.
type station struct {
	start    uint32
	sent     wire.Station
	everSent bool
	at       wire.Time // when STATION was sent last
	on       bool      // LLR is on in a direction, or CBFC is on, or this end is addressed, or always
	always   bool      // STATION is also sent with LLR and CBFC off: data goes only to a known partner
	early    int       // coming STATIONs to a new partner that do not wait for stationInterval
	answers  bool      // the partner has sent STATION, and has LLR or CBFC on, or is addressed
	requests bool      // the partner has shown that this end is unknown to it
	replyAt  wire.Time // when to answer a probe; 0 = no probe
}

// due reports whether a STATION with the given content must be sent now, by the intervals above: an end with LLR on
// sends by itself, another one only answers.
func (s *station) due(content *wire.Station, now wire.Time) bool {
	since := now.Sub(s.at)
	switch {
	case !s.on && !s.answers:
		return false
	case !s.everSent:
		return true
	case !s.on:
		return since >= answerInterval || s.early > 0 && since >= requestInterval
	}
	return since >= stationInterval || urgent(content) && since >= busyInterval || s.replyDue(now) ||
		since >= requestInterval && (s.requests || s.early > 0 || s.changed(*content))
}

// receivedProbe schedules a STATION in answer to a probe (a long control frame) of the partner.
func (s *station) receivedProbe(now wire.Time) {
	if s.replyAt == 0 {
		s.replyAt = now.Add(replyDelay)
	}
}

// replyDue reports whether a probe of the partner must be answered now.
func (s *station) replyDue(now wire.Time) bool { return s.replyAt != 0 && now >= s.replyAt }

// changed reports whether the content differs from the last STATION sent, apart from the count of control frames.
func (s *station) changed(content wire.Station) bool {
	content.Controls = s.sent.Controls
	return content != s.sent
}

// urgent reports whether a STATION has content that the partner must not miss: this end is busy, holds frames, or
// leaves.
func urgent(content *wire.Station) bool { return content.Busy || content.Holds || content.Leaves > 0 }

// deadline returns when the next STATION (this end's description of itself) must be sent if nothing changes, or
// wire.Never.
func (s *station) deadline() wire.Time {
	switch {
	case !s.on && !s.answers:
		return wire.Never
	case s.early > 0 || s.requests:
		return s.at.Add(requestInterval)
	case !s.on:
		return s.at.Add(answerInterval)
	case urgent(&s.sent):
		return s.at.Add(busyInterval)
	case s.replyAt != 0:
		return min(s.at.Add(stationInterval), s.replyAt)
	}
	return s.at.Add(stationInterval)
}

// AppendStation appends this end's STATION to says, LLR's control ordered sets for the same control frame, if STATION
// is due or goes with them, and returns the list. self is this end as its port knows it; AppendStation fills in the
// rest. A problem of the partner takes the place of the trouble of self. asked is true if the partner has shown that it
// does not know this end.
func (p *Partner) AppendStation(self wire.Station, says []wire.CtlOS, asked bool, now wire.Time) []wire.CtlOS {
	s := &p.station
	self.Start, self.Longest, self.SeenShim, self.Controls = s.start, p.longest.octets(now), p.shims, p.controls
	s.on = self.Local || self.Remote || self.CBFC || self.Addressed || s.always
	if t := p.trouble(); t.Number != 0 {
		self.Trouble = t
	}
	s.requests = s.requests || asked
	if !greets(says) && !s.due(&self, now) {
		return says
	}
	s.sent, s.everSent, s.at = self, true, now
	if s.replyDue(now) {
		s.replyAt = 0
	}
	s.early, s.answers, s.requests = max(0, s.early-1), s.answers && s.early > 1, false
	return self.Items(says)
}

// AlwaysSendStation makes this end send STATION (its description of itself) even while LLR and CBFC are off, if on is
// true. An end that sends data only to a known partner needs STATION to become known.
func (p *Partner) AlwaysSendStation(on bool) { p.station.always = on }

// AppendLastStation appends the content of the last STATION to out again, with the present count of received
// control frames. A trouble is left out, because a partner knows a probe by its number of items (stationItems).
func (p *Partner) AppendLastStation(out []wire.CtlOS) []wire.CtlOS {
	p.station.sent.Controls = p.controls
	s := p.station.sent
	s.Trouble = wire.Trouble{}
	return s.Items(out)
}

// greets reports whether the list has an LLR control ordered set with which STATION is always sent: LLR_INIT or
// LLR_INIT_ECHO.
func greets(says []wire.CtlOS) bool {
	for i := range says {
		if says[i].Type == wire.LLRInit || says[i].Type == wire.LLRInitEcho {
			return true
		}
	}
	return false
}
