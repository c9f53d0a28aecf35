package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"go.uber.org/zap"

	"uelink/control/api"
	"uelink/control/status"
	"uelink/dataplane/model"
	"uelink/internal/bounded"
	"uelink/lldp/agent"
)

// Bounds on the resources of a browser.
const (
	headerTimeout = 5 * time.Second  // for the header of a request to arrive
	answerTimeout = 10 * time.Second // for a whole request to arrive, and for an answer to be read
	idleTimeout   = 30 * time.Second // of a connection between requests
	headerMax     = 8 << 10          // octets
)

// DataPlane is the part of dataplane.Dataplane that the page is made of.
type DataPlane interface {
	// Ports returns a snapshot of every port.
	Ports() []model.PortState
	// Recent returns the latest events, the oldest first.
	Recent() []model.Event
}

// LLDP is the part of station.Agents that the page is made of.
type LLDP interface {
	// Interfaces returns the agents, by port and destination.
	Interfaces() []agent.Interface
	// Neighbors returns the neighbours, by port, destination and age.
	Neighbors() []agent.Neighbor
	// DCBX returns the state of DCBX on every port with DCBX.
	DCBX() []agent.DCBX
	// Recent returns the latest events, the oldest first.
	Recent() []agent.Event
}

// Source is the data of the page.
type Source struct {
	DataPlane DataPlane
	LLDP      LLDP
	Past      []api.Event   // from before the start of the daemon, the oldest first
	Station   func() string // returns the name of this host; the name may change
	// Troubles returns the troubles of the daemon itself, as in api.Status.
	Troubles func() []string
	// Unmet returns all that is wanted and not in force, as api.Status has it.
	Unmet  func() []api.Unmet
	Onsets *status.Onsets // begin of each problem; nil: not known
}

// Server serves the page of a daemon.
type Server struct {
	http    *http.Server
	guard   guard
	sampler *sampler
	board   *board
	streams streams
	stop    context.CancelFunc
	stopped context.Context // streams end when this context is done
	ended   chan struct{}   // closed when the sampler has ended
}

// NewServer returns a server of the page, not started yet. Browsers may name this host by hosts, and by the names and
// addresses of loopback.
func NewServer(source Source, hosts []string, log *zap.Logger) *Server {
	s := &Server{guard: newGuard(hosts), board: newBoard(), ended: make(chan struct{})}
	s.streams.most = mostStreams
	s.sampler = newSampler(source, s.board, s.streams.count)
	s.stopped, s.stop = context.WithCancel(context.Background())
	s.http = &http.Server{
		Handler: s.guard.protect(s.routes()), ErrorLog: zap.NewStdLog(log), MaxHeaderBytes: headerMax,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: answerTimeout, WriteTimeout: answerTimeout, IdleTimeout: idleTimeout,
	}
	return s
}

// Serve samples the ports and answers requests that arrive at l until Shutdown. It closes l.
func (s *Server) Serve(l net.Listener) error {
	go func() {
		defer close(s.ended)
		s.sampler.run(s.stopped)
	}()
	if err := bounded.Serve(s.http, l, mostConnections); !errors.Is(err, http.ErrServerClosed) {
		s.stop()
		return fmt.Errorf("page on %s: %w", l.Addr(), err)
	}
	return nil
}

// Shutdown ends the streams, lets other requests and the sampler finish until ctx ends, and makes Serve return. The
// sampler does not finish while the data plane is handed over.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stop()
	if err := s.http.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("page: stop: %w", err), s.http.Close())
	}
	select {
	case <-s.ended:
	case <-ctx.Done():
	}
	return nil
}

// routes returns the handler of the page, its stream and its files.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", s.servePage)
	mux.HandleFunc("/stream", s.serveStream)
	for _, a := range assets() {
		mux.HandleFunc("/"+a.name, a.serve)
	}
	return mux
}

// servePage answers with the whole page, as the ports are now.
func (s *Server) servePage(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(s.sampler.page()) // an error means that the browser has gone
}
