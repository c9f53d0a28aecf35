package path

import (
	"time"

	"uelink/internal/snapshot"
	"uelink/wire"
)

// lengthFinder finds the longest frames of micropackets that cross to the partner: a switch on the way, say, may carry
// only shorter frames than the interface. HIPPI-6400-PH cannot negotiate a length, but a Message may be cut anywhere
// between two micropackets: after 50 ms of retransmissions without success the frames get shorter. After a pause a
// trial sends longer frames again. The first trial has frames of all lengths, since the partner may have been stopped
// (SIGSTOP, a paused VM), or the wire unplugged: on a wire that loses frames, short frames are slow. During a trial all
// frames that ask for an acknowledgement have the tried length: the host's own frames may be short. If a trial fails
// and short frames then cross at once, the trial is a proof that the wire carries short frames only.
//
//	      50 ms without success        25 ms more: good halves
//	all ──────────────────────► good ◄────────────────┐
//	 ▲                          │  ▲ └────────────────┘
//	 │ the longest frame        │  │ 3 retransmissions in a row: the trial has failed, and the pause doubles
//	 │ has crossed        pause ▼  │ a frame of twice good has crossed: good doubles
//	 └────────────────────────  trying
type lengthFinder struct {
	good    int           // largest number of micropackets in a frame; 0: as many as the interface carries
	trying  bool          // frames have up to twice good; in the first trial, as many as the interface carries
	longer  bool          // a frame longer than good has been sent since trying began
	retries int           // number of retransmissions in a row without success, at the last call of look
	stuck   wire.Time     // time since which retransmissions have no success
	pause   time.Duration // from a failed trial to the next trial
	at      wire.Time     // time at which the next trial begins, or the present one ends with success
	doubts  bool          // a trial has failed, and it is not known yet whether the short frames sent after it cross
	proofs  int           // trials in a row that have failed while short frames crossed
}

// When lengthFinder changes the length of frames.
const (
	shortenAfter = 3                     // least number of retransmissions in a row without success for shorter frames
	stuckFor     = 50 * time.Millisecond // least time without success, in which even a partner that lacks CPU time answers
	nextShorter  = 25 * time.Millisecond // time from a halving, without success, to the next
	firstPause   = 10 * time.Millisecond // time from the first halving to the first trial of longer frames
	longestPause = 10 * time.Second      // the pause doubles with each failed trial up to this time
)

// provenShort is the number of proofs after which the wire counts as one that carries short frames only. On a wire that
// is out no short frame crosses, so no trial is a proof. On a wire that loses three of four frames, whatever their
// length, at most one failed trial in ten is a proof, and a trial that succeeds starts the count again.
const provenShort = 7

// most returns how many micropackets a frame may have at present. all is how many a frame of the interface can carry:
// frames have as many while no limit is known, and in the first trial. Later trials have twice good.
func (l *lengthFinder) most(all int) int {
	switch {
	case l.good == 0 || l.trying && !l.failed():
		return all
	case l.trying:
		return min(all, 2*l.good)
	}
	return min(all, l.good)
}

// failed reports whether a trial of longer frames has failed.
func (l *lengthFinder) failed() bool { return l.pause > firstPause }

// sent records that a frame was sent; full: with as many micropackets as most allows.
func (l *lengthFinder) sent(full bool) { l.longer = l.longer || l.trying && full }

// look takes the next step in the drawing at lengthFinder, by retries, the number of retransmissions in a row without
// success: it halves the frames, begins a trial of longer frames when the pause is over, or ends the trial. all is how
// many micropackets a frame of the interface can carry, patience the least time for which longer frames are tried.
func (l *lengthFinder) look(retries, all int, patience time.Duration, now wire.Time) {
	before := l.retries
	l.retries = retries
	l.weigh(retries, before)
	if before == 0 {
		l.stuck = now
	}
	switch {
	case retries > before && retries >= shortenAfter && (l.trying || now.Sub(l.stuck) >= stuckFor):
		l.shorten(all)
		l.stuck = now.Add(nextShorter - stuckFor)
		l.at = now.Add(l.pause)
	case l.good == 0 || retries > 0:
	case l.trying && !l.longer: // no longer frame has been sent in this trial
		l.at = now.Add(max(firstPause, patience))
	case now < l.at:
	case !l.trying:
		l.trying, l.longer = true, false
		l.at = now.Add(max(firstPause, patience))
	default:
		if l.good = l.most(all); l.good == all {
			l.good = 0
		}
		l.trying, l.proofs = false, 0
		l.at = now.Add(max(firstPause, patience))
	}
}

// shorten halves the length of the frames; if longer frames are being tried, it ends the trial instead, and doubles the
// pause before the next. If longer frames were sent in the trial, weigh has yet to judge it (doubts).
func (l *lengthFinder) shorten(all int) {
	switch {
	case l.trying:
		l.trying, l.doubts = false, l.longer
		l.pause = min(2*l.pause, longestPause)
	case l.good == 0:
		l.good, l.pause = max(1, all/2), firstPause
	default:
		l.good = max(1, l.good/2)
	}
}

// weigh judges a failed trial by the short frames that were sent after it: if they cross at once, the trial is a proof;
// if these frames are lost, too, it is none. retries and before are the numbers of retransmissions in a row without
// success, now and at the last look.
func (l *lengthFinder) weigh(retries, before int) {
	switch {
	case !l.doubts:
	case retries == 0:
		l.doubts = false
		l.proofs = min(l.proofs+1, provenShort)
	case retries > before:
		l.doubts = false
	}
}

// short returns the number of micropackets of the longest frames that cross, if it is proven that longer ones do not.
func (l *lengthFinder) short() (n int, ok bool) { return l.good, l.good > 0 && l.proofs >= provenShort }

// passState saves the length of frames to snapshot s, or restores it from s.
func (l *lengthFinder) passState(s *snapshot.State) {
	snapshot.Number(s, "good", &l.good)
	s.Bool("trying", &l.trying)
	s.Bool("longer", &l.longer)
	snapshot.Number(s, "retries", &l.retries)
	snapshot.Number(s, "stuck", &l.stuck)
	snapshot.Number(s, "pause", &l.pause)
	snapshot.Number(s, "at", &l.at)
	var since wire.Time // of earlier versions
	snapshot.Number(s, "since", &since)
	s.Bool("doubts", &l.doubts)
	snapshot.Number(s, "proofs", &l.proofs)
	s.Check(l.good >= 0 && l.pause >= 0, "%d micropackets, pause %v", l.good, l.pause)
}
