package bpf

import (
	"os"
	"testing"

	"github.com/asavie/xdp"
	"github.com/vishvananda/netlink"

	"uelink/internal/netns/nstest"
)

// needRoot skips a test that loads programs, unless skipping is forbidden.
func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		nstest.Missing(t, "root")
	}
}

// inNamespace moves the test to a fresh network namespace with a pair of veths, up, and returns the indexes of the
// veths.
func inNamespace(t *testing.T) (a, b int) {
	t.Helper()
	nstest.Enter(t)
	// Nothing but the test is to send; a kernel without IPv6 does not anyway.
	_ = os.WriteFile("/proc/sys/net/ipv6/conf/default/disable_ipv6", []byte("1"), 0)
	pair := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "a"}, PeerName: "b"}
	if err := netlink.LinkAdd(pair); err != nil {
		t.Fatal(err)
	}
	return setUp(t, "a"), setUp(t, "b")
}

// setUp sets an interface up, and returns its index.
func setUp(t *testing.T, name string) int {
	t.Helper()
	dev, err := netlink.LinkByName(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := netlink.LinkSetUp(dev); err != nil {
		t.Fatal(err)
	}
	return dev.Attrs().Index
}

// anySocket returns the descriptor of an AF_XDP socket that is bound somewhere.
func anySocket(t *testing.T) int {
	t.Helper()
	a, _ := inNamespace(t)
	s, err := xdp.NewSocket(a, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s.FD()
}
