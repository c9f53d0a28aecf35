package restarts

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"uelink/bpf"
	"uelink/client"
	"uelink/dataplane/netif"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
	"uelink/lab/e2e/unit"
)

// unitFile is the systemd unit, and the paths that it names.
const (
	unitFile      = "../../../deploy/uelinkd.service"
	serviceConfig = "/etc/uelink/uelink.yaml"
	serviceSocket = "/run/uelink/uelink.sock"
)

// service is a daemon that runs by the systemd unit, on a machine of its own.
type service struct {
	*bed.Daemon
	unit    *unit.Unit
	machine unit.Machine
}

// newService writes a configuration; nothing is started yet.
func newService(t testing.TB, ns *netns.NS, name string, c bed.Configuration) *service {
	t.Helper()
	u, err := unit.Load(installed(t))
	if errors.Is(err, unit.ErrMissing) {
		nstest.Missing(t, err.Error())
	}
	bed.Must(t, err)
	s := &service{Daemon: bed.NewDaemon(t, ns, name, c), unit: u}
	forNobody(s.Daemon)
	s.machine = unit.Machine{
		Dir:    t.TempDir(),
		Files:  map[string]string{"/usr/local/bin/uelinkd": bed.Program("uelinkd"), serviceConfig: s.Config},
		Notify: s.Notify.LocalAddr().String(), Run: filepath.Join(s.Dir, "run"), State: filepath.Join(s.Dir, "state"),
	}
	s.Write(c.Text(serviceSocket))
	s.Socket = filepath.Join(s.machine.Run, filepath.Base(serviceSocket))
	s.Client = client.NewClient(s.Socket)
	t.Cleanup(s.Client.Close)
	return s
}

// installed returns the unit as make install has it. (In /usr/bin the test's own daemon would hide the machine's kill.)
func installed(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(unitFile)
	bed.Must(t, err)
	name := filepath.Join(t.TempDir(), "uelinkd.service")
	bed.Must(t, os.WriteFile(name, bytes.ReplaceAll(text, []byte("/usr/bin/"), []byte("/usr/local/bin/")), 0o600))
	return name
}

// execute starts a command of the unit.
func (s *service) execute(name string, args []string) *bed.Process {
	s.T.Helper()
	cmd, err := s.unit.Command(s.machine, args)
	bed.Must(s.T, err)
	return bed.Start(s.T, s.NS, name, cmd)
}

// crash starts it and kills it when it is ready.
func (s *service) crash() {
	s.T.Helper()
	s.start()
	s.Kill()
	s.HasNoXDP()
}

// start starts it as `systemctl start` does.
func (s *service) start() {
	s.T.Helper()
	s.Process = s.execute(s.Name, s.unit.Start)
	s.AwaitNotify("READY=1")
}

// reload runs the unit's ExecReload, as `systemctl reload` does, until a command fails, and returns the output of
// that command.
func (s *service) reload(text string) (problem string) {
	s.T.Helper()
	s.Write(text)
	for _, line := range s.unit.Reload {
		args := strings.Fields(strings.ReplaceAll(strings.Join(line, " "), "$MAINPID", fmt.Sprint(s.Cmd.Process.Pid)))
		if p := s.execute("reload of "+s.Name, args); p.Wait() != 0 {
			return p.Stdout.String() + p.Stderr.String()
		}
	}
	s.AwaitNotify("RELOADING=1")
	s.AwaitNotify("READY=1")
	return ""
}

// everything is a configuration that uses every privilege of the daemon on its host.
func everything(name string) bed.Settings {
	return bed.Settings{
		Link: "capture: /var/lib/uelink/link0.pcapng, lldp: {" + bed.Brisk + "}, dcbx: {mode: on, version: cee, dcbnl: apply}",
		Edge: "opener: native, lldp: {mode: rx-tx}",
		Top: "lldp: {chassis_id: mac, system_name: " + name + ", management_addresses: [auto]}\n" +
			"metrics: {listen: \"127.0.0.1:9464\"}",
	}
}

func TestServiceDoesAllItsWorkUnderTheRestrictionsOfItsUnit(t *testing.T) {
	top := bed.Direct(t)
	before := owned(top, t)
	a, b := newService(t, top.A, "A", everything("serviceA")), newService(t, top.B, "B", everything("serviceB"))
	a.start()
	b.start()
	bed.Pair{A: a.Daemon, B: b.Daemon}.Advance()
	a.AwaitNeighbor("serviceB")
	b.AwaitNeighbor("serviceA")
	a.AwaitLogLines("keeps its offloads")      // at the host's end, whose namespace may not be entered
	t.Run("frames cross", func(t *testing.T) { // its sockets are closed at its end
		hostA, hostB := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)
		bed.AwaitCrossing(hostA, hostB, bed.Patience)
	})
	t.Run("frames leave live", func(t *testing.T) {
		if !bpf.Since(5, 18) {
			a.SendsBy("af_xdp", "Linux 5.18")
			return
		}
		a.SendsBy("live", "")
		l := top.Batches(t, bed.Patience)
		a.SendsLive()
		bed.NothingLost(t, l.End())
	})
	if answer := a.Tool("llr", "interface", "link0").Succeeds().Objects(); len(answer) != 1 {
		t.Errorf("the tool shows %v", answer)
	}

	changed := everything("serviceA")
	changed.Profile = "max_outstanding_frames: 77"
	if problem := a.reload(changed.Text(serviceSocket)); problem != "" {
		t.Errorf("reload: %s", problem)
	}
	if w := window(a.Daemon); w != 77.0 {
		t.Errorf("after the reload the window is %v", w)
	}
	if problem := a.reload("ports: nonsense"); !strings.Contains(problem, "ports") {
		t.Errorf("a wrong configuration: %q", problem)
	}
	bed.Pair{A: a.Daemon, B: b.Daemon}.Advance()

	// A comes last: a veth restores its segmentation only when its other end has no XDP program.
	for _, s := range []*service{b, a} {
		if code := s.Terminate(); code != 0 {
			t.Errorf("%s: exit %d", s.Name, code)
		}
		captured(t, filepath.Join(s.machine.State, "link0.pcapng"))
	}
	if after := owned(top, t); after != before {
		t.Errorf("it left\n%s\nof\n%s", after, before)
	}
}

// Systemd removes the directory of the socket when the service ends, also when it was
// killed. What was changed on interfaces is written down in another one.
func TestServiceThatWasKilledPutsItsInterfacesBackAtTheNextStart(t *testing.T) {
	top := bed.Direct(t)
	before := owned(top, t)
	a := newService(t, top.A, "A", bed.Settings{})
	a.crash()
	bed.Must(t, os.RemoveAll(a.machine.Run))
	if left := owned(top, t); left == before {
		t.Error("a killed daemon should leave its changes")
	}
	a.start()
	a.AwaitLogLines("put back on the interface", "MTU 1514 to 1500", "offloads on")
	ends(top, t, a.Daemon, before)
}

// captured demands a capture that has a probe in it.
func captured(t testing.TB, file string) {
	t.Helper()
	octets, err := os.ReadFile(file)
	bed.Must(t, err)
	if source := bed.Probe(0, 60)[6:12]; !bytes.Contains(octets, source) {
		t.Errorf("%s: no probe in %d octets", file, len(octets))
	}
}

// The service pushes back at an edge that it makes. It may not follow the host's end into another namespace: then the
// edge is as without, and that is no problem.
func TestServicePushesBackAtAnEdgeThatItMakes(t *testing.T) {
	if err := netif.Pushes(); err != nil {
		nstest.Missing(t, "a veth that pushes back: "+err.Error())
	}
	a, b := nstest.New(t, "A"), nstest.New(t, "B")
	bed.Must(t, netns.Veth(a, "link0", b, "link0", bed.EdgeMTU))
	s := newService(t, a, "A", bed.CreatedEdge(bed.Settings{}, bed.AddressA))
	s.start()
	is := func(state, why string) {
		t.Helper()
		bed.Eventually(t, "push_back "+state, func() string {
			e := s.Edge()
			if e.PushBack != state || !strings.Contains(e.PushBackReason, why) ||
				strings.Contains(e.Fault, "push back") {
				return fmt.Sprintf("%s: %s; fault %q", e.PushBack, e.PushBackReason, e.Fault)
			}
			return ""
		})
	}
	is("on", "")
	bed.Run(t, a, exec.Command("ip", "link", "set", "dev", "uelink0", "netns", b.Name()))
	bed.Must(t, b.SetLink("uelink0", true))
	is("off", "operation not permitted")
	s.OperStatus("edge0", "up")
	if log := s.Stderr.String(); strings.Contains(log, "not put back") {
		t.Error(log)
	}
	bed.Run(t, b, exec.Command("ip", "link", "set", "dev", "uelink0", "netns", a.Name()))
	s.OperStatus("edge0", "down")
	bed.Must(t, a.SetLink("uelink0", true))
	is("on", "")
	if code := s.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
}
