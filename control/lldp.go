package control

import (
	"fmt"
	"net/http"
	"slices"

	"go.uber.org/zap"

	"uelink/lldp/agent"
)

// LLDP is the part of agent.Agents that the server speaks for. Errors that wrap
// agent.ErrNoPort become 404.
type LLDP interface {
	// Interfaces are the agents, by port and destination.
	Interfaces() []agent.Interface
	// Neighbors are the neighbours, by port, destination and age.
	Neighbors() []agent.Neighbor
	// Statistics are the counters of every agent.
	Statistics() []agent.Statistics
	// Chassis is what the station says of itself.
	Chassis() agent.Chassis
	// DCBX is DCBX on every port that has it, by port.
	DCBX() []agent.DCBX
	// ClearCounters sets the counters of one port to 0, or of all if port is "".
	ClearCounters(port string) error
	// Subscribe gives events as they happen until the returned function is called.
	Subscribe() (<-chan agent.Event, func())
}

// replyLLDP sends those objects of all that are of the port that the path names,
// or all when it names none: a list in either case.
func replyLLDP[T any](s *Server, w http.ResponseWriter, r *http.Request, all []T, port func(T) string) error {
	name := r.PathValue("port")
	if name == "" {
		return reply(w, http.StatusOK, all)
	}
	if !slices.ContainsFunc(s.lldp.Interfaces(), func(i agent.Interface) bool { return i.Port == name }) {
		return fmt.Errorf("port %s: %w", name, agent.ErrNoPort)
	}
	others := func(one T) bool { return port(one) != name }
	return reply(w, http.StatusOK, slices.DeleteFunc(all, others))
}

func (s *Server) getLLDPInterfaces(w http.ResponseWriter, r *http.Request) error {
	return replyLLDP(s, w, r, s.lldp.Interfaces(), func(i agent.Interface) string { return i.Port })
}

func (s *Server) getLLDPNeighbors(w http.ResponseWriter, r *http.Request) error {
	return replyLLDP(s, w, r, s.lldp.Neighbors(), func(n agent.Neighbor) string { return n.Port })
}

func (s *Server) getLLDPStatistics(w http.ResponseWriter, r *http.Request) error {
	return replyLLDP(s, w, r, s.lldp.Statistics(), func(c agent.Statistics) string { return c.Port })
}

func (s *Server) getLLDPChassis(w http.ResponseWriter, _ *http.Request) error {
	return reply(w, http.StatusOK, s.lldp.Chassis())
}

// getDCBX tells a port without DCBX apart from one that has it.
func (s *Server) getDCBX(w http.ResponseWriter, r *http.Request) error {
	all, name := s.lldp.DCBX(), r.PathValue("port")
	has := slices.ContainsFunc(all, func(d agent.DCBX) bool { return d.Port == name })
	lldp := slices.ContainsFunc(s.lldp.Interfaces(), func(i agent.Interface) bool { return i.Port == name })
	if lldp && !has {
		return &Error{Status: http.StatusConflict, Message: fmt.Sprintf("port %s: DCBX is off: set its dcbx.mode to on", name), Field: "port"}
	}
	return replyLLDP(s, w, r, all, func(d agent.DCBX) string { return d.Port })
}

// deleteLLDPStatistics clears the counters of the port that the path names, or of
// all when it names none.
func (s *Server) deleteLLDPStatistics(w http.ResponseWriter, r *http.Request) error {
	if err := noBody(r); err != nil {
		return err
	}
	port := r.PathValue("port")
	if err := s.lldp.ClearCounters(port); err != nil {
		return err
	}
	s.log.Info("LLDP counters cleared by control", zap.String("port", port))
	w.WriteHeader(http.StatusNoContent)
	return nil
}
