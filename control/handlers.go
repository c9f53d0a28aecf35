package control

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"uelink/control/api"
	"uelink/control/status"
	"uelink/dataplane/model"
)

func (s *Server) getStatus(w http.ResponseWriter, _ *http.Request) error {
	return reply(w, http.StatusOK, s.judged(time.Now()))
}

// Observe records the present problems, so that each gets the time at which it began.
func (s *Server) Observe(now time.Time) { s.judged(now) }

// judged returns the status of the daemon with a line for each problem. It records which problems are present now, and
// each line says since when its problem has been there.
func (s *Server) judged(now time.Time) api.Status {
	own := s.status
	own.Confirm, own.Troubles, own.Unmet = s.confirmation.Left().Seconds(), []string{}, []api.Unmet{}
	s.condition(&own)
	own.LastReload = s.LastReload()
	agents := ofPort(s.lldp.Interfaces(), "", nil, api.NewLLDPInterface)
	neighbors := ofPort(s.lldp.Neighbors(), "", nil, api.NewLLDPNeighbor)
	lines := status.Judge(s.ports(), agents, neighbors, own.Unmet, own.Troubles...)
	s.onsets.Update(lines, now)
	s.onsets.Mark(lines, now)
	own.Lines = status.Lines(lines)
	return own
}

// postConfirm confirms the start or the reload that waits for confirmation.
func (s *Server) postConfirm(w http.ResponseWriter, r *http.Request) error {
	if err := noBody(r); err != nil {
		return err
	}
	if !s.confirmation.Confirm() {
		return &api.Error{Status: http.StatusConflict,
			Message: "there is nothing to confirm: the daemon was not started with " +
				"--confirm, or all was confirmed already, or the time is over"}
	}
	s.log.Info("confirmed over the control socket: the configuration stays in force")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// ports returns a snapshot of every port, those of role host included, sorted by name.
func (s *Server) ports() []api.Port {
	return s.labelled(api.WithHosts(api.NewPorts(s.backend.Ports()), s.lldp.Interfaces()))
}

// port returns a snapshot of the port named in the request's path.
func (s *Server) port(r *http.Request) (api.Port, error) { return s.portNamed(r.PathValue("port")) }

// link returns a snapshot of the link port named in the request's path.
func (s *Server) link(r *http.Request) (api.Port, error) { return s.linkNamed(r.PathValue("port")) }

func (s *Server) getPorts(w http.ResponseWriter, r *http.Request) error {
	want, err := labelsQuery(r)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, withLabels(s.ports(), want))
}

func (s *Server) getWorkers(w http.ResponseWriter, _ *http.Request) error {
	return reply(w, http.StatusOK, s.backend.Workers())
}

func (s *Server) getPort(w http.ResponseWriter, r *http.Request) error {
	p, err := s.port(r)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, p)
}

// replyLinks answers with a JSON list of the results of view for every link port.
func replyLinks[T any](s *Server, w http.ResponseWriter, view func(api.Port) T) error {
	views := []T{}
	for _, p := range s.ports() {
		if p.LLR != nil {
			views = append(views, view(p))
		}
	}
	return reply(w, http.StatusOK, views)
}

func (s *Server) getLLRInterfaces(w http.ResponseWriter, _ *http.Request) error {
	return replyLinks(s, w, api.NewLLRInterface)
}

func (s *Server) getLLRCounters(w http.ResponseWriter, _ *http.Request) error {
	return replyLinks(s, w, api.NewLLRCounters)
}

// getLLRInterface answers with the LLR side of a link.
// Clauses: SAI-LLR/port.5, SAI-LLR/workflow.3.
func (s *Server) getLLRInterface(w http.ResponseWriter, r *http.Request) error {
	p, err := s.link(r)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, api.NewLLRInterface(p))
}

// getLLRCountersOf answers with the LLR counters of a link.
// Clauses: SAI-LLR/workflow.4.
func (s *Server) getLLRCountersOf(w http.ResponseWriter, r *http.Request) error {
	p, err := s.link(r)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, api.NewLLRCounters(p))
}

func (s *Server) getLLRProfiles(w http.ResponseWriter, _ *http.Request) error {
	profiles := []api.LLRProfile{}
	for name, p := range s.backend.Profiles() {
		profiles = append(profiles, api.NewLLRProfile(name, p))
	}
	slices.SortFunc(profiles, func(a, b api.LLRProfile) int { return strings.Compare(a.Name, b.Name) })
	return reply(w, http.StatusOK, profiles)
}

// getLLRProfile answers with the LLR profile in the path. The error for an unknown one lists the profiles.
func (s *Server) getLLRProfile(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	p, ok := s.backend.Profiles()[name]
	if !ok {
		names := strings.Join(slices.Sorted(maps.Keys(s.backend.Profiles())), ", ")
		text := fmt.Sprintf("profile %s: no such LLR profile: the profiles are %s", name, names)
		return &api.Error{Status: http.StatusNotFound, Message: text, Field: "name"}
	}
	return reply(w, http.StatusOK, api.NewLLRProfile(name, p))
}

// postLLRLocal switches LLR_MODE_LOCAL of a link.
// Clauses: SAI-LLR/port.3.
func (s *Server) postLLRLocal(w http.ResponseWriter, r *http.Request) error {
	return s.enable(w, r, "LLR_MODE_LOCAL", s.backend.SetLLRLocal)
}

// postLLRRemote switches LLR_MODE_REMOTE of a link.
// Clauses: SAI-LLR/port.3.
func (s *Server) postLLRRemote(w http.ResponseWriter, r *http.Request) error {
	return s.enable(w, r, "LLR_MODE_REMOTE", s.backend.SetLLRRemote)
}

// enable handles a request to switch an LLR mode: it calls set with the link port in the path and the value in the
// body, and logs the change.
func (s *Server) enable(w http.ResponseWriter, r *http.Request, mode string, set func(string, bool) error) error {
	var body api.Enable
	if err := decode(w, r, &body); err != nil {
		return err
	}
	if body.Enabled == nil {
		return badRequest("enabled", "body: enabled is missing")
	}
	p, err := s.link(r)
	if err != nil {
		return err
	}
	if err := set(p.Name, *body.Enabled); err != nil {
		return err
	}
	s.log.Info("LLR mode set over the control socket", zap.String("port", p.Name), zap.String("mode", mode),
		zap.Bool("enabled", *body.Enabled))
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// postLLRReinit initialises the transmitter of a link again.
func (s *Server) postLLRReinit(w http.ResponseWriter, r *http.Request) error {
	if err := noBody(r); err != nil {
		return err
	}
	p, err := s.link(r)
	if err != nil {
		return err
	}
	if err := s.backend.ReinitLLR(p.Name); err != nil {
		return err
	}
	s.log.Info("LLR re-initialised over the control socket", zap.String("port", p.Name))
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// deleteLLRCounters sets the counters of the port in the request's path to 0, or of all ports if the path has
// none.
func (s *Server) deleteLLRCounters(w http.ResponseWriter, r *http.Request) error {
	if err := noBody(r); err != nil {
		return err
	}
	port := r.PathValue("port")
	if port != "" {
		var err error
		if port, err = s.framesNamed(port); err != nil {
			return err
		}
	}
	if err := s.backend.ClearCounters(port); err != nil {
		return err
	}
	s.log.Info("counters cleared over the control socket", zap.String("port", port))
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Server) getLogLevel(w http.ResponseWriter, _ *http.Request) error {
	return reply(w, http.StatusOK, api.LogLevel{Level: s.level.Level().String()})
}

// putLogLevel sets the level of the log.
func (s *Server) putLogLevel(w http.ResponseWriter, r *http.Request) error {
	var body api.LogLevel
	if err := decode(w, r, &body); err != nil {
		return err
	}
	level, err := zapcore.ParseLevel(body.Level)
	if err != nil || !slices.Contains(api.LogLevels(), body.Level) {
		return badRequest("level", "level %q: one of %s is wanted", body.Level, strings.Join(api.LogLevels(), ", "))
	}
	s.level.SetLevel(level)
	s.log.Info("log level set over the control socket", zap.String("level", body.Level))
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// getSwitchTrimming answers with packet trimming and the ports that trim or have trimmed.
func (s *Server) getSwitchTrimming(w http.ResponseWriter, _ *http.Request) error {
	out := api.NewSwitchTrimming(s.backend.Trimming())
	for _, p := range s.backend.Ports() {
		if p.Trimming.Queues != 0 || p.Counters.TrimCounters != (model.TrimCounters{}) {
			out.Ports = append(out.Ports, api.NewPortTrimming(p))
		}
	}
	slices.SortFunc(out.Ports, func(a, b api.PortTrimming) int { return strings.Compare(a.Port, b.Port) })
	return reply(w, http.StatusOK, out)
}
