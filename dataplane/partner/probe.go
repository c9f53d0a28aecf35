package partner

import (
	"time"

	"uelink/wire"
)

// The wire is probed with control frames padded to a length. The target is the longest frame that must get across.
// While the partner reports a frame as long as the target, one further probe is sent each probeInterval. When the
// report is shorter, a search begins: searchRounds rounds, searchInterval apart. A round is a probe as long as the
// target, and a number of shorter probes. The lengths of the shorter probes grow from the longest length reported, in
// ever wider steps to halfway to the target, and in ever smaller steps up to the target, because many wires carry only
// a few octets less than the target. If the target never arrives, and the fate of other control frames proves that the
// wire is not only bad or cut (evidence), the longest length that did arrive becomes the limit. Probing continues each
// probeInterval, because the wire may be repaired.
const (
	probeInterval  = 500 * time.Millisecond
	searchInterval = 125 * time.Millisecond
	searchRounds   = 8
	rungs          = 18 // number of shorter probes in a round
	lowRungs       = 12 // how many of them are up to halfway to the target
	wholeRounds    = 2  // first rounds of a search, without shorter probes: in most cases the target arrives in these
)

// probe finds the longest frame that gets across.
type probe struct {
	want     int       // the longest frame of this end, octets; 0 = not known
	required int       // the longest frame that has to get across, octets: at most want
	takes    int       // the longest frame accepted by the partner
	reports  int       // the longest control frame that the partner reports
	due      wire.Time // when the next round is sent
	rung     int       // shorter probes sent in the round under way
	limit    int       // longest length found to get across; 0 = no limit
	rounds   int       // rounds since the search began
	since    wire.Time // when the search began; 0 = there is no search
	best     int       // longest length reported since the search began
	counts   bool      // the partner counts control frames in its STATION
	acked    longest
	weighed  evidence
}

// target returns the length, in octets, of the longest frame that must get across the wire: the longest that this end
// may send and the partner accepts.
func (p *probe) target() int { return min(p.want, p.takes) }

// carries returns the length, in octets, of the longest frame that gets across the wire, as far as is known.
func (p *probe) carries() int {
	if p.limit > 0 {
		return p.limit
	}
	return unlimited
}

// receivedReport handles the STATION in which the partner reports the longest frame received. A report as long as the
// target ends the search, and lifts the limit; one longer than the known limit of the wire raises it. The first limit,
// or a lower limit, is set after searchRounds rounds at the earliest. A length that arrived early in the search still
// counts as carried after an outage.
func (p *probe) receivedReport(report wire.Station, now wire.Time) {
	p.takes, p.reports = int(report.Largest), max(int(report.Longest), int(p.acked.octets(now)))
	p.counts = p.counts || report.Controls != 0
	p.weighed.receivedReport(report.Controls, p.reports, now)
	switch {
	case p.reports >= p.target():
		p.limit = 0
		p.endSearch()
	case p.limit > 0 && p.reports >= p.limit:
		p.limit = p.reports
		p.endSearch()
	case p.since == 0:
		p.endSearch()
		p.since, p.due, p.best = now, min(p.due, now), p.reports
	case p.reports < wire.MinFrameLen: // the partner has received nothing lately
		p.rounds = 0
	case p.rounds >= searchRounds && now.Sub(p.since) >= searchRounds*searchInterval && (p.weighed.proven() || !p.counts):
		p.limit = max(p.best, p.reports)
		p.endSearch()
	default:
		p.best = max(p.best, p.reports)
	}
}

// endSearch ends the search for the longest frame that the wire carries.
func (p *probe) endSearch() { p.since, p.rounds, p.weighed.bits = 0, 0, 0 }

// AckedFrame records that a data frame of octets on the wire was acknowledged: frames of this length get across.
func (p *Partner) AckedFrame(octets int, now wire.Time) { p.probe.acked.received(octets, now) }

// SentControl records a control frame sent to the partner, a probe or another.
func (p *Partner) SentControl() { p.probe.weighed.sent++ }

// SetLongest sets the longest link frame that this end may send, and the longest that has to get across, in octets.
// Where no more than required gets across, longer frames are dropped, and that is no problem of the link.
func (p *Partner) SetLongest(octets, required int) {
	if octets != p.probe.want {
		p.probe = probe{want: octets, takes: p.probe.takes, reports: p.probe.reports}
	}
	p.probe.required = required
}

// probing reports whether this end searches, by probes (long control frames), for the longest frame that the wire
// carries. It does not while LLR is off.
func (p *Partner) probing() bool {
	return p.SendsStation() && p.station.on && p.station.everSent && p.probe.target() > wire.MinFrameLen
}

// Probe returns the length, in octets, of a control frame to send now as a probe of the wire's longest frame; ok is
// false if no further probe is due. A round ends with a probe as long as the target, and sets the time of the next
// round. Except in the first rounds of a search, shorter probes come before it, rung by rung up from the longest length
// reported.
func (p *Partner) Probe(now wire.Time) (octets int, ok bool) {
	b := &p.probe
	if !p.probing() || now < b.due {
		return 0, false
	}
	target, low := b.target(), max(b.reports, wire.MinFrameLen)
	if low >= target || b.rung == rungs || b.limit == 0 && b.rounds < wholeRounds {
		b.rung = 0
		b.rounds++
		b.due = now.Add(probeInterval)
		if b.since != 0 && b.rounds <= searchRounds {
			b.due = now.Add(searchInterval)
		}
		b.weighed.sentProbe(target, true, now)
		return target, true
	}
	switch gap := target - low; {
	case b.rung >= lowRungs:
		low = target - max(1, gap>>(b.rung-lowRungs+2))
	case b.rung > 0:
		low += gap >> (lowRungs - b.rung)
	}
	b.rung++
	b.weighed.sentProbe(low, false, now)
	return low, true
}
