package bpf

import (
	"os"
	"runtime"
	"testing"

	"github.com/asavie/xdp"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
)

// needRoot skips a test that loads programs, unless skipping is forbidden.
func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() == 0 {
		return
	}
	if os.Getenv("UELINK_E2E") == "required" {
		t.Fatal("needs root")
	}
	t.Skip("needs root")
}

// inNamespace moves the test to a fresh network namespace with a pair of veths,
// up, and returns their indexes. The thread dies with the test.
func inNamespace(t *testing.T) (a, b int) {
	t.Helper()
	needRoot(t)
	runtime.LockOSThread()
	ns, err := netns.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ns.Close() })
	pair := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "a"}, PeerName: "b"}
	if err := netlink.LinkAdd(pair); err != nil {
		t.Fatal(err)
	}
	index := func(name string) int {
		dev, err := netlink.LinkByName(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := netlink.LinkSetUp(dev); err != nil {
			t.Fatal(err)
		}
		return dev.Attrs().Index
	}
	return index("a"), index("b")
}

// anySocket is the descriptor of an AF_XDP socket that is bound somewhere.
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
