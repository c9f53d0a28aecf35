package wire

import (
	"testing"

	"pgregory.net/rapid"
)

// Octets D1 to D7 are the same in both lane views; D0 is 5C in the xMII view
// and 4B in the 64B/66B view (UE-LINK §7.1).
var goldenCtlOS = []struct {
	clause, octets string
	c              CtlOS
}{
	{"UE-LINK §2.1 LLR_ACK", "01 AB CD E6 00 00 00", CtlOS{Type: LLRAck, Seq: 0xABCDE}},
	{"UE-LINK §2.1 LLR_ACK of the highest", "01 FF FF F6 00 00 00", CtlOS{Type: LLRAck, Seq: SeqMask}},
	{"UE-LINK §2.2 LLR_NACK", "02 00 38 46 00 00 00", CtlOS{Type: LLRNack, Seq: 900}},
	{"UE-LINK §2.3 LLR_INIT", "03 00 00 06 12 34 00", CtlOS{Type: LLRInit, InitData: [2]byte{0x12, 0x34}}},
	{"UE-LINK §2.4 LLR_INIT_ECHO", "04 80 00 06 BE EF 00", CtlOS{Type: LLRInitEcho, Seq: 0x80000, InitData: [2]byte{0xBE, 0xEF}}},
	{"UE-LINK §4.1 CF_Update, odd counts", "10 0D 5A 56 FF FF F0", CtlOS{Type: CFUpdate, CF: [2]Credit{{VC: 1, Count: 0x55A5}, {VC: 31, Count: 0x7FFF}}}},
	{"CF_Update, bit 11", "10 00 80 06 00 80 00", CtlOS{Type: CFUpdate, CF: [2]Credit{{Count: 0x800}, {Count: 0x800}}}},
	{"CF_Update, lowest bit", "10 00 00 16 00 00 10", CtlOS{Type: CFUpdate, CF: [2]Credit{{Count: 1}, {Count: 1}}}},
	{"CF_Update, VC only", "10 A8 00 06 50 00 00", CtlOS{Type: CFUpdate, CF: [2]Credit{{VC: 21}, {VC: 10}}}},
	{"STATION, item 0", "F0 05 FE 06 05 DC 97", CtlOS{Type: StationCtlOS, Item: StationFrames, Data: [5]byte{0x05, 0xFE, 0x05, 0xDC, 0x97}}},
	{"STATION, item 1", "F0 88 B5 16 AB CD EF", CtlOS{Type: StationCtlOS, Item: StationStart, Data: [5]byte{0x88, 0xB5, 0xAB, 0xCD, 0xEF}}},
	{"GAP, item 0", "F2 12 34 06 5A BC DE", CtlOS{Type: GapCtlOS, Data: [5]byte{0x12, 0x34, 0x5A, 0xBC, 0xDE}}},
	{"STATION, item 15", "F0 FF FF F6 FF FF FF", CtlOS{Type: StationCtlOS, Item: 15, Data: [5]byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFF}}},
}

var views = map[View]string{ViewXMII: "5C", ViewPCS: "4B"}

func TestCtlOSGolden(t *testing.T) {
	for view, d0 := range views {
		for _, c := range goldenCtlOS {
			t.Run(d0+" "+c.clause, func(t *testing.T) {
				want, got := octets(t, d0+c.octets), dirty(CtlOSLen)
				PutCtlOS(got, view, c.c)
				wantOctets(t, got, want)
				if parsed, fault := ParseCtlOS(want, view); parsed != c.c || fault != NoFault {
					t.Errorf("parsed %+v, %v", parsed, fault)
				}
			})
		}
	}
}

// Every bit that is fixed or reserved, in both views.
func TestCtlOSFaults(t *testing.T) {
	for view, d0 := range views {
		for _, c := range goldenCtlOS {
			plain := octets(t, d0+c.octets)
			var reserved [CtlOSLen]byte
			switch c.c.Type {
			case LLRAck, LLRNack:
				reserved = [CtlOSLen]byte{5: 0xFF, 6: 0xFF, 7: 0xFF}
			case LLRInit, LLRInitEcho:
				reserved = [CtlOSLen]byte{7: 0xFF}
			case CFUpdate:
				reserved = [CtlOSLen]byte{7: 0x0F}
			case StationCtlOS, ChannelCtlOS, GapCtlOS:
			}
			block := [CtlOSLen]byte{0: 0xFF, 4: 0x0F} // D0 and the O-code
			for bit := range 8 * CtlOSLen {
				mask := byte(1) << (bit % 8)
				want := NoFault
				switch {
				case block[bit/8]&mask != 0:
					want = FaultBlock
				case reserved[bit/8]&mask != 0:
					want = FaultReserved
				case bit/8 == 1:
					continue // the type, below
				}
				if _, fault := ParseCtlOS(flipped(plain, bit), view); fault != want {
					t.Errorf("%s %s, octet %d bit %d: %v, want %v", d0, c.clause, bit/8, bit%8, fault, want)
				}
			}
			for n := range CtlOSLen {
				if _, fault := ParseCtlOS(plain[:n], view); fault != FaultTruncated {
					t.Errorf("%s %s, %d octets: %v", d0, c.clause, n, fault)
				}
			}
		}
	}
}

func TestCtlOSOfUnknownType(t *testing.T) {
	names := map[CtlOSType]string{LLRAck: "LLR_ACK", LLRNack: "LLR_NACK", LLRInit: "LLR_INIT",
		LLRInitEcho: "LLR_INIT_ECHO", CFUpdate: "CF_Update",
		StationCtlOS: "STATION", ChannelCtlOS: "VC", GapCtlOS: "GAP"}
	for i := range 256 {
		typ := CtlOSType(i)
		b := octets(t, "4B 00 00 00 06 00 00 00")
		b[1] = byte(typ)
		c, fault := ParseCtlOS(b, ViewPCS)
		name, isKnown := names[typ]
		if isKnown != (fault == NoFault) || !isKnown && fault != FaultType || isKnown && c.Type != typ {
			t.Errorf("type %#x: %+v, %v", i, c, fault)
		}
		if !isKnown {
			name = "unknown CtlOS"
		}
		if got := typ.String(); got != name {
			t.Errorf("type %#x is called %q", i, got)
		}
	}
}

func TestCtlOSOfTheOtherViewIsRefused(t *testing.T) {
	b := octets(t, "5C 01 00 00 06 00 00 00")
	if _, fault := ParseCtlOS(b, ViewPCS); fault != FaultBlock {
		t.Errorf("xMII view read as 64B/66B: %v", fault)
	}
	b[0] = byte(ViewPCS)
	if _, fault := ParseCtlOS(b, ViewXMII); fault != FaultBlock {
		t.Errorf("64B/66B view read as xMII: %v", fault)
	}
}

// drawCtlOS returns a random valid control ordered set.
func drawCtlOS(t *rapid.T) CtlOS {
	c := CtlOS{Type: rapid.SampledFrom([]CtlOSType{LLRAck, LLRNack, LLRInit, LLRInitEcho, CFUpdate, StationCtlOS,
		ChannelCtlOS, GapCtlOS}).Draw(t, "type")}
	switch c.Type {
	case CFUpdate:
		for i := range c.CF {
			c.CF[i] = Credit{VC: rapid.Uint8Range(0, 31).Draw(t, "VC"), Count: rapid.Uint16Range(0, 1<<15-1).Draw(t, "count")}
		}
		return c
	case StationCtlOS, ChannelCtlOS, GapCtlOS:
		c.Item = StationItem(rapid.Uint8Range(0, 15).Draw(t, "item"))
		c.Data = [5]byte(rapid.SliceOfN(rapid.Byte(), 5, 5).Draw(t, "data"))
		return c
	case LLRInit, LLRInitEcho:
		c.InitData = [2]byte{rapid.Byte().Draw(t, "D5"), rapid.Byte().Draw(t, "D6")}
	case LLRAck, LLRNack:
	}
	c.Seq = rapid.Uint32Range(0, SeqMask).Draw(t, "seq")
	return c
}

func TestCtlOSRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, view := drawCtlOS(t), rapid.SampledFrom([]View{ViewXMII, ViewPCS}).Draw(t, "view")
		var b [CtlOSLen]byte
		PutCtlOS(b[:], view, c)
		if got, fault := ParseCtlOS(b[:], view); got != c || fault != NoFault {
			t.Fatalf("% x: %+v came back as %+v, %v", b, c, got, fault)
		}
	})
}
