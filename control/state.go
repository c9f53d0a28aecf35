package control

import (
	"net/http"

	"uelink/control/api"
)

// getState responds with the saved state of the protocol machines of every port, as text.
func (s *Server) getState(w http.ResponseWriter, _ *http.Request) error {
	list := []api.SavedState{}
	for _, saved := range s.backend.SavedStates() {
		list = append(list, api.SavedState{Port: saved.Port, State: saved.Text})
	}
	return reply(w, http.StatusOK, list)
}
