package ue_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"uelink/lldp"
	"uelink/lldp/ue"
)

// lldpdu is an LLDPDU with those TLVs, as an agent sends it.
func lldpdu(t testing.TB, org ...lldp.Org) []byte {
	t.Helper()
	p := lldp.PDU{Chassis: lldp.ChassisID{Subtype: lldp.ChassisLocal, ID: []byte("c")},
		Port: lldp.PortID{Subtype: lldp.PortLocal, ID: []byte("p")},
		TTL:  121, Org: org}
	b, leftOut := p.Append(nil)
	if leftOut != 0 {
		t.Fatal(leftOut)
	}
	return b
}

// UE-LINK §5.1 and §5.2, to the octet, TLV header included.
func TestGoldenTLVs(t *testing.T) {
	c := ue.Codec{OUI: ue.DefaultOUI}
	for _, g := range []struct {
		name string
		a    ue.Advertisement
		want []byte
	}{
		{"5.1 LLR", ue.Advertisement{HasLink: true, Link: ue.Link{LLR: true, Version: 1}}, []byte{0xFE, 6, 0xFA, 0x7A, 0xCB, 1, 0x80, 1}},
		{"5.1 CBFC", ue.Advertisement{HasLink: true, Link: ue.Link{CBFC: true, Version: 2}}, []byte{0xFE, 6, 0xFA, 0x7A, 0xCB, 1, 0x40, 2}},
		{"5.1 neither", ue.Advertisement{HasLink: true, Link: ue.Link{Reserved: 0x3F}}, []byte{0xFE, 6, 0xFA, 0x7A, 0xCB, 1, 0, 0}},
		{"5.2", ue.Advertisement{HasCBFC: true, CBFC: ue.CBFC{VCs: 8, Pool: 0x1234, Lossless: 0x80000003, Reserved: 7}},
			[]byte{0xFE, 13, 0xFA, 0x7A, 0xCB, 2, 8, 0x12, 0x34, 0x80, 0, 0, 3, 0, 0}},
		{"credit size", ue.Advertisement{HasCreditSize: true, CreditSize: ue.CreditSize{Octets: 2048, Overhead: -16}},
			[]byte{0xFE, 8, 0xFA, 0x7A, 0xCB, 128, 1, 8, 0, 0xF0}},
		{"credit size and overhead", ue.Advertisement{HasCreditSize: true, CreditSize: ue.CreditSize{Octets: 32, Overhead: 127}},
			[]byte{0xFE, 8, 0xFA, 0x7A, 0xCB, 128, 1, 0, 32, 0x7F}},
		{"no wish", ue.Advertisement{HasWishes: true}, []byte{0xFE, 7, 0xFA, 0x7A, 0xCB, 129, 1, 0, 0}},
		{"wishes", ue.Advertisement{HasWishes: true, Wishes: ue.Wishes{DCBX: true, Asks: true, Priorities: 0x18}},
			[]byte{0xFE, 7, 0xFA, 0x7A, 0xCB, 129, 1, 0x90, 0x18}},
		{"all wishes", ue.Advertisement{HasWishes: true, Wishes: ue.Wishes{DCBX: true, PFC: true, Willing: true, Asks: true,
			Priorities: 0xFF}}, []byte{0xFE, 7, 0xFA, 0x7A, 0xCB, 129, 1, 0xF0, 0xFF}},
	} {
		list, _ := c.Append(nil, g.a, nil)
		b := lldpdu(t, list...)
		if got := b[len(b)-2-len(g.want) : len(b)-2]; !bytes.Equal(got, g.want) {
			t.Errorf("%s: % X, want % X", g.name, got, g.want)
		}
	}
}

func TestParse(t *testing.T) {
	cbfc := []byte{8, 0, 100, 0, 0, 0, 1, 0, 0}
	link := func(info ...byte) lldp.Org { return lldp.Org{OUI: ue.DefaultOUI, Subtype: 1, Info: info} }
	credit := func(info ...byte) lldp.Org { return lldp.Org{OUI: ue.DefaultOUI, Subtype: 2, Info: info} }
	size := func(info ...byte) lldp.Org { return lldp.Org{OUI: ue.DefaultOUI, Subtype: 128, Info: info} }
	wishes := func(info ...byte) lldp.Org { return lldp.Org{OUI: ue.DefaultOUI, Subtype: 129, Info: info} }
	both := ue.Link{LLR: true, CBFC: true, Version: 1}
	good := ue.CBFC{VCs: 8, Pool: 100, Lossless: 1}
	for _, c := range []struct {
		name string
		list []lldp.Org
		want ue.Advertisement
	}{
		{"nothing", nil, ue.Advertisement{}},
		{"both", []lldp.Org{credit(cbfc...), link(0xC0, 1)}, ue.Advertisement{HasLink: true, Link: both, HasCBFC: true, CBFC: good}},
		{"longer TLVs", []lldp.Org{link(0xC0, 1, 9, 9), credit(append(cbfc, 9, 9, 9)...)}, ue.Advertisement{HasLink: true, Link: both, HasCBFC: true, CBFC: good}},
		{"reserved bits and a later version", []lldp.Org{link(0xFF, 9)}, ue.Advertisement{HasLink: true, Link: ue.Link{LLR: true, CBFC: true, Version: 9, Reserved: 0x3F}}},
		{"reserved octets", []lldp.Org{credit(1, 0, 1, 0, 0, 0, 0, 0xAB, 0xCD)}, ue.Advertisement{HasCBFC: true, CBFC: ue.CBFC{VCs: 1, Pool: 1, Reserved: 0xABCD}}},
		{"link too short", []lldp.Org{link(0xC0)}, ue.Advertisement{LinkFault: ue.FaultShort}},
		{"link empty", []lldp.Org{link()}, ue.Advertisement{LinkFault: ue.FaultShort}},
		{"CBFC too short", []lldp.Org{credit(cbfc[:8]...)}, ue.Advertisement{CBFCFault: ue.FaultShort}},
		{"no VC", []lldp.Org{credit(0, 0, 1, 0, 0, 0, 0, 0, 0)}, ue.Advertisement{CBFCFault: ue.FaultVCs}},
		{"32 VCs", []lldp.Org{credit(32, 0, 1, 0, 0, 0, 0, 0, 0)}, ue.Advertisement{HasCBFC: true, CBFC: ue.CBFC{VCs: 32, Pool: 1}}},
		{"33 VCs", []lldp.Org{credit(33, 0, 1, 0, 0, 0, 0, 0, 0)}, ue.Advertisement{CBFCFault: ue.FaultVCs}},
		{"empty pool", []lldp.Org{credit(1, 0, 0, 0, 0, 0, 0, 0, 0)}, ue.Advertisement{CBFCFault: ue.FaultPool}},
		{"link twice", []lldp.Org{link(0xC0, 1), link(0xC0, 1), link(0xC0, 1)}, ue.Advertisement{LinkFault: ue.FaultRepeated}},
		{"CBFC twice", []lldp.Org{credit(), credit(cbfc...)}, ue.Advertisement{CBFCFault: ue.FaultRepeated}},
		{"credit size", []lldp.Org{size(1, 0, 64, 0xFC)}, ue.Advertisement{HasCreditSize: true, CreditSize: ue.CreditSize{Octets: 64, Overhead: -4}}},
		{"credit size of a later version", []lldp.Org{size(9, 1, 0, 5, 1, 2, 3)}, ue.Advertisement{HasCreditSize: true, CreditSize: ue.CreditSize{Octets: 256, Overhead: 5}}},
		{"credit size of no version", []lldp.Org{size(0, 1, 0, 5)}, ue.Advertisement{CreditSizeFault: ue.FaultVersion}},
		{"credit size too short", []lldp.Org{size(1, 1, 0)}, ue.Advertisement{CreditSizeFault: ue.FaultShort}},
		{"credit size empty", []lldp.Org{size()}, ue.Advertisement{CreditSizeFault: ue.FaultShort}},
		{"credit size 0", []lldp.Org{size(1, 0, 0, 0)}, ue.Advertisement{CreditSizeFault: ue.FaultCreditSize}},
		{"credit size 16", []lldp.Org{size(1, 0, 16, 0)}, ue.Advertisement{CreditSizeFault: ue.FaultCreditSize}},
		{"credit size 96", []lldp.Org{size(1, 0, 96, 0)}, ue.Advertisement{CreditSizeFault: ue.FaultCreditSize}},
		{"credit size 4096", []lldp.Org{size(1, 16, 0, 0)}, ue.Advertisement{CreditSizeFault: ue.FaultCreditSize}},
		{"overhead -17", []lldp.Org{size(1, 0, 64, 0xEF)}, ue.Advertisement{CreditSizeFault: ue.FaultOverhead}},
		{"credit size twice", []lldp.Org{size(1, 0, 64, 0), size(1, 0, 64, 0)}, ue.Advertisement{CreditSizeFault: ue.FaultRepeated}},
		{"wishes", []lldp.Org{wishes(1, 0x60, 8)}, ue.Advertisement{HasWishes: true, Wishes: ue.Wishes{PFC: true, Willing: true,
			Priorities: 8}}},
		{"wishes of a later version, with reserved bits", []lldp.Org{wishes(9, 0x8F, 1, 2, 3)},
			ue.Advertisement{HasWishes: true, Wishes: ue.Wishes{DCBX: true, Priorities: 1}}},
		{"wishes of no version", []lldp.Org{wishes(0, 0x80, 0)}, ue.Advertisement{WishesFault: ue.FaultVersion}},
		{"wishes too short", []lldp.Org{wishes(1, 0x80)}, ue.Advertisement{WishesFault: ue.FaultShort}},
		{"wishes twice", []lldp.Org{wishes(1, 0, 0), wishes(1, 0, 0)}, ue.Advertisement{WishesFault: ue.FaultRepeated}},
		{"another subtype", []lldp.Org{{OUI: ue.DefaultOUI, Subtype: 3}}, ue.Advertisement{}},
		{"another OUI", []lldp.Org{{OUI: lldp.OUI{1, 2, 3}, Subtype: 1, Info: []byte{0xC0, 1}}}, ue.Advertisement{}},
	} {
		if got := (ue.Codec{OUI: ue.DefaultOUI}).Parse(c.list); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestOUIIsConfigurable(t *testing.T) {
	c := ue.Codec{OUI: lldp.OUI{1, 2, 3}}
	list, _ := c.Append(nil, ue.Advertisement{HasLink: true, Link: ue.Link{LLR: true}}, nil)
	if list[0].OUI != c.OUI || !c.Parse(list).HasLink || (ue.Codec{OUI: ue.DefaultOUI}).Parse(list).Speaks() {
		t.Errorf("%+v", list)
	}
	if !c.Recognizes(c.OUI, 1) || !c.Recognizes(c.OUI, 2) || !c.Recognizes(c.OUI, 128) || c.Recognizes(c.OUI, 3) ||
		c.Recognizes(ue.DefaultOUI, 1) {
		t.Error("recognizes the wrong TLVs")
	}
}

func TestCBFCValidate(t *testing.T) {
	for want, c := range map[string]ue.CBFC{"": {VCs: 1, Pool: 1}, "number of VCs": {VCs: 33, Pool: 1},
		"pool is empty": {VCs: 1}} {
		err := c.Validate()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a ue.Advertisement
		if a.HasLink = rapid.Bool().Draw(t, "link"); a.HasLink {
			a.Link = ue.Link{LLR: rapid.Bool().Draw(t, "llr"), CBFC: rapid.Bool().Draw(t, "cbfc"),
				Version: rapid.Byte().Draw(t, "version")}
		}
		if a.HasCBFC = rapid.Bool().Draw(t, "credit"); a.HasCBFC {
			a.CBFC = ue.CBFC{VCs: uint8(rapid.IntRange(1, 32).Draw(t, "vcs")),
				Pool: uint16(rapid.IntRange(1, 65535).Draw(t, "pool")), Lossless: rapid.Uint32().Draw(t, "lossless")}
		}
		if a.HasCreditSize = rapid.Bool().Draw(t, "size"); a.HasCreditSize {
			a.CreditSize = ue.CreditSize{Octets: 32 << rapid.IntRange(0, 6).Draw(t, "octets"),
				Overhead: rapid.Int8Range(-16, 127).Draw(t, "overhead")}
		}
		if a.HasWishes = rapid.Bool().Draw(t, "wishes"); a.HasWishes {
			a.Wishes, _ = ue.ParseWishes([]byte{1, rapid.Byte().Draw(t, "flags"), rapid.Byte().Draw(t, "priorities")})
		}
		c := ue.Codec{OUI: ue.DefaultOUI}
		list, _ := c.Append(nil, a, nil)
		if got := c.Parse(list); got != a {
			t.Fatalf("%+v came back as %+v", a, got)
		}
	})
}

// What the tool and the API show does not depend on numbers of constants.
func TestResultAsJSON(t *testing.T) {
	b, err := json.Marshal(ue.Result{Partner: ue.PartnerAged, Advertised: ue.Advertisement{CBFCFault: ue.FaultPool}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"partner":"aged"`, `"cbfc_fault":"credit pool is empty"`,
		`"llr":{"local":false,"remote":false,"drain":false}`, `"link_fault":""`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%s lacks %s", b, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"\xC0\x01", "\x01\x08\x00\xF0", "", "\x08\x00\x64\x00\x00\x00\x01\x00\x00",
		"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"} {
		f.Add(uint8(1), []byte(s), uint8(2), []byte(s))
		f.Add(uint8(128), []byte(s), uint8(128), []byte(s))
		f.Add(uint8(129), []byte(s), uint8(128), []byte(s))
	}
	f.Fuzz(func(t *testing.T, s1 uint8, info1 []byte, s2 uint8, info2 []byte) {
		c := ue.Codec{OUI: ue.DefaultOUI}
		a := c.Parse([]lldp.Org{{OUI: c.OUI, Subtype: s1, Info: info1}, {OUI: c.OUI, Subtype: s2, Info: info2}})
		_ = a.LinkFault.Error() + a.CBFCFault.Error() + a.CreditSizeFault.Error() + a.WishesFault.Error()
		if a.HasCreditSize && a.CreditSize.Validate() != nil || a.HasCBFC && a.CBFC.Validate() != nil ||
			a.HasLink && a.LinkFault != ue.NoFault {
			t.Fatalf("%+v", a)
		}
		a.Link.Reserved, a.CBFC.Reserved, a.LinkFault, a.CBFCFault = 0, 0, ue.NoFault, ue.NoFault
		a.CreditSizeFault, a.WishesFault = ue.NoFault, ue.NoFault
		list, _ := c.Append(nil, a, nil)
		if got := c.Parse(list); got != a {
			t.Fatalf("%+v came back as %+v", a, got)
		}
	})
}
