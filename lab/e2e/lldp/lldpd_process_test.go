package lldp

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// lldpdRoot is the directory that Debian's lldpd changes its root to; nothing in it belongs to one instance.
const lldpdRoot = "/run/lldpd"

// lldpd is an lldpd of Debian on the interface link0 of a namespace: a process
// with privileges and one without, in one process group.
type lldpd struct {
	*bed.Process
	socket string
}

// newLLDPD starts one under a system name, with more options, and waits until it answers.
func newLLDPD(t testing.TB, ns *netns.NS, name string, options ...string) *lldpd {
	t.Helper()
	path, err := exec.LookPath("lldpd")
	if err != nil {
		nstest.Missing(t, "package lldpd")
	}
	if err := os.Mkdir(lldpdRoot, 0o755); err == nil {
		t.Cleanup(func() { os.RemoveAll(lldpdRoot) })
	} else if !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	l := &lldpd{socket: filepath.Join(openDir(t), "socket")}
	args := []string{"-d", "-d", "-L", "", "-I", "link0", "-C", "link0", "-u", l.socket, "-S", "the peer " + name}
	cmd := exec.Command(path, append(args, options...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	l.Process = bed.Start(t, ns, "lldpd "+name, cmd)
	bed.Eventually(t, "lldpd answers", func() string {
		if out, err := l.cli("show", "chassis"); err != nil {
			return out
		}
		return ""
	})
	l.configure("system hostname "+name, "lldp tx-interval 25") // another interval has it send at once
	return l
}

// openDir returns a directory that other users may enter: lldpcli drops its privileges before it opens a socket.
func openDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "uelink-lldpd-")
	bed.Must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	bed.Must(t, os.Chmod(dir, 0o711))
	return dir
}

// cli runs lldpcli and returns what it said.
func (l *lldpd) cli(args ...string) (string, error) {
	out, err := exec.Command("lldpcli", append([]string{"-u", l.socket, "-f", "json0"}, args...)...).CombinedOutput()
	return string(out), err
}

// configure runs commands of lldpcli, each a line of `configure …`.
func (l *lldpd) configure(lines ...string) {
	l.T.Helper()
	for _, line := range lines {
		if out, err := l.cli(append([]string{"configure"}, strings.Fields(line)...)...); err != nil {
			l.T.Fatalf("lldpcli configure %s: %v: %s", line, err, out)
		}
	}
}

// show is the JSON of `lldpcli show …` in v.
func (l *lldpd) show(v any, name ...string) {
	l.T.Helper()
	out, err := l.cli(append([]string{"show"}, name...)...)
	if err != nil {
		l.T.Fatalf("lldpcli show %v: %v: %s", name, err, out)
	}
	if err := json.Unmarshal([]byte(out), v); err != nil {
		l.T.Fatalf("lldpcli show %v: %v: %s", name, err, out)
	}
}

// hearsNobody waits until it knows no neighbour.
func (l *lldpd) hearsNobody() {
	l.T.Helper()
	bed.Eventually(l.T, "lldpd has no neighbour", func() string {
		if list := l.neighbors(); len(list) > 0 {
			return "there is " + list[0].Name
		}
		return ""
	})
}

// counted is one of its counters on link0.
func (l *lldpd) counted(name string) string {
	l.T.Helper()
	var all struct {
		LLDP []struct {
			Interface []map[string]json.RawMessage
		}
	}
	l.show(&all, "statistics")
	var values []map[string]json.RawMessage
	bed.Must(l.T, json.Unmarshal(all.LLDP[0].Interface[0][name], &values))
	for _, value := range values[0] {
		return strings.Trim(string(value), `"`)
	}
	return ""
}
