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

	"uelink/control/api"
	"uelink/control/status"
	"uelink/dataplane/model"
	"uelink/internal/nonnull"
	"uelink/lldp/agent"
	"uelink/sai/store"
)

// Bounds on the resources of a client: times of its requests, and the length of their headers.
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
	status  api.Status
	http    *http.Server
	stop    context.CancelFunc
	stopped context.Context // watches end when this context is done
	left    atomic.Bool     // another process has taken over
	// closed when another process has taken over
	handedOver chan struct{}
	watch      watches
	files      files

	confirmation Confirmation
	condition    func(*api.Status)
	onsets       *status.Onsets // nil: the times of problems are not known
	upgrader     Upgrader
	reloader     Reloader
	changer      PortChanger
	sai          *store.Store // nil: no objects
	history      History
	configured   Configured // nil: there is no configuration file
	labels       atomic.Pointer[map[string]model.Labels]
	lastReload   atomic.Pointer[api.Reload]

	events     feed // of the data plane and of LLDP
	lldpEvents feed // of LLDP, in full
}

// NewServer returns a server of the API for backend and lldp, with the log level and the status of the daemon. It
// logs every change that clients ask for.
func NewServer(backend Backend, lldp LLDP, log *zap.Logger, level zap.AtomicLevel, own api.Status) *Server {
	s := &Server{backend: backend, lldp: lldp, log: log, level: level, status: own, confirmation: settled{},
		condition: func(*api.Status) {}, upgrader: staying{}, reloader: unchanging{},
		changer: fixed{},
		history: nothing{}, handedOver: make(chan struct{})}
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
		ConnContext:       withCaller,
		MaxHeaderBytes:    headerMax,
		ErrorLog:          zap.NewStdLog(log),
	}
	return s
}

// limit makes the feeds of events for watching clients, and sets how many clients may watch and how many events
// wait for each client.
func (s *Server) limit(w watchLimits) {
	s.watch.watchLimits = w
	lldp := func(convert func(agent.Event) api.Event) source { return from(s.lldp.Subscribe, convert) }
	s.events = feed{size: w.queue, sources: []source{from(s.backend.Subscribe, api.PortEvent), lldp(api.LLDPEvent)}}
	s.lldpEvents = feed{size: w.queue, sources: []source{lldp(api.LLDPWatchEvent)}}
}

// Confirmation is the state of a daemon that undoes its start, or a reload, unless it is confirmed in time.
type Confirmation interface {
	// Confirm confirms, and reports whether there was something to confirm and the time was not over.
	Confirm() bool
	// Left returns the time that is left; 0 if there is nothing to confirm.
	Left() time.Duration
}

// settled is a Confirmation with nothing to confirm.
type settled struct{}

func (settled) Confirm() bool       { return false }
func (settled) Left() time.Duration { return 0 }

// AwaitConfirmation gives the server the state of the wait for "uelink confirm", which it shows and confirms for
// clients. Call it before Serve.
func (s *Server) AwaitConfirmation(c Confirmation) { s.confirmation = c }

// SetCondition gives the server the function that adds to a status how the daemon itself fares: its troubles, and the
// lines that its log has lost. Call it before Serve.
func (s *Server) SetCondition(condition func(*api.Status)) { s.condition = condition }

// SetOnsets gives the server the times since when problems have been there. Call it before Serve.
func (s *Server) SetOnsets(o *status.Onsets) { s.onsets = o }

// Serve answers requests that arrive at l until Shutdown. It closes l, which removes the socket.
func (s *Server) Serve(l net.Listener) error {
	defer s.files.close()
	if err := s.http.Serve(s.files.listener(l)); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("control socket %s: %w", l.Addr(), err)
	}
	return nil
}

// Upgraded records that another process has taken over, so that Shutdown gives clients that watch events this reason
// for the end of their stream, and tells requests that wait for the data plane to ask again. Call it once.
func (s *Server) Upgraded() {
	s.left.Store(true)
	close(s.handedOver)
}

// Shutdown ends watches with a last event, lets requests finish until ctx ends, and makes Serve return.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stop()
	if err := s.http.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("control socket: stop: %w", err), s.http.Close())
	}
	return nil
}

// OfferSAI makes the server handle SAI requests by a store of SAI objects. Call it before Serve.
func (s *Server) OfferSAI(objects *store.Store) { s.sai = objects }

// SetPortChanger sets the functions of the daemon that change ports. Call it before Serve.
func (s *Server) SetPortChanger(c PortChanger) { s.changer = c }

// handler answers one request, or returns the error to answer with.
type handler func(http.ResponseWriter, *http.Request) error

// methods has the handlers of one path.
type methods map[string]handler

// routes returns the handler of all requests: by path, then by method. Handlers that may wait for the data plane, all
// but those of streams and of the upgrade itself, are wrapped by answered.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	paths := map[string]methods{}
	for _, e := range s.endpoints() {
		if paths[e.path] == nil {
			paths[e.path] = methods{}
		}
		if paths[e.path][e.method] = e.handler; e.stream == "" && e.path != upgradePath {
			paths[e.path][e.method] = s.answered(e.handler)
		}
	}
	for path, m := range paths {
		mux.Handle(path, s.dispatch(m))
	}
	mux.Handle("/", s.answer(func(_ http.ResponseWriter, r *http.Request) error {
		return &api.Error{Status: http.StatusNotFound, Message: "no such path: " + r.URL.Path, Field: "path"}
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
			return &api.Error{Status: http.StatusMethodNotAllowed,
				Message: fmt.Sprintf("%s: %s is not allowed, only %s", r.URL.Path,
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
			s.log.Error("control request failed", zap.String("method", r.Method), zap.String("path", r.URL.Path),
				zap.Error(err))
		}
		if err := reply(w, e.Status, e); err != nil {
			s.log.Debug("answer to a client of the control socket not sent", zap.String("path", r.URL.Path), zap.Error(err))
		}
	})
}

// reply sends an answer with an HTTP status and v as JSON.
func reply(w http.ResponseWriter, status int, v any) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(nonnull.Lists(v))
}
