package llr

import "uelink/wire"

// Sightings of the same suspect count if they are suspectSpacing apart. Progress of the other direction
// between sightings suggests that the known partner is still there: suspectDoubt times as many sightings are then
// needed. The last suspectsMax different suspects are remembered: a persistent one stays among them.
const (
	suspectSpacing = initInterval / 2
	suspectDoubt   = 6
	suspectsMax    = 128
)

// suspect is an input (LLR_INIT or start id) that claims to come from the partner and does not fit its known state.
type suspect struct {
	nonce  [2]byte
	number uint32
}

// sighting counts how often a suspect was seen.
type sighting struct {
	suspect
	acked uint32 // acked_seq at the first sighting
	runs  int32
	at    wire.Time // when the last counted sighting was
}

// suspects holds the latest suspects.
type suspects struct {
	seen []sighting // a ring once it is full
	next int
	rx   uint32 // next_rx_seq at the first sighting
}

// newSuspects returns an empty list of values (LLR_INITs, start ids) that are not believed before they are
// repeated.
func newSuspects() suspects { return suspects{seen: make([]sighting, 0, suspectsMax)} }

// addSighting counts that x was received once more and reports whether x was received often enough to be believed.
// A change of next_rx_seq (a frame in order) first clears all suspects.
func (s *suspects) addSighting(x suspect, often int32, rx, acked uint32, now wire.Time) bool {
	if rx != s.rx {
		s.forget()
		s.rx = rx
	}
	for i := range s.seen {
		if seen := &s.seen[i]; seen.suspect == x {
			return seen.repeat(often, acked, now)
		}
	}
	s.add(sighting{suspect: x, acked: acked, runs: 1, at: now})
	return false
}

// repeat counts that a suspect value was received again, if at least suspectSpacing after the last time, and
// reports whether it was received often enough to be believed.
func (s *sighting) repeat(often int32, acked uint32, now wire.Time) bool {
	if now.Sub(s.at) < suspectSpacing {
		return false
	}
	s.runs, s.at = s.runs+1, now
	if acked != s.acked {
		often *= suspectDoubt
	}
	return s.runs >= often
}

// add appends a suspect value, or replaces the oldest if the list is full.
func (s *suspects) add(x sighting) {
	if len(s.seen) < cap(s.seen) {
		s.seen = append(s.seen, x)
		return
	}
	s.seen[s.next] = x
	s.next = (s.next + 1) % len(s.seen)
}

// forget removes all suspect values from the list.
func (s *suspects) forget() { s.seen, s.next = s.seen[:0], 0 }
