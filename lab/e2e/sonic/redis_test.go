package sonic

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
	"uelink/sonic"
)

// server is a redis-server on a unix socket, which keeps nothing on disk.
type server struct {
	*bed.Process
	t      testing.TB
	ns     *netns.NS
	dir    string
	Socket string
	db     map[sonic.DB]*redis.Client
}

// newServer starts a redis-server.
func newServer(t testing.TB, ns *netns.NS) *server {
	t.Helper()
	logging.Disable()
	dir := t.TempDir()
	s := &server{t: t, ns: ns, dir: dir, Socket: filepath.Join(dir, "redis.sock"), db: map[sonic.DB]*redis.Client{}}
	for _, db := range sonic.DBs() {
		s.db[db] = redis.NewClient(&redis.Options{Network: "unix", Addr: s.Socket, DB: int(db), Protocol: 2,
			DisableIdentity: true})
		t.Cleanup(func() { s.db[db].Close() })
	}
	s.start()
	return s
}

// start starts the server, and waits until it answers.
func (s *server) start() {
	s.t.Helper()
	program := bed.InstalledProgram(s.t, "redis-server", "redis-server")
	s.Process = bed.Start(s.t, s.ns, "redis-server", exec.Command(program, "--port", "0", "--unixsocket", s.Socket,
		"--dir", s.dir, "--save", "", "--appendonly", "no"))
	bed.Eventually(s.t, "redis-server answers", func() string {
		if err := s.db[sonic.StateDB].Ping(context.Background()).Err(); err != nil {
			return err.Error()
		}
		return ""
	})
}

// set sets fields of a row, as redis-cli HSET does.
func (s *server) set(db sonic.DB, key string, fields ...string) {
	s.t.Helper()
	bed.Must(s.t, s.db[db].HSet(s.t.Context(), key, fields).Err())
}

// config sets fields of a row of CONFIG_DB.
func (s *server) config(key string, fields ...string) {
	s.t.Helper()
	s.set(sonic.ConfigDB, key, fields...)
}

// row returns a row.
func (s *server) row(db sonic.DB, key string) map[string]string {
	s.t.Helper()
	row, err := s.db[db].HGetAll(s.t.Context(), key).Result()
	bed.Must(s.t, err)
	return row
}

// keys returns the keys that match a pattern, sorted.
func (s *server) keys(db sonic.DB, pattern string) []string {
	s.t.Helper()
	list, err := s.db[db].Keys(s.t.Context(), pattern).Result()
	bed.Must(s.t, err)
	slices.Sort(list)
	return list
}

// becomes waits until a row has exactly these fields, or with a pattern "*" as value any text in one.
func (s *server) becomes(db sonic.DB, key string, want map[string]string) {
	s.t.Helper()
	bed.Eventually(s.t, db.String()+" "+key, func() string {
		got := s.row(db, key)
		for field, value := range want {
			if value == "*" && got[field] != "" {
				got[field] = "*"
			}
		}
		if !maps.Equal(got, want) {
			return fmt.Sprintf("it is %v, want %v", got, want)
		}
		return ""
	})
}

// hasField waits until a field has a value.
func (s *server) hasField(db sonic.DB, key, field, want string) {
	s.t.Helper()
	bed.Eventually(s.t, db.String()+" "+key+" "+field, func() string {
		if got := s.row(db, key)[field]; got != want {
			return fmt.Sprintf("it is %q, want %q", got, want)
		}
		return ""
	})
}

// rows returns all rows of all databases, for comparing.
func (s *server) rows() string {
	s.t.Helper()
	var out strings.Builder
	for _, db := range sonic.DBs() {
		for _, key := range s.keys(db, "*") {
			fmt.Fprintf(&out, "%s %s\n", db, key)
		}
	}
	return out.String()
}

// joined is a running `uelink sonic`.
type joined struct{ *bed.Process }

// join starts `uelink sonic` beside a daemon.
func join(t testing.TB, d *bed.Daemon, configuration string, flags ...string) joined {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sonic.yaml")
	writeFile(t, file, configuration)
	args := append([]string{"--socket", d.Socket, "sonic", "--config", file}, flags...)
	return joined{bed.Start(t, d.NS, "uelink sonic", exec.Command(bed.Program("uelink"), args...))}
}

// says waits until the log has a line with all of these words.
func (j joined) says(words ...string) {
	j.T.Helper()
	bed.Eventually(j.T, "uelink sonic logs "+strings.Join(words, ", "), func() string {
		for line := range strings.Lines(j.Stderr.String()) {
			if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(line, w) }) {
				return ""
			}
		}
		return "it does not"
	})
}
