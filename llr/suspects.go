package llr

// Sightings of the same suspect count if they are suspectSpacing nanoseconds apart.
// Where the other direction makes progress meanwhile, so that the partner seems to be
// the one that is known, it takes suspectDoubt times as many. suspectsMax different
// ones are remembered: what insists is among them, however many others come in between.
const (
	suspectSpacing = initInterval / 2
	suspectDoubt   = 6
	suspectsMax    = 128
)

// suspect is something that the partner is said to have said, and that does not fit
// what is known of it.
type suspect struct {
	nonce  [2]byte
	number uint32
}

// sighting is how often a suspect was seen.
type sighting struct {
	suspect
	acked uint32 // acked_seq when it was seen first
	runs  int32
	at    int64 // when it was last counted
}

// suspects are the latest ones.
type suspects struct {
	seen []sighting // a ring once it is full
	next int
	rx   uint32 // next_rx_seq when the first of them was seen
}

func newSuspects() suspects { return suspects{seen: make([]sighting, 0, suspectsMax)} }

// believe counts a sighting and tells whether there were often enough. A frame in
// order in between, which changes next_rx_seq, clears them all.
func (s *suspects) believe(x suspect, often int32, rx, acked uint32, now int64) bool {
	if rx != s.rx {
		s.forget()
		s.rx = rx
	}
	for i := range s.seen {
		if seen := &s.seen[i]; seen.suspect == x {
			return seen.again(often, acked, now)
		}
	}
	s.add(sighting{suspect: x, acked: acked, runs: 1, at: now})
	return false
}

// again counts one more sighting, if it is not of the same moment.
func (s *sighting) again(often int32, acked uint32, now int64) bool {
	if now-s.at < suspectSpacing {
		return false
	}
	s.runs, s.at = s.runs+1, now
	if acked != s.acked {
		often *= suspectDoubt
	}
	return s.runs >= often
}

// add takes the place of the oldest if there is no room.
func (s *suspects) add(x sighting) {
	if len(s.seen) < cap(s.seen) {
		s.seen = append(s.seen, x)
		return
	}
	s.seen[s.next] = x
	s.next = (s.next + 1) % len(s.seen)
}

func (s *suspects) forget() { s.seen, s.next = s.seen[:0], 0 }
