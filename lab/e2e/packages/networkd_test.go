package packages

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// networkd is the program of systemd-networkd, runNetworkd a script that becomes it, with the files of the folder $1 as
// its configuration. It waits for no udev, because /sys is read-only.
const (
	networkd    = "/lib/systemd/systemd-networkd"
	runNetworkd = `set -e
mount --make-rprivate /
mount -t sysfs -o ro sysfs /sys
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/netif /run/systemd/network
chown systemd-network: /run/systemd/netif
cp "$1"/* /run/systemd/network
exec env SYSTEMD_LOG_LEVEL=debug SYSTEMD_LOG_TARGET=console ` + networkd + "\n"
)

// everything is the configuration of a machine that asks for addresses on every interface.
const everything = "[Match]\nName=*\n[Network]\nDHCP=yes\nLinkLocalAddressing=yes\n"

// TestNetworkdLeavesTheDaemonsEnds: a networkd that configures every interface leaves the daemon's end of a veth for
// the host alone, by the package's drop-in. The host's end keeps the address that the daemon gives.
func TestNetworkdLeavesTheDaemonsEnds(t *testing.T) {
	if !*debian {
		t.Skip("skipped, missing systemd-networkd: make test-all runs it (-packages.debian)")
	}
	bed.RequireProgram(t, networkd, "systemd")
	for files, want := range map[string]string{"drop-in": "unmanaged", "no drop-in": "configuring"} {
		t.Run(files, func(t *testing.T) {
			a, b := nstest.New(t, "A"), nstest.New(t, "B")
			bed.Must(t, netns.Veth(a, "link0", b, "link0", bed.EdgeMTU))
			dir := t.TempDir()
			bed.Must(t, os.WriteFile(filepath.Join(dir, "80-all.network"), []byte(everything), 0o644))
			if files == "drop-in" {
				dropIn, err := os.ReadFile("../../../deploy/deb/networkd.network")
				bed.Must(t, err)
				bed.Must(t, os.WriteFile(filepath.Join(dir, "10-uelink.network"), dropIn, 0o644))
			}
			manager := startNetworkd(t, a, dir)
			bed.Eventually(t, "networkd that configures", func() string { return state(t, manager, a, "lo", "configur") })
			p := bed.Pair{A: created(t, a, "A", bed.CreatedA, bed.CreatedA6), B: created(t, b, "B", bed.CreatedB, bed.CreatedB6)}
			p.Start()
			bed.Eventually(t, "the state of ue-edge0", func() string { return state(t, manager, a, "ue-edge0", want) })
			bed.Eventually(t, "the state of uelink0", func() string { return state(t, manager, a, "uelink0", "configur") })
			bed.Echo(t, a)
			calls := bed.Call(t, b, bed.CreatedA, bed.CreatedA6)
			calls.Silence("the start", time.Now(), time.Now())

			from := time.Now()
			manager.Terminate()
			manager = startNetworkd(t, a, dir)
			bed.Eventually(t, "the state of uelink0", func() string { return state(t, manager, a, "uelink0", "configur") })
			t.Log("networkd restarts: silence", calls.Seconds(calls.Silence("networkd's restart", from, time.Now())))
		})
	}
}

// startNetworkd starts networkd with the files of a folder.
func startNetworkd(t testing.TB, ns *netns.NS, dir string) *bed.Process {
	t.Helper()
	unshare := bed.InstalledProgram(t, "unshare", "util-linux")
	return bed.Start(t, ns, networkd, exec.Command(unshare, "--mount", "sh", "-c", runNetworkd, "sh", dir))
}

// created returns a daemon with an edge made for its host, whose ends are ue-edge0 and uelink0.
func created(t testing.TB, ns *netns.NS, name, four, six string) *bed.Daemon {
	t.Helper()
	s := bed.CreatedLink("encapsulation: addressed", four, six)
	d := bed.NewDaemon(t, ns, name, s)
	d.Write(strings.Replace(s.Text(d.Socket), "interface: edge0", "interface: ue-edge0", 1))
	return d
}

// state returns a problem unless networkd has an interface in a state whose word begins so: unmanaged, configuring or
// configured.
func state(t testing.TB, networkd *bed.Process, ns *netns.NS, ifname, want string) (problem string) {
	t.Helper()
	l, err := ns.Link(ifname)
	if err != nil {
		return err.Error()
	}
	file := fmt.Sprintf("/proc/%d/root/run/systemd/netif/links/%d", networkd.Cmd.Process.Pid, l.Index)
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	if !strings.Contains(string(text), "ADMIN_STATE="+want) {
		return "networkd says of " + ifname + ":\n" + string(text)
	}
	return ""
}
