package lldp

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"uelink/control/api"
	"uelink/lab/e2e/bed"
)

// eloquent is a link whose LLDPDUs hold everything that there is.
var eloquent = bed.Settings{
	LLR: "mode: dynamic",
	Link: "cbfc: {mode: dynamic, num_vcs: 32, credit_pool_size: 0x1234, lossless_vcs: [0, 1, 31]}," +
		`lldp: {` + bed.Brisk + `, port_id: "local:left", port_description: "to the peer", custom_tlvs: [{oui: "de:ad:be", subtype: 66, info: "010203"}]},` +
		"dcbx: {mode: on, version: cee," +
		" pg: {willing: true, priority_group: [0, 0, 0, 3, 0, 0, 0, 15], bandwidth: [50, 0, 0, 50, 0, 0, 0, 0], max_tcs: 8}," +
		" pfc: {willing: false, priorities: [3], max_tcs: 7}," +
		" app: {entries: [{ethertype: 0x8906, priorities: [3]}, {port: 3260, priorities: [4]}]}}",
	Top: `lldp: {system_name: leaf7, system_description: "a leaf", chassis_id: "local:rack7", capabilities: [bridge, station],` +
		` enabled_capabilities: [station], management_addresses: [192.0.2.7, "2001:db8::7", auto]}`,
}

// The LLDPDUs of a daemon, as lldpd reads them: every text, and the octets of the
// TLVs of other organizations.
func TestLLDPDSeesUs(t *testing.T) {
	top := bed.Direct(t)
	bed.Must(t, top.A.AddAddr("link0", "198.51.100.5/24"))
	peer := newLLDPD(t, top.B, "peer")
	peer.configure("lldp tx-interval 1") // what it sent before the daemon listened comes again
	bed.NewDaemon(t, top.A, "A", eloquent).Start()
	want := seen{
		Chassis: "local rack7", Port: "local left", TTL: "3", PortDescription: "to the peer", Name: "leaf7", Description: "a leaf",
		Capabilities: []string{"Bridge", "Station on"}, Management: []string{"192.0.2.7", "2001:db8::7", "198.51.100.5"},
		Unknown: []string{
			"FA,7A,CB 1: C0,01",
			"FA,7A,CB 2: 20,12,34,80,00,00,03,00,00",
			"FA,7A,CB 128: 01,08,00,00",
			"FA,7A,CB 129: 01,D0,08",
			// A peer without DCBX: an error in every feature, and that is news number 1.
			"00,1B,21 2: 02,0A,00,00,00,00,00,01,00,00,00,00," +
				"04,11,00,00,E0,00,00,03,00,0F,32,00,00,32,00,00,00,00,08," +
				"06,06,00,00,A0,00,08,07," +
				"08,10,00,00,A0,00,89,06,00,1B,21,08,0C,BC,01,1B,21,10",
			"DE,AD,BE 66: 01,02,03",
		},
	}
	bed.Eventually(t, "lldpd shows all of it", func() string { return cmp.Diff([]seen{want}, peer.neighbors()) })
	if n := peer.counted("rx_discarded_cnt"); n != "0" {
		t.Errorf("lldpd discarded %s frames", n)
	}
}

// The daemon reads the TLVs of lldpd, and keeps unknown TLVs as received.
func TestWeSeeLLDPD(t *testing.T) {
	w := bed.NewWired(t)
	bed.Must(t, w.B.AddAddr("link0", "198.51.100.9/24"))
	a := begin(t, w.A, "A", bed.LLDPOnly{})
	events := a.Watch()
	peer := newLLDPD(t, w.B, "spine1")
	peer.configure("lldp tx-interval 1", "lldp tx-hold 7", "ports link0 lldp portdescription uplink",
		"lldp custom-tlv oui de,ad,be subtype 66 oui-info 01,02,03", "lldp custom-tlv add oui 00,11,22 subtype 255")
	attrs, err := w.B.Link("link0")
	bed.Must(t, err)
	mac := attrs.HardwareAddr.String()
	want := api.LLDPDescription{
		Chassis: api.LLDPID{Type: "mac", Value: mac}, PortID: api.LLDPID{Type: "mac", Value: mac},
		TTL: 7, PortDescription: "uplink",
		SystemName: "spine1", SystemDescription: "the peer spine1",
		Capabilities: []api.LLDPCapability{
			{Type: "Bridge"}, {Type: "Wlan"}, {Type: "Router"}, {Type: "Station", Enabled: true},
		},
		Management: []api.LLDPManagement{
			{Address: "198.51.100.9", Kind: "ipv4", Family: 1, InterfaceNumbering: 2, Interface: uint32(attrs.Index)},
		},
	}
	bed.Eventually(t, "the neighbour is all that", func() string {
		n := a.AwaitNeighbor("spine1")
		for _, tlv := range []api.LLDPOrgTLV{
			{OUI: "de:ad:be", Subtype: 66, Octets: "010203"}, {OUI: "00:11:22", Subtype: 255},
		} {
			if !slices.Contains(n.OrgTLVs, tlv) {
				return fmt.Sprintf("%+v is not among %+v", tlv, n.OrgTLVs)
			}
		}
		return cmp.Diff(want, n.LLDPDescription)
	})
	events.Await("neighbor_updated", "spine1")

	peer.configure("lldp custom-tlv replace oui de,ad,be subtype 66 oui-info ff")
	bed.Eventually(t, "the TLV changes", func() string {
		changed := api.LLDPOrgTLV{OUI: "de:ad:be", Subtype: 66, Octets: "ff"}
		if list := a.AwaitNeighbor("spine1").OrgTLVs; !slices.Contains(list, changed) {
			return fmt.Sprintf("they are %+v", list)
		}
		return ""
	})
	if s := lldpStatistics(a); s.Remote.Inserts != 1 || s.Rx.ErrorFrames != 0 {
		t.Errorf("%+v", s.Counters)
	}
}

// lldpd killed: its neighbour is forgotten when its TTL has passed, not before.
func TestLLDPDAges(t *testing.T) {
	w := bed.NewWired(t)
	a := begin(t, w.A, "A", bed.LLDPOnly{})
	events := a.Watch()
	peer := newLLDPD(t, w.B, "mortal")
	peer.configure("lldp tx-interval 1", "lldp tx-hold 3")
	bed.Eventually(t, "a TTL of 3 s", func() string {
		if n := a.AwaitNeighbor("mortal"); n.TTL != 3 {
			return fmt.Sprintf("it is %d", n.TTL)
		}
		return ""
	})
	peer.Kill()
	died := time.Now()
	if n := a.Neighbors(); len(n) != 1 {
		t.Error("it is forgotten before its time")
	}
	hearsNobody(a)
	t.Logf("forgotten %v after it was killed", time.Since(died).Round(time.Millisecond))
	events.Await("neighbor_deleted", "mortal")
	if s := lldpStatistics(a); s.Remote.Ageouts != 1 || s.Rx.TotalAgeouts != 1 || s.Remote.Deletes != 1 {
		t.Errorf("%+v", s.Counters)
	}
}

// Whoever is told to end says good-bye; the other one does not wait for the TTL.
func TestShutdownLLDPDUs(t *testing.T) {
	w := bed.NewWired(t)
	a := begin(t, w.A, "A", bed.LLDPOnly{LLDP: "tx_interval: 30s", Top: named("us")})
	peer := newLLDPD(t, w.B, "them")
	a.AwaitNeighbor("them")
	bed.Eventually(t, "lldpd hears us", func() string {
		if list := peer.neighbors(); len(list) != 1 || list[0].Name != "us" || list[0].TTL != "121" {
			return fmt.Sprintf("its neighbours are %+v", list)
		}
		return ""
	})
	if code := a.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	peer.hearsNobody()
	if n := peer.counted("ageout_cnt"); n != "0" {
		t.Errorf("%s neighbours of lldpd aged", n)
	}

	a.Start()
	listens(a)
	peer.configure("lldp tx-interval 20") // has it send at once
	a.AwaitNeighbor("them")
	peer.Signal(syscall.SIGTERM)
	hearsNobody(a)
	peer.Wait()
	if s := lldpStatistics(a); s.Remote.Ageouts != 0 || s.Remote.Deletes != 1 {
		t.Errorf("%+v", s.Counters)
	}
}

// An lldpd on the same interface of the same host is no neighbour, but too many agents.
func TestLLDPDBesideUs(t *testing.T) {
	w := bed.NewWired(t)
	a := begin(t, w.A, "A", bed.LLDPOnly{})
	events := a.Watch()
	beside := newLLDPD(t, w.A, "beside")
	beside.configure("lldp tx-interval 1")
	attrs, err := w.A.Link("link0")
	bed.Must(t, err)
	text := "another LLDP agent of this host speaks on link0: chassis mac " + attrs.HardwareAddr.String()
	events.Await("other_agent", text)
	if got := lldpOf(a).OtherAgent; len(got) < len(text) || got[:len(text)] != text {
		t.Errorf("the interface says %q, not %q", got, text)
	}
	if n := a.Neighbors(); len(n) > 0 {
		t.Errorf("a neighbour: %+v", n)
	}
}
