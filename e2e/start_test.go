package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/bpf"
	"uelink/dataplane/ethtool"
	"uelink/netns"
)

// nobody is a user without privileges.
const nobody = 65534

// refused demands that a daemon ends by itself with an exit code and one line with all of the given words.
func (d *daemon) refused(code int, words ...string) {
	d.t.Helper()
	if got := d.wait(); got != code {
		d.t.Errorf("exit %d, want %d", got, code)
	}
	lines := d.complaints()
	if len(lines) != 1 {
		d.t.Fatalf("%d lines of complaint, want one:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	for _, word := range words {
		if !strings.Contains(lines[0], word) {
			d.t.Errorf("%q is not in: %s", word, lines[0])
		}
	}
	d.t.Logf("exit %d: %s", code, lines[0])
}

// complaints returns the error lines of standard error: the lines before there was a log, and the text of log lines.
func (d *daemon) complaints() (lines []string) {
	for line := range strings.Lines(d.stderr.String()) {
		var entry struct{ Level, Msg string }
		if json.Unmarshal([]byte(line), &entry) != nil {
			entry.Msg = strings.TrimSpace(line)
		}
		if entry.Level == "" || entry.Level == "error" {
			lines = append(lines, entry.Msg)
		}
	}
	return lines
}

func TestBadConfigurationIsRefusedInOneLine(t *testing.T) {
	top := newTopology(t)
	good := settings{}.text("/run/never")
	for _, c := range []struct {
		name, old, new string
		words          []string
	}{
		{"unknown key", "role: edge", "role: edge, speed: 10", []string{"speed", "uelink.yaml:7:"}},
		{"bad value", "{level: debug", "{level: loud", []string{"loud", "uelink.yaml:1:"}},
		{"duplicate name", "xconnects:", "  - {name: edge0, interface: edge1, role: edge}\nxconnects:", []string{"edge0", "uelink.yaml:8:"}},
		{"duplicate interface", "xconnects:", "  - {name: edge1, interface: edge0, role: edge}\nxconnects:", []string{"edge0", "uelink.yaml:8:"}},
		{"port in two xconnects", "xconnects: [", "  - {name: edge1, interface: edge1, role: edge}\nxconnects: [{edge: edge1, link: link0}, ",
			[]string{"link0", "uelink.yaml:9:", "already"}},
		{"port in no xconnect", "xconnects:", "  - {name: edge1, interface: edge1, role: edge}\nxconnects:", []string{"edge1", "xconnect", "uelink.yaml:8:"}},
		{"unknown profile", "profile: e2e}", "profile: e2f}", []string{"e2f"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDaemon(t, top.A, "A", settings{})
			text := strings.Replace(good, c.old, c.new, 1)
			if text == good {
				t.Fatal("nothing was changed in the configuration")
			}
			d.write(text)
			d.launch()
			d.refused(2, c.words...)
		})
	}
}

func TestMissingInterfaceIsWaitedFor(t *testing.T) {
	top := newTopology(t) // without a link0
	p := pair{newDaemon(t, top.A, "A", settings{}), newDaemon(t, top.B, "B", settings{})}
	for _, d := range []*daemon{p.a, p.b} {
		d.start()
		d.operStatus("link0", "absent")
		d.operStatus("edge0", "up")
		const missing = "there is no interface link0 in this network namespace"
		if fault := d.link().Fault; !strings.Contains(fault, missing) || !strings.Contains(fault, "it is waited for") {
			t.Errorf("%s: the fault is %q", d.name, fault)
		}
		d.says(missing)
	}
	must(t, netns.Veth(top.A, "link0", top.B, "link0", edgeMTU))
	p.advance()
	c := top.between()
	c.Frames, c.Size = 1_000, "1514"
	untouched(t, c)
	for _, d := range []*daemon{p.a, p.b} {
		if fault := d.link().Fault; fault != "" {
			t.Errorf("%s: the fault is still %q", d.name, fault)
		}
		if code := d.terminate(); code != 0 {
			t.Errorf("%s: exit %d", d.name, code)
		}
	}
}

// A daemon whose interfaces never appear ends like any other.
func TestDaemonWithoutAnyInterface(t *testing.T) {
	top := direct(t)
	d := newDaemon(t, top.A, "A", settings{})
	d.write(strings.NewReplacer("interface: link0", "interface: none0", "interface: edge0", "interface: none1").
		Replace(settings{}.text(d.socket)))
	d.start()
	d.operStatus("link0", "absent")
	d.operStatus("edge0", "absent")
	if code := d.terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

func TestTooSmallLinkMTUIsRefusedByItsNumbers(t *testing.T) {
	top := direct(t)
	d := newDaemon(t, top.A, "A", settings{link: "mtu: check"})
	d.launch()
	d.refused(2, "port link0", "1500", "1514", "mtu: auto")
}

// credentials makes the daemon start as nobody, with these capabilities only.
func (d *daemon) credentials(capabilities ...uintptr) {
	d.t.Helper()
	cmd := d.command()
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Credential:  &syscall.Credential{Uid: nobody, Gid: nobody},
		AmbientCaps: capabilities,
	}
	d.process = start(d.t, d.ns, d.name, cmd)
}

// readable makes the configuration readable for everybody.
func (d *daemon) readable() {
	d.t.Helper()
	must(d.t, os.Chmod(d.dir, 0o755))
	must(d.t, os.Chmod(filepath.Dir(d.dir), 0o755)) // the test's own directory
}

// forNobody lets the user nobody create the control socket and notify.
func (d *daemon) forNobody() {
	d.t.Helper()
	d.readable()
	must(d.t, os.Chmod(d.dir, 0o777))
	must(d.t, os.Chmod(d.notify.LocalAddr().String(), 0o777))
}

func TestWithoutRootTheDaemonSaysWhatToDo(t *testing.T) {
	top := direct(t)
	t.Run("may not make the control socket", func(t *testing.T) {
		d := newDaemon(t, top.A, "A", settings{})
		d.readable()
		d.credentials()
		d.refused(3, "control socket", "root")
	})
	for _, c := range []struct {
		name         string
		capabilities []uintptr
		words        []string
	}{
		{"no capability", nil, []string{"port link0", "CAP_NET_ADMIN", "CAP_NET_RAW", "CAP_BPF", "CAP_IPC_LOCK", "root"}},
		{"no CAP_NET_ADMIN", []uintptr{unix.CAP_NET_RAW, unix.CAP_BPF, unix.CAP_PERFMON}, []string{"port link0", "CAP_NET_ADMIN"}},
		{"no CAP_BPF", []uintptr{unix.CAP_NET_RAW, unix.CAP_NET_ADMIN, unix.CAP_PERFMON}, []string{"port link0", "CAP_BPF"}},
		{"no CAP_NET_RAW", []uintptr{unix.CAP_NET_ADMIN, unix.CAP_BPF, unix.CAP_PERFMON}, []string{"port link0", "CAP_NET_RAW"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDaemon(t, top.A, "A", settings{})
			d.forNobody()
			d.credentials(c.capabilities...)
			d.refused(3, c.words...)
		})
	}
}

func TestInterfaceOfAnotherXDPProgramIsRefusedByItsName(t *testing.T) {
	top := direct(t)
	index, err := top.A.Ifindex("link0")
	must(t, err)
	must(t, top.A.Do(func() error {
		p, err := bpf.Attach(index, bpf.Config{}, bpf.ModeAuto)
		if err == nil {
			t.Cleanup(func() { p.Close() })
		}
		return err
	}))
	d := newDaemon(t, top.A, "A", settings{})
	d.launch()
	d.refused(3, "port link0", `another XDP program "uelink_steer"`, "link0", "ip link set dev link0 xdp off")
}

func TestSecondDaemonOnAnInterfaceIsRefusedAndHarmsNothing(t *testing.T) {
	top := direct(t)
	p := top.daemons(settings{})
	before := interfaceState(t, top.A, "link0", "edge0")
	second := newDaemon(t, top.A, "second", settings{})
	second.launch()
	second.refused(3, "port link0", "another XDP program", "link0")
	if after := interfaceState(t, top.A, "link0", "edge0"); after != before {
		t.Errorf("it left\n%s\nof\n%s", after, before)
	}
	c := top.between()
	c.Frames = 10_000
	untouched(t, c)
	if n := p.a.llrCounters().TxFlush; n > 0 {
		t.Errorf("the first daemon flushed %d times", n)
	}
}

func TestSecondDaemonOnAControlSocketIsRefused(t *testing.T) {
	t.Parallel()
	top := direct(t)
	p := top.daemons(settings{})
	second := newDaemon(t, top.A, "second", settings{})
	second.write(settings{}.text(p.a.socket))
	second.launch()
	holder := fmt.Sprintf("in use by another uelinkd (process %d)", p.a.cmd.Process.Pid)
	second.refused(1, p.a.socket, holder, "control.socket")
	if problem := p.a.advances(); problem != "" {
		t.Error(problem)
	}
}

func TestControlSocketOfAKilledDaemonIsReplaced(t *testing.T) {
	top := direct(t)
	p := top.daemons(settings{})
	p.a.kill()
	if _, err := os.Stat(p.a.socket); err != nil {
		t.Fatalf("a killed daemon should leave its socket: %v", err)
	}
	p.a.start()
	p.advance()
}

// interfaceState returns everything that a daemon may change on interfaces, as text.
func interfaceState(t testing.TB, ns *netns.NS, names ...string) string {
	t.Helper()
	var b strings.Builder
	for _, name := range names {
		l, err := ns.Link(name)
		must(t, err)
		fmt.Fprintf(&b, "%s: MTU %d, promiscuity %d, XDP %v\n", name, l.MTU, l.Promisc, l.Xdp != nil && l.Xdp.Attached)
		fmt.Fprintln(&b, offloads(t, ns, name))
	}
	return b.String()
}

// offloads returns the features of an interface that are on.
func offloads(t testing.TB, ns *netns.NS, ifname string) (on []string) {
	t.Helper()
	must(t, ns.Do(func() (err error) {
		on, err = ethtool.Active(ifname)
		return err
	}))
	return on
}
