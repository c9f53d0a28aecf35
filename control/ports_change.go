package control

import (
	"errors"
	"net/http"

	"uelink/control/api"
)

// PortChanger is a daemon whose ports can be changed while it runs.
type PortChanger interface {
	// AddPorts adds a group of ports, or replaces the group with the same name.
	AddPorts(a api.PortAddition, caller Caller) (api.PortsChanged, error)
	// SetPort sets keys of a port that the API has added; a key with the value null is removed.
	SetPort(port string, keys map[string]any, caller Caller) (api.PortsChanged, error)
	// RemovePorts removes a group of ports, by its name or by a port in it.
	RemovePorts(name string, caller Caller) (api.PortsChanged, error)
}

// fixed is a daemon whose ports cannot be changed.
type fixed struct{}

var errFixed = &api.Error{Status: http.StatusConflict, Message: "the ports of this daemon cannot be changed"}

func (fixed) AddPorts(api.PortAddition, Caller) (c api.PortsChanged, err error) { return c, errFixed }
func (fixed) SetPort(string, map[string]any, Caller) (c api.PortsChanged, err error) {
	return c, errFixed
}
func (fixed) RemovePorts(string, Caller) (c api.PortsChanged, err error) { return c, errFixed }

// portHandlers answers requests that change the ports.
type portHandlers struct{ s *Server }

// postPorts handles the request to add ports.
func (h portHandlers) postPorts(w http.ResponseWriter, r *http.Request) error {
	var a api.PortAddition
	if err := decode(w, r, &a); err != nil {
		return err
	}
	return h.changePorts(w, r, func(caller Caller) (api.PortsChanged, error) { return h.s.changer.AddPorts(a, caller) })
}

// patchPort handles the request to set keys of a port.
func (h portHandlers) patchPort(w http.ResponseWriter, r *http.Request) error {
	var keys api.PortKeys
	if err := decode(w, r, &keys); err != nil {
		return err
	}
	return h.changePorts(w, r, func(caller Caller) (api.PortsChanged, error) {
		return h.s.changer.SetPort(r.PathValue("port"), keys.Set, caller)
	})
}

// deletePort handles the request to remove ports.
func (h portHandlers) deletePort(w http.ResponseWriter, r *http.Request) error {
	return h.changePorts(w, r, func(caller Caller) (api.PortsChanged, error) {
		return h.s.changer.RemovePorts(r.PathValue("port"), caller)
	})
}

// changePorts answers a request with the outcome of a change of ports.
func (h portHandlers) changePorts(
	w http.ResponseWriter, r *http.Request, change func(Caller) (api.PortsChanged, error),
) error {
	caller, err := callerOf(r)
	if err != nil {
		return err
	}
	done, err := change(caller)
	var refused *api.Error
	switch {
	case errors.As(err, &refused):
		return refused
	case err != nil:
		return &api.Error{Status: http.StatusConflict, Message: err.Error()}
	}
	return reply(w, http.StatusOK, done)
}
