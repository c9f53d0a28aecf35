package edges

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// TestContainerGetsALease: DHCP crosses with a container at either end, whose offloads stay on: the client reads frames
// by a packet socket, and drops those with a wrong checksum.
func TestContainerGetsALease(t *testing.T) {
	t.Parallel()
	bed.RequireProgram(t, "busybox", "busybox-static")
	for name, settings := range map[string]bed.Settings{
		"frames": bed.Lossless.ByFrame(), "super-frames": bed.Lossless.InSuperFrames(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := bed.Cabled(t)
			bed.Must(t, top.HostA.Unname())
			top.Cable("--loss", "0.01")
			top.Daemons(settings)
			lease(t, top.HostB, bed.AddressB, top.HostA)
			lease(t, top.HostA, bed.AddressA, top.HostB)
		})
	}
}

// lease starts a DHCP server in a namespace, by the address of its eth0, and demands that a client in another one gets
// a lease from it.
func lease(t *testing.T, server *netns.NS, address string, client *netns.NS) {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "udhcpd.conf")
	leases := filepath.Join(dir, "leases")
	bed.Must(t, os.WriteFile(leases, nil, 0o600))
	bed.Must(t, os.WriteFile(config, fmt.Appendf(nil, `interface eth0
start 10.77.0.100
end 10.77.0.150
lease_file %s
pidfile %s
option subnet 255.255.255.0
option lease 120
`, leases, filepath.Join(dir, "pid")), 0o600))
	// The server asks by ARP whether somebody has an address, for -a milliseconds.
	p := bed.Start(t, server, "udhcpd", exec.Command("busybox", "udhcpd", "-f", "-a", "10", config))
	script := filepath.Join(dir, "script")
	bed.Must(t, os.WriteFile(script, []byte("#!/bin/sh\necho \"$1 $ip $subnet $serverid\"\n"), 0o700))
	// -q ends the client with its lease, -n without one after -t questions, -T seconds apart.
	text := bed.Run(t, client, exec.Command("busybox", "udhcpc", "-i", "eth0", "-f", "-q", "-n", "-t", "10", "-T", "1",
		"-s", script))
	if want := "bound 10.77.0.1"; !strings.Contains(text, want) || !strings.Contains(text, " 255.255.255.0 "+address) {
		t.Errorf("the client has %q", text)
	}
	p.Kill()
}
