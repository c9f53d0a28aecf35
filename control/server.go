package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"uelink/lldp/agent"
	"uelink/sai"
)

// Bounds on the resources of a client.
const (
	headerTimeout = 5 * time.Second  // for the header of a request to arrive
	bodyTimeout   = 10 * time.Second // for a whole request to arrive
	answerTimeout = 20 * time.Second // from a request until its answer was sent; a watch has a limit of its own
	idleTimeout   = 60 * time.Second // of a connection between requests
	headerMax     = 8 << 10          // octets
)

// Server answers the requests for one daemon.
type Server struct {
	backend Backend
	lldp    LLDP
	log     *zap.Logger
	level   zap.AtomicLevel
	status  Status
	http    *http.Server
	stop    context.CancelFunc
	stopped context.Context // done when watches end
	left    atomic.Bool     // another process has taken over
	watch   watchLimits
	files   files

	confirmation Confirmation
	upgrader     Upgrader
	sai          *sai.Store // nil: no objects
	history      History

	watching   atomic.Int64 // watchers
	events     feed         // of the data plane and of LLDP
	lldpEvents feed         // of LLDP, in full
}

// NewServer returns a server of the API for backend and lldp, with the log level and the status of the daemon. It
// logs every change that clients ask for.
func NewServer(backend Backend, lldp LLDP, log *zap.Logger, level zap.AtomicLevel, status Status) *Server {
	s := &Server{backend: backend, lldp: lldp, log: log, level: level, status: status, confirmation: settled{},
		upgrader: staying{}, history: nothing{}}
	s.stopped, s.stop = context.WithCancel(context.Background())
	s.files.log = log
	s.limit(defaultWatchLimits)
	s.http = &http.Server{
		Handler:           s.routes(),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       bodyTimeout,
		WriteTimeout:      answerTimeout,
		IdleTimeout:       idleTimeout,
		ConnState:         s.files.follow,
		ConnContext:       withPeer,
		MaxHeaderBytes:    headerMax,
		ErrorLog:          zap.NewStdLog(log),
	}
	return s
}

// limit makes the feeds of events for watching clients, and sets how many clients may watch and how many events
// wait for each client.
func (s *Server) limit(w watchLimits) {
	s.watch = w
	lldp := func(convert func(agent.Event) Event) source { return from(s.lldp.Subscribe, convert) }
	s.events = feed{size: w.queue, sources: []source{from(s.backend.Subscribe, PortEvent), lldp(LLDPEvent)}}
	s.lldpEvents = feed{size: w.queue, sources: []source{lldp(lldpEvent)}}
}

// Confirmation is the state of a daemon that takes its start, or a reload, back unless it is confirmed in time.
type Confirmation interface {
	// Confirm confirms, and reports whether there was something to confirm and the time was not over.
	Confirm() bool
	// Left returns the time that is left; 0 if there is nothing to confirm.
	Left() time.Duration
}

// settled has nothing to confirm.
type settled struct{}

func (settled) Confirm() bool       { return false }
func (settled) Left() time.Duration { return 0 }

// AwaitConfirmation gives the server the state of the wait for "uelink confirm", which it shows and confirms for
// clients. Call it before Serve.
func (s *Server) AwaitConfirmation(c Confirmation) { s.confirmation = c }

// Serve answers requests that arrive at l until Shutdown. It closes l, which removes the socket.
func (s *Server) Serve(l net.Listener) error {
	defer s.files.close()
	if err := s.http.Serve(s.files.listener(l)); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("control socket %s: %w", l.Addr(), err)
	}
	return nil
}

// Upgraded makes Shutdown tell watchers that another process has taken over.
func (s *Server) Upgraded() { s.left.Store(true) }

// Shutdown ends watches with a last event, lets requests finish until ctx ends, and makes Serve return.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stop()
	if err := s.http.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("control socket: stop: %w", err), s.http.Close())
	}
	return nil
}

// handler answers one request, or returns the error to answer with.
type handler func(http.ResponseWriter, *http.Request) error

// methods has the handlers of one path.
type methods map[string]handler

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for path, m := range map[string]methods{
		"/v1/status":                       {http.MethodGet: s.getStatus},
		"/v1/confirm":                      {http.MethodPost: s.postConfirm},
		"/v1/upgrade":                      {http.MethodPost: s.postUpgrade},
		"/v1/ports":                        {http.MethodGet: s.getPorts},
		"/v1/ports/{port}":                 {http.MethodGet: s.getPort},
		"/v1/llr/interfaces":               {http.MethodGet: s.getLLRInterfaces},
		"/v1/llr/interfaces/{port}":        {http.MethodGet: s.getLLRInterface},
		"/v1/llr/interfaces/{port}/local":  {http.MethodPost: s.postLLRLocal},
		"/v1/llr/interfaces/{port}/remote": {http.MethodPost: s.postLLRRemote},
		"/v1/llr/interfaces/{port}/reinit": {http.MethodPost: s.postLLRReinit},
		"/v1/llr/profiles":                 {http.MethodGet: s.getLLRProfiles},
		"/v1/llr/profiles/{name}":          {http.MethodGet: s.getLLRProfile},
		"/v1/llr/counters":                 {http.MethodGet: s.getLLRCounters, http.MethodDelete: s.deleteLLRCounters},
		"/v1/llr/counters/{port}":          {http.MethodGet: s.getLLRCountersOf, http.MethodDelete: s.deleteLLRCounters},
		"/v1/cbfc":                         {http.MethodGet: s.getCBFC},
		"/v1/cbfc/{port}":                  {http.MethodGet: s.getCBFCOf},
		"/v1/cbfc/{port}/vcs/{vc}":         {http.MethodPost: s.postVC},
		"/v1/hippi":                        {http.MethodGet: s.getHIPPI},
		"/v1/hippi/{port}":                 {http.MethodGet: s.getHIPPIOf, http.MethodPost: s.postHIPPI},
		"/v1/qos":                          {http.MethodGet: s.getQoS},
		"/v1/qos/{port}":                   {http.MethodGet: s.getQoS},
		"/v1/lldp/interfaces":              {http.MethodGet: s.getLLDPInterfaces},
		"/v1/lldp/interfaces/{port}":       {http.MethodGet: s.getLLDPInterfaces},
		"/v1/lldp/neighbors":               {http.MethodGet: s.getLLDPNeighbors},
		"/v1/lldp/neighbors/{port}":        {http.MethodGet: s.getLLDPNeighbors},
		"/v1/lldp/statistics":              {http.MethodGet: s.getLLDPStatistics, http.MethodDelete: s.deleteLLDPStatistics},
		"/v1/lldp/statistics/{port}":       {http.MethodGet: s.getLLDPStatistics, http.MethodDelete: s.deleteLLDPStatistics},
		"/v1/lldp/chassis":                 {http.MethodGet: s.getLLDPChassis},
		"/v1/lldp/watch":                   {http.MethodGet: s.getLLDPWatch},
		"/v1/dcbx":                         {http.MethodGet: s.getDCBX},
		"/v1/dcbx/{port}":                  {http.MethodGet: s.getDCBX},
		"/v1/bridges":                      {http.MethodGet: s.getBridges},
		"/v1/bridges/{bridge}":             {http.MethodGet: s.getBridge},
		"/v1/switch-trimming":              {http.MethodGet: s.getSwitchTrimming},
		"/v1/fdb": {
			http.MethodGet: s.getFDB, http.MethodPost: s.postFDB, http.MethodDelete: s.deleteFDB,
		},
		"/v1/fdb/flush": {http.MethodPost: s.postFDBFlush},
		"/v1/vlans":     {http.MethodGet: s.getVLANs},
		"/v1/state":     {http.MethodGet: s.getState},
		"/v1/log/level": {http.MethodGet: s.getLogLevel, http.MethodPut: s.putLogLevel},
		"/v1/events":    {http.MethodGet: s.getEvents},
		"/v1/watch":     {http.MethodGet: s.getWatch},

		"/v1/ports/{port}/frames": {http.MethodGet: s.getFrames},
	} {
		mux.Handle(path, s.dispatch(m))
	}
	for path, m := range s.saiRoutes() {
		mux.Handle(path, s.dispatch(m))
	}
	mux.Handle("/", s.answer(func(_ http.ResponseWriter, r *http.Request) error {
		return &Error{Status: http.StatusNotFound, Message: "no such path: " + r.URL.Path, Field: "path"}
	}))
	return mux
}

// dispatch returns an HTTP handler that calls the handler in m for the request's method; other methods are
// refused.
func (s *Server) dispatch(m methods) http.Handler {
	allow := strings.Join(slices.Sorted(maps.Keys(m)), ", ")
	return s.answer(func(w http.ResponseWriter, r *http.Request) error {
		h, ok := m[r.Method]
		if !ok {
			w.Header().Set("Allow", allow)
			return &Error{Status: http.StatusMethodNotAllowed, Message: fmt.Sprintf("%s: %s is not allowed, only %s", r.URL.Path,
				r.Method, allow), Field: "method"}
		}
		return h(w, r)
	})
}

// answer returns an HTTP handler that calls h, and sends an error of h to the client as the JSON of an Error.
func (s *Server) answer(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := h(w, r)
		if err == nil {
			return
		}
		e := refusal(err)
		if e.Status >= http.StatusInternalServerError {
			s.log.Error("control request failed", zap.String("method", r.Method), zap.String("path", r.URL.Path), zap.Error(err))
		}
		if err := reply(w, e.Status, e); err != nil {
			s.log.Debug("control reply not sent", zap.String("path", r.URL.Path), zap.Error(err))
		}
	})
}

// reply sends an answer with an HTTP status and v as JSON.
func reply(w http.ResponseWriter, status int, v any) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
