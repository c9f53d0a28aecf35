package dot

import (
	"encoding/hex"
	"strings"
	"testing"

	"uelink/lldp"
)

// Octets of TLVs as switches and lldpd send them, behind OUI and subtype.
func TestWords(t *testing.T) {
	const table = "01234567" + "0a141e280000000a" + "00020202020201ff"
	for _, c := range []struct {
		oui        lldp.OUI
		subtype    uint8
		info       string
		name, text string
	}{
		{OUI1, 1, "000a", "PVID", "10"},
		{OUI1, 1, "0000", "PVID", "none"},
		{OUI1, 2, "060014", "PPVID", "20, supported: yes, enabled: yes"},
		{OUI1, 2, "000000", "PPVID", "none, supported: no, enabled: no"},
		{OUI1, 3, "000a0573746f72", "VLAN", "malformed: the name is longer than the TLV"},
		{OUI1, 3, "000a0573746f7265", "VLAN", "10, name: store"},
		{OUI1, 3, "000a02731b", "VLAN", `10, name: s\x1b`},
		{OUI1, 4, "0288cc", "PI", "88cc"},
		{OUI1, 4, "0388cc", "PI", "malformed: the identity is longer than the TLV"},
		{OUI1, 5, "01020304", "VIDDigest", "01020304"},
		{OUI1, 6, "0fff", "MgmtVID", "4095"},
		{OUI1, 7, "0300000007", "LinkAgg", "supported: yes, enabled: yes, port: 7"},
		{OUI1, 8, "0800", "CN", "priorities 3, ready none"},
		{OUI1, 9, "80" + table, "ETS", "willing: yes; 8 TCs; classes of priorities 0 to 7: 0 1 2 3 4 5 6 7; " +
			"bandwidth in %: 10 20 30 40 0 0 0 10; selection: strict ets ets ets ets ets cbs vendor"},
		{OUI1, 10, "00" + table[:24] + "0303030303030303", "ETSRec", "classes of priorities 0 to 7: 0 1 2 3 4 5 6 7; " +
			"bandwidth in %: 10 20 30 40 0 0 0 10; selection: 3 3 3 3 3 3 3 3"},
		{OUI1, 11, "8818", "PFC", "willing: yes; priorities 3,4; 8 TCs"},
		{OUI1, 12, "00", "APP", "none"},
		{OUI1, 16, "064189060c83002a0000", "APPVLAN", "EtherType 8906 in VLAN 100, UDP port 42 in VLAN 200"},
		{OUI1, 16, "", "APPVLAN", "none"},
		{OUI1, 12, "00618906820cbca30035c41f90e5002ea70001", "APP", "EtherType 8906 at priority 3, TCP port 3260 at priority 4, " +
			"UDP port 53 at priority 5, port 8080 at priority 6, DSCP 46 at priority 7, selector 7 protocol 1 at priority 5"},
		{OUI1, 13, "ff", "EVB", "ff"},
		{OUI1, 14, "01", "CDCP", "01"},
		{OUI3, 1, "036c11001e", "MAC/PHY", "autoneg supported: yes, enabled: yes, " +
			"advertised: 10BASE-T, 10BASE-T FD, 100BASE-TX, 100BASE-TX FD, asymmetric and symmetric PAUSE, 1000BASE-T FD, MAU type: 1000BASE-T FD"},
		{OUI3, 1, "0000000000", "MAC/PHY", "autoneg supported: no, enabled: no, MAU type: other or unknown"},
		{OUI3, 1, "0000000fff", "MAC/PHY", "autoneg supported: no, enabled: no, MAU type: 4095"},
		{OUI3, 2, "070105", "Power", "PSE, supported: yes, enabled: yes, class 4"},
		{OUI3, 2, "000000", "Power", "PD, supported: no, enabled: no, class 0"},
		{OUI3, 2, "0701055200ff0082", "Power", "PSE, supported: yes, enabled: yes, class 4, requested 25.5 W, allocated 13.0 W"},
		{OUI3, 3, "0100000000", "LinkAgg", "supported: yes, enabled: no, port: 0"},
		{OUI3, 4, "05ee", "MFS", "1518"},
		{OUI3, 5, "001e001e000000000000", "EEE", "microseconds from low power idle to the first frame: " +
			"tx 30, rx 30, fallback rx 0, echo tx 0, echo rx 0"},
	} {
		info, err := hex.DecodeString(c.info)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := Words(lldp.Org{OUI: c.oui, Subtype: c.subtype, Info: info})
		if !ok || got != (TLV{c.name, c.text}) {
			t.Errorf("%x %d %s:\n%+v, want\n%s: %s", c.oui, c.subtype, c.info, got, c.name, c.text)
		}
	}
}

func TestOtherTLVsHaveNoWords(t *testing.T) {
	for _, o := range []lldp.Org{{OUI: OUI1, Subtype: 0}, {OUI: OUI3, Subtype: 200},
		{OUI: lldp.OUI{1, 2, 3}, Subtype: 1}} {
		if tlv, ok := Words(o); ok {
			t.Errorf("%+v: %+v", o, tlv)
		}
	}
}

// A TLV that is too short is named and called malformed.
func TestShortTLVs(t *testing.T) {
	for oui, readers := range map[lldp.OUI]map[uint8]reader{OUI1: dot1, OUI3: dot3} {
		for subtype, r := range readers {
			for n := range r.least {
				tlv, ok := Words(lldp.Org{OUI: oui, Subtype: subtype, Info: make([]byte, n)})
				if !ok || tlv.Name != r.name || !strings.HasPrefix(tlv.Text, "malformed: ") {
					t.Errorf("%s of %d octets: %+v, %v", r.name, n, tlv, ok)
				}
			}
		}
	}
}

func TestIsDCBX(t *testing.T) {
	for subtype := range 256 {
		want := subtype >= 9 && subtype <= 12
		if IsDCBX(OUI1, uint8(subtype)) != want || IsDCBX(OUI3, uint8(subtype)) {
			t.Errorf("subtype %d", subtype)
		}
	}
}

// Whatever the octets are, the words are harmless to a terminal.
func FuzzWords(f *testing.F) {
	f.Add(uint8(3), []byte{0, 10, 1, 0x1b})
	f.Add(uint8(12), []byte{0, 1})
	f.Fuzz(func(t *testing.T, subtype uint8, info []byte) {
		for _, oui := range []lldp.OUI{OUI1, OUI3} {
			tlv, _ := Words(lldp.Org{OUI: oui, Subtype: subtype, Info: info})
			if lldp.Text([]byte(tlv.Text)) != tlv.Text {
				t.Errorf("%q", tlv.Text)
			}
		}
	})
}
