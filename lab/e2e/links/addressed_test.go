package links

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// addressed is lossless with addresses of the link outside.
var addressed = bed.Settings{Profile: bed.Lossless.Profile, Link: "encapsulation: addressed"}

// switchOf makes a switch of interfaces of a namespace.
type switchOf func(t testing.TB, ns *netns.NS, ports ...string)

// segment is a topology whose wire is a switch and a cable. A third port of the switch leads to a
// namespace of its own:
//
//	A ── p0 switch p1 ── a cable b ── B
//	          p2 ── other0
func segment(t testing.TB, makeSwitch switchOf) (top *bed.Topology, other *netns.NS) {
	t.Helper()
	const mtu = bed.LinkMTU + wire.AddressesLen + 4 // Open vSwitch sends no VLAN tag beyond the MTU
	top = bed.NewTopology(t)
	top.Wire, other = nstest.New(t, "wire"), nstest.New(t, "other")
	between := nstest.New(t, "switch")
	bed.Must(t, netns.Veth(top.A, "link0", between, "p0", mtu))
	bed.Must(t, netns.Veth(top.Wire, "a", between, "p1", mtu))
	bed.Must(t, netns.Veth(top.Wire, "b", top.B, "link0", mtu))
	bed.Must(t, netns.Veth(other, "other0", between, "p2", mtu))
	makeSwitch(t, between, "p0", "p1", "p2")
	return top, other
}

// cableToSwitch is cable, in user space: a frame that XDP redirects to a veth gets across only if the other
// end has a program of XDP, as the port of a switch has not.
func cableToSwitch(top *bed.Topology, flags ...string) bed.Plugged {
	top.T.Helper()
	return top.Cable(append(flags, "--mode", "user")...)
}

// linuxBridge has the settings that a bridge has by default.
func linuxBridge(t testing.TB, ns *netns.NS, ports ...string) {
	t.Helper()
	bed.Must(t, ns.Bridge("br0", 0, ports...))
}

// hardwareAddress is that of an interface.
func hardwareAddress(t testing.TB, ns *netns.NS, ifname string) string {
	t.Helper()
	l, err := ns.Link(ifname)
	bed.Must(t, err)
	return l.HardwareAddr.String()
}

// A link comes up across a switch with default settings, and loses nothing over a bad wire behind it.
// A host's frames to reserved group addresses cross, and the interfaces are not promiscuous.
func TestAddressedLinkCrossesASwitch(t *testing.T) {
	for name, makeSwitch := range map[string]switchOf{"Linux bridge": linuxBridge, "Open vSwitch": openVSwitch} {
		t.Run(name, func(t *testing.T) {
			top, _ := segment(t, makeSwitch)
			bad := cableToSwitch(top, bed.BadWire...)
			p := top.Daemons(addressed)
			c := top.Between()
			c.Size, c.Frames = "sweep", 5*bed.EverySize
			bed.Untouched(t, c)
			groupsCross(top)
			for _, end := range []struct {
				d         *bed.Daemon
				ns, there *netns.NS
			}{{p.A, top.A, top.B}, {p.B, top.B, top.A}} {
				l, counters := end.d.LLR(), end.d.Link().Counters
				partner := hardwareAddress(t, end.there, "link0")
				if l.Sends.String() != "addressed" || l.PartnerMAC.String() != partner || l.PartnerProblem != "" {
					t.Errorf("%s: %+v", end.d.Name, l)
				}
				if counters.TxNative+counters.RxNative+counters.TxBare > 0 {
					t.Errorf("%s: %+v", end.d.Name, counters)
				}
				if n := bed.Promiscuity(t, end.ns, "link0"); n != 0 {
					t.Errorf("%s: promiscuity of link0 is %d", end.d.Name, n)
				}
			}
			p.NoFlush(t)
			if r := bad.Pull(); bed.Dropped(r) == 0 {
				t.Errorf("the wire lost nothing: %+v", r)
			}
		})
	}
}

// groupsCross demands that frames of host A to reserved groups come to host B, but for PAUSE.
func groupsCross(top *bed.Topology) {
	top.T.Helper()
	hostA := bed.Open(top.T, top.HostA, "eth0", bed.ProbeType)
	hostB := bed.Open(top.T, top.HostB, "eth0", 0x0003) // ETH_P_ALL
	group := func(last byte, etherType uint16) []byte {
		f := bed.Probe(1, 100)
		copy(f, []byte{0x01, 0x80, 0xC2, 0, 0, last})
		f[12], f[13] = byte(etherType>>8), byte(etherType)
		return f
	}
	hostA.Send(group(0x01, 0x8809))
	hostA.Send(group(0x02, wire.EtherTypeMACControl))
	want := map[byte]bool{}
	for _, last := range []byte{0x00, 0x02, 0x03, 0x0E, 0x0F} { // STP, LACP, 802.1X, the group of LLDP, and the last
		hostA.Send(group(last, 0x8809))
		want[last] = true
	}
	bed.Eventually(top.T, "frames to reserved groups", func() string {
		for f := hostB.Next(); f != nil; f = hostB.Next() {
			if f[0] == 1 && f[1] == 0x80 && (f[5] == 1 || wire.EtherType(f) == wire.EtherTypeMACControl) {
				top.T.Errorf("a frame to % x of type %#x crosses", f[:6], wire.EtherType(f))
			}
			delete(want, f[5])
		}
		if len(want) > 0 {
			return fmt.Sprintf("those for %v are missing", want)
		}
		return ""
	})
}

// Another station on the segment that speaks to both ends is not listened to.
func TestOtherStationOnTheSegmentOfAnAddressedLink(t *testing.T) {
	top, other := segment(t, linuxBridge)
	cableToSwitch(top)
	p := top.Daemons(addressed)
	partnerOfA := p.A.LLR().PartnerMAC
	third := bed.Open(t, other, "other0", wire.EtherTypeControl)
	sa, err := net.ParseMAC(hardwareAddress(t, other, "other0"))
	bed.Must(t, err)
	frame := make([]byte, wire.MaxControlLen)
	station := wire.Station{Start: 5, Addressed: true, Takes: true, Local: true, EtherType: wire.EtherTypeData}
	list := append(station.Items(nil), wire.CtlOS{Type: wire.LLRInit, Seq: 1})
	frame = frame[:wire.PutControlTo(frame, wire.DiscoveryDA, wire.MAC(sa), wire.EtherTypeControl, list)]
	for range 100 {
		third.Send(frame)
	}
	bed.Eventually(t, "frames of the other station counted at both ends", func() string {
		for _, d := range []*bed.Daemon{p.A, p.B} {
			if n := d.Link().Counters.RxOtherStation; n < 100 || d.LLR().OtherStation.String() != sa.String() {
				return fmt.Sprintf("%s: %d of %q", d.Name, n, d.LLR().OtherStation)
			}
		}
		return ""
	})
	c := top.Between()
	c.Frames = 20_000
	bed.Untouched(t, c)
	if got := p.A.LLR().PartnerMAC; got != partnerOfA {
		t.Errorf("the partner is %s", got)
	}
}

// A link port gets another address under load: nothing is lost.
func TestAddressOfALinkPortChanges(t *testing.T) {
	top, _ := segment(t, linuxBridge)
	cableToSwitch(top)
	p := top.Daemons(addressed)
	l := top.Load(t, bed.Patience)
	for n := range byte(3) {
		mac := net.HardwareAddr{2, 0x77, 0, 0, 0, n}
		bed.Must(t, top.A.Do(func() error {
			nl, err := netlink.LinkByName("link0")
			if err != nil {
				return err
			}
			return netlink.LinkSetHardwareAddr(nl, mac)
		}))
		bed.Eventually(t, "B to know A's address", func() string {
			if got := p.B.LLR().PartnerMAC.String(); got != mac.String() {
				return "it knows " + got
			}
			return ""
		})
	}
	bed.NothingLost(t, l.End())
	if text := p.B.LLR().PartnerProblem; strings.Contains(text, "silent") {
		t.Error(text)
	}
}
