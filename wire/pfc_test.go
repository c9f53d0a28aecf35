package wire

import (
	"testing"

	"pgregory.net/rapid"
)

// goldenPFC is PAUSE and PFC as IEEE 802.3 annexes 31B and 31D draw them, without the padding.
var goldenPFC = []struct {
	name   string
	octets string
	p      PFC
}{
	{"PAUSE", "01 80 C2 00 00 01 | 02 00 00 00 00 02 | 88 08 | 00 01 | 12 34", Pause(0x1234)},
	{"PAUSE, go on", "01 80 C2 00 00 01 | 02 00 00 00 00 02 | 88 08 | 00 01 | 00 00", Pause(0)},
	{"priority 3", "01 80 C2 00 00 01 | 02 00 00 00 00 02 | 88 08 | 01 01 | 00 08 |" +
		"0000 0000 0000 FFFF 0000 0000 0000 0000", PFC{Enable: 1 << 3, Quanta: [Priorities]uint16{3: 0xFFFF}}},
	{"priority 3 goes on", "01 80 C2 00 00 01 | 02 00 00 00 00 02 | 88 08 | 01 01 | 00 08 |" +
		"0000 0000 0000 0000 0000 0000 0000 0000", PFC{Enable: 1 << 3}},
	{"each its own", "01 80 C2 00 00 01 | 02 00 00 00 00 02 | 88 08 | 01 01 | 00 FF |" +
		"0001 0203 0405 0607 0809 0A0B 0C0D 0E0F",
		PFC{Enable: 0xFF, Quanta: [Priorities]uint16{0x0001, 0x0203, 0x0405, 0x0607, 0x0809, 0x0A0B, 0x0C0D, 0x0E0F}}},
	{"0 stops, 7 goes on", "01 80 C2 00 00 01 | 02 00 00 00 00 02 | 88 08 | 01 01 | 00 81 |" +
		"0100 0000 0000 0000 0000 0000 0000 0000", PFC{Enable: 0x81, Quanta: [Priorities]uint16{0: 256}}},
}

func TestPFCGolden(t *testing.T) {
	for _, g := range goldenPFC {
		want := ethernet(t, g.octets)
		got := dirty(MinFrameLen + 1)
		if n := PutPFC(got, goldenSA, g.p); n != MinFrameLen || got[n] != 0xEE {
			t.Errorf("%s: %d octets, and behind them %#x", g.name, n, got[n])
		}
		wantOctets(t, got[:MinFrameLen], want)
		if p, fault := ParsePFC(want); p != g.p || fault != NoFault {
			t.Errorf("%s: read as %+v, %v", g.name, p, fault)
		}
		if p, fault := ParsePFC(octets(t, g.octets)); p != g.p || fault != NoFault {
			t.Errorf("%s, not padded: read as %+v, %v", g.name, p, fault)
		}
	}
}

// Annex 31D: quanta of a priority whose bit is 0 mean nothing; annex 31: the padding neither.
func TestPFCIgnoresWhatIsNotEnabled(t *testing.T) {
	b := ethernet(t, "01 80 C2 00 00 01 | 02 00 00 00 00 02 | 88 08 | 01 01 | 00 02 |"+
		"1111 2222 3333 4444 5555 6666 7777 8888 | 99 99 99")
	want := PFC{Enable: 1 << 1, Quanta: [Priorities]uint16{1: 0x2222}}
	if p, fault := ParsePFC(b); p != want || fault != NoFault {
		t.Errorf("%+v, %v", p, fault)
	}
	clean := make([]byte, MinFrameLen)
	PutPFC(clean, goldenSA, PFC{Enable: 1 << 1, Quanta: [Priorities]uint16{0x1111, 0x2222, 0x3333}})
	if p, _ := ParsePFC(clean); p != want {
		t.Errorf("written: % x", clean)
	}
}

func TestPFCFaults(t *testing.T) {
	const to = "01 80 C2 00 00 01 | 02 00 00 00 00 02 |"
	for _, c := range []struct {
		name, octets string
		want         Fault
	}{
		{"nothing", "", FaultTruncated},
		{"no opcode", to + "88 08", FaultTruncated},
		{"PAUSE without quanta", to + "88 08 00 01 00", FaultTruncated},
		{"PFC without the last quanta", to + "88 08 01 01 00 01" + "0000 0000 0000 0000 0000 0000 0000 00", FaultTruncated},
		{"PFC that is a PAUSE in length", to + "88 08 01 01 00 01", FaultTruncated},
		{"to a station", "02 00 00 00 00 01 | 02 00 00 00 00 02 | 88 08 00 01 FF FF", FaultHeader},
		{"to the LLDP address", "01 80 C2 00 00 0E | 02 00 00 00 00 02 | 88 08 00 01 FF FF", FaultHeader},
		{"another EtherType", to + "08 00 00 01 FF FF", FaultHeader},
		{"behind a tag", to + "81 00 E0 00 88 08 00 01 FF FF", FaultHeader},
		{"opcode 0", to + "88 08 00 00 FF FF", FaultOpcode},
		{"opcode of GATE", to + "88 08 00 02 FF FF", FaultOpcode},
		{"vendor extension", to + "88 08 FF FE FA 7A CB", FaultOpcode},
		{"reserved bit 8", to + "88 08 01 01 01 01" + "0000 0000 0000 0000 0000 0000 0000 0000", FaultReserved},
		{"reserved bit 15", to + "88 08 01 01 80 00" + "0000 0000 0000 0000 0000 0000 0000 0000", FaultReserved},
	} {
		if p, fault := ParsePFC(octets(t, c.octets)); fault != c.want || p != (PFC{}) {
			t.Errorf("%s: %+v, %v; want %v", c.name, p, fault, c.want)
		}
	}
}

func TestPFCIsMACControl(t *testing.T) {
	b := make([]byte, MinFrameLen)
	for _, g := range goldenPFC {
		if PutPFC(b, goldenSA, g.p); !MACControl(b) || !Reserved(b) {
			t.Errorf("%s may be carried on", g.name)
		}
	}
}

func TestPFCRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := PFC{Enable: rapid.Uint8().Draw(t, "enable")}
		for i := range p.Quanta {
			if p.Enable>>i&1 == 1 {
				p.Quanta[i] = rapid.Uint16().Draw(t, "quanta")
			}
		}
		if rapid.Bool().Draw(t, "PAUSE") {
			p = Pause(p.Quanta[0])
		}
		b := dirty(MinFrameLen)
		PutPFC(b, goldenSA, p)
		if got, fault := ParsePFC(b); got != p || fault != NoFault {
			t.Fatalf("%+v came back as %+v, %v", p, got, fault)
		}
	})
}
