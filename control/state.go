package control

import (
	"context"
	"net/http"
)

// SavedState is the state of a port's protocol machines, for a bug report.
type SavedState struct {
	Port  string `json:"port"`
	State string `json:"state"` // text: a line for each field that is not zero
}

// getState sends the state of every port's machines.
func (s *Server) getState(w http.ResponseWriter, _ *http.Request) error {
	list := []SavedState{}
	for _, saved := range s.backend.SavedStates() {
		list = append(list, SavedState{Port: saved.Port, State: saved.Text})
	}
	return reply(w, http.StatusOK, list)
}

// SavedStates returns the state of every port's protocol machines, by port.
func (c *Client) SavedStates(ctx context.Context) ([]SavedState, error) {
	return get[[]SavedState](ctx, c, "/v1/state")
}
