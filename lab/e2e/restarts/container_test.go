package restarts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"uelink/control/api"
	"uelink/lab/e2e/bed"
)

// As process 1 of a container the first daemon stays as a reaper, without sockets and memory of the frames: it passes
// signals on to the present daemon, whose reload can open the sockets again, and ends with it.
func TestUpgradesInAContainer(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	before := interfaceState(t, top.A, "link0", "edge0")
	p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", bed.Lossless), B: bed.NewDaemon(t, top.B, "B", bed.Lossless)}
	cmd := p.A.Command()
	uelinkd := cmd.Args
	cmd.Path = bed.InstalledProgram(t, "unshare", "util-linux")
	cmd.Args = append([]string{"unshare", "--fork", "--pid", "--mount-proc", "--kill-child"}, uelinkd...)
	p.A.Process = bed.Start(t, top.A, p.A.Name, cmd)
	p.A.AwaitNotify("READY=1")
	p.B.Start()
	p.Advance()
	if got := p.A.PID(); got != 1 {
		t.Fatalf("it is process %d", got)
	}
	b := flowBothWays(t, top, slowRate)
	first := bed.ChildOf(t, p.A.Cmd.Process.Pid)
	t.Cleanup(func() { _ = syscall.Kill(first, syscall.SIGKILL) }) // if it is still there
	for range 3 {
		old := p.A.PID()
		bed.Must(t, p.A.Client.Upgrade(t.Context(), api.Upgrade{}))
		bed.Eventually(t, "an answer of the successor", func() string {
			if got := p.A.PID(); got == old {
				return fmt.Sprintf("process %d still answers", got)
			}
			return ""
		})
		bed.Eventually(t, "a reaper with one child", func() string {
			return reaps(t, first, p.A)
		})
	}
	s := bed.Lossless
	s.Edge, s.Profile = "ring_size: 512", s.Profile+", max_outstanding_frames: 77"
	p.A.Write(s.Text(p.A.Socket))
	bed.Must(t, syscall.Kill(first, syscall.SIGHUP))
	bed.Eventually(t, "the new window", func() string {
		if w := window(p.A); w != 77.0 {
			return fmt.Sprintf("it is %v", w)
		}
		return ""
	})
	p.A.AwaitLogLines("sockets reopened")
	p.A.OperStatus("edge0", "up")
	b.whole()
	p.B.Kill() // a veth restores its segmentation only when its other end has no XDP program
	p.B.HasNoXDP()
	bed.Must(t, syscall.Kill(first, syscall.SIGTERM))
	if code := p.A.Wait(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if after := interfaceState(t, top.A, "link0", "edge0"); after != before {
		t.Errorf("it left\n%s\nof\n%s", after, before)
	}
}

// reaps returns why a process is no reaper of the daemon d; "" if it is.
func reaps(t *testing.T, reaper int, d *bed.Daemon) (problem string) {
	t.Helper()
	command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", reaper))
	bed.Must(t, err)
	if !strings.Contains(string(command), "--reap") {
		return fmt.Sprintf("process 1 is %q", command)
	}
	fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", reaper))
	bed.Must(t, err)
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil && strings.Contains(to, "socket:") || strings.Contains(to, "bpf") {
			return "it has " + to
		}
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", bed.ChildOf(t, reaper)))
	bed.Must(t, err)
	for line := range strings.Lines(string(status)) {
		if of, list, _ := strings.Cut(line, ":"); of == "NSpid" {
			if all := strings.Fields(list); all[len(all)-1] == fmt.Sprint(d.PID()) {
				return ""
			}
		}
	}
	return "its child is not the daemon"
}
