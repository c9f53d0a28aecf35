package restarts

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"uelink/control/api"
	"uelink/lab/e2e/bed"
)

// toolIn runs uelink with JSON as its output, in a folder.
func toolIn(d *bed.Daemon, dir string, args ...string) (code int, out upgradeAnswer, stderr string) {
	d.T.Helper()
	cmd := exec.Command(bed.Program("uelink"), append([]string{"--socket", d.Socket, "-o", "json"}, args...)...)
	var stdout, text bed.Output
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &text
	_ = cmd.Run() // the exit code says it
	if stdout.String() != "" {
		bed.Must(d.T, json.Unmarshal([]byte(stdout.String()), &out))
	}
	return cmd.ProcessState.ExitCode(), out, text.String()
}

// upgradeAnswer is what uelink upgrade prints.
type upgradeAnswer struct {
	api.Upgraded
	Reload *api.Reload `json:"reload"`
}

// runs demands that a process runs the file at this path.
func runs(t *testing.T, pid int, path string) {
	t.Helper()
	if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err != nil || exe != path {
		t.Errorf("process %d runs %s, %v, not %s", pid, exe, err, path)
	}
}

// copied copies a program.
func copied(t *testing.T, from, to string) {
	t.Helper()
	octets, err := os.ReadFile(from)
	bed.Must(t, err)
	bed.Must(t, os.WriteFile(to, octets, 0o755))
}

// The program was renamed, and another one is in its place: that is started. A check starts it, too, and leaves
// everything as it is; names are those of the caller's folder. A process that takes its time to end delays the reload
// of a changed file, and a refused reload is said with exit code 1.
func TestUpgradeByTheTool(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	p := top.Daemons(bed.Lossless)
	bed.Must(t, p.A.Client.Upgrade(t.Context(), api.Upgrade{Check: true}))
	code := p.A.Terminate()
	if code != 0 {
		t.Fatalf("after a check: exit %d", code)
	}
	dir := t.TempDir()
	path, old := filepath.Join(dir, "uelinkd"), filepath.Join(dir, "uelinkd.old")
	copied(t, bed.Program("uelinkd"), path)
	p.A.Binary = path
	p.A.Start()
	p.A.EndsLast()
	before := p.A.PID()
	runs(t, before, path)
	bed.Must(t, os.Rename(path, old))
	copied(t, bed.Program("uelinkd"), path)
	b := flowBothWays(t, top, slowRate)

	for _, args := range [][]string{{"upgrade", "--check"}, {"upgrade", "--check", "--binary", "./uelinkd.old"}} {
		code, out, stderr := toolIn(p.A, dir, args...)
		if code != 0 || out.New.SHA256 == "" || out.New.SHA256 != out.Former.SHA256 || out.Former.PID != before ||
			p.A.PID() != before {
			t.Errorf("%v: exit %d, %+v, %s", args, code, out, stderr)
		}
	}
	idle, err := net.Dial("unix", p.A.Socket) // the former process waits for a request of it, and holds its sockets
	bed.Must(t, err)
	defer idle.Close()
	generic := bed.Lossless
	generic.Link = "xdp: generic"
	p.A.Write(generic.Text(p.A.Socket))
	code, out, stderr := toolIn(p.A, dir, "upgrade")
	if code != 0 || !out.Changed || out.Reload == nil || len(out.Reload.Errors) > 0 || out.Pause <= 0 ||
		out.New.Program != path || out.Former.Program != path || out.Former.PID != before {
		t.Fatalf("exit %d, %+v, %s", code, out, stderr)
	}
	runs(t, out.New.PID, path)
	if mode := p.A.Link().XDPMode; mode != "generic" {
		t.Errorf("link0 is in XDP mode %s", mode)
	}
	p.A.Write(strings.Replace(generic.Text(p.A.Socket), "interface: edge0", "interface: none0", 1))
	code, out, stderr = toolIn(p.A, dir, "upgrade", "--binary", "uelinkd.old")
	if code != 1 || !strings.Contains(stderr, "has refused the changed configuration") ||
		!strings.Contains(stderr, "none0") || p.A.PID() != out.New.PID {
		t.Errorf("exit %d, %+v, %s", code, out, stderr)
	}
	runs(t, out.New.PID, old)
	b.whole()
}
