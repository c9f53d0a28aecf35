package restarts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"uelink/client"
	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// The systemd unit, and paths that it names.
const (
	unitFile      = "../../../deploy/uelinkd.service"
	serviceConfig = "/etc/uelink/uelink.yaml"
	serviceSocket = "/run/uelink/uelink.sock"
	serviceState  = "/var/lib/uelink"
)

// service is a daemon that runs by its unit under a systemd of its own.
type service struct {
	*bed.Daemon
	machine *bed.Machine
}

// newService boots a systemd in a namespace, and waits until the daemon is up.
func newService(t testing.TB, ns *netns.NS, name string, c bed.Configuration) *service {
	t.Helper()
	return newServiceOf(t, bed.NewDaemon(t, ns, name, c), c)
}

// newServiceOf is newService in the place of daemon d, which is not started.
func newServiceOf(t testing.TB, d *bed.Daemon, c bed.Configuration) *service {
	t.Helper()
	daemon := d.Binary
	if daemon == "" {
		daemon = bed.Program("uelinkd")
	}
	d.Write(c.Text(serviceSocket))
	s := &service{d, bed.Boot(t, d.NS, bed.MachineFiles{Unit: unitFile, Copied: map[string]string{
		"/usr/local/bin/uelinkd": daemon, "/usr/local/bin/uelink": bed.Program("uelink"), serviceConfig: d.Config,
	}})}
	s.Process = s.machine.Process
	s.Socket = s.machine.Path(serviceSocket)
	s.Client = client.NewClient(s.Socket)
	t.Cleanup(s.Client.Close)
	return s
}

// systemctl runs `systemctl VERB uelinkd`, which must succeed.
func (s *service) systemctl(args ...string) {
	s.T.Helper()
	s.machine.Succeeds(append(append([]string{"systemctl"}, args...), "uelinkd")...)
}

// reload writes a configuration and reloads the service. It returns the journal if the reload fails.
func (s *service) reload(text string) (problem string) {
	s.T.Helper()
	bed.Must(s.T, os.WriteFile(s.machine.Path(serviceConfig), []byte(text), 0o644))
	if _, err := s.machine.Run("systemctl", "reload", "uelinkd"); err != nil {
		return s.journal()
	}
	return ""
}

func (s *service) property(name string) string { return s.machine.Property("uelinkd", name) }

func (s *service) journal() string { return s.machine.Journal("uelinkd") }

// awaitJournal waits until the journal of the service contains each of these texts.
func (s *service) awaitJournal(texts ...string) {
	s.T.Helper()
	for _, text := range texts {
		bed.Eventually(s.T, "the journal says "+text, func() string {
			if journal := s.journal(); !strings.Contains(journal, text) {
				return journal
			}
			return ""
		})
	}
}

// upgrade types `uelink upgrade`, and waits until the successor is the one process of the service.
func (s *service) upgrade() {
	s.T.Helper()
	before := s.property("MainPID")
	s.machine.Succeeds("uelink", "upgrade")
	bed.Eventually(s.T, "another main process", func() string {
		if main := s.property("MainPID"); main == before || main != fmt.Sprint(s.PID()) {
			return "the main process is " + main
		}
		return ""
	})
	if state := s.property("ActiveState") + " " + s.property("SubState"); state != "active running" {
		s.T.Errorf("the service is %s", state)
	}
	bed.Eventually(s.T, "one process", func() string {
		text, err := os.ReadFile(s.machine.Path("/sys/fs/cgroup/system.slice/uelinkd.service/cgroup.procs"))
		bed.Must(s.T, err)
		if all := strings.Fields(string(text)); len(all) != 1 {
			return fmt.Sprintf("there are %v", all)
		}
		return ""
	})
}

// Under a real systemd the service stays active across ten upgrades, with one main process and a journal of all. After
// a crash the next process finds how far the last one has come, and a stop waits until all is delivered.
func TestUpgradesUnderSystemd(t *testing.T) {
	top := bed.Direct(t)
	b := bed.NewDaemon(t, top.B, "B", bed.Lossless)
	b.Start()
	s := newService(t, top.A, "A", bed.Lossless)
	p := bed.Pair{A: s.Daemon, B: b}
	p.Advance()
	flow := flowBothWays(t, top, slowRate)
	for range 10 {
		s.upgrade()
	}
	flow.whole()
	if n := strings.Count(s.journal(), `"msg":"handed over"`); n != 10 {
		t.Errorf("the journal has %d upgrades", n)
	}

	before := b.LLRCounters().PartnerResumed
	s.systemctl("kill", "-s", "KILL")
	bed.Eventually(t, "a partner that goes on where it was", func() string {
		if c := b.LLRCounters(); c.PartnerResumed == before {
			return fmt.Sprintf("%+v", c)
		}
		return ""
	})
	p.Advance()
	if n := s.property("NRestarts"); n != "1" {
		t.Errorf("%s restarts", n)
	}
	s.upgrade()
	s.machine.Stop("uelinkd")
	if text := s.journal(); !strings.Contains(text, `"msg":"drained"`) {
		t.Errorf("it was not waited for:\n%s", text)
	}
}

// capture returns the path of a capture of the service.
func (s *service) capture(file string) string {
	return s.machine.Path(filepath.Join(serviceState, file))
}
