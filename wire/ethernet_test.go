package wire

import "testing"

// ethernet is a frame of 60 octets from hexadecimal octets from its DA on.
func ethernet(t *testing.T, s string) []byte {
	t.Helper()
	return append(octets(t, s), make([]byte, MinFrameLen)...)[:MinFrameLen]
}

func TestTrueType(t *testing.T) {
	const addresses = "02 00 00 00 00 01 02 00 00 00 00 02"
	for s, want := range map[string]uint16{
		"08 00":                         0x0800,
		"88 B6":                         EtherTypeControl,
		"81 00 00 05 88 B6":             EtherTypeControl,
		"81 00 E0 00 88 CC":             EtherTypeLLDP,
		"88 A8 00 05 81 00 00 06 88 B5": EtherTypeData,
		"91 00 00 05 81 00 00 06 88 08": EtherTypeMACControl,
		"81 00 00 05 81 00 00 06 81 00 00 07 88 B6": 0x8100, // a third is not looked through
	} {
		if got := TrueType(ethernet(t, addresses+s)); got != want {
			t.Errorf("%s: %#04x, want %#04x", s, got, want)
		}
	}
	for n := HeaderLen; n < HeaderLen+VLANTagLen; n++ {
		if got := TrueType(ethernet(t, addresses+"81 00 00 05 88 B6")[:n]); got != 0x8100 {
			t.Errorf("%d octets: %#04x", n, got)
		}
	}
}

func TestAddressesThatDoNotLeaveALink(t *testing.T) {
	for da, want := range map[string]struct{ reserved, control bool }{
		"01 80 C2 00 00 00": {true, false},
		"01 80 C2 00 00 01": {true, true},
		"01 80 C2 00 00 02": {true, false},
		"01 80 C2 00 00 0E": {true, false},
		"01 80 C2 00 00 0F": {true, false},
		"01 80 C2 00 00 10": {false, false},
		"01 80 C2 00 00 20": {false, false},
		"01 80 C2 00 01 01": {false, false},
		"00 80 C2 00 00 01": {false, false},
		"FF FF FF FF FF FF": {false, false},
	} {
		f := ethernet(t, da+"02 00 00 00 00 02 08 00")
		if Reserved(f) != want.reserved || MACControl(f) != want.control {
			t.Errorf("%s: reserved %v, MAC Control %v; want %+v", da, Reserved(f), MACControl(f), want)
		}
	}
	if !MACControl(ethernet(t, "02 00 00 00 00 01 02 00 00 00 00 02 81 00 E0 00 88 08")) {
		t.Error("MAC Control behind a priority tag")
	}
}

// A data frame whose EtherType was damaged still shows its preamble image.
func TestLooksLikeShim(t *testing.T) {
	for _, d := range []Dialect{DialectSeed, DialectUE1} {
		for _, p := range []Preamble{{FCS: true}, {Sequenced: true, FCS: true},
			{Sequenced: true, Seq: SeqMask, To: To{VC: 31}}, {Sequenced: true, Seq: 0x12345, FCS: true}} {
			b := make([]byte, 200)
			b = b[:PutData(b, carriedFrame(100), EtherTypeData, d, p, false)]
			for bit := range 16 {
				damaged := flipped(b, 12*8+bit)
				for more := range 8 * PreambleLen {
					if twice := flipped(damaged, HeaderLen*8+more); !LooksLikeShim(damaged, d) || !LooksLikeShim(twice, d) {
						t.Errorf("%v, %+v, bit %d of the EtherType, and %d: % x", d, p, bit, more, twice[12:22])
					}
				}
			}
		}
		if LooksLikeShim(carriedFrame(100), d) || LooksLikeShim(carriedFrame(HeaderLen), d) {
			t.Errorf("%v: an ordinary frame does", d)
		}
	}
}
