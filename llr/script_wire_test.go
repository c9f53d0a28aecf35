package llr

import (
	"time"

	"uelink/wire"
)

// rule is what the scripted wire does to some packets of a station.
type rule struct {
	from   *station
	action string
	kind   string // "data", "control", a type, or "" for any
	seq    int64  // -1 for any
	to     int    // garble: the number
	times  int    // how often it still applies; -1 for ever
	by     time.Duration
}

func (r *rule) applies(from *station, p *packet) bool {
	if r.from != from || r.times == 0 {
		return false
	}
	seq, kind := p.seq, "data"
	if p.ctl.Type != 0 {
		seq, kind = p.ctl.Seq, p.ctl.Type.String()
	}
	fits := r.kind == kind || r.kind == "" || r.kind == "control" && p.ctl.Type != 0
	return fits && (r.seq < 0 || uint32(r.seq) == seq)
}

// fate applies the first rule that fits.
func (s *scenario) fate(from *station, p *packet, delays []time.Duration) []time.Duration {
	latency := s.latency
	for _, r := range s.rules {
		if !r.applies(from, p) {
			continue
		}
		if r.times > 0 {
			r.times--
		}
		switch r.action {
		case "drop":
			s.net.log.wire(from, "drops", p)
			return delays
		case "corrupt":
			s.net.log.wire(from, "corrupts", p)
			p.fcs = wire.FCSBad
		case "poison":
			s.net.log.wire(from, "poisons", p)
			p.fcs = wire.FCSPoisoned
		case "garble":
			s.net.log.wire(from, "garbles", p)
			p.fcs, p.seq = wire.FCSBad, uint32(r.to)
		case "swap":
			s.net.log.wire(from, "lets the next overtake", p)
			p.behind = true
		case "duplicate":
			s.net.log.wire(from, "duplicates", p)
			return append(delays, latency, latency+r.by)
		case "reorder":
			s.net.log.wire(from, "holds back", p)
			return append(delays, latency+r.by)
		}
		break
	}
	return append(delays, latency)
}
