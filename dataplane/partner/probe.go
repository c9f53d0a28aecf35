package partner

import "uelink/wire"

// How the wire is probed, with control frames padded to a length. While the partner
// reports the longest, one more is sent each probeInterval. When it no longer does,
// searchRounds follow, searchInterval apart, of that length and of rungs shorter ones:
// the longest that is known to arrive, from there ever wider steps to the middle, and ever smaller ones from there to
// the length that does not arrive: many wires carry a few octets less only. If the longest
// does not arrive meanwhile, and what came of other control frames proves that the wire
// is not only bad or out (evidence), what did arrive is the limit. Then it goes on each
// probeInterval, for the wire may be mended.
const (
	probeInterval  = 500_000_000
	searchInterval = 125_000_000
	searchRounds   = 8
	rungs          = 18
	lowRungs       = 12 // of them up to the middle
	wholeRounds    = 2  // rounds without shorter ones: mostly the longest gets across
)

// probe finds out how long a frame may be that gets across.
type probe struct {
	want    int   // the longest frame that this end may send, octets; 0 = not known
	takes   int   // the longest that the partner takes
	reports int   // the longest control frame that the partner reports
	due     int64 // when the next round is sent
	rung    int   // how many frames of the round under way were sent
	limit   int   // found; 0 = none
	rounds  int   // since the partner reports less than is believed
	since   int64 // when that began; 0 = it does not
	best    int   // the longest that the partner has reported since then
	counts  bool  // the partner tells how many control frames have come
	acked   longest
	weighed evidence
}

// target is the longest frame that is to get across.
func (p *probe) target() int { return min(p.want, p.takes) }

// carries is the longest frame that gets across, as far as is known.
func (p *probe) carries() int {
	if p.limit > 0 {
		return p.limit
	}
	return unlimited
}

// reported takes what the partner reports. A limit that was found rises at once, and
// falls like the first: not before searchRounds. What came in an earlier part of the search still counts as carried: an
// outage at the end of a search says nothing of lengths that came before.
func (p *probe) reported(told wire.Station, now int64) {
	p.takes, p.reports = int(told.Largest), max(int(told.Longest), int(p.acked.octets(now)))
	p.counts = p.counts || told.Controls != 0
	p.weighed.reported(told.Controls, p.reports, now)
	switch {
	case p.reports >= p.target():
		p.limit = 0
		p.found()
	case p.limit > 0 && p.reports >= p.limit:
		p.limit = p.reports
		p.found()
	case p.since == 0:
		p.found()
		p.since, p.due, p.best = now, min(p.due, now), p.reports
	case p.reports < wire.MinFrameLen: // nothing has come there lately
		p.rounds = 0
	case p.rounds >= searchRounds && now-p.since >= searchRounds*searchInterval && (p.weighed.proves() || !p.counts):
		p.limit = max(p.best, p.reports)
		p.found()
	default:
		p.best = max(p.best, p.reports)
	}
}

// found ends a search.
func (p *probe) found() { p.since, p.rounds, p.weighed.bits = 0, 0, 0 }

// Acked notes that a data frame was acknowledged that was so long on the wire, in octets.
func (p *Partner) Acked(octets int, now int64) { p.probe.acked.came(octets, now) }

// Sent notes a control frame that is sent to the partner, a probe or another.
func (p *Partner) Sent() { p.probe.weighed.sent++ }

// Want says how long a link frame this end may send, in octets.
func (p *Partner) Want(octets int) {
	if octets != p.probe.want {
		p.probe = probe{want: octets, takes: p.probe.takes, reports: p.probe.reports}
	}
}

// probes tells whether the wire is probed at all: not while LLR is off.
func (p *Partner) probes() bool {
	return p.Speaks() && p.station.on && p.station.ever && p.probe.target() > wire.MinFrameLen
}

// Probe returns the length of a control frame that is to be sent now; ok is false when
// there is none, or no more.
func (p *Partner) Probe(now int64) (octets int, ok bool) {
	b := &p.probe
	if !p.probes() || now < b.due {
		return 0, false
	}
	target, low := b.target(), max(b.reports, wire.MinFrameLen)
	if low >= target || b.rung == rungs || b.limit == 0 && b.rounds < wholeRounds {
		b.rung = 0
		b.rounds++
		b.due = now + probeInterval
		if b.since != 0 && b.rounds <= searchRounds {
			b.due = now + searchInterval
		}
		b.weighed.probed(target, true, now)
		return target, true
	}
	switch gap := target - low; {
	case b.rung >= lowRungs:
		low = target - max(1, gap>>(b.rung-lowRungs+2))
	case b.rung > 0:
		low += gap >> (lowRungs - b.rung)
	}
	b.rung++
	b.weighed.probed(low, false, now)
	return low, true
}
