package packages

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// TestNetworkManagerLeavesTheDaemonsEnds: a NetworkManager that configures every interface leaves those alone whose
// names begin with ue-, by the file of the package. It waits for no udev, because /sys is read-only: with udev Debian's
// NetworkManager leaves every veth alone by itself.
func TestNetworkManagerLeavesTheDaemonsEnds(t *testing.T) {
	if !*debian {
		t.Skip("skipped, missing mmdebstrap: make test-all installs it (-packages.debian)")
	}
	a := nstest.New(t, "A")
	h := newHost(t, a)
	output(t, h.command("apt-get update -q && apt-get install -q -y --no-install-recommends network-manager dbus"))
	bed.Must(t, a.Do(func() error { return readOnlySys(h.root) }))
	bed.Must(t, netns.Veth(a, "ue-edge0", a, "uelink0", bed.EdgeMTU))
	h.sh("mkdir -p /run/dbus")
	bed.Start(t, a, "dbus-daemon", h.command("exec dbus-daemon --system --nofork --nopidfile"))

	file := h.put("../../../deploy/deb/NetworkManager.conf")
	for _, c := range []struct{ files, want string }{{"none", "connecting"}, {file, "unmanaged"}} {
		if c.files == file {
			h.sh("cp " + file + " /usr/lib/NetworkManager/conf.d/10-uelink.conf")
		}
		manager := bed.Start(t, a, "NetworkManager", h.command("exec NetworkManager --no-daemon"))
		bed.Eventually(t, "the devices of NetworkManager", func() string {
			nmcli := bed.Start(t, a, "nmcli", h.command("nmcli -t -f DEVICE,STATE device"))
			nmcli.Wait()
			devices := nmcli.Stdout.String()
			if !strings.Contains(devices, "ue-edge0:"+c.want) || !strings.Contains(devices, "uelink0:connecting") {
				return devices + nmcli.Stderr.String()
			}
			return ""
		})
		manager.Signal(syscall.SIGTERM)
		manager.Wait()
	}
}

// readOnlySys mounts a read-only /sys of the calling thread's network namespace in a root.
func readOnlySys(root string) error {
	sys := filepath.Join(root, "sys")
	if err := unix.Unmount(sys, unix.MNT_DETACH); err != nil {
		return err
	}
	return unix.Mount("sysfs", sys, "sysfs", unix.MS_RDONLY, "")
}
