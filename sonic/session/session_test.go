package session

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"uelink/client"
	"uelink/control"
	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/dataplane"
	"uelink/dataplane/model"
	"uelink/internal/netns/nstest"
	"uelink/llr"
	"uelink/sai/store"
	"uelink/sonic"
)

func TestMain(m *testing.M) { logging.Disable(); goleak.VerifyTestMain(m) }

// patience bounds the wait for what must happen.
const patience = 20 * time.Second

// eventually waits until check returns an empty text.
func eventually(t *testing.T, what string, check func() string) {
	t.Helper()
	for late := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		problem := check()
		if problem == "" {
			return
		}
		if time.Now().After(late) {
			t.Fatalf("%s: %s", what, problem)
		}
	}
}

// server is a redis-server on a unix socket.
type server struct {
	t    *testing.T
	dir  string
	at   sonic.Redis
	kill func()
	db   databases
}

// newServer starts a redis-server.
func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{t: t, dir: t.TempDir()}
	s.at = sonic.Redis{Socket: filepath.Join(s.dir, "redis.sock")}
	s.start()
	var err error
	if s.db, err = connect(t.Context(), s.at); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.db.close(); s.kill() })
	return s
}

// start starts the server, and waits until it answers.
func (s *server) start() {
	s.t.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		nstest.Missing(s.t, "redis-server (Debian package redis-server: make deps)")
	}
	cmd := exec.Command(program, "--port", "0", "--unixsocket", s.at.Socket, "--dir", s.dir, "--save", "")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.kill = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // by a signal
	}
	eventually(s.t, "redis-server", func() string {
		c, err := net.Dial("unix", s.at.Socket)
		if err != nil {
			return err.Error()
		}
		c.Close()
		return ""
	})
}

// set sets fields of a row of CONFIG_DB.
func (s *server) set(key string, fields ...string) {
	s.t.Helper()
	if err := s.db[sonic.ConfigDB].HSet(s.t.Context(), key, fields).Err(); err != nil {
		s.t.Fatal(err)
	}
}

// has waits until a field has a value.
func (s *server) has(db sonic.DB, key, field, want string) {
	s.t.Helper()
	eventually(s.t, key+" "+field, func() string {
		is, err := s.db[db].HGet(s.t.Context(), key, field).Result()
		if err != nil && !errors.Is(err, redis.Nil) {
			return err.Error()
		}
		if is != want {
			return "it is " + is + ", want " + want
		}
		return ""
	})
}

// plane is a data plane that accepts any settings.
type plane struct{ control.Backend }

// Reload accepts any settings.
func (plane) Reload(dataplane.Settings) error { return nil }

// serve starts a daemon that is only state: link0, whose LLR is off. end ends it.
func serve(t *testing.T, socket string) (end func()) {
	t.Helper()
	backend := controltest.New([]model.PortState{{Name: "link0", Interface: "none0", Role: model.RoleLink,
		OperStatus: "up", Speed: 10000, MTU: 1514, LLR: &model.LLRState{}}}, controltest.Profiles())
	return serveBackend(t, socket, backend)
}

// serveBackend starts a daemon whose data plane has link0.
func serveBackend(t *testing.T, socket string, backend control.Backend) (end func()) {
	t.Helper()
	settings := dataplane.Settings{Profiles: map[string]llr.Profile{}, Ports: []model.PortSettings{{Name: "link0",
		Role: model.RoleLink}}}
	d := control.NewServer(backend, &controltest.LLDP{}, zap.NewNop(), zap.NewAtomicLevel(), api.Status{
		PID: os.Getpid(), Started: time.Now()})
	d.OfferSAI(store.New(plane{backend}, settings, zap.NewNop()))
	l, err := control.Listen(t.Context(), control.Socket{Path: socket, Mode: 0o600})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- d.Serve(l) }()
	return func() {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := errors.Join(d.Shutdown(ctx), <-served); err != nil {
			t.Error(err)
		}
	}
}

// running is a session.
type running struct {
	t    *testing.T
	said *observer.ObservedLogs
	stop context.CancelFunc
	wait func() error // returns the result of a session that ends by itself
}

// end ends the session, and returns its result.
func (r *running) end() error {
	r.stop()
	return r.wait()
}

// begin begins a session beside a daemon.
func begin(t *testing.T, s *server, socket string, own bool) *running {
	t.Helper()
	core, said := observer.New(zapcore.DebugLevel)
	client := client.NewClient(socket)
	settings := sonic.Settings{Redis: s.at, Ports: []sonic.Port{{Name: "Ethernet0", Port: "link0"}}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- New(settings, nil, client, own, zap.New(core)).Run(ctx) }()
	return &running{t, said, cancel, func() error {
		defer client.Close()
		defer cancel()
		return <-ended
	}}
}

// says waits until the log has a message.
func (r *running) says(want string) {
	r.t.Helper()
	eventually(r.t, "the log says "+want, func() string {
		for _, e := range r.said.All() {
			if strings.Contains(e.Message, want) {
				return ""
			}
		}
		return "it does not"
	})
}

// TestSession: rows act on the daemon and rows appear. Redis and the daemon may end and begin again. At the end all
// rows are gone.
func TestSession(t *testing.T) {
	s := newServer(t)
	socket := filepath.Join(t.TempDir(), "api")
	s.set("PORT|Ethernet0", "admin_status", "up")
	s.set("LLR_PROFILE|fast", "max_outstanding_frames", "10", "max_outstanding_bytes", "1000")
	s.set("LLR_PORT|Ethernet0", "llr_local", "enabled", "llr_remote", "enabled", "llr_profile", "fast")
	r := begin(t, s, socket, false)
	r.says("waiting for uelinkd")
	s.has(sonic.ApplDB, "LLR_PORT_TABLE:Ethernet0", "llr_local", "enabled") // llrmgrd's part
	end := serve(t, socket)
	s.has(sonic.StateDB, "SWITCH_CAPABILITY|switch", "LLR_CAPABLE", "true")
	r.says("Redis reports changes of keys from now on")
	r.says("interface none0") // there is none to set up
	s.set("FLEX_COUNTER_TABLE|LLR", "FLEX_COUNTER_STATUS", "enable", "POLL_INTERVAL", "100")
	oid, err := s.db[sonic.CountersDB].HGet(t.Context(), "COUNTERS_PORT_NAME_MAP", "Ethernet0").Result()
	if err != nil {
		t.Fatal(err)
	}
	s.has(sonic.CountersDB, "COUNTERS:"+oid, "SAI_PORT_STAT_LLR_TX_OK", "0")
	s.kill()
	r.says("waiting for Redis")
	s.start()
	r.says("Redis answers")
	s.has(sonic.CountersDB, "COUNTERS:"+oid, "SAI_PORT_STAT_LLR_TX_OK", "0")
	end()
	s.has(sonic.StateDB, "LLR_PORT_STATE|Ethernet0", "tx_status", "")
	end = serve(t, socket)
	s.has(sonic.StateDB, "LLR_PORT_STATE|Ethernet0", "tx_status", "OFF")
	if err := r.end(); err != nil {
		t.Error(err)
	}
	end()
	if n := s.count(); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

// count returns the number of rows that a session may have written.
func (s *server) count() (n int64) {
	s.t.Helper()
	for _, db := range sonic.DBs() {
		if db == sonic.ConfigDB {
			continue
		}
		size, err := s.db[db].DBSize(s.t.Context()).Result()
		if err != nil {
			s.t.Fatal(err)
		}
		n += size
	}
	return n
}

// changing is a data plane whose link0 changes its LLR profile, as by a reload.
type changing struct {
	*controltest.Backend
	profile atomic.Value // string
}

// Ports returns link0 with its present profile.
func (c *changing) Ports() []model.PortState {
	return []model.PortState{{Name: "link0", Interface: "none0", Role: model.RoleLink, OperStatus: "up",
		LLR: &model.LLRState{Mode: model.LLRStatic, Profile: c.profile.Load().(string)}}}
}

// TestLLRIsReadAgain: the LLR of a daemon is read when it is seen for the first time, and after another has changed it.
func TestLLRIsReadAgain(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "api")
	c := &changing{Backend: controltest.New(nil, nil)}
	c.profile.Store("oid:0x1")
	defer serveBackend(t, socket, c)()
	d := daemon{client: client.NewClient(socket)}
	defer d.client.Close()
	for i, step := range []struct {
		profile string
		read    bool
	}{{"oid:0x1", true}, {"oid:0x1", false}, {"default", true}, {"default", false}} {
		c.profile.Store(step.profile)
		p, attached, err := d.readState(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if read := attached != nil; read != step.read || len(p.Ports) != 1 {
			t.Errorf("step %d: read %t, want %t; %+v", i, read, step.read, p.Ports)
		}
	}
}

// TestRowIsDeleted: a row of the session's that another process deletes is written again.
func TestRowIsDeleted(t *testing.T) {
	s := newServer(t)
	socket := filepath.Join(t.TempDir(), "api")
	defer serve(t, socket)()
	r := begin(t, s, socket, false)
	s.has(sonic.StateDB, "SWITCH_CAPABILITY|switch", "LLR_CAPABLE", "true")
	before := s.count()
	for _, db := range sonic.DBs() {
		s.db[db].Del(t.Context(), "SWITCH_CAPABILITY|switch")
	}
	r.says("somebody has deleted rows")
	s.has(sonic.StateDB, "SWITCH_CAPABILITY|switch", "LLR_CAPABLE", "true")
	s.db[sonic.StateDB].FlushAll(t.Context())
	s.has(sonic.StateDB, "SWITCH_CAPABILITY|switch", "LLR_CAPABLE", "true")
	eventually(t, "all rows", func() string {
		if n := s.count(); n != before {
			return "there are others"
		}
		return ""
	})
	if err := r.end(); err != nil || s.count() != 0 {
		t.Errorf("%v, %d rows are left", err, s.count())
	}
}

// TestRowsOfOthers: a session that would change a row of another process does not begin, and one that meets such a row
// later leaves it alone.
func TestRowsOfOthers(t *testing.T) {
	s := newServer(t)
	socket := filepath.Join(t.TempDir(), "api")
	defer serve(t, socket)()
	ctx := t.Context()
	s.db[sonic.CountersDB].HSet(ctx, "COUNTERS_PORT_NAME_MAP", "Ethernet0", "oid:0x1")
	r := begin(t, s, socket, false)
	if err := r.wait(); !errors.Is(err, errForeign) || s.count() != 1 {
		t.Errorf("it ended with %v, and there are %d rows", err, s.count())
	}
	s.db[sonic.CountersDB].Del(ctx, "COUNTERS_PORT_NAME_MAP")
	r = begin(t, s, socket, false)
	s.has(sonic.StateDB, "SWITCH_CAPABILITY|switch", "LLR_CAPABLE", "true")
	s.db[sonic.ApplDB].HSet(ctx, "LLR_PROFILE_TABLE:fast", "max_outstanding_frames", "1")
	s.set("LLR_PROFILE|fast", "max_outstanding_frames", "10", "max_outstanding_bytes", "1000")
	s.set("LLR_PORT|Ethernet0", "llr_local", "enabled", "llr_remote", "enabled", "llr_profile", "fast")
	r.says("a field that another process has written is not changed")
	s.has(sonic.ApplDB, "LLR_PROFILE_TABLE:fast", "max_outstanding_bytes", "1000")
	if err := r.end(); err != nil {
		t.Error(err)
	}
	s.has(sonic.ApplDB, "LLR_PROFILE_TABLE:fast", "max_outstanding_frames", "1")
	s.has(sonic.ApplDB, "LLR_PROFILE_TABLE:fast", "max_outstanding_bytes", "")
}

// TestConsumer: rows of APPL_DB come by way of SONiC's producers: a row of its own, the key in a set, and a message.
func TestConsumer(t *testing.T) {
	s := newServer(t)
	socket := filepath.Join(t.TempDir(), "api")
	defer serve(t, socket)()
	c := s.db[sonic.ApplDB]
	sub := c.Subscribe(t.Context(), "LLR_PORT_TABLE_CHANNEL@0")
	defer sub.Close()
	if _, err := sub.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.set("LLR_PROFILE|fast", "max_outstanding_frames", "10", "max_outstanding_bytes", "1000")
	s.set("LLR_PORT|Ethernet0", "llr_local", "enabled", "llr_remote", "enabled", "llr_profile", "fast")
	r := begin(t, s, socket, false)
	if m, err := sub.ReceiveMessage(t.Context()); err != nil || m.Payload != "G" {
		t.Errorf("%v, %v", m, err)
	}
	s.has(sonic.ApplDB, "_LLR_PORT_TABLE:Ethernet0", "llr_profile", "fast")
	if err := r.end(); err != nil {
		t.Error(err)
	}
	for _, set := range []string{"LLR_PORT_TABLE_KEY_SET", "LLR_PORT_TABLE_DEL_SET"} {
		if is, err := c.SMembers(t.Context(), set).Result(); err != nil || len(is) != 1 {
			t.Errorf("%s for the consumer has %v, %v", set, is, err)
		}
	}
	if is, err := c.SMembers(t.Context(), "LLR_PROFILE_TABLE_KEY_SET").Result(); err != nil || len(is) != 0 {
		t.Errorf("a set that nobody consumes has %v, %v", is, err)
	}
}

// TestOptions: what a connection needs, and each mistake.
func TestOptions(t *testing.T) {
	dir := t.TempDir()
	password := filepath.Join(dir, "password")
	if err := os.WriteFile(password, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := optionsOf(sonic.Redis{Address: "sw:6380", User: "u", PasswordFile: password})
	if err != nil || o.Network != "tcp" || o.Password != "secret" || o.TLSConfig == nil ||
		o.TLSConfig.ServerName != "sw" {
		t.Errorf("%+v, %v", o, err)
	}
	for want, r := range map[string]sonic.Redis{
		"redis.password_file": {Socket: "/s", PasswordFile: dir + "/none"},
		"redis.address":       {Address: "sw"},
		"redis.ca: open":      {Address: "sw:1", CA: dir + "/none"},
		"has no certificate":  {Address: "sw:1", CA: password},
		"redis.cert":          {Address: "sw:1", Cert: password, Key: password},
	} {
		if _, err := optionsOf(r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", r, err, want)
		}
	}
	_, err = connect(t.Context(), sonic.Redis{Socket: dir + "/none"})
	if err == nil || !strings.Contains(err.Error(), "start Redis with this socket") {
		t.Error(err)
	}
}
