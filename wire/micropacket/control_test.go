package micropacket

import (
	"math/rand/v2"
	"testing"
)

// TestFieldsRoundTrip writes and reads every value of every field.
func TestFieldsRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 100_000 {
		bits := Control(rng.Uint64())
		f := bits.Fields()
		if got := f.Control().WithECRC(bits.ECRC()).WithLCRC(bits.LCRC()); got != bits {
			t.Fatalf("%016X becomes %016X", bits, got)
		}
		if got := bits.WithRSEQ(f.TSEQ).RSEQ(); got != f.TSEQ {
			t.Fatalf("RSEQ %02X, want %02X", got, f.TSEQ)
		}
		if got := bits.WithError().WithTail(); !got.Error() || !got.Tail() || got&^(3<<6) != bits&^(3<<6) {
			t.Fatalf("%016X becomes %016X", bits, got)
		}
	}
}

// TestPlacesOfTheFields sets one field at a time (figure 11).
func TestPlacesOfTheFields(t *testing.T) {
	for _, c := range []struct {
		fields Fields
		want   Control
	}{
		{Fields{VC: 3}, 0x3}, {Fields{Type: 15}, 0x3C}, {Fields{Tail: true}, 0x40}, {Fields{Error: true}, 0x80},
		{Fields{VCR: 3}, 0x300}, {Fields{CR: 63}, 0xFC00}, {Fields{RSEQ: 0xFF}, 0xFF0000}, {Fields{TSEQ: 0xFF}, 0xFF000000},
	} {
		if got := c.fields.Control(); got != c.want {
			t.Errorf("%+v: %016X, want %016X", c.fields, got, c.want)
		}
	}
	if c := Control(0).WithECRC(0xFFFF).WithLCRC(0); c != 0xFFFF<<32 {
		t.Errorf("ECRC at %016X", c)
	}
	if c := Control(0).WithLCRC(0xFFFF); c != 0xFFFF<<48 {
		t.Errorf("LCRC at %016X", c)
	}
}

func TestOctetsOfAMicropacket(t *testing.T) {
	var m, again Micropacket
	for i := range m.Data {
		m.Data[i] = byte(i)
	}
	m.Control = 0x2122232425262728
	b := make([]byte, Len+1)
	m.Put(b)
	for i, o := range b[:DataLen] {
		if o != byte(i) {
			t.Fatalf("octet %d is %02X", i, o)
		}
	}
	for i, o := range b[DataLen:Len] {
		if o != byte(0x21+i) {
			t.Fatalf("control octet %d is %02X", i, o)
		}
	}
	if again.Parse(b); again != m || b[Len] != 0 {
		t.Errorf("%+v, want %+v", again, m)
	}
}

// TestTypes compares the properties of all 16 TYPEs with table 2 and 6.3.
func TestTypes(t *testing.T) {
	for _, c := range []struct {
		types                          []Type
		defined, sequenced, buffered   bool
		accumulates, controls, asNames bool
	}{
		{types: []Type{Reset, ResetACK, Initialize, InitializeACK}, defined: true, controls: true},
		{types: []Type{Null}, defined: true},
		{types: []Type{Data, Header}, defined: true, sequenced: true, buffered: true, accumulates: true},
		{types: []Type{CreditOnly}, defined: true, sequenced: true},
		{types: []Type{Admin}, defined: true, sequenced: true, buffered: true},
		{types: []Type{0, 1, 6}},
		{types: []Type{0xB, 0xC, 0xD, 0xE}, sequenced: true, buffered: true, accumulates: true},
	} {
		for _, one := range c.types {
			if one.Defined() != c.defined || one.Sequenced() != c.sequenced || one.Buffered() != c.buffered ||
				one.Accumulates() != c.accumulates || one.LinkControl() != c.controls ||
				(one.String() != "undefined") != c.defined {
				t.Errorf("%X (%v): defined %v, sequenced %v, buffered %v, accumulates %v, link control %v", uint8(one), one,
					one.Defined(), one.Sequenced(), one.Buffered(), one.Accumulates(), one.LinkControl())
			}
		}
	}
}

func TestNothingAllocates(t *testing.T) {
	m, b := Micropacket{Control: Fields{Type: Data}.Control()}, make([]byte, Len)
	if n := testing.AllocsPerRun(100, func() {
		m.Control = m.Control.WithECRC(m.ECRC(ECRCInit))
		m.Seal()
		m.Put(b)
		if m.Parse(b); m.CheckLCRC() != Good {
			t.Fatal("bad")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzMicropacket reads any octets: they come back, and only a right LCRC is good.
func FuzzMicropacket(f *testing.F) {
	f.Add(make([]byte, Len))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < Len {
			return
		}
		var m Micropacket
		m.Parse(b)
		again := make([]byte, Len)
		if m.Put(again); string(again) != string(b[:Len]) {
			t.Fatalf("%X becomes %X", b[:Len], again)
		}
		if m.CheckLCRC() == Good != (m.LCRC() == m.Control.LCRC()) {
			t.Fatalf("check %d", m.CheckLCRC())
		}
		h := ParseHead(&m.Data)
		var data [DataLen]byte
		if h.Put(&data); string(data[:payloadAt]) != string(m.Data[:payloadAt]) {
			t.Fatalf("header %X becomes %X", m.Data, data)
		}
		_ = m.Control.Type().String()
	})
}
