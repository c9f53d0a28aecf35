package netif

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/bpf"
	"uelink/dataplane/attach"
)

func prefixes(list ...string) (all []netip.Prefix) {
	for _, p := range list {
		all = append(all, netip.MustParsePrefix(p))
	}
	return all
}

// there lists the interfaces of the namespace with their MTUs and addresses, without link-local addresses and the
// loopback.
func (w *world) there() string {
	w.t.Helper()
	var all []string
	w.do(func() {
		links, err := netlink.LinkList()
		must(w.t, err)
		for _, l := range links {
			a := l.Attrs()
			if a.Name == "lo" || a.Name == "near" {
				continue
			}
			addresses, err := netlink.AddrList(l, unix.AF_UNSPEC)
			must(w.t, err)
			one := []string{a.Name, fmt.Sprint(a.MTU), fmt.Sprint(a.RawFlags&unix.IFF_UP != 0)}
			for _, at := range addresses {
				if !at.IP.IsLinkLocalUnicast() {
					one = append(one, prefixOf(at).String())
				}
			}
			all = append(all, strings.Join(one, " "))
		}
	})
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func (w *world) expectAddresses(want, when string) {
	w.t.Helper()
	if got := w.there(); got != want {
		w.t.Errorf("%s there is %q, not %q", when, got, want)
	}
}

// somebody owns the pairs of these tests.
const somebody Owner = "uelinkd of a test"

func pairOf(ifname, host string, addresses []netip.Prefix) Pair {
	return Pair{Interface: ifname, Host: host, Addresses: addresses, Owner: somebody}
}

// drawn returns the address of a host's end for Make.
func drawn() net.HardwareAddr { return net.HardwareAddr{2, 0, 0, 0, 0, 7} }

// made demands that Make had no error.
func made(t *testing.T) func(created bool, err error) {
	return func(_ bool, err error) {
		t.Helper()
		must(t, err)
	}
}

func TestPair(t *testing.T) {
	w := newWorld(t)
	p := pairOf("ue0", "uelink0", prefixes("10.5.0.1/24", "fd00::1/64"))
	w.do(func() { made(t)(p.Make(1486, drawn, w.log)) })
	w.expectAddresses("ue0 1486 true, uelink0 1486 true 10.5.0.1/24 fd00::1/64", "made")
	w.do(func() { must(t, p.SetMTU(1400)) })
	w.expectAddresses("ue0 1400 true, uelink0 1400 true 10.5.0.1/24 fd00::1/64", "with another MTU")
	q := pairOf("ue0", "other0", prefixes("10.5.0.2/24"))
	q.MAC = net.HardwareAddr{2, 0, 0, 0, 0, 8}
	w.hostMAC("uelink0", drawn())
	w.do(func() { must(t, p.Change(q)) })
	w.hostMAC("other0", q.MAC)
	w.expectAddresses("other0 1400 true 10.5.0.2/24, ue0 1400 true", "changed")
	w.do(func() { must(t, q.Change(pairOf("ue0", "other0", nil))) })
	w.expectAddresses("other0 1400 true, ue0 1400 true", "without addresses")
	w.do(func() { q.Remove(w.log) })
	w.expectAddresses("", "removed")
}

// Changes by others on the kernel's end that would lose frames of the host are undone, and named; other changes
// stay.
func TestPairIsKept(t *testing.T) {
	w := newWorld(t)
	p := pairOf("ue0", "uelink0", prefixes("10.5.0.1/24", "fd00::1/64"))
	w.do(func() { made(t)(p.Make(1486, drawn, w.log)) })
	for _, c := range []struct{ change, text, after string }{
		{"", "[]", "ue0 1486 true, uelink0 1486 true 10.5.0.1/24 fd00::1/64"},
		{"link set dev uelink0 mtu 9000", "[the MTU is 1486 again, not 9000]",
			"ue0 1486 true, uelink0 1486 true 10.5.0.1/24 fd00::1/64"},
		{"link set dev uelink0 mtu 1400", "[]", "ue0 1486 true, uelink0 1400 true 10.5.0.1/24 fd00::1/64"},
		{"link set dev uelink0 down", "[the daemon has restored the IP address fd00::1/64]",
			"ue0 1486 true, uelink0 1400 false 10.5.0.1/24 fd00::1/64"},
		{"link set dev uelink0 up", "[]", "ue0 1486 true, uelink0 1400 true 10.5.0.1/24 fd00::1/64"},
		{"address flush dev uelink0", "[the daemon has restored the IP address 10.5.0.1/24 " +
			"the daemon has restored the IP address fd00::1/64]",
			"ue0 1486 true, uelink0 1400 true 10.5.0.1/24 fd00::1/64"},
		{"address add 10.6.0.1/24 dev uelink0", "[]",
			"ue0 1486 true, uelink0 1400 true 10.5.0.1/24 10.6.0.1/24 fd00::1/64"},
		{"link set dev uelink0 netns " + w.far.Name(), "[]", "ue0 1486 true"},
	} {
		if c.change != "" {
			w.ip(c.change)
		}
		w.do(func() {
			kept, err := p.Restore()
			must(t, err)
			if text := fmt.Sprint(kept); text != c.text {
				t.Errorf("after ip %s: %s, not %s", c.change, text, c.text)
			}
		})
		w.expectAddresses(c.after, "after ip "+c.change)
	}
}

// An IPv6 address that the kernel's end cannot have does not keep the veth from its other addresses. The error says
// why, and the address comes as soon as it can.
func TestPairWithoutIPv6(t *testing.T) {
	for name, c := range map[string]struct {
		mtu  int
		off  string
		text string
		mend func(p Pair) error
	}{
		"short MTU": {1270, "0", "IPv6 needs an MTU of 1280, and the links leave it 1270",
			func(p Pair) error { return p.SetMTU(1500) }},
		"switched off": {1500, "1", "type: sysctl -w net.ipv6.conf.uelink0.disable_ipv6=0", func(Pair) error {
			return os.WriteFile("/proc/sys/net/ipv6/conf/uelink0/disable_ipv6", []byte("0"), 0)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := pairOf("ue0", "uelink0", prefixes("fd00::1/64", "10.5.0.1/24", "fd01::1/64"))
			w.do(func() {
				must(t, os.WriteFile("/proc/sys/net/ipv6/conf/default/disable_ipv6", []byte(c.off), 0))
				_, err := p.Make(c.mtu, drawn, w.log)
				must(t, err)
				_, err = p.Restore()
				if !errors.Is(err, ErrNoIPv6) || !strings.Contains(err.Error(), "fd00::1/64 is not on uelink0") ||
					!strings.Contains(err.Error(), c.text) {
					t.Errorf("%v", err)
				}
			})
			w.expectAddresses(fmt.Sprintf("ue0 %d true, uelink0 %d true 10.5.0.1/24", c.mtu, c.mtu), "without IPv6")
			w.do(func() {
				must(t, c.mend(p))
				kept, err := p.Restore()
				if err != nil || len(kept) != 2 {
					t.Errorf("%v, %v", kept, err)
				}
			})
		})
	}
}

// The kernel's end does not get the name of another interface, and the error names that interface.
func TestNameThatIsTaken(t *testing.T) {
	w := newWorld(t)
	p := pairOf("ue0", "uelink0", nil)
	w.do(func() {
		made(t)(p.Make(1486, drawn, w.log))
		err := p.Change(pairOf("ue0", "near", nil))
		if err == nil || !strings.Contains(err.Error(), "near is there already: choose another host_interface") {
			t.Errorf("%v", err)
		}
	})
}

// An address is removed without the other addresses of its network, which the kernel would remove with it.
func TestAddressesOfOneNetwork(t *testing.T) {
	w := newWorld(t)
	all := []string{"10.5.0.1/24", "10.5.0.2/24", "10.5.0.3/24", "10.5.0.4/24"}
	p := pairOf("ue0", "uelink0", prefixes(all...))
	w.do(func() { made(t)(p.Make(1486, drawn, w.log)) })
	q := pairOf("ue0", "uelink0", prefixes(all[2:]...))
	w.do(func() { must(t, p.Change(q)) })
	w.expectAddresses("ue0 1486 true, uelink0 1486 true 10.5.0.3/24 10.5.0.4/24", "without the first two")
}

// A pair left by a killed process is taken over by the next process that wants the pair, or removed: there are
// never two.
func TestPairThatWasLeftBehind(t *testing.T) {
	w := newWorld(t)
	old := pairOf("ue0", "uelink0", prefixes("10.5.0.1/24"))
	w.do(func() { made(t)(old.Make(1486, drawn, w.log)) })
	w.ip("address add 10.6.0.1/24 dev uelink0")
	before := w.indexOf("uelink0")
	w.do(func() {
		SweepPairs(somebody, []string{"ue0"}, w.log)
		made(t)(pairOf("ue0", "uelink0", nil).Make(1500, drawn, w.log))
	})
	w.expectAddresses("ue0 1500 true, uelink0 1500 true 10.5.0.1/24 10.6.0.1/24", "taken over without addresses")
	w.hostMAC("uelink0", drawn())
	next := pairOf("ue0", "uelink1", prefixes("10.5.0.3/24"))
	next.MAC = net.HardwareAddr{2, 0, 0, 0, 0, 8}
	w.do(func() { made(t)(next.Make(1500, nil, w.log)) })
	w.hostMAC("uelink1", next.MAC)
	w.expectAddresses("ue0 1500 true, uelink1 1500 true 10.5.0.3/24", "taken over with others")
	if now := w.indexOf("uelink1"); now != before {
		t.Errorf("interface %d became %d", before, now)
	}
	w.do(func() { SweepPairs(somebody, []string{"ue1"}, w.log) })
	w.expectAddresses("", "nobody wants it and")
}

// A veth that no process of ours has made, and a pair that another process serves, are not touched.
func TestPairOfSomebodyElse(t *testing.T) {
	w := newWorld(t)
	w.ip("link add ue0 type veth peer name uelink0")
	for _, c := range []struct {
		pair Pair
		text string
	}{
		{pairOf("ue0", "uelink1", nil), "veth of ue0 and uelink1: ue0 is there already, and uelink has not made it"},
		{pairOf("ue1", "uelink0", nil), "uelink0 is there already: choose another host_interface"},
		{pairOf("lo", "uelink1", nil), "lo is there already"},
	} {
		w.do(func() {
			if _, err := c.pair.Make(1500, drawn, w.log); err == nil || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%v, want %q", err, c.text)
			}
			c.pair.Remove(w.log)
			SweepPairs(somebody, nil, w.log)
		})
	}
	w.expectAddresses("ue0 1500 false, uelink0 1500 false", "somebody else's")
	served := pairOf("ue1", "uelink1", prefixes("10.5.0.1/24"))
	w.do(func() {
		made(t)(served.Make(1500, drawn, w.log))
		program, err := bpf.Attach(must1(netlink.LinkByName("ue1")).Attrs().Index, bpf.Config{}, attach.ModeAuto)
		must(t, err)
		defer program.Close()
		SweepPairs(somebody, nil, w.log)
		served.Remove(w.log)
		_, err = pairOf("ue1", "uelink9", nil).Make(1400, drawn, w.log)
		if err == nil || !strings.Contains(err.Error(), "another XDP program") {
			t.Errorf("of one that is served: %v", err)
		}
	})
	w.expectAddresses("ue0 1500 false, ue1 1500 true, uelink0 1500 false, uelink1 1500 true 10.5.0.1/24", "served")
}

// The kernel's end may be moved into another namespace: it is left alone there.
func TestPairWhoseOtherEndWasMoved(t *testing.T) {
	w := newWorld(t)
	p := pairOf("ue0", "uelink0", prefixes("10.5.0.1/24"))
	w.do(func() { made(t)(p.Make(1486, drawn, w.log)) })
	w.ip("link set dev uelink0 netns " + w.far.Name())
	w.do(func() {
		made(t)(p.Make(1400, drawn, w.log))
		must(t, p.Change(pairOf("ue0", "uelink7", nil)))
	})
	if _, err := w.far.Link("uelink0"); err != nil {
		t.Error(err)
	}
	w.do(func() { SweepPairs(somebody, nil, w.log) })
	if _, err := w.far.Link("uelink0"); err == nil {
		t.Error("it is still there")
	}
}

// hostMAC demands the hardware address of an interface.
func (w *world) hostMAC(ifname string, want net.HardwareAddr) {
	w.t.Helper()
	if l, err := w.near.Link(ifname); err != nil || l.HardwareAddr.String() != want.String() {
		w.t.Errorf("%s has %v, not %v; %v", ifname, l.HardwareAddr, want, err)
	}
}

func (w *world) indexOf(ifname string) int {
	w.t.Helper()
	index, err := w.near.Ifindex(ifname)
	must(w.t, err)
	return index
}

func must1[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
