package bed

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

// bootMachine makes systemd process 1 of namespaces of its own: with the programs of this machine, but with no unit
// except the journal and those of the test. udev would give the veths other addresses while a daemon runs. $1 is the
// folder for the root, $2 a folder with local, etc and binds: files for /usr/local and /etc, and a list of sockets.
const bootMachine = `set -e
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$1"
cd "$1"
mkdir -p usr etc/systemd/system run var/lib var/log var/tmp tmp proc sys dev old
mount --rbind /usr usr
for l in bin sbin lib lib64; do [ -L /$l ] && ln -s usr/$l $l; done
mount -t tmpfs -o mode=755 tmpfs usr/local
cp -r "$2"/local/. usr/local
cp -r "$2"/etc/. etc
for unit in systemd-udevd.service systemd-udevd-control.socket systemd-udevd-kernel.socket; do
	ln -s /dev/null etc/systemd/system/$unit
done
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount --rbind /dev dev
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mkdir run/netns
mount --rbind /run/netns run/netns
while read -r here there; do
	mkdir -p "$(dirname "$there")"
	touch "$there"
	mount --bind "$here" "$there"
done <"$2"/binds
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

// Machine is a systemd in namespaces of its own, all but the network's, with services of this tree.
type Machine struct {
	*Process
	t    testing.TB
	init int // process of systemd
}

// MachineFiles are the files of a Machine: paths in the machine, and for each the path of a file on this machine.
// Programs are in /usr/local/bin of the machine, also for units that name /usr/bin.
type MachineFiles struct {
	Copied  map[string]string // files to copy to these paths, below /usr/local or /etc
	Sockets map[string]string // unix sockets of this machine that the Machine sees under these paths
	Unit    string            // the service
}

// Boot boots a machine in a network namespace with a service, and waits until the service is active. It skips the test
// where systemd is missing, or does not start in namespaces.
func Boot(t testing.TB, ns *netns.NS, files MachineFiles) *Machine {
	t.Helper()
	RequireProgram(t, "systemctl", "systemd")
	m := &Machine{t: t}
	m.Process, m.init = Systemd(t, ns, bootMachine, t.TempDir(), files.folder(t))
	Eventually(t, "the service", func() string {
		if !m.Running() {
			nstest.Missing(t, "ability of systemd to start in namespaces; output of systemd: "+m.Stderr.String())
		}
		if out, err := m.Run("systemctl", "is-active", filepath.Base(files.Unit)); err != nil {
			return out
		}
		return ""
	})
	return m
}

// folder writes the files to a new folder, for the script bootMachine, and returns the folder's path: the copied files,
// the unit of the service, a target that starts it, and the list binds of the sockets to mount.
func (f MachineFiles) folder(t testing.TB) string {
	t.Helper()
	dir, name := t.TempDir(), filepath.Base(f.Unit)
	write := func(path string, octets []byte) {
		Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		Must(t, os.WriteFile(path, octets, 0o755))
	}
	for there, here := range f.Copied {
		octets, err := os.ReadFile(here)
		Must(t, err)
		write(filepath.Join(dir, strings.TrimPrefix(there, "/usr")), octets)
	}
	unit, err := os.ReadFile(f.Unit)
	Must(t, err)
	units := filepath.Join(dir, "etc/systemd/system")
	write(filepath.Join(units, name), bytes.ReplaceAll(unit, []byte("/usr/bin/uelink"), []byte("/usr/local/bin/uelink")))
	write(filepath.Join(units, "test.target"), fmt.Appendf(nil,
		"[Unit]\nRequires=systemd-journald.service %[1]s\nAfter=systemd-journald.service\n", name))
	var binds strings.Builder
	for there, here := range f.Sockets {
		fmt.Fprintln(&binds, here, strings.TrimPrefix(there, "/"))
	}
	write(filepath.Join(dir, "binds"), []byte(binds.String()))
	return dir
}

// Path returns the path by which this machine sees a file of the Machine.
func (m *Machine) Path(there string) string { return fmt.Sprintf("/proc/%d/root%s", m.init, there) }

// Run runs a command beside systemd, and returns its output without blanks around it.
func (m *Machine) Run(args ...string) (out string, err error) {
	octets, err := exec.Command("nsenter", append([]string{"-t", strconv.Itoa(m.init), "-a"}, args...)...).CombinedOutput()
	return strings.TrimSpace(string(octets)), err
}

// Succeeds runs a command beside systemd that must succeed, and returns its output.
func (m *Machine) Succeeds(args ...string) string {
	m.t.Helper()
	out, err := m.Run(args...)
	if err != nil {
		m.t.Fatalf("%v: %v: %s", args, err, out)
	}
	return out
}

// Property returns a property of a service.
func (m *Machine) Property(service, name string) string {
	m.t.Helper()
	return m.Succeeds("systemctl", "show", "--value", "-p", name, service)
}

// Journal returns the lines that a service has written.
func (m *Machine) Journal(service string) string {
	m.t.Helper()
	return m.Succeeds("journalctl", "-u", service, "--no-pager", "-o", "cat")
}

// Stop stops a service, which must end with success.
func (m *Machine) Stop(service string) {
	m.t.Helper()
	m.Succeeds("systemctl", "stop", service)
	if result := m.Property(service, "Result"); result != "success" {
		m.t.Errorf("%s stopped with result %s:\n%s", service, result, m.Journal(service))
	}
}
