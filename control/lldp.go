package control

import (
	"net/http"

	"go.uber.org/zap"

	"uelink/control/api"
	"uelink/lldp"
	"uelink/lldp/agent"
)

// LLDP is the part of station.Agents that the server uses. Errors that wrap station.ErrNoPort become 404.
type LLDP interface {
	// Interfaces returns the agents, by port and destination.
	Interfaces() []agent.Interface
	// Neighbors returns the neighbours, by port, destination and age.
	Neighbors() []agent.Neighbor
	// Statistics returns the counters of every agent.
	Statistics() []agent.Statistics
	// Chassis returns the LLDP data of the local station.
	Chassis() lldp.Local
	// DCBX returns the state of DCBX on every port that runs it, sorted by port.
	DCBX() []agent.DCBX
	// ClearCounters sets the counters of a port to 0, or of all ports if port is "".
	ClearCounters(port string) error
	// Subscribe delivers events until the returned function is called.
	Subscribe() (<-chan agent.Event, func())
	// Recent returns the latest events, the oldest first.
	Recent() []agent.Event
}

// ofPort returns the results of object for the elements of all that belong to a port (by portName), or for all elements
// if port is "".
func ofPort[From, To any](all []From, port string, portName func(From) string, object func(From) To) []To {
	list := []To{}
	for _, element := range all {
		if port == "" || portName(element) == port {
			list = append(list, object(element))
		}
	}
	return list
}

// lldpHandlers answers requests about LLDP and DCBX.
type lldpHandlers struct{ s *Server }

// lldpPort returns the name of the port in the request's path, "" if the path has none. A port without LLDP is an
// error.
func (h lldpHandlers) lldpPort(r *http.Request) (string, error) {
	if port := r.PathValue("port"); port != "" {
		return h.s.lldpNamed(port)
	}
	return "", nil
}

func (h lldpHandlers) getLLDPInterfaces(w http.ResponseWriter, r *http.Request) error {
	port, err := h.lldpPort(r)
	if err != nil {
		return err
	}
	portName := func(i agent.Interface) string { return i.Port }
	return reply(w, http.StatusOK, ofPort(h.s.lldp.Interfaces(), port, portName, api.NewLLDPInterface))
}

func (h lldpHandlers) getLLDPNeighbors(w http.ResponseWriter, r *http.Request) error {
	port, err := h.lldpPort(r)
	if err != nil {
		return err
	}
	portName := func(n agent.Neighbor) string { return n.Port }
	return reply(w, http.StatusOK, ofPort(h.s.lldp.Neighbors(), port, portName, api.NewLLDPNeighbor))
}

func (h lldpHandlers) getLLDPStatistics(w http.ResponseWriter, r *http.Request) error {
	port, err := h.lldpPort(r)
	if err != nil {
		return err
	}
	portName := func(c agent.Statistics) string { return c.Port }
	return reply(w, http.StatusOK, ofPort(h.s.lldp.Statistics(), port, portName, api.NewLLDPStatistics))
}

func (h lldpHandlers) getLLDPChassis(w http.ResponseWriter, _ *http.Request) error {
	return reply(w, http.StatusOK, api.NewLLDPChassis(h.s.lldp.Chassis()))
}

// getDCBX answers with the state of DCBX on the port in the request's path, or on all ports with DCBX. A port
// without DCBX is an error.
func (h lldpHandlers) getDCBX(w http.ResponseWriter, r *http.Request) error {
	port, err := h.lldpPort(r)
	if err != nil {
		return err
	}
	list := ofPort(h.s.lldp.DCBX(), port, func(d agent.DCBX) string { return d.Port }, api.NewDCBX)
	if port != "" && len(list) == 0 {
		return h.s.noDCBX(port)
	}
	return reply(w, http.StatusOK, list)
}

// deleteLLDPStatistics sets the LLDP counters of the port in the request's path to 0, or of all ports if the path
// has none.
func (h lldpHandlers) deleteLLDPStatistics(w http.ResponseWriter, r *http.Request) error {
	if err := noBody(r); err != nil {
		return err
	}
	port, err := h.lldpPort(r)
	if err != nil {
		return err
	}
	if err := h.s.lldp.ClearCounters(port); err != nil {
		return err
	}
	h.s.log.Info("LLDP counters cleared over the control socket", zap.String("port", port))
	w.WriteHeader(http.StatusNoContent)
	return nil
}
