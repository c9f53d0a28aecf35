package control

import (
	"net/http"
	"slices"
	"strings"

	"uelink/dataplane/path"
)

func (s *Server) getSwitchTrimming(w http.ResponseWriter, _ *http.Request) error {
	out := NewSwitchTrimming(s.backend.Trimming())
	for _, p := range s.backend.Ports() {
		if p.Trimming.Queues != 0 || p.Counters.TrimCounters != (path.TrimCounters{}) {
			out.Ports = append(out.Ports, portTrimming(p))
		}
	}
	slices.SortFunc(out.Ports, func(a, b PortTrimming) int { return strings.Compare(a.Port, b.Port) })
	return reply(w, http.StatusOK, out)
}
