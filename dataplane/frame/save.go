package frame

import "uelink/internal/snapshot"

// PassState saves to snapshot s, or restores from it, the places that hold joined frames, and the frame whose further
// chunks have not arrived.
func (j *Joiner) PassState(s *snapshot.State) {
	free := make([]uint32, j.geometry.Places)
	n := copy(free, j.free.free)
	snapshot.Number(s, "free", &n)
	if s.Check(n >= 0 && n <= len(free), "the handed-over state has %d free places (buffers for frames of "+
		"several chunks), and this process has only %d", n, len(free)); !s.Valid() {
		return
	}
	snapshot.Numbers(s, "free_places", free[:n])
	snapshot.Number(s, "state", &j.state)
	snapshot.Number(s, "place", &j.place)
	snapshot.Number(s, "length", &j.length)
	tooLong, noPlace := j.tooLong.Load(), j.noPlace.Load()
	snapshot.Number(s, "too_long", &tooLong)
	snapshot.Number(s, "no_place", &noPlace)
	j.tooLong.Store(tooLong)
	j.noPlace.Store(noPlace)
	for _, place := range free[:n] {
		s.Check(int(place) < j.geometry.Places, "the handed-over state calls place %d (a buffer for frames of "+
			"several chunks) free, and this process has no such place", place)
	}
	s.Check(j.state <= joinDiscard && j.length >= 0 && j.length <= j.geometry.SlotSize() &&
		int(j.place) < j.geometry.Places, "handed-over frame in several chunks: join state %d, %d octets, "+
		"place %d: one of these numbers is out of range", j.state, j.length, j.place)
	if s.Restoring() {
		j.free.free = append(j.free.free[:0], free[:n]...)
	}
}
