package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"uelink/control"
	"uelink/e2e/unit"
	"uelink/netns"
	"uelink/netns/nstest"
)

// unitFile is the systemd unit, and the paths that it names.
const (
	unitFile      = "../deploy/uelinkd.service"
	serviceConfig = "/etc/uelink/uelink.yaml"
	serviceSocket = "/run/uelink/uelink.sock"
)

// service is a daemon that runs by the systemd unit, on a machine of its own.
type service struct {
	*daemon
	unit    *unit.Unit
	machine unit.Machine
}

// newService writes a configuration; nothing is started yet.
func newService(t testing.TB, ns *netns.NS, name string, c configuration) *service {
	t.Helper()
	u, err := unit.Load(unitFile)
	if errors.Is(err, unit.ErrMissing) {
		nstest.Missing(t, err.Error())
	}
	must(t, err)
	s := &service{daemon: newDaemon(t, ns, name, c), unit: u}
	s.forNobody()
	s.machine = unit.Machine{
		Dir:    t.TempDir(),
		Files:  map[string]string{"/usr/local/bin/uelinkd": program("uelinkd"), serviceConfig: s.config},
		Notify: s.notify.LocalAddr().String(), Run: filepath.Join(s.dir, "run"), State: filepath.Join(s.dir, "state"),
	}
	s.write(c.text(serviceSocket))
	s.socket = filepath.Join(s.machine.Run, filepath.Base(serviceSocket))
	s.client = control.NewClient(s.socket)
	t.Cleanup(s.client.Close)
	return s
}

// execute starts a command of the unit.
func (s *service) execute(name string, args []string) *process {
	s.t.Helper()
	cmd, err := s.unit.Command(s.machine, args)
	must(s.t, err)
	return start(s.t, s.ns, name, cmd)
}

// crash starts it and kills it when it is ready.
func (s *service) crash() {
	s.t.Helper()
	s.start()
	s.kill()
	s.hasNoXDP()
}

// start starts it as `systemctl start` does.
func (s *service) start() {
	s.t.Helper()
	s.process = s.execute(s.name, s.unit.Start)
	s.told("READY=1")
}

// reload runs the unit's ExecReload, as `systemctl reload` does, until a command fails, and returns the output of
// that command.
func (s *service) reload(text string) (problem string) {
	s.t.Helper()
	s.write(text)
	for _, line := range s.unit.Reload {
		args := strings.Fields(strings.ReplaceAll(strings.Join(line, " "), "$MAINPID", fmt.Sprint(s.cmd.Process.Pid)))
		if p := s.execute("reload of "+s.name, args); p.wait() != 0 {
			return p.stdout.String() + p.stderr.String()
		}
	}
	s.told("RELOADING=1")
	s.told("READY=1")
	return ""
}

// everything is a configuration that uses every privilege of the daemon on its host.
func everything(name string) settings {
	return settings{
		link: "capture: /var/lib/uelink/link0.pcapng, lldp: {" + brisk + "}, dcbx: {mode: on, dcbnl: apply}",
		edge: "opener: native, lldp: {mode: rx-tx}",
		top: "lldp: {chassis_id: mac, system_name: " + name + ", management_addresses: [auto]}\n" +
			"metrics: {listen: \"127.0.0.1:9100\"}",
	}
}

func TestServiceDoesAllItsWorkUnderTheRestrictionsOfItsUnit(t *testing.T) {
	top := direct(t)
	before := top.owned(t)
	a, b := newService(t, top.A, "A", everything("serviceA")), newService(t, top.B, "B", everything("serviceB"))
	a.start()
	b.start()
	pair{a.daemon, b.daemon}.advance()
	a.hears("serviceB")
	b.hears("serviceA")
	a.says("ethtool -K IF tx off")             // at the host's end, whose namespace may not be entered
	t.Run("frames cross", func(t *testing.T) { // its sockets are closed at its end
		crosses(open(t, top.hostA, "eth0", probeType), open(t, top.hostB, "eth0", probeType), patience)
	})
	if answer := a.tool("llr", "interface", "link0").succeeds().objects(); len(answer) != 1 {
		t.Errorf("the tool shows %v", answer)
	}

	changed := everything("serviceA")
	changed.profile = "max_outstanding_frames: 77"
	if problem := a.reload(changed.text(serviceSocket)); problem != "" {
		t.Errorf("reload: %s", problem)
	}
	if w := a.window(); w != 77.0 {
		t.Errorf("after the reload the window is %v", w)
	}
	if problem := a.reload("ports: nonsense"); !strings.Contains(problem, "ports") {
		t.Errorf("a wrong configuration: %q", problem)
	}
	pair{a.daemon, b.daemon}.advance()

	// A comes last: a veth restores its segmentation only when its other end has no XDP program.
	for _, s := range []*service{b, a} {
		if code := s.terminate(); code != 0 {
			t.Errorf("%s: exit %d", s.name, code)
		}
		captured(t, filepath.Join(s.machine.State, "link0.pcapng"))
	}
	if after := top.owned(t); after != before {
		t.Errorf("it left\n%s\nof\n%s", after, before)
	}
}

// Systemd removes the directory of the socket when the service ends, also when it was
// killed. What was changed on interfaces is written down in another one.
func TestServiceThatWasKilledPutsItsInterfacesBackAtTheNextStart(t *testing.T) {
	top := direct(t)
	before := top.owned(t)
	a := newService(t, top.A, "A", settings{})
	a.crash()
	must(t, os.RemoveAll(a.machine.Run))
	if left := top.owned(t); left == before {
		t.Error("a killed daemon should leave its changes")
	}
	a.start()
	a.says("put back on the interface", "MTU 1514 to 1500", "offloads on")
	top.ends(t, a.daemon, before)
}

// captured demands a capture that has a probe in it.
func captured(t testing.TB, file string) {
	t.Helper()
	octets, err := os.ReadFile(file)
	must(t, err)
	if source := probe(0, 60)[6:12]; !bytes.Contains(octets, source) {
		t.Errorf("%s: no probe in %d octets", file, len(octets))
	}
}
