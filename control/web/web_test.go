package web

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"

	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/dataplane/model"
	"uelink/lldp/agent"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// daemon is a data plane and LLDP agents that are only state, and count how often they are looked at.
type daemon struct {
	mu        sync.Mutex
	looks     int
	ports     []model.PortState
	events    []model.Event
	neighbors []agent.Neighbor
	troubles  []string
	unmet     []api.Unmet
	flow      func([]model.PortState) // changes the ports before a look at them; nil: nothing does
}

func (d *daemon) Ports() []model.PortState {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.looks++
	ports := append([]model.PortState(nil), d.ports...)
	if d.flow != nil {
		d.flow(ports)
	}
	return ports
}

func (d *daemon) Recent() []model.Event {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]model.Event(nil), d.events...)
}

func (d *daemon) inTrouble() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.troubles
}

// set changes the state of the daemon.
func (d *daemon) set(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

func (d *daemon) looked() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.looks
}

// agents is the LLDP agents of a daemon.
type agents struct {
	*controltest.LLDP
	of *daemon
}

func (a agents) Neighbors() []agent.Neighbor {
	a.of.mu.Lock()
	defer a.of.mu.Unlock()
	return append(a.LLDP.Neighbors(), a.of.neighbors...)
}

// source returns what a page of the daemon shows.
func (d *daemon) source() Source {
	past := api.Event{Time: time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC), Port: "link1", Kind: "oper_status",
		Text: "of before"}
	return Source{
		DataPlane: d, LLDP: agents{controltest.NewLLDP(), d}, Past: []api.Event{past},
		Station: func() string { return "hosta" }, Troubles: d.inTrouble,
		Unmet: func() []api.Unmet { return d.unmet },
	}
}

// inMemory is a listener whose connections are pipes in memory. Unlike sockets they can be in a bubble of synctest.
type inMemory struct {
	conns chan net.Conn
	once  sync.Once
	gone  chan struct{}
}

func newInMemory() *inMemory { return &inMemory{conns: make(chan net.Conn), gone: make(chan struct{})} }

func (l *inMemory) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.gone:
		return nil, net.ErrClosed
	}
}

func (l *inMemory) Close() error   { l.once.Do(func() { close(l.gone) }); return nil }
func (l *inMemory) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }

// dial returns the browser's end of a new connection.
func (l *inMemory) dial() net.Conn {
	here, there := net.Pipe()
	l.conns <- there
	return here
}

// served is a server of the page with its browsers.
type served struct {
	*Server
	t *testing.T
	l *inMemory
	d *daemon
}

// serve serves the page of a daemon until the end of the test, or until stop.
func serve(t *testing.T, d *daemon, hosts ...string) *served {
	t.Helper()
	s := &served{NewServer(d.source(), hosts, zap.NewNop()), t, newInMemory(), d}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(s.l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s
}

// ask sends a request with these header lines, and returns the answer with its body.
func (s *served) ask(method, path string, header ...string) (*http.Response, string) {
	s.t.Helper()
	c := s.l.dial()
	defer c.Close()
	text := method + " " + path + " HTTP/1.1\r\nConnection: close\r\n"
	if len(header) == 0 {
		header = []string{"Host: localhost"}
	}
	go io.WriteString(c, text+strings.Join(header, "\r\n")+"\r\n\r\n")
	r, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		s.t.Fatalf("%s %s %v: %v", method, path, header, err)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Fatalf("%s %s %v: %v", method, path, header, err)
	}
	return r, string(body)
}

// reading is a browser that reads the stream.
type reading struct {
	t    *testing.T
	conn net.Conn
	body *bufio.Reader
}

// open opens the page's stream.
func (s *served) open() *reading {
	s.t.Helper()
	c := s.l.dial()
	go io.WriteString(c, "GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != "text/event-stream" ||
		len(r.TransferEncoding) > 0 { // chunks would be more writes
		s.t.Fatalf("%v, %+v", err, r)
	}
	return &reading{s.t, c, bufio.NewReader(r.Body)}
}

// next returns the next event of the stream and its text; "" at the end.
func (r *reading) next() (event, text string) {
	for {
		line, err := r.body.ReadString('\n')
		if err != nil {
			return "", ""
		}
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case key == "event":
			event = value
		case key == "data":
			text += value + "\n"
		case line == "\n" && event != "":
			return event, text
		}
	}
}
