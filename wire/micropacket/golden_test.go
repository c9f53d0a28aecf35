package micropacket

import (
	"encoding/hex"
	"strings"
	"testing"
)

// golden is a micropacket with its octets and control bits.
type golden struct {
	name    string
	data    string // hexadecimal; missing octets are 0
	fields  Fields
	follows bool // the ECRC continues that of the micropacket before
	stomped bool
	control Control
}

// goldens are the example of HIPPI-6400 A.6 (two micropackets), and eight others computed from the serial
// implementation of figures 12 and 13.
var goldens = []golden{
	{
		name:   "Header of A.6",
		data:   "123456789ABC 123456789ABC 00000030 AAAA030000008183 0001020304050607",
		fields: Fields{Type: Header, TSEQ: 0x14, RSEQ: 0x13}, control: 0x2742_D691_1413_0024,
	},
	{
		name:   "Data of A.6",
		data:   "101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F",
		fields: Fields{Type: Data, Tail: true, TSEQ: 0x15, RSEQ: 0x13}, follows: true, control: 0x6B93_AE11_1513_0060,
	},
	{name: "Reset", fields: linkControl(Reset), control: 0x46B0_5897_FFFF_0048},
	{name: "Reset_ACK", fields: linkControl(ResetACK), control: 0xC57C_5897_FFFF_004C},
	{name: "Initialize", fields: linkControl(Initialize), control: 0x562B_5897_FFFF_0050},
	{name: "Initialize_ACK", fields: linkControl(InitializeACK), control: 0xD5E7_5897_FFFF_0054},
	{name: "Null", fields: Fields{Type: Null, TSEQ: NoSeq, RSEQ: NoSeq}, control: 0xA626_5897_FFFF_001C},
	{name: "Null with RSEQ 13", fields: Fields{Type: Null, TSEQ: NoSeq, RSEQ: 0x13}, control: 0x918A_5897_FF13_001C},
	{
		name:   "Credit-only, 63 credits to VC1",
		fields: Fields{Type: CreditOnly, RSEQ: NoSeq, VCR: 1, CR: 63}, control: 0xCAD0_5897_00FF_FD28,
	},
	{
		name:   "Credit-only, stomped",
		fields: Fields{Type: CreditOnly, RSEQ: NoSeq, VCR: 1, CR: 63}, stomped: true, control: 0x4D9D_5897_00FF_FD28,
	},
}

// linkControl returns the fields of a link control micropacket (table 2).
func linkControl(t Type) Fields { return Fields{Type: t, Tail: true, TSEQ: NoSeq, RSEQ: NoSeq} }

func TestGoldenMicropackets(t *testing.T) {
	register := ECRCInit
	for _, g := range goldens {
		m := Micropacket{Control: g.fields.Control()}
		octets, err := hex.DecodeString(strings.ReplaceAll(g.data, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		copy(m.Data[:], octets)
		if !g.follows {
			register = ECRCInit
		}
		register = m.ECRC(register)
		m.Control = m.Control.WithECRC(register)
		m.Seal()
		want := Good
		if g.stomped {
			m.Stomp()
			want = Stomped
		}
		if m.Control != g.control {
			t.Errorf("%s: control bits %016X, want %016X", g.name, m.Control, g.control)
		}
		if m.CheckLCRC() != want {
			t.Errorf("%s: check of the LCRC %d, want %d", g.name, m.CheckLCRC(), want)
		}
		if got := m.Control.Fields(); got != g.fields {
			t.Errorf("%s: fields %+v, want %+v", g.name, got, g.fields)
		}
	}
}

// TestMessageOfTheAnnex reads the header of the Message of A.6.
func TestMessageOfTheAnnex(t *testing.T) {
	m := Micropacket{}
	octets, err := hex.DecodeString(strings.ReplaceAll(goldens[0].data, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	copy(m.Data[:], octets)
	h := ParseHead(&m.Data)
	station := ULA{0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC}
	if want := (Head{D: station, S: station, MLen: 48, SNAP: SNAP(0x8183)}); h != want {
		t.Errorf("header %+v, want %+v", h, want)
	}
	if e, ok := h.EtherType(); e != 0x8183 || !ok {
		t.Errorf("EtherType %04X, %v", e, ok)
	}
	if *Payload(&m.Data) != [8]byte{0, 1, 2, 3, 4, 5, 6, 7} {
		t.Errorf("payload %v", *Payload(&m.Data))
	}
	var again Micropacket
	h.Put(&again.Data)
	*Payload(&again.Data) = *Payload(&m.Data)
	if again.Data != m.Data {
		t.Errorf("data octets %X, want %X", again.Data, m.Data)
	}
	if n := DataMicropackets(int(h.MLen) - SNAPLen); n != 1 {
		t.Errorf("%d Data micropackets, want 1", n)
	}
}

func TestDataMicropackets(t *testing.T) {
	for payload, want := range map[int]int{0: 0, 1: 0, 8: 0, 9: 1, 40: 1, 41: 2, 2184: 68, 2185: 69, 9000: 281} {
		if got := DataMicropackets(payload); got != want {
			t.Errorf("payload of %d octets: %d Data micropackets, want %d", payload, got, want)
		}
	}
}
