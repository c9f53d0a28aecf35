package control

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"uelink/control/api"
	"uelink/dataplane"
	"uelink/dataplane/model"
)

// bridges is a snapshot of every bridge, by name.
type bridges []model.BridgeState

// bridgeHandlers answers requests about bridges and their tables.
type bridgeHandlers struct{ s *Server }

func (h bridgeHandlers) bridges() bridges {
	sorted := h.s.backend.Bridges()
	slices.SortFunc(sorted, func(a, b model.BridgeState) int { return strings.Compare(a.Name, b.Name) })
	return sorted
}

// named returns the bridge with a name. The error for an unknown name lists the bridges.
func (all bridges) named(name string) (model.BridgeState, error) {
	i := slices.IndexFunc(all, func(b model.BridgeState) bool { return b.Name == name })
	if i < 0 {
		return model.BridgeState{}, fmt.Errorf("bridge %s: %w: %s", name, model.ErrNoBridge, all.names())
	}
	return all[i], nil
}

// port returns the bridge port with a name, and its bridge; found is false if no bridge has the port.
func (all bridges) port(name string) (b model.BridgeState, p model.BridgePortState, found bool) {
	for _, b := range all {
		if i := slices.IndexFunc(b.Ports, func(p model.BridgePortState) bool { return p.Port == name }); i >= 0 {
			return b, b.Ports[i], true
		}
	}
	return b, p, false
}

const noBridges = "no bridge is configured: add one to bridges in the configuration"

// names returns a sentence that lists the names of all bridges, for error messages.
func (all bridges) names() string {
	if len(all) == 0 {
		return noBridges
	}
	var names []string
	for _, b := range all {
		names = append(names, b.Name)
	}
	return "the bridges are " + strings.Join(names, ", ")
}

// portNames returns a sentence that lists the names of all ports of bridges, for error messages.
func (all bridges) portNames() string {
	if len(all) == 0 {
		return noBridges
	}
	var names []string
	for _, b := range all {
		for _, p := range b.Ports {
			names = append(names, p.Port)
		}
	}
	slices.Sort(names)
	return "the ports of bridges are " + strings.Join(names, ", ")
}

// bridgePort returns a bridge port, given by its name or interface, and its bridge. Errors: an unknown port, and a
// port that is not in the bridge named in ("" allows any bridge).
func (h bridgeHandlers) bridgePort(port, in string) (b model.BridgeState, p model.BridgePortState, err error) {
	all := h.bridges()
	if in != "" {
		if _, err := all.named(in); err != nil {
			return b, p, err
		}
	}
	name, ok := find(namesOf(h.s.ports()), port)
	if !ok {
		return b, p, fmt.Errorf("port %s: %w: %s", port, dataplane.ErrNoPort, all.portNames())
	}
	port = name
	b, p, found := all.port(port)
	if !found {
		return b, p, fmt.Errorf("port %s: %w: %s", port, model.ErrNotBridged, all.portNames())
	}
	if in != "" && in != b.Name {
		text := fmt.Sprintf("port %s is in bridge %s, not in %s", port, b.Name, in)
		return b, p, &api.Error{Status: http.StatusConflict, Message: text, Field: "bridge"}
	}
	return b, p, nil
}

// bridgePortName returns the name of a bridge port that is given by its name or its interface, "" for "". Errors: an
// unknown bridge or port.
func (h bridgeHandlers) bridgePortName(bridge, port string) (name string, err error) {
	if port != "" {
		_, p, err := h.bridgePort(port, bridge)
		return p.Port, err
	}
	if bridge == "" {
		return "", nil
	}
	_, err = h.bridges().named(bridge)
	return "", err
}

func (h bridgeHandlers) getBridges(w http.ResponseWriter, _ *http.Request) error {
	list := []api.Bridge{}
	for _, b := range h.bridges() {
		list = append(list, api.NewBridge(b))
	}
	return reply(w, http.StatusOK, list)
}

func (h bridgeHandlers) getBridge(w http.ResponseWriter, r *http.Request) error {
	b, err := h.bridges().named(r.PathValue("bridge"))
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, api.NewBridge(b))
}

// getVLANs answers a request with the VLANs of bridge ports that its query selects. It leaves out the ports of
// bridges that do not filter VLANs, and ports without the queried VLAN.
func (h bridgeHandlers) getVLANs(w http.ResponseWriter, r *http.Request) error {
	q, err := vlanQuery(r)
	if err != nil {
		return err
	}
	if q.Port, err = h.bridgePortName("", q.Port); err != nil {
		return err
	}
	return reply(w, http.StatusOK, h.bridges().vlans(q))
}

// vlans returns, for each bridge port that q selects, the VLANs that q selects, sorted by port.
func (all bridges) vlans(q api.VLANQuery) []api.PortVLANs {
	list := []api.PortVLANs{}
	for _, b := range all {
		for _, p := range b.Ports {
			if !b.Settings.VLANFiltering || q.Port != "" && q.Port != p.Port {
				continue
			}
			if vlans := chooseVLANs(q, api.VLANsOf(p.Settings)); len(vlans) > 0 {
				list = append(list, api.PortVLANs{IfName: p.Port, VLANs: vlans})
			}
		}
	}
	slices.SortFunc(list, func(a, b api.PortVLANs) int { return strings.Compare(a.IfName, b.IfName) })
	return list
}

// chooseVLANs returns those VLANs of a port's list that q selects, consecutive VLANs joined if q asks for that.
func chooseVLANs(q api.VLANQuery, list []api.VLAN) []api.VLAN {
	if q.Compressed {
		list = api.Ranges(list)
	}
	return slices.DeleteFunc(list, func(v api.VLAN) bool {
		return q.VLAN != 0 && (q.VLAN < v.VLAN || q.VLAN > api.LastVLAN(v))
	})
}
