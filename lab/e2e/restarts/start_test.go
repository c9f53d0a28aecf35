package restarts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// nobody is a user without privileges.
const nobody = 65534

func TestBadConfigurationIsRefusedInOneLine(t *testing.T) {
	top := bed.NewTopology(t)
	good := bed.Settings{}.Text("/run/never")
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
			d := bed.NewDaemon(t, top.A, "A", bed.Settings{})
			text := strings.Replace(good, c.old, c.new, 1)
			if text == good {
				t.Fatal("nothing was changed in the configuration")
			}
			d.Write(text)
			d.Launch()
			d.Refused(2, c.words...)
		})
	}
}

func TestMissingInterfaceIsWaitedFor(t *testing.T) {
	top := bed.NewTopology(t) // without a link0
	p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", bed.Settings{}), B: bed.NewDaemon(t, top.B, "B", bed.Settings{})}
	for _, d := range []*bed.Daemon{p.A, p.B} {
		d.Start()
		d.OperStatus("link0", "absent")
		d.OperStatus("edge0", "up")
		const missing = "there is no interface link0 in this network namespace"
		if fault := d.Link().Fault; !strings.Contains(fault, missing) ||
			!strings.Contains(fault, "the daemon waits for the interface") {
			t.Errorf("%s: the fault is %q", d.Name, fault)
		}
		d.AwaitLogLines(missing)
	}
	bed.Must(t, netns.Veth(top.A, "link0", top.B, "link0", bed.EdgeMTU))
	p.Advance()
	c := top.Between()
	c.Frames, c.Size = 1_000, "1514"
	bed.Untouched(t, c)
	for _, d := range []*bed.Daemon{p.A, p.B} {
		if fault := d.Link().Fault; fault != "" {
			t.Errorf("%s: the fault is still %q", d.Name, fault)
		}
		if code := d.Terminate(); code != 0 {
			t.Errorf("%s: exit %d", d.Name, code)
		}
	}
}

// A daemon whose interfaces never appear ends like any other.
func TestDaemonWithoutAnyInterface(t *testing.T) {
	top := bed.Direct(t)
	d := bed.NewDaemon(t, top.A, "A", bed.Settings{})
	d.Write(strings.NewReplacer("interface: link0", "interface: none0", "interface: edge0", "interface: none1").
		Replace(bed.Settings{}.Text(d.Socket)))
	d.Start()
	d.OperStatus("link0", "absent")
	d.OperStatus("edge0", "absent")
	if code := d.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

func TestTooSmallLinkMTUIsRefusedByItsNumbers(t *testing.T) {
	top := bed.Direct(t)
	d := bed.NewDaemon(t, top.A, "A", bed.Settings{Link: "mtu: check"})
	d.Launch()
	d.Refused(2, "port link0", "1500", "1514", "mtu: auto")
}

// credentials makes the daemon start as nobody, with these capabilities only.
func credentials(d *bed.Daemon, capabilities ...uintptr) {
	d.T.Helper()
	cmd := d.Command()
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Credential:  &syscall.Credential{Uid: nobody, Gid: nobody},
		AmbientCaps: capabilities,
	}
	d.Process = bed.Start(d.T, d.NS, d.Name, cmd)
}

// readable makes the configuration readable for everybody.
func readable(d *bed.Daemon) {
	d.T.Helper()
	bed.Must(d.T, os.Chmod(d.Dir, 0o755))
	bed.Must(d.T, os.Chmod(filepath.Dir(d.Dir), 0o755)) // the test's own directory
}

// forNobody lets the user nobody create the control socket and notify.
func forNobody(d *bed.Daemon) {
	d.T.Helper()
	readable(d)
	bed.Must(d.T, os.Chmod(d.Dir, 0o777))
	bed.Must(d.T, os.Chmod(d.Notify.LocalAddr().String(), 0o777))
}

func TestWithoutRootTheDaemonSaysWhatToDo(t *testing.T) {
	top := bed.Direct(t)
	t.Run("may not make the control socket", func(t *testing.T) {
		d := bed.NewDaemon(t, top.A, "A", bed.Settings{})
		readable(d)
		credentials(d)
		d.Refused(3, "control socket", "root")
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
			d := bed.NewDaemon(t, top.A, "A", bed.Settings{})
			forNobody(d)
			credentials(d, c.capabilities...)
			d.Refused(3, c.words...)
		})
	}
}

func TestInterfaceOfAnotherXDPProgramIsRefusedByItsName(t *testing.T) {
	top := bed.Direct(t)
	index, err := top.A.Ifindex("link0")
	bed.Must(t, err)
	bed.Must(t, top.A.Do(func() error {
		p, err := bpf.Attach(index, bpf.Config{}, attach.ModeAuto)
		if err == nil {
			t.Cleanup(func() { p.Close() })
		}
		return err
	}))
	d := bed.NewDaemon(t, top.A, "A", bed.Settings{})
	d.Launch()
	d.Refused(3, "port link0", `another XDP program "uelink_steer"`, "link0", "bpftool link detach id ")
}

func TestSecondDaemonOnAnInterfaceIsRefusedAndHarmsNothing(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	before := interfaceState(t, top.A, "link0", "edge0")
	second := bed.NewDaemon(t, top.A, "second", bed.Settings{})
	second.Launch()
	second.Refused(3, "port link0", "another XDP program", "link0")
	if after := interfaceState(t, top.A, "link0", "edge0"); after != before {
		t.Errorf("it left\n%s\nof\n%s", after, before)
	}
	c := top.Between()
	c.Frames = 10_000
	bed.Untouched(t, c)
	if n := p.A.LLRCounters().TxFlush; n > 0 {
		t.Errorf("the first daemon flushed %d times", n)
	}
}

func TestSecondDaemonOnAControlSocketIsRefused(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	second := bed.NewDaemon(t, top.A, "second", bed.Settings{})
	second.Write(bed.Settings{}.Text(p.A.Socket))
	second.Launch()
	holder := fmt.Sprintf("in use by another uelinkd (process %d)", p.A.Cmd.Process.Pid)
	second.Refused(1, p.A.Socket, holder, "control.socket")
	if problem := p.A.Advances(); problem != "" {
		t.Error(problem)
	}
}

func TestControlSocketOfAKilledDaemonIsReplaced(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	p.A.Kill()
	if _, err := os.Stat(p.A.Socket); err != nil {
		t.Fatalf("a killed daemon should leave its socket: %v", err)
	}
	p.A.Start()
	p.Advance()
}

// interfaceState returns everything that a daemon may change on interfaces, as text.
func interfaceState(t testing.TB, ns *netns.NS, names ...string) string {
	t.Helper()
	var b strings.Builder
	for _, name := range names {
		l, err := ns.Link(name)
		bed.Must(t, err)
		fmt.Fprintf(&b, "%s: MTU %d, promiscuity %d, XDP %v\n", name, l.MTU, l.Promisc, l.Xdp != nil && l.Xdp.Attached)
		fmt.Fprintln(&b, bed.Offloads(t, ns, name))
	}
	return b.String()
}
