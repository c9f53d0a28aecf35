package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"uelink/client"
	"uelink/control/controltest"
	"uelink/dataplane"
	"uelink/dataplane/model"
	"uelink/dataplane/path"
	"uelink/internal/snapshot"
	"uelink/internal/spool"
	"uelink/lldp/agent"
	"uelink/lldp/station"
	"uelink/llr"
)

// TestMain gives the daemons of the tests a directory for their state.
func TestMain(m *testing.M) {
	if os.Getenv(programVariable) != "" {
		printProgram()
		return
	}
	state, err := os.MkdirTemp("", "uelinkd-test-")
	if err == nil {
		err = os.Setenv("STATE_DIRECTORY", state)
	}
	if err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(state)
		os.Exit(code)
	}))
}

// patience bounds every wait of a test.
const patience = 20 * time.Second

// fakeFrames is a data plane without frames, that notes what is done to it.
type fakeFrames struct {
	*controltest.Backend
	fail    chan error    // Run ends with what comes
	drained chan struct{} // Drain waits for its closing; nil = at once
	held    bool          // Drain says that not all was delivered
	hung    chan struct{} // Profiles waits for its closing; nil = not
	beside  []string      // ports whose other ends are in other namespaces
	keeps   error         // of dropping privileges
	kept    capabilities  // what was asked to be kept
	unkept  atomic.Pointer[dataplane.Unkept]
	missed  atomic.Uint64 // events that a subscriber has missed

	published atomic.Pointer[model.Event] // the last event

	mu      sync.Mutex
	notes   []string
	refuse  error // of Reload
	reloads []dataplane.Settings

	lldp *fakeLLDP
}

// fakeLLDP is LLDP agents that note in the data plane's notes what is done to them.
type fakeLLDP struct {
	*controltest.LLDP
	frames *fakeFrames
	closed chan struct{}
	once   sync.Once

	config  station.Config // of the latest Open or Reload
	refuse  error          // of Reload, once
	wrong   error          // of Check
	offered error          // of OfferLLR
}

func (l *fakeLLDP) Run(ctx context.Context) error {
	select {
	case <-ctx.Done():
	case <-l.closed:
	}
	return nil
}

func (l *fakeLLDP) Close() error {
	l.once.Do(func() {
		l.frames.note("good-bye")
		close(l.closed)
	})
	return nil
}

func (l *fakeLLDP) Check(station.Config) error { return l.wrong }

func (l *fakeLLDP) Reload(c station.Config) error {
	l.frames.mu.Lock()
	defer l.frames.mu.Unlock()
	l.config = c
	err := l.refuse
	l.refuse = nil
	return err
}

func (l *fakeLLDP) OfferLLR(port string, on bool) error {
	l.frames.note(fmt.Sprintf("offer %s %v", port, on))
	return l.offered
}

func (l *fakeLLDP) FastStart(port string) error {
	l.frames.note("fast start " + port)
	return l.offered
}

// SetNegotiated notes it.
func (f *fakeFrames) SetNegotiated(port string, n path.Negotiated) error {
	f.note(fmt.Sprintf("negotiated %s %+v", port, n))
	return nil
}

// SetDCB notes it.
func (f *fakeFrames) SetDCB(port string, b model.DCB) error {
	f.note(fmt.Sprintf("DCBX %s %v PFC %08b groups %v of %v", port, b, b.PFC, b.PG.Group, b.PG.Percentage))
	return nil
}

// Withdraw notes it.
func (f *fakeFrames) Withdraw() { f.note("withdraw") }

func newFakeFrames() *fakeFrames {
	f := &fakeFrames{Backend: controltest.New(controltest.Ports(), controltest.Profiles()), fail: make(chan error, 1)}
	f.lldp = &fakeLLDP{LLDP: controltest.NewLLDP(), frames: f, closed: make(chan struct{})}
	return f
}

func (f *fakeFrames) note(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.notes = append(f.notes, what)
}

func (f *fakeFrames) noted() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.notes)
}

func (f *fakeFrames) Run(ctx context.Context) error {
	defer f.note("run ended")
	select {
	case <-ctx.Done():
		return nil
	case err := <-f.fail:
		return err
	}
}

func (f *fakeFrames) Leave() {}

func (f *fakeFrames) Drain() bool {
	f.note("drain")
	if f.drained != nil {
		<-f.drained
	}
	return !f.held
}

func (f *fakeFrames) Profiles() map[string]llr.Profile {
	f.note("profiles")
	if f.hung != nil {
		<-f.hung
	}
	return f.Backend.Profiles()
}

func (f *fakeFrames) Close() error {
	f.note("close")
	return nil
}

func (f *fakeFrames) Reload(s dataplane.Settings) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reloads = append(f.reloads, s)
	err := f.refuse
	f.refuse = nil // the next one, which restores, is taken
	return err
}

// running is a daemon in this process.
type running struct {
	*fakeFrames
	t       *testing.T
	config  string // file
	socket  string
	signals chan os.Signal
	log     chan map[string]any // its lines
	exit    chan int
}

const someConfig = `
log: {level: %s, format: json}
control: {socket: %s, mode: "0600"}
ports:
  - {name: link0, interface: eth1, role: link}
  - {name: edge0, interface: veth1, role: edge}
xconnects: [{edge: edge0, link: link0}]
`

// begin starts a daemon with a configuration of its own; open may be nil.
func begin(t *testing.T, f *fakeFrames, open opener, args ...string) *running {
	t.Helper()
	dir := t.TempDir()
	config, socket := filepath.Join(dir, "uelink.yaml"), filepath.Join(dir, "uelink.sock")
	if err := os.WriteFile(config, fmt.Appendf(nil, someConfig, "info", socket), 0o600); err != nil {
		t.Fatal(err)
	}
	return beginWith(t, f, config, socket, open, args...)
}

func beginWith(t *testing.T, f *fakeFrames, config, socket string, open opener, args ...string) *running {
	t.Helper()
	r := &running{
		fakeFrames: f, t: t, config: config, socket: socket,
		signals: make(chan os.Signal, 4), log: make(chan map[string]any, 1000), exit: make(chan int, 1),
	}
	if open == nil {
		open = func(dataplane.Settings, dataplane.Home, *zap.Logger) (frames, error) { return f, nil }
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		args = append([]string{"--config", r.config}, args...)
		stderr := spool.Start(write)
		r.exit <- run(args, os.Stdout, stderr, r.signals, openers{frames: open, lldp: f.openLLDP, drop: f.drop})
		stderr.Close()
		write.Close()
	}()
	scanned := make(chan struct{})
	go func() {
		defer close(scanned)
		for s := bufio.NewScanner(descriptor(read.Fd())); s.Scan(); {
			var line map[string]any
			if err := json.Unmarshal(s.Bytes(), &line); err != nil {
				t.Errorf("log line %s: %v", s.Bytes(), err)
			}
			r.log <- line
		}
	}()
	t.Cleanup(func() {
		select {
		case r.signals <- syscall.SIGTERM: // for a test that has failed
		default:
		}
		<-scanned
		read.Close()
	})
	return r
}

// descriptor is a file that is read as the log is written: by package unix, so that the race detector sees the order of
// accesses before a line was written and after the line was read.
type descriptor int

func (d descriptor) Read(into []byte) (int, error) {
	for {
		n, err := unix.Read(int(d), into)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

// drop is a dropper: the process of the test keeps its privileges.
func (f *fakeFrames) drop(keep capabilities) (capabilities, error) {
	f.kept = keep
	return keep, f.keeps
}

// BesideNamespaces is the ports for which the daemon keeps CAP_SYS_ADMIN.
func (f *fakeFrames) BesideNamespaces() []string { return f.beside }

// openLLDP is a discoverer.
func (f *fakeFrames) openLLDP(c station.Config, _ *zap.Logger) (discovery, error) {
	f.lldp.config = c
	return f.lldp, f.lldp.refuse
}

func (r *running) configure(text string) {
	r.t.Helper()
	if err := os.WriteFile(r.config, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// logged waits for a line with this message and returns it.
func (r *running) logged(message string) map[string]any {
	r.t.Helper()
	late := time.After(patience)
	for {
		select {
		case line := <-r.log:
			if strings.Contains(line["msg"].(string), message) {
				return line
			}
		case <-late:
			r.t.Fatalf("no log line %q", message)
		}
	}
}

// ended waits for the exit code.
func (r *running) ended() int {
	r.t.Helper()
	select {
	case code := <-r.exit:
		return code
	case <-time.After(patience):
		r.t.Fatal("still running")
		return -1
	}
}

// gone checks that nothing of the daemon is left.
func (r *running) gone() {
	r.t.Helper()
	if _, err := os.Lstat(r.socket); !errors.Is(err, os.ErrNotExist) {
		r.t.Errorf("socket left behind: %v", err)
	}
}

func (r *running) client() *client.Client {
	c := client.NewClient(r.socket)
	r.t.Cleanup(c.Close)
	return c
}

// manager is a service manager's end of NOTIFY_SOCKET.
type manager struct {
	t    *testing.T
	conn *net.UnixConn
}

func newManager(t *testing.T, address string) *manager {
	t.Helper()
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: address, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	t.Setenv("NOTIFY_SOCKET", address)
	return &manager{t, conn}
}

// told is the next message, line by line.
func (m *manager) told() []string {
	m.t.Helper()
	if err := m.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		m.t.Fatal(err)
	}
	b := make([]byte, 4096)
	n, err := m.conn.Read(b)
	if err != nil {
		m.t.Fatal(err)
	}
	return strings.Split(string(b[:n]), "\n")
}

// HandOver is not possible.
func (f *fakeFrames) HandOver() (*dataplane.Handover, error) {
	return nil, errors.New("a fake hands nothing over")
}

// Stop is not possible.
func (f *fakeFrames) Stop() ([]byte, error) { return nil, errors.New("a fake has no state") }

// Restore is not possible.
func (f *fakeFrames) Restore([]byte) error { return errors.New("a fake has no state") }

// Resume does nothing.
func (f *fakeFrames) Resume() {}

// Keep returns the errors of the test.
func (f *fakeFrames) Keep() dataplane.Unkept {
	if u := f.unkept.Load(); u != nil {
		return *u
	}
	return dataplane.Unkept{}
}

// Untouched is always so.
func (f *fakeFrames) Untouched() bool { return true }

// Missed returns the number of the test.
func (f *fakeFrames) Missed(<-chan model.Event) uint64 { return f.missed.Load() }

// Missed returns 0.
func (l *fakeLLDP) Missed(<-chan agent.Event) uint64 { return 0 }

// Publish notes the event.
func (f *fakeFrames) Publish(port, kind, text string) {
	f.published.Store(&model.Event{Port: port, Kind: kind, Text: text})
}

// PassState passes nothing.
func (f *fakeLLDP) PassState(*snapshot.State) {}

// Freeze does nothing.
func (f *fakeLLDP) Freeze() {}

// Thaw does nothing.
func (f *fakeLLDP) Thaw() {}

// Restore is not possible.
func (f *fakeLLDP) Restore([]byte) error { return errors.New("a fake has no state") }
