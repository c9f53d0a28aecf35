package control

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"uelink/dataplane"
)

func (s *Server) getSwitchTrimming(w http.ResponseWriter, _ *http.Request) error {
	state, err := s.backend.Trimming()
	if err != nil {
		return fmt.Errorf("state of trimming: %w", err)
	}
	ports, err := s.backend.Ports()
	if err != nil {
		return fmt.Errorf("state of the ports: %w", err)
	}
	out := NewSwitchTrimming(state)
	for _, p := range ports {
		if p.Trimming.Queues != 0 || p.Counters.TrimCounters != (dataplane.TrimCounters{}) {
			out.Ports = append(out.Ports, portTrimming(p))
		}
	}
	slices.SortFunc(out.Ports, func(a, b PortTrimming) int { return strings.Compare(a.Port, b.Port) })
	return reply(w, http.StatusOK, out)
}
