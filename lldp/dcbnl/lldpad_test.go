package dcbnl

import (
	"encoding/hex"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lldp"
	"uelink/lldp/dcbnl/dcbnltest"
	"uelink/lldp/dcbx/ieee"
	"uelink/lldp/lldptest"
)

// sets returns the octets that Apply sets at a driver without settings: ETS, PFC, and the sorted Application entries.
func sets(t *testing.T, s *IEEE) (ets, flow string, app []string) {
	t.Helper()
	c := &card{mode: modeHostIEEE}
	if err := apply(c.ask, "link0", Settings{IEEE: s}, &Former{}); err != nil {
		t.Fatal(err)
	}
	for _, octets := range c.app {
		app = append(app, hex.EncodeToString(octets))
	}
	slices.Sort(app)
	return hex.EncodeToString(c.ets), hex.EncodeToString(c.flow), app
}

// numbers returns a table in dcb's words: "0:50 1:50 ...".
func numbers(table [8]uint8, names ...string) (text string) {
	for i, v := range table {
		word := fmt.Sprint(v)
		if names != nil {
			word = names[v]
		}
		text += fmt.Sprintf(" %d:%s", i, word)
	}
	return text
}

// dcb of iproute2 sets the same octets as Apply, for the same settings.
func TestOctetsEqualThoseOfDCB(t *testing.T) {
	c := dcbnltest.NewCard(t)
	algorithms := []string{ieee.Strict: "strict", ieee.CreditShaper: "cbs", ieee.Enhanced: "ets"}
	all := [8]uint8{7, 6, 5, 4, 3, 2, 1, 0}
	s := &IEEE{
		ETS: ieee.Configuration{Willing: true, MaxTCs: 8, ETS: ieee.ETS{Class: all,
			Bandwidth: [8]uint8{1, 2, 3, 4, 0, 40, 50}, Algorithm: [8]uint8{2, 2, 2, 2, 1, 2, 2, 0}}},
		Recommendation: ieee.ETS{Class: [8]uint8{0, 1, 2, 3, 4, 5, 6, 7}, Bandwidth: [8]uint8{13, 13, 13, 13, 12, 12, 12, 12},
			Algorithm: [8]uint8{2, 2, 2, 2, 2, 2, 2, 2}},
		PFC: ieee.PFC{MBC: true, Cap: 8, Enable: 0xa5},
		App: []ieee.AppEntry{{Priority: 3, Selector: ieee.SelectorUDP, Protocol: 4791},
			{Priority: 4, Selector: ieee.SelectorTCP, Protocol: 3260}, {Priority: 5, Selector: ieee.SelectorPort, Protocol: 443},
			{Priority: 2, Selector: ieee.SelectorDSCP, Protocol: 26},
			{Priority: 3, Selector: ieee.SelectorEtherType, Protocol: 0x8906}},
	}
	e, r := s.ETS, s.Recommendation
	c.DCB("ets set dev link0 willing on tc-bw" + numbers(e.Bandwidth) + " pg-bw" + numbers(e.Bandwidth) + " tc-tsa" +
		numbers(e.Algorithm, algorithms...) + " prio-tc" + numbers(e.Class) + " reco-tc-bw" + numbers(r.Bandwidth) +
		" reco-tc-tsa" + numbers(r.Algorithm, algorithms...) + " reco-prio-tc" + numbers(r.Class))
	c.DCB("pfc set dev link0 macsec-bypass on prio-pfc all:off 0:on 2:on 5:on 7:on")
	c.DCB("app add dev link0 dgram-port-prio 4791:3 stream-port-prio 3260:4 port-prio 443:5 dscp-prio 26:2 " +
		"ethtype-prio 0x8906:3")
	ets, flow, app := sets(t, s)
	if got := c.Set(dcbnltest.ETS); len(got) != 1 || got[0] != ets {
		t.Errorf("ETS: dcb\n%s, ours\n%s", got, ets)
	}
	if got := c.Set(dcbnltest.PFC); len(got) != 1 || got[0] != flow {
		t.Errorf("PFC: dcb\n%s, ours\n%s", got, flow)
	}
	got := c.Set(dcbnltest.App)
	if slices.Sort(got); !slices.Equal(got, app) {
		t.Errorf("entries: dcb %s, ours %s", got, app)
	}
}

// announce sends an LLDPDU with the TLVs of an exchange from link0 of the namespace.
func announce(t *testing.T, ns *netns.NS, p *ieee.Port) {
	t.Helper()
	pdu := lldp.PDU{Chassis: lldp.ChassisID{Subtype: lldp.ChassisMAC, ID: lldptest.Source[:]},
		Port: lldp.PortID{Subtype: lldp.PortIfName, ID: []byte("link0")}, TTL: 120}
	for _, tlv := range p.AppendTLVs(nil) {
		pdu.Org = append(pdu.Org, lldp.Org{OUI: lldp.OUI{0x00, 0x80, 0xc2}, Subtype: tlv.Subtype, Info: tlv.Payload})
	}
	frame, _ := lldp.AppendFrame(nil, lldp.NearestBridge, lldptest.Source, &pdu)
	fd := -1
	err := ns.Do(func() (err error) {
		link, err := net.InterfaceByName("link0")
		if err != nil {
			return err
		}
		if fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0); err != nil {
			return err
		}
		return unix.Bind(fd, &unix.SockaddrLinklayer{Ifindex: link.Index})
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	if _, err := unix.Write(fd, frame); err != nil {
		t.Fatal(err)
	}
}

// lldpad sets the same octets as Apply for the same outcome, with three differences in what is configured. It sends 0
// as willing bit, ets_cap and pfc_cap, of which the capabilities are the driver's own, and the operational tables as
// recommendation, where Apply has the one that is sent to the peer.
func TestOctetsEqualThoseOfLLDPAD(t *testing.T) {
	a, b := nstest.New(t, "A"), nstest.New(t, "B")
	if err := netns.Veth(a, "link0", b, "link0", 1500); err != nil {
		t.Fatal(err)
	}
	l := dcbnltest.StartLLDPAD(t, a)
	l.Sets("PFC", "willing=yes enabled=3 enableTx=yes")
	l.Sets("ETS-CFG", "willing=yes enableTx=yes tsa=0:ets,1:ets up2tc=0:0,1:0,2:0,3:1,4:0,5:0,6:0,7:0 "+
		"tcbw=50,50,0,0,0,0,0,0")
	peer := ieee.ETS{Class: [8]uint8{0, 1, 2, 3, 4, 5, 6, 7}, Bandwidth: [8]uint8{10, 20, 30, 0, 40},
		Algorithm: [8]uint8{2, 2, 2, 0, 2, 0, 0, 0}}
	entries := []ieee.AppEntry{{Priority: 4, Selector: ieee.SelectorUDP, Protocol: 4791},
		{Priority: 2, Selector: ieee.SelectorDSCP, Protocol: 26},
		{Priority: 3, Selector: ieee.SelectorEtherType, Protocol: 0x8906}}
	p := ieee.NewPort(ieee.Local{ETS: ieee.Configuration{MaxTCs: 8, ETS: peer}, Recommendation: peer,
		PFC: ieee.PFC{Cap: 8, Enable: 0x18}, App: entries})
	var out ieee.Output
	p.SetRunning(true, &out)
	ets, flow, app := sets(t, &IEEE{ETS: ieee.Configuration{ETS: peer}, Recommendation: peer,
		PFC: ieee.PFC{Enable: 0x18}, App: entries})
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		announce(t, b, p)
		gotETS, gotFlow, gotApp := l.Card.Set(dcbnltest.ETS), l.Card.Set(dcbnltest.PFC), l.Card.Set(dcbnltest.App)
		slices.Sort(gotApp)
		if slices.Contains(gotETS, ets) && slices.Contains(gotFlow, flow) && slices.Equal(slices.Compact(gotApp), app) {
			return
		}
		if time.Since(began) > 20*time.Second {
			t.Fatalf("lldpad sets ETS\n%s, PFC\n%s, entries %s; ours\n%s\n%s\n%s", strings.Join(gotETS, "\n"),
				strings.Join(gotFlow, "\n"), gotApp, ets, flow, app)
		}
	}
}
