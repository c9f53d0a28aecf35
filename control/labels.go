package control

import (
	"net/http"
	"slices"

	"uelink/control/api"
	"uelink/dataplane/model"
)

// SetLabels sets the labels of ports, by the port's name. It may be called from any goroutine.
func (s *Server) SetLabels(labels map[string]model.Labels) { s.labels.Store(&labels) }

// labelled sets the labels of each port that has labels in the configuration, in place, and returns the list.
func (s *Server) labelled(ports []api.Port) []api.Port {
	labels := s.labels.Load()
	if labels == nil {
		return ports
	}
	for i := range ports {
		if l, ok := (*labels)[ports[i].Name]; ok {
			ports[i].Labels = &l
		}
	}
	return ports
}

// labelsQuery returns the labels in a query.
func labelsQuery(r *http.Request) (l model.Labels, err error) {
	given, err := parameters(r, "owner", "container", "ifname", "network")
	if err != nil {
		return l, err
	}
	return model.Labels{Owner: given.Get("owner"), Container: given.Get("container"), IfName: given.Get("ifname"),
		Network: given.Get("network")}, nil
}

// withLabels returns the ports that have the wanted labels.
func withLabels(ports []api.Port, want model.Labels) []api.Port {
	if want == (model.Labels{}) {
		return ports
	}
	return slices.DeleteFunc(ports, func(p api.Port) bool { return p.Labels == nil || !p.Labels.Match(want) })
}
