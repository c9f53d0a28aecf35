package lldp_test

import (
	"bytes"
	"net/netip"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"uelink/lldp"
)

// A PDU with everything that the basic set has, and its octets.
func goldenPDU() lldp.PDU {
	return lldp.PDU{
		Chassis:           lldp.ChassisID{Subtype: lldp.ChassisMAC, ID: []byte{2, 0, 0, 0, 0, 0xB}},
		Port:              lldp.PortID{Subtype: lldp.PortIfName, ID: []byte("eth0")},
		TTL:               121,
		PortDescription:   []byte("to the spine"),
		SystemName:        []byte("leaf1"),
		SystemDescription: []byte{},
		HasCapabilities:   true,
		Capabilities:      lldp.Capabilities{System: lldp.CapBridge | lldp.CapRouter | lldp.CapStation, Enabled: lldp.CapStation},
		Management: []lldp.Management{
			lldp.ManagementAt(netip.MustParseAddr("10.0.0.1"), 3),
			{Family: 2, Address: netip.MustParseAddr("2001:db8::1").AsSlice(), InterfaceSubtype: lldp.InterfacePortNumber, Interface: 0x01020304, OID: []byte{1, 3, 6}},
		},
		Org:     []lldp.Org{{OUI: lldp.OUI{0xDE, 0xAD, 0xBE}, Subtype: 66, Info: []byte("hello")}},
		Unknown: []lldp.TLV{{Type: 9, Info: []byte{}}, {Type: 126, Info: []byte{1}}},
	}
}

const goldenOctets = `
	0207 04 02000000000b
	0405 05 65746830
	0602 0079
	080c 746f20746865207370696e65
	0a05 6c65616631
	0c00
	0e04 0094 0080
	100c 05 01 0a000001 02 00000003 00
	101b 11 02 20010db8000000000000000000000001 03 01020304 03 010306
	fe09 deadbe 42 68656c6c6f
	1200
	fc01 01
	0000`

// 802.1AB 8.2, 8.4, 8.5.1 to 8.5.9, 8.6: every TLV to the octet.
func TestGoldenLLDPDU(t *testing.T) {
	p, want := goldenPDU(), unhex(t, goldenOctets)
	got, leftOut := p.Append(nil)
	if !bytes.Equal(got, want) || leftOut != 0 {
		t.Fatalf("built\n% X, want\n% X; %d left out", got, want, leftOut)
	}
	var back lldp.PDU
	if fault := back.Parse(append(want, "padding"...)); fault != lldp.NoFault {
		t.Fatal(fault)
	}
	p.Len = len(want)
	p.Management[0].OID = []byte{}
	if !reflect.DeepEqual(back, p) {
		t.Errorf("parsed\n%+v, want\n%+v", back, p)
	}
}

// 802.1AB 8.2: Destination, source, EtherType 88-CC; padded, with the End in it.
func TestGoldenFrame(t *testing.T) {
	p := lldp.PDU{Chassis: goldenPDU().Chassis, Port: goldenPDU().Port, TTL: 120}
	got, _ := lldp.AppendFrame([]byte("before"), lldp.NearestNonTPMRBridge, macB, &p)
	want := append([]byte("before"), unhex(t, "0180c2000003 02000000000b 88cc 0207 04 02000000000b 0405 05 65746830 "+
		"0602 0078 0000")...)
	want = append(want, make([]byte, 60+6-len(want))...)
	if !bytes.Equal(got, want) {
		t.Errorf("% X, want\n% X", got, want)
	}
}

// 802.1AB 8.2: a shutdown LLDPDU has the mandatory TLVs and nothing else.
func TestGoldenShutdown(t *testing.T) {
	p := goldenPDU()
	p.TTL = 0
	got, _ := p.Append(nil)
	if want := unhex(t, "0207 04 02000000000b 0405 05 65746830 0602 0000 0000"); !bytes.Equal(got, want) {
		t.Errorf("% X, want % X", got, want)
	}
}

// TLVs that do not fit into an Ethernet frame are left out and counted.
func TestLengthError(t *testing.T) {
	l := localOf(macA, "eth0")
	for i := range 4 {
		l.Custom = append(l.Custom, lldp.Org{OUI: lldp.OUI{1, 2, 3}, Subtype: byte(i), Info: make([]byte, lldp.MaxOrgInfo)})
	}
	l.Custom = append(l.Custom, lldp.Org{Subtype: 9})
	s := &station{Agent: lldp.NewAgent(lldp.Config{Destination: lldp.NearestBridge,
		Timers: lldp.DefaultTimers()}, lldp.RxTx, l)}
	s.SetPortEnabled(true)
	s.poll()
	p := pduOf(t, s.frames[0].frame)
	if len(p.Org) != 3 || p.Org[2].Subtype != 9 || len(s.frames[0].frame) > lldp.MaxFrameLen {
		t.Errorf("%d organizational TLVs in %d octets", len(p.Org), len(s.frames[0].frame))
	}
	if n := s.Counters().Tx.TotalLengthErrors; n != 1 {
		t.Errorf("%d length errors", n)
	}
}

func TestLongestPDUFits(t *testing.T) {
	p := goldenPDU()
	p.Org, p.Unknown = nil, nil
	base, _ := p.Append(nil)
	for spare := lldp.MaxPDULen - len(base); spare > 6; {
		n := min(spare-6, lldp.MaxOrgInfo)
		p.Org = append(p.Org, lldp.Org{Info: make([]byte, n)})
		spare -= 6 + n
	}
	b, leftOut := p.Append(nil)
	if leftOut != 0 || len(b) < lldp.MaxPDULen-6 {
		t.Fatalf("%d octets, %d left out", len(b), leftOut)
	}
	var back lldp.PDU
	if fault := back.Parse(b); fault != lldp.NoFault || back.Len != len(b) {
		t.Fatalf("%v, %d", fault, back.Len)
	}
}

func octets(min, max int) *rapid.Generator[[]byte] { return rapid.SliceOfN(rapid.Byte(), min, max) }

// drawPDU makes any PDU that a station may send.
func drawPDU(t *rapid.T) lldp.PDU {
	text := rapid.Custom(func(t *rapid.T) []byte {
		if rapid.Bool().Draw(t, "absent") {
			return nil
		}
		return octets(0, 255).Draw(t, "text")
	})
	p := lldp.PDU{
		Chassis:           lldp.ChassisID{Subtype: lldp.ChassisSubtype(rapid.IntRange(1, 7).Draw(t, "chassis")), ID: octets(1, 255).Draw(t, "chassis id")},
		Port:              lldp.PortID{Subtype: lldp.PortSubtype(rapid.IntRange(1, 7).Draw(t, "port")), ID: octets(1, 255).Draw(t, "port id")},
		TTL:               uint16(rapid.IntRange(1, 65535).Draw(t, "ttl")),
		PortDescription:   text.Draw(t, "port description"),
		SystemName:        text.Draw(t, "system name"),
		SystemDescription: text.Draw(t, "system description"),
	}
	if p.HasCapabilities = rapid.Bool().Draw(t, "has capabilities"); p.HasCapabilities {
		p.Capabilities.System = lldp.CapabilitySet(rapid.Uint16().Draw(t, "system"))
		p.Capabilities.Enabled = p.Capabilities.System & lldp.CapabilitySet(rapid.Uint16().Draw(t, "enabled"))
	}
	for range rapid.IntRange(0, 2).Draw(t, "addresses") {
		p.Management = append(p.Management, lldp.Management{Family: rapid.Byte().Draw(t, "family"),
			Address:          octets(1, 31).Draw(t, "address"),
			InterfaceSubtype: rapid.Byte().Draw(t, "numbering"), Interface: rapid.Uint32().Draw(t, "interface"), OID: octets(0, 40).Draw(t, "oid")})
	}
	for range rapid.IntRange(0, 3).Draw(t, "orgs") {
		p.Org = append(p.Org, lldp.Org{OUI: lldp.OUI(octets(3, 3).Draw(t, "oui")), Subtype: rapid.Byte().Draw(t, "subtype"),
			Info: octets(0, 30).Draw(t, "info")})
	}
	for range rapid.IntRange(0, 3).Draw(t, "unknowns") {
		p.Unknown = append(p.Unknown, lldp.TLV{Type: lldp.Type(rapid.IntRange(9, 126).Draw(t, "type")),
			Info: octets(0, 30).Draw(t, "info")})
	}
	return p
}

func TestRoundTrip(t *testing.T) {
	var back lldp.PDU
	rapid.Check(t, func(t *rapid.T) {
		p := drawPDU(t)
		frame, leftOut := lldp.AppendFrame(nil, lldp.NearestBridge, macA, &p)
		if leftOut != 0 {
			t.Fatalf("%d left out", leftOut)
		}
		f, fault := lldp.ParseFrame(frame)
		if fault != lldp.NoFault || f.Source != macA || f.Destination != lldp.NearestBridge {
			t.Fatalf("%v %+v", fault, f)
		}
		if fault := back.Parse(f.PDU); fault != lldp.NoFault {
			t.Fatal(fault)
		}
		again, _ := lldp.AppendFrame(nil, lldp.NearestBridge, macA, &back)
		if !bytes.Equal(again, frame) || back.Discarded != 0 || back.Chassis.Subtype != p.Chassis.Subtype ||
			back.TTL != p.TTL {
			t.Fatalf("% X came back as\n% X", frame, again)
		}
	})
}

func TestParseDoesNotAllocate(t *testing.T) {
	octets := unhex(t, goldenOctets)
	var p lldp.PDU
	if n := testing.AllocsPerRun(100, func() { p.Parse(octets) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestIDsAsText(t *testing.T) {
	ip4, ip6 := lldp.NetworkAddress(netip.MustParseAddr("192.0.2.1")),
		lldp.NetworkAddress(netip.MustParseAddr("2001:db8::1"))
	for _, c := range []struct{ got, want string }{
		{lldp.ChassisID{Subtype: lldp.ChassisMAC, ID: macB[:]}.String(), "02:00:00:00:00:0b"},
		{lldp.ChassisID{Subtype: lldp.ChassisMAC, ID: []byte{1, 2}}.String(), "0102"},
		{lldp.ChassisID{Subtype: lldp.ChassisNetworkAddress, ID: ip4}.String(), "192.0.2.1"},
		{lldp.ChassisID{Subtype: lldp.ChassisNetworkAddress, ID: ip4[:3]}.String(), "01c000"},
		{lldp.ChassisID{Subtype: lldp.ChassisNetworkAddress, ID: ip4[:1]}.String(), "01"},
		{lldp.ChassisID{Subtype: lldp.ChassisLocal, ID: []byte("rack 7")}.String(), "rack 7"},
		{lldp.ChassisID{Subtype: 99, ID: []byte("\x1b[2J")}.String(), "1b5b324a"},
		{lldp.PortID{Subtype: lldp.PortNetworkAddress, ID: ip6}.String(), "2001:db8::1"},
		{lldp.PortID{Subtype: lldp.PortMAC, ID: macB[:]}.String(), "02:00:00:00:00:0b"},
		{lldp.PortID{Subtype: lldp.PortIfName, ID: []byte("eth0")}.String(), "eth0"},
		{lldp.PortID{Subtype: lldp.PortCircuitID, ID: []byte{0xFF}}.String(), "ff"},
		{lldp.ChassisMAC.String() + lldp.ChassisLocal.String() + lldp.ChassisSubtype(0).String() + lldp.ChassisSubtype(8).String(), "maclocalreservedreserved"},
		{lldp.PortIfAlias.String() + lldp.PortLocal.String() + lldp.PortSubtype(255).String(), "ifaliaslocalreserved"},
		{lldp.Text([]byte("Grüße")), "Grüße"},
		{lldp.Text([]byte("a\x00b\xffü\x1b")), `a\x00b\xffü\x1b`},
		{lldp.ManagementAt(netip.MustParseAddr("2001:db8::2"), 1).String(), "2001:db8::2"},
		{lldp.Management{Family: 6, Address: macB[:]}.String(), "02:00:00:00:00:0b"},
		{lldp.Management{Family: 6, Address: macB[:3]}.String(), "020000"},
		{lldp.Management{Family: 16, Address: []byte("leaf\x1b")}.String(), `leaf\x1b`},
		{lldp.Management{Family: 6, Address: macB[:]}.Kind(), "mac"},
		{lldp.Management{Family: 6, Address: macB[:3]}.Kind(), "family 6"},
		{lldp.Management{Family: 16, Address: []byte("leaf")}.Kind(), "dns"},
		{lldp.Management{Family: 1, Address: []byte{10, 0, 0, 1}}.Kind(), "ipv4"},
		{lldp.Management{Family: 1, Address: []byte{10}}.Kind(), "family 1"},
		{lldp.ManagementAt(netip.MustParseAddr("2001:db8::2"), 1).Kind(), "ipv6"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestCapabilityNames(t *testing.T) {
	names := lldp.CapabilitySet(0xFFFF).Names()
	if len(names) != 11 || names[0] != "Other" || names[10] != "TPMR" {
		t.Fatal(names)
	}
	var all lldp.CapabilitySet
	for _, n := range names {
		c, ok := lldp.CapabilityByName(n)
		if !ok {
			t.Error(n)
		}
		all |= c
	}
	if _, ok := lldp.CapabilityByName("Toaster"); ok || all != 0x07FF {
		t.Errorf("%#x", all)
	}
	if !slices.Equal(lldp.CapabilitySet(0).Names(), []string{}) {
		t.Error("no capabilities should be an empty list")
	}
}

func TestDestinations(t *testing.T) {
	for name, da := range map[string][6]byte{"nearest-bridge": lldp.NearestBridge,
		"nearest-non-tpmr-bridge": lldp.NearestNonTPMRBridge, "nearest-customer-bridge": lldp.NearestCustomerBridge} {
		got, err := lldp.DestinationByName(name)
		if err != nil || got != da || lldp.DestinationName(da) != name {
			t.Errorf("%s: % X, %v", name, got, err)
		}
	}
	if _, err := lldp.DestinationByName("anywhere"); err == nil {
		t.Error("no error for an unknown destination")
	}
	if lldp.DestinationName(macA) != "02:00:00:00:00:0a" {
		t.Error(lldp.DestinationName(macA))
	}
}
