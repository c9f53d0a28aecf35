package control

import (
	"net/http"

	"uelink/control/api"
)

// Configured is a daemon that can say what is in force, as a configuration.
type Configured interface {
	Configuration() (api.Configuration, error)
}

// SetConfigured gives the server access to the daemon's configuration, which clients may read. Call it before Serve.
func (s *Server) SetConfigured(c Configured) { s.configured = c }

// getConfiguration responds with the daemon's configuration file and its text with the changes in force. A daemon
// without a configuration file is an error (409).
func (s *Server) getConfiguration(w http.ResponseWriter, _ *http.Request) error {
	if s.configured == nil {
		return &api.Error{Status: http.StatusConflict, Message: "this daemon has no configuration file"}
	}
	c, err := s.configured.Configuration()
	if err != nil {
		return err
	}
	c.File = s.status.Config
	if c.Lost == nil {
		c.Lost = []string{}
	}
	return reply(w, http.StatusOK, c)
}
