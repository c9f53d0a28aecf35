package doctor

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/config"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A veth with an address, a default route, something on top of it, and a packet socket.
func TestLookAtAVeth(t *testing.T) {
	ns := nstest.New(t, "doctor")
	must(t, netns.Veth(ns, "one", ns, "two", 1400))
	must(t, ns.AddAddr("one", "192.0.2.1/24"))
	must(t, ns.Do(func() error {
		one, err := netlink.LinkByName("one")
		must(t, err)
		index := one.Attrs().Index
		must(t, netlink.RouteAdd(&netlink.Route{LinkIndex: index, Gw: []byte{192, 0, 2, 9}}))
		above := netlink.LinkAttrs{Name: "above", ParentIndex: index}
		must(t, netlink.LinkAdd(&netlink.Macvlan{LinkAttrs: above, Mode: netlink.MACVLAN_MODE_BRIDGE}))
		fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0x0300)
		must(t, err)
		defer unix.Close(fd)
		f, err := Gather("one")
		must(t, err)
		if f.Driver.Name != "veth" || f.Kind != "veth" || f.MTU != 1400 || !f.Carrier || f.Queues != 1 ||
			len(f.Offloads) == 0 {
			t.Errorf("%+v", f)
		}
		if f.Use.String() != "the address 192.0.2.1/24, the default route, the upper interface above" {
			t.Errorf("%v", f.Use)
		}
		if len(f.Sockets) != 1 || !strings.Contains(f.Sockets[0], "(pid ") {
			t.Errorf("packet sockets: %q", f.Sockets)
		}
		other, err := Gather("two")
		must(t, err)
		if other.Use.Any() || other.Use.SSH {
			t.Errorf("the other end: %v", other.Use)
		}
		return nil
	}))
}

func TestLookForNoInterface(t *testing.T) {
	if _, err := Gather("no-such-if"); !errors.Is(err, netif.ErrNone) {
		t.Errorf("%v", err)
	}
}

// Of an edge that is made nothing has to be there, but for what its names would clash with.
func TestExamineAnEdgeThatIsMade(t *testing.T) {
	p := Alone("ue0", model.RoleEdge)
	address := netip.MustParsePrefix("10.0.0.1/24")
	p.Port.Host = &model.HostInterface{Name: "uelink0", Addresses: []netip.Prefix{address}}
	changes := []string{"a veth made of ue0 and uelink0, the host's 10.0.0.1/24"}
	for there, blocked := range map[string]bool{"": false, "uelink0": true} {
		r := Source(func(ifname string) (*Facts, error) {
			if ifname == there {
				return nic(), nil
			}
			return nil, netif.ErrNone
		}).Examine(p)
		if r.Blocked() != blocked || !slices.Equal(r.Changes, changes) {
			t.Errorf("with %q: %+v", there, r)
		}
	}
	denied := Source(func(string) (*Facts, error) { return nil, errors.New("ue0: permission denied") }).Examine(p)
	if !denied.Blocked() || denied.Findings[0].Do != "" || len(denied.Changes) > 0 {
		t.Errorf("%+v", denied)
	}
}

func TestReceiverOfPacketSockets(t *testing.T) {
	for line, want := range map[string]string{
		"sk       RefCnt Type Proto  Iface R Rmem   User   Inode":        "",
		"0000000000000000 3      3    0003   7     1 0      0      4711": "4711",
		"0000000000000000 3      3    0003   0     1 0      0      4712": "4712",
		"0000000000000000 3      3    88cc   7     1 0      0      4715": "",
		"0000000000000000 3      3    0003   8     1 0      0      4713": "",
		"0000000000000000 3      3    0000   7     1 0      0      4714": "",
		"short line": "",
	} {
		if is := receiver(line, 7); is != want {
			t.Errorf("%q: %q, want %q", line, is, want)
		}
	}
}

// A configuration's link has to carry what its edge does; what is not there is told of its own port.
func TestExamineConfig(t *testing.T) {
	file := filepath.Join(t.TempDir(), "uelink.yaml")
	const text = `
ports:
  - {name: link0, interface: eth1, role: link}
  - {name: edge0, interface: veth1, role: edge}
  - {name: link1, interface: eth2, role: link}
  - {name: edge1, interface: gone, role: edge}
  - {name: host0, interface: eth3, role: host}
xconnects: [{edge: edge0, link: link0}]
bridges: [{name: br0, ports: [{port: link1}, {port: edge1}]}]
`
	must(t, os.WriteFile(file, []byte(text), 0o600))
	c, err := config.Load(file)
	must(t, err)
	look := Source(func(ifname string) (*Facts, error) {
		if ifname == "gone" {
			return nil, fmt.Errorf("gone: %w", netif.ErrNone)
		}
		f := nic()
		f.Interface = ifname
		return f, nil
	})
	var is []string
	for _, r := range look.ExamineConfig(c) {
		line := r.Port + " " + r.Role + " " + r.Name
		if r.Get.MTU > r.Get.Chunk || r.Blocked() {
			line += " blocked: " + r.Findings[0].What
		} else if r.Get.MTU != 1500 {
			line += " MTU is raised"
		}
		is = append(is, line)
	}
	want := "link0 link eth1 MTU is raised, edge0 edge veth1, link1 link eth2, " +
		"edge1 edge gone blocked: gone: " + netif.ErrNone.Error()
	if strings.Join(is, ", ") != want {
		t.Errorf("%q, want %q", is, want)
	}
	for _, want := range c.Settings.Ports[:2] {
		if p := Alone("eth1", want.Role).Port; p.RingSize != want.RingSize || p.RxRingSize != want.RxRingSize {
			t.Errorf("%v: rings of %d and %d, and by default they have %d and %d", want.Role, p.RingSize, p.RxRingSize,
				want.RingSize, want.RxRingSize)
		}
	}
}
