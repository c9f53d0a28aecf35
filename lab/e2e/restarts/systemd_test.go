package restarts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"uelink/client"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// bootSystemd is a script that makes systemd process 1 of namespaces of its own: with the programs of this machine, but
// with no unit except the journal and the daemon. $1 is the folder for its root, $2 a folder with what to copy.
const bootSystemd = `set -e
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$1"
cd "$1"
mkdir -p usr etc/systemd/system etc/uelink run var/lib var/log var/tmp tmp proc sys dev old
mount --rbind /usr usr
for l in bin sbin lib lib64; do [ -L /$l ] && ln -s usr/$l $l; done
mount -t tmpfs -o mode=755 tmpfs usr/local
mkdir usr/local/bin
cp "$2"/uelinkd "$2"/uelink usr/local/bin
sed s:/usr/bin/uelinkd:/usr/local/bin/uelinkd: "$2"/uelinkd.service >etc/systemd/system/uelinkd.service
cp "$2"/test.target etc/systemd/system
cp "$2"/uelink.yaml etc/uelink
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount --rbind /dev dev
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
cp /etc/ld.so.cache etc
echo root:x:0:0:root:/root:/bin/sh >etc/passwd
echo root:x:0: >etc/group
echo uelink:x:999:999:uelink:/var/lib/uelink:/usr/sbin/nologin >>etc/passwd
echo uelink:x:999: >>etc/group
echo "passwd: files systemd" >etc/nsswitch.conf
tr -d - </proc/sys/kernel/random/uuid >etc/machine-id
pivot_root . old
umount -l old
exec env -i container=uelink PATH=/usr/sbin:/usr/bin /lib/systemd/systemd --system --unit=test.target \
	--log-target=journal
`

const testTarget = `[Unit]
Requires=systemd-journald.service uelinkd.service
After=systemd-journald.service
`

// machine is a systemd with the daemon's unit.
type machine struct {
	*bed.Daemon
	init int // process of systemd
}

// newMachine boots a systemd in the place of daemon d, which is not started.
func newMachine(t *testing.T, d *bed.Daemon, c bed.Configuration) *machine {
	t.Helper()
	m := &machine{Daemon: d}
	dir, root := t.TempDir(), t.TempDir()
	bed.Must(t, os.WriteFile(filepath.Join(dir, "uelink.yaml"), []byte(c.Text(serviceSocket)), 0o644))
	bed.Must(t, os.WriteFile(filepath.Join(dir, "test.target"), []byte(testTarget), 0o644))
	daemon := d.Binary
	if daemon == "" {
		daemon = bed.Program("uelinkd")
	}
	for from, to := range map[string]string{
		daemon: "uelinkd", bed.Program("uelink"): "uelink", unitFile: "uelinkd.service",
	} {
		octets, err := os.ReadFile(from)
		bed.Must(t, err)
		bed.Must(t, os.WriteFile(filepath.Join(dir, to), octets, 0o755))
	}
	m.Process, m.init = bed.Systemd(t, d.NS, bootSystemd, root, dir)
	bed.Eventually(t, "the service", func() string {
		if !m.Running() {
			nstest.Missing(t, "namespaces in which systemd starts: "+m.Stderr.String())
		}
		if out, err := m.run("systemctl", "is-active", "uelinkd"); err != nil {
			return out
		}
		return ""
	})
	m.Socket = fmt.Sprintf("/proc/%d/root%s", m.init, serviceSocket)
	m.Client = client.NewClient(m.Socket)
	t.Cleanup(m.Client.Close)
	return m
}

// run runs a command beside systemd.
func (m *machine) run(args ...string) (out string, err error) {
	octets, err := exec.Command("nsenter", append([]string{"-t", strconv.Itoa(m.init), "-a"}, args...)...).CombinedOutput()
	return strings.TrimSpace(string(octets)), err
}

// runs is run of a command that must succeed.
func (m *machine) runs(args ...string) string {
	m.T.Helper()
	out, err := m.run(args...)
	if err != nil {
		m.T.Fatalf("%v: %v: %s", args, err, out)
	}
	return out
}

// property is a property of the service.
func (m *machine) property(name string) string {
	m.T.Helper()
	return m.runs("systemctl", "show", "--value", "-p", name, "uelinkd")
}

// journal is what the service has logged.
func (m *machine) journal() string {
	m.T.Helper()
	return m.runs("journalctl", "-u", "uelinkd", "--no-pager", "-o", "cat")
}

// Under a real systemd the service stays active across ten upgrades, with one main process and a journal of all. After
// a crash the next process finds how far the last one has come, and a stop waits until all is delivered.
func TestUpgradesUnderSystemd(t *testing.T) {
	bed.RequireProgram(t, "systemctl", "systemd")
	top := bed.Direct(t)
	b := bed.NewDaemon(t, top.B, "B", bed.Lossless)
	b.Start()
	m := newMachine(t, bed.NewDaemon(t, top.A, "A", bed.Lossless), bed.Lossless)
	p := bed.Pair{A: m.Daemon, B: b}
	p.Advance()
	flow := flowBothWays(t, top, slowRate)
	seen := map[string]bool{m.property("MainPID"): true}
	for range 10 {
		m.runs("uelink", "upgrade")
		bed.Eventually(t, "another main process", func() string {
			if is := m.property("MainPID"); seen[is] || is != fmt.Sprint(m.PID()) {
				return "it is " + is
			}
			return ""
		})
		seen[m.property("MainPID")] = true
		if is := m.property("ActiveState") + " " + m.property("SubState"); is != "active running" {
			t.Errorf("it is %s", is)
		}
		bed.Eventually(t, "one process", func() string {
			const processes = "/proc/%d/root/sys/fs/cgroup/system.slice/uelinkd.service/cgroup.procs"
			text, err := os.ReadFile(fmt.Sprintf(processes, m.init))
			bed.Must(t, err)
			if all := strings.Fields(string(text)); len(all) != 1 {
				return fmt.Sprintf("there are %v", all)
			}
			return ""
		})
	}
	flow.whole()
	if n := strings.Count(m.journal(), `"msg":"handed over"`); n != 10 {
		t.Errorf("the journal has %d upgrades", n)
	}

	before := b.LLRCounters().PartnerResumed
	m.runs("systemctl", "kill", "-s", "KILL", "uelinkd")
	bed.Eventually(t, "a partner that goes on where it was", func() string {
		if c := b.LLRCounters(); c.PartnerResumed == before {
			return fmt.Sprintf("%+v", c)
		}
		return ""
	})
	p.Advance()
	if n := m.property("NRestarts"); n != "1" {
		t.Errorf("%s restarts", n)
	}
	m.runs("uelink", "upgrade")
	m.runs("systemctl", "stop", "uelinkd")
	if is := m.property("Result"); is != "success" {
		t.Errorf("the stop ends in %s", is)
	}
	if text := m.journal(); !strings.Contains(text, `"msg":"drained"`) {
		t.Errorf("it was not waited for:\n%s", text)
	}
}
