package control

import (
	"net/http"
	"slices"
)

// getEvents sends the latest events, the oldest first. Those of the data plane and of LLDP are kept apart, so that
// neither pushes out the other's.
func (s *Server) getEvents(w http.ResponseWriter, _ *http.Request) error {
	list := []Event{}
	for _, e := range s.backend.Recent() {
		list = append(list, portEvent(e))
	}
	for _, e := range s.lldp.Recent() {
		list = append(list, lldpPortEvent(e))
	}
	slices.SortStableFunc(list, func(a, b Event) int { return a.Time.Compare(b.Time) })
	return reply(w, http.StatusOK, list)
}
