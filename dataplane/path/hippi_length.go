package path

import (
	"time"

	"uelink/hippi"
	"uelink/internal/snapshot"
	"uelink/wire"
)

// lengths finds how long the frames of micropackets may be that cross to the partner: a switch on the way, say, may
// carry less than the interface. HIPPI-6400-PH cannot negotiate a length, but a Message may be cut anywhere between two
// micropackets. A partner without its CPU and a wire that drops long frames both leave retransmissions without
// success. So from the third on a retransmission begins with a frame of a single micropacket, a probe. If the partner
// acknowledges the probe and nothing behind it, and the link is stuck again, twice in a row, then long frames do not
// cross: frames get shorter, and after a while without that they become longer again.
//
//	      two probes alone cross        two more: half
//	all ──────────────────────► good ◄────────────────┐
//	 ▲                          │  ▲ └────────────────┘
//	 │ good is as               │  │ two probes alone: the pause doubles
//	 │ much as all        pause ▼  │ a longer frame has crossed: good doubles
//	 └────────────────────────  trying
type lengths struct {
	good   int    // most micropackets of a frame; 0: as many as the interface carries
	trying bool   // frames have up to twice as many
	longer bool   // a frame longer than good was sent since trying began
	acked  uint64 // micropackets acknowledged, when the machine was last looked at
	probed bool   // a probe was sent since then
	alone  int    // probes in a row that the partner has acknowledged without anything behind them
	pause  time.Duration
	at     wire.Time // the next change of trying
	since  wire.Time // since when good is not 0
}

const (
	stuckRetries = 3                     // retransmissions in a row without success: from then on with a probe
	aloneMost    = 2                     // probes alone, and frames get shorter
	firstPause   = 10 * time.Millisecond // before longer frames are tried
	longestPause = 10 * time.Second
	lengthTold   = time.Second // after this time with short frames the operator is told
)

// most returns how many micropackets a frame may have at present. all is how many a frame of the interface can carry.
func (l *lengths) most(all int) int {
	switch {
	case l.good == 0:
		return all
	case l.trying:
		return min(all, 2*l.good)
	}
	return min(all, l.good)
}

// sent records that a frame of n micropackets was sent, to know whether a trial of longer frames has sent one.
func (l *lengths) sent(n int) { l.longer = l.longer || l.trying && n > l.good }

// probes reports whether the next frame must be a probe: it begins a retransmission of a link that is stuck.
func (l *lengths) probes(s *hippi.Source) bool {
	if s.Retries() < stuckRetries || !s.Restarts() {
		return false
	}
	l.probed = true
	return true
}

// look makes the frames shorter or longer after looking at the sending half s of the machine. all is how many
// micropackets a frame of the interface can carry, patience how long longer frames are tried at least.
func (l *lengths) look(s *hippi.Source, all int, patience time.Duration, now wire.Time) {
	if news := s.Acknowledged() - l.acked; news > 0 {
		if l.acked += news; l.probed && news == 1 {
			l.alone++
		} else {
			l.alone = 0
		}
		l.probed = false
	}
	switch {
	case l.alone >= aloneMost && s.Retries() >= stuckRetries:
		l.shorten(all, now)
		l.alone, l.at = 0, now.Add(l.pause)
	case l.good == 0 || s.Retries() > 0 || now < l.at || l.trying && !l.longer:
	case !l.trying:
		l.trying, l.longer = true, false
		l.at = now.Add(max(firstPause, patience))
	default:
		l.trying = false
		if l.good *= 2; l.good >= all {
			l.good = 0
		}
		l.at = now.Add(max(firstPause, patience))
	}
}

// shorten halves the length of the frames; if longer frames are being tried, it ends the trial instead, and doubles
// the pause before the next.
func (l *lengths) shorten(all int, now wire.Time) {
	switch {
	case l.trying:
		l.trying = false
		l.pause = min(2*l.pause, longestPause)
	case l.good == 0:
		l.good, l.pause, l.since = max(1, all/2), firstPause, now
	default:
		l.good = max(1, l.good/2)
	}
}

// short returns the number of micropackets of the longest frames that cross, if longer ones have not crossed for a
// while.
func (l *lengths) short(now wire.Time) (n int, ok bool) {
	return l.good, l.good > 0 && now.Sub(l.since) >= lengthTold
}

// passState saves the length of frames to snapshot s, or restores it from s.
func (l *lengths) passState(s *snapshot.State) {
	snapshot.Number(s, "good", &l.good)
	s.Bool("trying", &l.trying)
	s.Bool("longer", &l.longer)
	snapshot.Number(s, "acked", &l.acked)
	s.Bool("probed", &l.probed)
	snapshot.Number(s, "alone", &l.alone)
	snapshot.Number(s, "pause", &l.pause)
	snapshot.Number(s, "at", &l.at)
	snapshot.Number(s, "since", &l.since)
	var retries int // of earlier versions
	var stuck wire.Time
	snapshot.Number(s, "retries", &retries)
	snapshot.Number(s, "stuck", &stuck)
	s.Check(l.good >= 0 && l.pause >= 0, "%d micropackets, pause %v", l.good, l.pause)
}
