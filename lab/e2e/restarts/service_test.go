package restarts

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"uelink/bpf"
	"uelink/dataplane/netif"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// everything is a configuration that uses every privilege of the daemon on its host.
func everything(name string) bed.Settings {
	return bed.Settings{
		Link: "capture: /var/lib/uelink/link0.pcapng, lldp: {" + bed.Brisk + "}, dcbx: {mode: on, version: cee, dcbnl: apply}",
		Edge: "opener: native, lldp: {mode: rx-tx}",
		Top: "lldp: {chassis_id: mac, system_name: " + name + ", management_addresses: [auto]}\n" +
			"metrics: {listen: \"127.0.0.1:9464\"}",
	}
}

// Two services do all their work under the restrictions of their unit, one of them after two upgrades: the successor
// has the privileges of its predecessor, and is the main process from then on.
func TestServiceDoesAllItsWorkUnderTheRestrictionsOfItsUnit(t *testing.T) {
	top := bed.Direct(t)
	before := owned(top, t)
	a, b := newService(t, top.A, "A", everything("serviceA")), newService(t, top.B, "B", everything("serviceB"))
	bed.Pair{A: a.Daemon, B: b.Daemon}.Advance()
	a.AwaitNeighbor("serviceB")
	b.AwaitNeighbor("serviceA")
	for range 2 {
		a.upgrade()
	}
	a.awaitJournal("keeps its offloads")       // at the host's end, whose namespace may not be entered
	t.Run("frames cross", func(t *testing.T) { // its sockets are closed at its end
		hostA, hostB := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)
		bed.AwaitCrossing(hostA, hostB, bed.Patience)
	})
	t.Run("frames leave live", func(t *testing.T) {
		if !bpf.KernelSince(5, 18) {
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
		s.machine.Stop("uelinkd")
		captured(t, s.capture("link0.pcapng"))
	}
	if after := owned(top, t); after != before {
		t.Errorf("it left\n%s\nof\n%s", after, before)
	}
}

// Systemd removes the directory of the socket when the service ends, also when it was killed. What was changed on
// interfaces is written down in another one.
func TestServiceThatWasKilledPutsItsInterfacesBackAtTheNextStart(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	before := owned(top, t)
	a := newService(t, top.A, "A", bed.Settings{})
	a.stayDown()
	a.systemctl("kill", "-s", "KILL")
	bed.Eventually(t, "the end of the service", func() string {
		if state := a.property("ActiveState"); state != "failed" {
			return "it is " + state
		}
		return ""
	})
	a.HasNoXDP()
	if _, err := os.Stat(filepath.Dir(a.Socket)); !os.IsNotExist(err) {
		t.Errorf("the directory of the socket: %v", err)
	}
	if left := owned(top, t); left == before {
		t.Error("a killed daemon should leave its changes")
	}
	a.systemctl("start")
	a.awaitJournal("restored a setting of the interface", "MTU 1514 to 1500", "offloads on")
	a.machine.Stop("uelinkd")
	if after := owned(top, t); after != before {
		t.Errorf("it left\n%s\nof\n%s", after, before)
	}
}

// stayDown keeps systemd from starting the service again after a crash.
func (s *service) stayDown() {
	s.T.Helper()
	dir := s.machine.Path("/run/systemd/system/uelinkd.service.d")
	bed.Must(s.T, os.MkdirAll(dir, 0o755))
	bed.Must(s.T, os.WriteFile(filepath.Join(dir, "down.conf"), []byte("[Service]\nRestart=no\n"), 0o644))
	s.machine.Succeeds("systemctl", "daemon-reload")
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
	t.Parallel()
	if err := netif.Pushes(); err != nil {
		nstest.Missing(t, "a veth that pushes back: "+err.Error())
	}
	a, b := nstest.New(t, "A"), nstest.New(t, "B")
	bed.Must(t, netns.Veth(a, "link0", b, "link0", bed.EdgeMTU))
	s := newService(t, a, "A", bed.CreatedEdge(bed.Settings{}, bed.AddressA))
	awaitState := func(state, reason string) {
		t.Helper()
		bed.Eventually(t, "push_back "+state, func() string {
			e := s.Edge()
			if e.PushBack != state || !strings.Contains(e.PushBackReason, reason) ||
				strings.Contains(e.Fault, "push back") {
				return fmt.Sprintf("%s: %s; fault %q", e.PushBack, e.PushBackReason, e.Fault)
			}
			return ""
		})
	}
	awaitState("on", "")
	bed.Run(t, a, exec.Command("ip", "link", "set", "dev", "uelink0", "netns", b.Name()))
	bed.Must(t, b.SetLink("uelink0", true))
	awaitState("off", "operation not permitted")
	s.OperStatus("edge0", "up")
	if journal := s.journal(); strings.Contains(journal, "is not restored") {
		t.Error(journal)
	}
	bed.Run(t, b, exec.Command("ip", "link", "set", "dev", "uelink0", "netns", a.Name()))
	s.OperStatus("edge0", "down")
	bed.Must(t, a.SetLink("uelink0", true))
	awaitState("on", "")
	s.machine.Stop("uelinkd")
}
