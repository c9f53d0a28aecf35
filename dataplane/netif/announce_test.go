package netif

import (
	"bytes"
	"net"
	"net/netip"
	"os"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/internal/announce"
)

// Hosts that know an address by another hardware address learn the new one from an announcement, IPv4 and IPv6.
func TestAnnouncementsAreLearnt(t *testing.T) {
	w := newWorld(t)
	w.ipv6()
	former := net.HardwareAddr{2, 0, 0, 0, 0, 9}
	w.ip("address add 10.5.0.1/24 dev near")
	w.ip("address add fd05::1/64 dev near nodad")
	peers := []netip.Addr{netip.MustParseAddr("10.5.0.1"), netip.MustParseAddr("fd05::1")}
	must(t, w.far.Do(func() error {
		must(t, os.WriteFile("/proc/sys/net/ipv6/conf/far/disable_ipv6", []byte("0"), 0))
		index := must1(netlink.LinkByName("far")).Attrs().Index
		for _, a := range []string{"10.5.0.2/24", "fd05::2/64"} {
			must(t, netlink.AddrAdd(&netlink.Device{LinkAttrs: netlink.LinkAttrs{Index: index}},
				addressOf(netip.MustParsePrefix(a))))
		}
		for _, ip := range peers {
			must(t, netlink.NeighSet(&netlink.Neigh{LinkIndex: index, IP: ip.AsSlice(), HardwareAddr: former,
				State: netlink.NUD_STALE, Family: family(ip)}))
		}
		return nil
	}))
	var mac net.HardwareAddr
	w.do(func() {
		mac = must1(netlink.LinkByName("near")).Attrs().HardwareAddr
		if n, err := announce.Addresses("near"); n < len(peers) || err != nil {
			t.Errorf("announced %d, %v", n, err)
		}
	})
	must(t, w.far.Do(func() error {
		all, err := netlink.NeighList(0, 0)
		must(t, err)
		for _, ip := range peers {
			learnt := false
			for _, n := range all {
				learnt = learnt || n.IP.Equal(ip.AsSlice()) && bytes.Equal(n.HardwareAddr, mac)
			}
			if !learnt {
				t.Errorf("%v is not at %v: %v", ip, mac, all)
			}
		}
		return nil
	}))
}

func family(ip netip.Addr) int {
	if ip.Is4() {
		return unix.AF_INET
	}
	return unix.AF_INET6
}
