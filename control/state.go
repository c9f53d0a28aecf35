package control

import (
	"net/http"

	"uelink/control/api"
)

// getState sends the state of every port's machines.
func (s *Server) getState(w http.ResponseWriter, _ *http.Request) error {
	list := []api.SavedState{}
	for _, saved := range s.backend.SavedStates() {
		list = append(list, api.SavedState{Port: saved.Port, State: saved.Text})
	}
	return reply(w, http.StatusOK, list)
}
