package wire

import (
	"testing"

	"pgregory.net/rapid"
)

func TestPreambleGolden(t *testing.T) {
	for _, c := range []struct {
		clause string
		d      Dialect
		octets string
		p      Preamble
	}{
		{"UE-LINK §3.1 LLR SFD", DialectSeed, "55 55 55 DD 0A BC DE 00", Preamble{Seq: 0xABCDE, Sequenced: true}},
		{"UE-LINK §3.1 standard SFD", DialectSeed, "55 55 55 D5 00 00 00 00", Preamble{}},
		{"UE-LINK §3.1 20-bit space, highest", DialectSeed, "55 55 55 DD 0F FF FF 00", Preamble{Seq: SeqMask, Sequenced: true}},
		{"UE-LINK §3.1 sequence 0 is a sequence", DialectSeed, "55 55 55 DD 00 00 00 00", Preamble{Sequenced: true}},
		{"design §3 flag FCS", DialectSeed, "55 55 55 DD 00 00 01 80", Preamble{Seq: 1, Sequenced: true, FCS: true}},
		{"design §3 flag addressed", DialectSeed, "55 55 55 DD 00 00 01 40", Preamble{Seq: 1, Sequenced: true, To: To{Addressed: true}}},
		{"design §3 flag to the partner", DialectSeed, "55 55 55 DD 00 00 01 20", Preamble{Seq: 1, Sequenced: true, To: To{Partner: true}}},
		{"design §3 flags VC", DialectSeed, "55 55 55 DD 00 00 01 1F", Preamble{Seq: 1, Sequenced: true, To: To{VC: 31}}},
		{"design §3 unsequenced with flags", DialectSeed, "55 55 55 D5 00 00 00 85", Preamble{FCS: true, To: To{VC: 5}}},
		{"UE 1.0: LLR", DialectUE1, "FB A7 BC DE 55 55 55 D5", Preamble{Seq: 0xABCDE, Sequenced: true}},
		{"UE 1.0: non-LLR", DialectUE1, "FB 55 55 55 55 55 55 D5", Preamble{}},
		{"UE 1.0: highest", DialectUE1, "FB F7 FF FF 55 55 55 D5", Preamble{Seq: SeqMask, Sequenced: true}},
		{"UE 1.0: sequence like the fill", DialectUE1, "FB 57 55 55 55 55 55 D5", Preamble{Seq: 0x55555, Sequenced: true}},
		{"UE 1.0: with flags over octet 6", DialectUE1, "FB 07 00 01 55 55 D0 D5", Preamble{Seq: 1, Sequenced: true, FCS: true, To: To{VC: 5}}},
		{"UE 1.0: addressed", DialectUE1, "FB 07 00 01 55 55 95 D5", Preamble{Seq: 1, Sequenced: true, FCS: true, To: To{Addressed: true}}},
		{"UE 1.0: non-LLR with flags", DialectUE1, "FB 55 55 55 55 55 D5 D5", Preamble{FCS: true}},
	} {
		t.Run(c.clause, func(t *testing.T) {
			want, got := octets(t, c.octets), dirty(PreambleLen)
			PutPreamble(got, c.d, c.p)
			wantOctets(t, got, want)
			if p, fault := ParsePreamble(want, c.d); p != c.p || fault != NoFault {
				t.Errorf("parsed %+v, %v", p, fault)
			}
		})
	}
}

func TestPreambleBlockGolden(t *testing.T) {
	// UE-LINK §3.2: sequence 24, control flags 8, reserved 32.
	want, got := octets(t, "0A BC DE 83 00 00 00 00"), dirty(PreambleLen)
	p := Preamble{Seq: 0xABCDE, Sequenced: true, FCS: true, To: To{VC: 3}}
	PutPreambleBlock(got, p)
	wantOctets(t, got, want)
	if q, fault := ParsePreambleBlock(want); q != p || fault != NoFault {
		t.Errorf("parsed %+v, %v", q, fault)
	}
}

// Every bit of an image that is fixed or reserved, by the octet and mask it is in.
func TestPreambleFaults(t *testing.T) {
	type mask struct {
		octet int
		bits  byte
		fault Fault
	}
	for _, c := range []struct {
		name, octets string
		parse        func([]byte) (Preamble, Fault)
		masks        []mask
	}{
		{"UE-LINK §3.1 sequenced", "55 55 55 DD 0A BC DE 00", parseAs(DialectSeed), []mask{
			{0, 0xFF, FaultSFD}, {1, 0xFF, FaultSFD}, {2, 0xFF, FaultSFD}, {3, 0xF7, FaultSFD},
			{3, 0x08, FaultReserved}, // becomes D5, which has no sequence
			{4, 0xF0, FaultReserved}}},
		{"UE-LINK §3.1 not sequenced", "55 55 55 D5 00 00 00 00", parseAs(DialectSeed), []mask{
			{0, 0xFF, FaultSFD}, {3, 0xF7, FaultSFD},
			{4, 0xFF, FaultReserved}, {5, 0xFF, FaultReserved}, {6, 0xFF, FaultReserved}}},
		{"UE 1.0: LLR", "FB A7 BC DE 55 55 55 D5", parseAs(DialectUE1), []mask{
			{0, 0xFF, FaultSFD}, {1, 0x0F, FaultSFD}, {4, 0xFF, FaultSFD}, {5, 0xFF, FaultSFD},
			{7, 0xFF, FaultSFD}}},
		{"UE 1.0: non-LLR", "FB 55 55 55 55 55 55 D5", parseAs(DialectUE1), []mask{
			{0, 0xFF, FaultSFD}, {1, 0xFD, FaultSFD}, {2, 0xFF, FaultSFD}, {3, 0xFF, FaultSFD},
			{4, 0xFF, FaultSFD}, {5, 0xFF, FaultSFD}, {7, 0xFF, FaultSFD}}},
		{"UE-LINK §3.2", "0A BC DE 80 00 00 00 00", ParsePreambleBlock, []mask{
			{0, 0xF0, FaultReserved}, {4, 0xFF, FaultReserved},
			{5, 0xFF, FaultReserved}, {6, 0xFF, FaultReserved}, {7, 0xFF, FaultReserved}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			plain := octets(t, c.octets)
			for n := range PreambleLen {
				if _, fault := c.parse(plain[:n]); fault != FaultTruncated {
					t.Errorf("%d octets: %v", n, fault)
				}
			}
			for _, m := range c.masks {
				for bit := range 8 {
					if m.bits>>bit&1 == 0 {
						continue
					}
					if p, fault := c.parse(flipped(plain, m.octet*8+bit)); fault != m.fault || p != (Preamble{}) {
						t.Errorf("octet %d bit %d: %+v, %v, want %v", m.octet, bit, p, fault, m.fault)
					}
				}
			}
		})
	}
}

func parseAs(d Dialect) func([]byte) (Preamble, Fault) {
	return func(b []byte) (Preamble, Fault) { return ParsePreamble(b, d) }
}

func TestPreambleOfTheOtherDialectIsNamed(t *testing.T) {
	for _, d := range []Dialect{DialectSeed, DialectUE1} {
		for _, p := range []Preamble{{}, {Seq: 5, Sequenced: true, FCS: true}} {
			var b [PreambleLen]byte
			PutPreamble(b[:], d, p)
			if _, fault := ParsePreamble(b[:], d.Other()); fault != FaultSFD {
				t.Errorf("%v image as %v: %v", d, d.Other(), fault)
			}
		}
	}
	if DialectSeed.String() != "seed" || DialectUE1.String() != "ue1" {
		t.Error("the configuration's names of the dialects changed")
	}
}

var anyDialect = rapid.SampledFrom([]Dialect{DialectSeed, DialectUE1})

// drawPreamble returns a random valid preamble.
func drawPreamble(t *rapid.T) Preamble {
	p := Preamble{Sequenced: rapid.Bool().Draw(t, "sequenced"), FCS: rapid.Bool().Draw(t, "FCS"),
		To: To{Addressed: rapid.Bool().Draw(t, "addressed"), Partner: rapid.Bool().Draw(t, "to the partner"),
			VC: rapid.Uint8Range(0, 31).Draw(t, "VC")}}
	if p.Sequenced {
		p.Seq = rapid.Uint32Range(0, SeqMask).Draw(t, "seq")
	}
	return p
}

func TestPreambleRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, d := drawPreamble(t), anyDialect.Draw(t, "dialect")
		var b [PreambleLen]byte
		PutPreamble(b[:], d, p)
		if q, fault := ParsePreamble(b[:], d); q != p || fault != NoFault {
			t.Fatalf("% x: %+v came back as %+v, %v", b, p, q, fault)
		}
		p.Sequenced = true
		PutPreambleBlock(b[:], p)
		if q, fault := ParsePreambleBlock(b[:]); q != p || fault != NoFault {
			t.Fatalf("block % x: %+v came back as %+v, %v", b, p, q, fault)
		}
	})
}

// A sequence beyond 20 bits or a VC beyond 31 must not spill into other fields.
func TestPreambleFieldsDoNotSpill(t *testing.T) {
	for _, d := range []Dialect{DialectSeed, DialectUE1} {
		var b [PreambleLen]byte
		PutPreamble(b[:], d, Preamble{Seq: 0xFFF00001, Sequenced: true, To: To{VC: 0xE2}})
		if p, fault := ParsePreamble(b[:], d); p != (Preamble{Seq: 1, Sequenced: true, To: To{VC: 2}}) || fault != NoFault {
			t.Errorf("%v: % x: %+v, %v", d, b, p, fault)
		}
	}
}

func TestDialectsAreReadAsTheyAreWritten(t *testing.T) {
	for _, d := range []Dialect{DialectSeed, DialectUE1} {
		text, err := d.MarshalText()
		again := d.Other()
		if err != nil || again.UnmarshalText(text) != nil || again != d {
			t.Errorf("%v: %q, %v, read as %v", d, text, err, again)
		}
	}
	d := DialectUE1
	if err := d.UnmarshalText([]byte("ue2")); err == nil || d != DialectUE1 ||
		err.Error() != `"ue2" is no dialect: want seed or ue1` {
		t.Errorf("%v, and it is %v", err, d)
	}
}
