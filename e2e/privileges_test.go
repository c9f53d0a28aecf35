package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/control"
	"uelink/netns"
	"uelink/netns/nstest"
)

// Capabilities of a daemon that is up, as the kernel shows them.
const (
	fourCapabilities = uint64(1<<unix.CAP_NET_ADMIN | 1<<unix.CAP_NET_RAW | 1<<unix.CAP_BPF | 1<<unix.CAP_IPC_LOCK)
	withNamespaces   = fourCapabilities | 1<<unix.CAP_SYS_ADMIN
)

// hasOnly demands that every thread of the daemon has these capabilities and no way to others.
func (d *daemon) hasOnly(capabilities uint64) {
	d.t.Helper()
	want := fmt.Sprintf("%016x", capabilities)
	none := fmt.Sprintf("%016x", 0)
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", d.cmd.Process.Pid))
	must(d.t, err)
	if len(threads) < 2 {
		d.t.Errorf("%d threads", len(threads))
	}
	for _, thread := range threads {
		status, err := os.ReadFile(thread)
		if os.IsNotExist(err) || err == nil && len(status) == 0 {
			continue // it has ended
		}
		must(d.t, err)
		is := map[string]string{}
		for line := range strings.Lines(string(status)) {
			key, value, _ := strings.Cut(line, ":")
			is[key] = strings.TrimSpace(value)
		}
		for key, value := range map[string]string{
			"CapEff": want, "CapPrm": want, "CapBnd": want, "CapInh": none, "CapAmb": none, "NoNewPrivs": "1",
		} {
			if is[key] != value {
				d.t.Errorf("%s: %s is %s, want %s", thread, key, is[key], value)
			}
		}
	}
}

// ownHosts returns two hosts, each with both ends of its edge's veth in the namespace of its daemon.
func ownHosts(t testing.TB) *topology {
	t.Helper()
	top := &topology{t: t, A: nstest.New(t, "A"), B: nstest.New(t, "B")}
	top.hostA, top.hostB = top.A, top.B
	must(t, netns.Veth(top.A, "link0", top.B, "link0", edgeMTU))
	for _, n := range []*netns.NS{top.A, top.B} {
		must(t, netns.Veth(n, "eth0", n, "edge0", edgeMTU))
	}
	return top
}

// A daemon started by root keeps four capabilities. Everything works as before.
func TestDaemonOfRootKeepsFourCapabilities(t *testing.T) {
	top := ownHosts(t)
	before := interfaceState(t, top.A, "link0", "edge0") + fmt.Sprint(offloads(t, top.A, "eth0"))
	p := top.daemons(settings{})
	p.a.hasOnly(fourCapabilities)
	p.a.says("privileges are dropped")
	whole := func(step string) {
		t.Helper()
		p.advance()
		p.a.operStatus("edge0", "up")
		crosses(open(t, top.A, "eth0", probeType), open(t, top.B, "eth0", probeType), patience)
		p.a.hasOnly(fourCapabilities)
		t.Log(step)
	}
	whole("after the start")

	capture := filepath.Join(p.a.dir, "link0.pcapng")
	changed := settings{link: "capture: " + capture, edge: "ring_size: 512"}
	p.a.reload(changed.text(p.a.socket))
	whole("after a reload that opens both ports anew, with a capture")
	p.a.reload(created(changed, addressA).replaced(p.a.socket))
	p.a.operStatus("edge0", "up")
	p.a.hasOnly(fourCapabilities)
	p.a.reload(changed.text(p.a.socket))
	whole("after reloads that made a veth and took it away")
	must(t, top.A.DeleteLink("edge0"))
	p.a.operStatus("edge0", "absent")
	must(t, netns.Veth(top.A, "eth0", top.A, "edge0", edgeMTU))
	whole("after an interface was made again")
	captured(t, capture)
	p.a.complainsOfNothing()

	p.a.kill()
	p.a.start()
	whole("after a kill")
	p.b.kill() // a veth restores its segmentation only when its other end has no XDP program
	p.b.hasNoXDP()
	if code := p.a.terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	after := interfaceState(t, top.A, "link0", "edge0") + fmt.Sprint(offloads(t, top.A, "eth0"))
	if after != before {
		t.Errorf("it left\n%s\nof\n%s", after, before)
	}
	for _, path := range []string{p.a.socket, control.LockPath(p.a.socket)} {
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", path, err)
		}
	}
}

// replaced returns the configuration with an edge whose interface the daemon creates.
func (s settings) replaced(socket string) string {
	return strings.Replace(s.text(socket), "interface: edge0", "interface: ue-edge0", 1)
}

// complainsOfNothing demands that the log has no error except about a deleted interface.
func (d *daemon) complainsOfNothing() {
	d.t.Helper()
	for _, line := range d.complaints() {
		if !strings.Contains(line, "port fault") {
			d.t.Error(line)
		}
	}
}

// CAP_SYS_ADMIN is kept only where an edge's other end is in another namespace, and the log says so.
func TestDaemonKeepsAWayToTheOtherEndOfAnEdge(t *testing.T) {
	top := direct(t)
	before := top.owned(t)
	p := top.daemons(settings{})
	p.a.hasOnly(withNamespaces)
	p.a.says("CAP_SYS_ADMIN is kept", `"ports":["edge0"]`)
	p.b.kill()
	p.b.hasNoXDP()
	top.ends(t, p.a, before)
}

// Without the right to read other users' files, a reload of such a file fails and the daemon goes on. The log warns
// beforehand.
func TestConfigurationOfAnotherUser(t *testing.T) {
	top := ownHosts(t)
	d := newDaemon(t, top.A, "A", settings{})
	must(t, os.Chown(d.config, nobody, nobody))
	must(t, os.Chmod(d.config, 0o600))
	d.start()
	d.says("a reload or the end cannot use this one", d.config)
	d.signal(syscall.SIGHUP)
	d.told("RELOADING=1")
	d.told("READY=1")
	eventually(t, "a refusal in the log", func() string {
		if log := d.stderr.String(); !strings.Contains(log, "permission denied: a daemon that runs has dropped") {
			return log
		}
		return ""
	})
	must(t, os.Chown(d.config, 0, 0))
	d.reload(settings{}.text(d.socket))
	eventually(t, "a reload in the log", func() string {
		if log := d.stderr.String(); !strings.Contains(log, "configuration reloaded") {
			return log
		}
		return ""
	})
	if code := d.terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
}
