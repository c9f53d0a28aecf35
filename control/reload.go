package control

import (
	"errors"
	"net/http"

	"uelink/control/api"
)

// Reloader is a daemon that can read its configuration file again.
type Reloader interface {
	// Reload reads the file again and returns the outcome, which may be a refusal; or an error if the daemon is busy.
	Reload() (api.Reload, error)
}

// unchanging is a daemon without a configuration file.
type unchanging struct{}

func (unchanging) Reload() (api.Reload, error) {
	return api.Reload{}, errors.New("this daemon has no configuration file")
}

// SetReloader sets the part of the daemon that reads the configuration file again on a request to reload. Call
// SetReloader before Serve.
func (s *Server) SetReloader(r Reloader) { s.reloader = r }

// postReload handles the request to read the configuration file again.
func (s *Server) postReload(w http.ResponseWriter, r *http.Request) error {
	if err := noBody(r); err != nil {
		return err
	}
	done, err := s.reloader.Reload()
	if err != nil {
		return &api.Error{Status: http.StatusConflict, Message: err.Error()}
	}
	return reply(w, http.StatusOK, done)
}

// Reloaded records the outcome of the latest reload for clients.
func (s *Server) Reloaded(r api.Reload) { s.lastReload.Store(&r) }

// LastReload returns the outcome of the latest reload; nil if this process has read the file only once.
func (s *Server) LastReload() *api.Reload { return s.lastReload.Load() }
