package netif

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/internal/announce"
)

// A pair that nobody serves is removed by its owner alone, also if another owner made it.
func TestPairBelongsToItsOwner(t *testing.T) {
	w := newWorld(t)
	p := pairOf("ue0", "uelink0", nil)
	other := p
	other.Owner = "uelinkd of another"
	w.do(func() {
		made(t)(p.Make(1500, drawn, w.log))
		SweepPairs(other.Owner, nil, w.log)
	})
	w.expectAddresses("ue0 1500 true, uelink0 1500 true", "after the sweep of another")
	w.do(func() {
		if created, err := other.Make(1500, drawn, w.log); err != nil || created {
			t.Errorf("taken over by another: created %v, %v", created, err)
		}
		SweepPairs(p.Owner, nil, w.log)
	})
	w.expectAddresses("ue0 1500 true, uelink0 1500 true", "taken over")
	w.ip("link set dev ue0 alias somebody")
	w.do(func() {
		_, err := other.Restore()
		must(t, err)
		all, err := AllLeft()
		must(t, err)
		if len(all) != 1 || all[0] != (Left{"ue0", other.Owner, false}) {
			t.Errorf("there is %+v", all)
		}
		SweepPairs(other.Owner, nil, w.log)
	})
	w.expectAddresses("", "swept by its owner")
}

// An owner is a configuration and a state folder, and fits into an alias.
func TestOwners(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"one", "two"} {
		must(t, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	owner := OwnerOf("/etc/uelink/uelink.yaml", one)
	if again := OwnerOf("/etc/uelink/../uelink/uelink.yaml", one+"/"); again != owner {
		t.Errorf("%q is not %q", again, owner)
	}
	must(t, os.Rename(one, filepath.Join(dir, "former")))
	must(t, os.Mkdir(one, 0o700))
	for name, other := range map[string]Owner{
		"another file": OwnerOf("/etc/uelink.yaml", one), "another folder": OwnerOf("/etc/uelink/uelink.yaml", two),
		"another folder of that name": OwnerOf("/etc/uelink/uelink.yaml", one),
	} {
		if other == owner {
			t.Errorf("%s: the same owner", name)
		}
	}
	if long := OwnerOf("/"+strings.Repeat("x", 300), one); len(long) > longestAlias {
		t.Errorf("%d octets", len(long))
	}
}

// While no process serves a pair, the network stack gets nothing that the host sends: it does not answer the host's
// ARP for an address of this machine.
func TestStackDoesNotAnswerThroughAnUnservedPair(t *testing.T) {
	w := newWorld(t)
	w.do(func() { made(t)(pairOf("ue0", "uelink0", nil).Make(1500, drawn, w.log)) })
	w.ip("address add 10.5.0.2/24 dev ue0")
	w.ip("link set dev uelink0 netns " + w.far.Name())
	must(t, w.far.SetLink("uelink0", true))
	must(t, w.far.Do(func() error {
		index := must1(netlink.LinkByName("uelink0")).Attrs().Index
		fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0)
		must(t, err)
		defer unix.Close(fd)
		must(t, unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: 0x0608, Ifindex: index})) // ETH_P_ARP
		must(t, unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1))
		ask := announce.ARP([]byte{2, 0, 0, 0, 0, 1}, netip.MustParseAddr("10.5.0.1"), netip.MustParseAddr("10.5.0.2"))
		must(t, sendFrames(index, ask, 1))
		if n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 100); n > 0 {
			t.Error("the station has answered")
		}
		return nil
	}))
	if l, err := w.near.Link("ue0"); err != nil || l.Statistics.RxPackets == 0 || l.Statistics.RxDropped > 0 {
		t.Errorf("%+v, %v", l.Statistics, err)
	}
}

// TestEndsOfAPairAreNamed: other programs know the process's end by an altname, whatever its name is, and the kernel's
// end by an alias. An alias that somebody has set stays, and so do both over the next Make.
func TestEndsOfAPairAreNamed(t *testing.T) {
	w := newWorld(t)
	w.do(func() {
		p := pairOf("any0", "kernel0", nil)
		for _, alias := range []string{"uelinkd: the host's end of any0", "the storage network"} {
			made(t)(p.Make(1500, drawn, w.log))
			end, err := netlink.LinkByName("uelink-any0")
			must(t, err)
			host, err := netlink.LinkByName("kernel0")
			must(t, err)
			if end.Attrs().Name != "any0" || len(end.Attrs().AltNames) != 1 || host.Attrs().Alias != alias {
				t.Errorf("%s %q, %q, want %q", end.Attrs().Name, end.Attrs().AltNames, host.Attrs().Alias, alias)
			}
			must(t, netlink.LinkSetAlias(host, "the storage network"))
		}
	})
}
