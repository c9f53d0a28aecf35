package restarts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/control"
	"uelink/dataplane/netif"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// Capabilities of a daemon that is up, as the kernel shows them.
const (
	fourCapabilities = uint64(1<<unix.CAP_NET_ADMIN | 1<<unix.CAP_NET_RAW | 1<<unix.CAP_BPF | 1<<unix.CAP_IPC_LOCK)
	withNamespaces   = fourCapabilities | 1<<unix.CAP_SYS_ADMIN
)

// hasOnly demands that every thread of the daemon has these capabilities and no way to others.
func hasOnly(d *bed.Daemon, capabilities uint64) {
	d.T.Helper()
	want := fmt.Sprintf("%016x", capabilities)
	none := fmt.Sprintf("%016x", 0)
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", d.Cmd.Process.Pid))
	bed.Must(d.T, err)
	if len(threads) < 2 {
		d.T.Errorf("%d threads", len(threads))
	}
	for _, thread := range threads {
		status, err := os.ReadFile(thread)
		if os.IsNotExist(err) || err == nil && len(status) == 0 {
			continue // it has ended
		}
		bed.Must(d.T, err)
		got := map[string]string{}
		for line := range strings.Lines(string(status)) {
			key, value, _ := strings.Cut(line, ":")
			got[key] = strings.TrimSpace(value)
		}
		for key, value := range map[string]string{
			"CapEff": want, "CapPrm": want, "CapBnd": want, "CapInh": none, "CapAmb": none, "NoNewPrivs": "1",
		} {
			if got[key] != value {
				d.T.Errorf("%s: %s is %s, want %s", thread, key, got[key], value)
			}
		}
	}
}

// ownHosts returns two hosts, each with both ends of its edge's veth in the namespace of its daemon.
func ownHosts(t testing.TB) *bed.Topology {
	t.Helper()
	top := &bed.Topology{T: t, A: nstest.New(t, "A"), B: nstest.New(t, "B")}
	top.HostA, top.HostB = top.A, top.B
	bed.Must(t, netns.Veth(top.A, "link0", top.B, "link0", bed.EdgeMTU))
	for _, n := range []*netns.NS{top.A, top.B} {
		bed.Must(t, netns.Veth(n, "eth0", n, "edge0", bed.EdgeMTU))
	}
	return top
}

// A daemon started by root keeps four capabilities. Everything works as before.
func TestDaemonOfRootKeepsFourCapabilities(t *testing.T) {
	top := ownHosts(t)
	before := interfaceState(t, top.A, "link0", "edge0") + fmt.Sprint(bed.Offloads(t, top.A, "eth0"))
	p := top.Daemons(bed.Settings{})
	hasOnly(p.A, fourCapabilities)
	p.A.AwaitLogLines("privileges are dropped")
	whole := func(step string) {
		t.Helper()
		p.Advance()
		p.A.OperStatus("edge0", "up")
		bed.AwaitCrossing(bed.Open(t, top.A, "eth0", bed.ProbeType), bed.Open(t, top.B, "eth0", bed.ProbeType), bed.Patience)
		hasOnly(p.A, fourCapabilities)
		t.Log(step)
	}
	whole("after the start")

	capture := filepath.Join(p.A.Dir, "link0.pcapng")
	changed := bed.Settings{Link: "capture: " + capture, Edge: "ring_size: 512"}
	p.A.Reload(changed.Text(p.A.Socket))
	whole("after a reload that opens both ports anew, with a capture")
	p.A.Reload(replaced(bed.CreatedEdge(changed, bed.AddressA), p.A.Socket))
	p.A.OperStatus("edge0", "up")
	hasOnly(p.A, fourCapabilities)
	if e := p.A.Edge(); netif.Pushes() == nil && e.PushBack != "on" {
		t.Errorf("with these capabilities push_back is %s: %s", e.PushBack, e.PushBackReason)
	}
	p.A.Reload(changed.Text(p.A.Socket))
	whole("after reloads that made a veth and took it away")
	bed.Must(t, top.A.DeleteLink("edge0"))
	p.A.OperStatus("edge0", "absent")
	bed.Must(t, netns.Veth(top.A, "eth0", top.A, "edge0", bed.EdgeMTU))
	whole("after an interface was made again")
	captured(t, capture)
	complainsOfNothing(p.A)

	p.A.Kill()
	p.A.Start()
	whole("after a kill")
	p.B.Kill() // a veth restores its segmentation only when its other end has no XDP program
	p.B.HasNoXDP()
	if code := p.A.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	after := interfaceState(t, top.A, "link0", "edge0") + fmt.Sprint(bed.Offloads(t, top.A, "eth0"))
	if after != before {
		t.Errorf("it left\n%s\nof\n%s", after, before)
	}
	for _, path := range []string{p.A.Socket, control.LockPath(p.A.Socket)} {
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", path, err)
		}
	}
}

// replaced returns the configuration with an edge whose interface the daemon creates.
func replaced(s bed.Settings, socket string) string {
	return strings.Replace(s.Text(socket), "interface: edge0", "interface: ue-edge0", 1)
}

// complainsOfNothing demands that the log has no error except about a deleted interface.
func complainsOfNothing(d *bed.Daemon) {
	d.T.Helper()
	for _, line := range d.Complaints() {
		if !strings.HasPrefix(line, "error: ") {
			d.T.Error(line)
		}
	}
}

// CAP_SYS_ADMIN is kept only where an edge's other end is in another namespace, and the log says so.
func TestDaemonKeepsAWayToTheOtherEndOfAnEdge(t *testing.T) {
	top := bed.Direct(t)
	before := owned(top, t)
	p := top.Daemons(bed.Settings{})
	hasOnly(p.A, withNamespaces)
	p.A.AwaitLogLines("CAP_SYS_ADMIN is kept", `"ports":["edge0"]`)
	p.B.Kill()
	p.B.HasNoXDP()
	ends(top, t, p.A, before)
}

// Without the right to read other users' files, a reload of such a file fails and the daemon goes on. The log warns
// beforehand.
func TestConfigurationOfAnotherUser(t *testing.T) {
	top := ownHosts(t)
	d := bed.NewDaemon(t, top.A, "A", bed.Settings{})
	bed.Must(t, os.Chown(d.Config, nobody, nobody))
	bed.Must(t, os.Chmod(d.Config, 0o600))
	d.Start()
	d.AwaitLogLines("a reload or the end of the daemon cannot use this path", d.Config)
	d.Signal(syscall.SIGHUP)
	d.AwaitNotify("RELOADING=1")
	d.AwaitNotify("READY=1")
	bed.Eventually(t, "a refusal in the log", func() string {
		if log := d.Stderr.String(); !strings.Contains(log, "permission denied: a running uelinkd has given up") {
			return log
		}
		return ""
	})
	bed.Must(t, os.Chown(d.Config, 0, 0))
	d.Reload(bed.Settings{}.Text(d.Socket))
	bed.Eventually(t, "a reload in the log", func() string {
		if log := d.Stderr.String(); !strings.Contains(log, "configuration reloaded") {
			return log
		}
		return ""
	})
	if code := d.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// An edge that a reload adds after an upgrade, with the other end of its veth in another network namespace, which the
// daemon may not enter any more: the log says that the offloads there stay on.
func TestEdgeInAnotherNamespaceAfterTheStart(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	a := bed.NewDaemon(t, top.A, "A", bed.LLDPOnly{})
	a.Start()
	a.EndsLast()
	a.Upgrade()
	a.Write(bed.Settings{}.Text(a.Socket))
	bed.Must(t, syscall.Kill(a.PID(), syscall.SIGHUP))
	a.AwaitLogLines("keeps its offloads")
}
