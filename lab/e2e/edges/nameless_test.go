package edges

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// Addresses of the hosts besides those of IPv4.
const (
	hostA6 = "fd77::1"
	hostB6 = "fd77::2"
)

// TestHostInANamespaceWithoutAName: the daemon cannot enter the namespace of a container, whose offloads stay on. Its
// TCP arrives whole, over IPv4 and IPv6 and a bad wire, and does so each time the container is made again: frame by
// frame, whose checksums the daemon finishes, and in super-frames.
func TestHostInANamespaceWithoutAName(t *testing.T) {
	t.Parallel()
	t.Run("frames", func(t *testing.T) { t.Parallel(); hostWithoutAName(t, bed.Lossless.ByFrame(), tellsOfChecksums) })
	t.Run("super-frames", func(t *testing.T) {
		t.Parallel()
		hostWithoutAName(t, bed.Lossless.InSuperFrames(), takesSuper)
	})
}

// hostWithoutAName joins a container and a host by two daemons, and demands that TCP arrives whole. shows checks the
// container's daemon.
func hostWithoutAName(t *testing.T, settings bed.Settings, shows func(*testing.T, *bed.Daemon)) {
	top := bed.Cabled(t)
	bed.Must(t, top.HostA.Unname())
	top.Cable("--loss", "0.01")
	p := top.Daemons(settings)
	for _, end := range []struct {
		host *netns.NS
		ipv6 string
	}{{top.HostA, hostA6}, {top.HostB, hostB6}} {
		addIPv6(t, end.host, end.ipv6)
	}
	if on := strings.Join(bed.Offloads(t, top.HostA, "eth0"), " "); !strings.Contains(on, "tx-checksum-ip-generic") {
		t.Fatalf("the container's offloads are off: %s", on)
	}
	const octets = 3 << 20
	exchange(t, top.HostA, top.HostB, bed.AddressB, octets)
	exchange(t, top.HostB, top.HostA, hostA6, octets)
	shows(t, p.A)
	if n := p.B.Edge().Counters.RxUnfinishedChecksum; n != 0 {
		t.Errorf("%d frames of the other host were finished, whose offloads are off", n)
	}
	for range 5 {
		bed.Must(t, top.A.DeleteLink("edge0"))
		p.A.OperStatus("edge0", "absent")
		repeat := nstest.New(t, "again")
		bed.Must(t, netns.Veth(repeat, "eth0", top.A, "edge0", bed.EdgeMTU))
		bed.Must(t, repeat.AddAddr("eth0", bed.AddressA+"/24"))
		bed.Must(t, repeat.Unname())
		p.A.OperStatus("edge0", "up")
		forget(t, top.HostB)
		exchange(t, repeat, top.HostB, bed.AddressB, 100_000)
	}
	p.NoFlush(t)
}

// tellsOfChecksums demands that an edge counts unfinished checksums, that its notice names the command that saves them,
// and that the status has no problem.
func tellsOfChecksums(t *testing.T, d *bed.Daemon) {
	t.Helper()
	bed.Eventually(t, "a notice of unfinished checksums", func() string {
		e := d.Edge()
		if e.Counters.RxUnfinishedChecksum == 0 || !e.Finishes || !strings.Contains(e.Notice, "ethtool -K IF tx off") {
			return fmt.Sprintf("%d frames, finishes_checksums %v, %q", e.Counters.RxUnfinishedChecksum, e.Finishes, e.Notice)
		}
		return ""
	})
	status := bed.Run(t, d.NS, exec.Command(bed.Program("uelink"), "--socket", d.Socket, "status"))
	if !strings.Contains(status, "finishes the checksums of its host") || strings.Contains(status, "WARNING") {
		t.Errorf("the status:\n%s", status)
	}
}

// addIPv6 gives eth0 of a host an IPv6 address, in use at once.
func addIPv6(t *testing.T, host *netns.NS, address string) {
	t.Helper()
	bed.Must(t, host.Do(func() error {
		for _, key := range []string{"accept_dad", "disable_ipv6"} {
			if err := os.WriteFile("/proc/sys/net/ipv6/conf/eth0/"+key, []byte("0"), 0); err != nil {
				return err
			}
		}
		return nil
	}))
	bed.Must(t, host.AddAddr("eth0", address+"/64"))
}

// forget makes a host ask for the hardware address of hostA again.
func forget(t *testing.T, host *netns.NS) {
	t.Helper()
	bed.Run(t, host, exec.Command("ip", "neigh", "flush", "dev", "eth0"))
}
