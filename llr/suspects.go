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
	nonce  [2]byte // init_data of an LLR_INIT; zero for a start id
	number uint32  // init_seq of an LLR_INIT, or the start id
}

// sighting counts how often a suspect was seen.
type sighting struct {
	suspect
	acked uint32    // acked_seq at the first sighting
	runs  int32     // sightings counted
	at    wire.Time // when the last counted sighting was
}

// suspects holds the latest suspects.
type suspects struct {
	seen []sighting // the latest suspects; once it is full, a ring
	next int        // index in the full ring of the oldest, which is replaced next
	rx   uint32     // next_rx_seq at the first sighting
}

// newSuspects returns an empty list of suspects: messages (LLR_INITs, start ids) that are believed only after several
// repetitions.
func newSuspects() suspects { return suspects{seen: make([]sighting, 0, suspectsMax)} }

// addSighting records that suspect x was received: a message (LLR_INIT, start id) that claims to come from the
// partner but does not fit its known state. It returns true once x was received often times, more if acknowledgements
// (acked) came in between, and so must be believed. A frame in order, which changes next_rx_seq (rx), first clears
// all suspects.
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

// repeat records that a suspect message was received again, unless less than suspectSpacing has passed since the last
// time. It returns true once the message was received often times; more are needed if acked has changed since the
// first.
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

// add appends a suspect message, received once, to the list; in a full list it replaces the oldest.
func (s *suspects) add(x sighting) {
	if len(s.seen) < cap(s.seen) {
		s.seen = append(s.seen, x)
		return
	}
	s.seen[s.next] = x
	s.next = (s.next + 1) % len(s.seen)
}

// forget removes all suspect messages from the list.
func (s *suspects) forget() { s.seen, s.next = s.seen[:0], 0 }
