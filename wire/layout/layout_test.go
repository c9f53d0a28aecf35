package layout

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPlacesInTheWordsOfTheDocuments(t *testing.T) {
	for _, c := range []struct {
		where string
		bits  int
		at    int
	}{
		{"4", 8, 32}, {"2-3", 16, 16}, {"12-19", 64, 96}, {"0[5:0]", 6, 2}, {"1[7:6]", 2, 8}, {"1[5]", 1, 10},
		{"8[3:0]+9", 12, 68}, {"10[5:0]+11", 14, 82}, {"0[2:0]+1[7]", 4, 5}, {"16[3:0]+17-23", 60, 132},
		{"32-33+34[7:6]", 18, 256}, {"5+6[7:4]", 12, 40}, {"2-3+4[7:4]", 20, 16}, {"20-31", 96, 160},
	} {
		if f := Number("x", c.bits, c.where, ""); f.At != c.at {
			t.Errorf("%s begins with bit %d, not %d", c.where, f.At, c.at)
		}
	}
	for where, bits := range map[string]int{"4": 9, "2-3": 8, "1[5]": 2, "0[5:0]": 5, "": 8, "x": 1} {
		if !panics(func() { Number("x", bits, where, "") }) {
			t.Errorf("%q is %d bits?", where, bits)
		}
	}
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

var example = Format{Name: "example", Prefix: "x", Len: 8, Source: "nowhere §1", Fields: []Field{
	Reserved(3, "0[7:5]"),
	Number("a", 5, "0[4:0]", "first").Within(2, 20),
	Number("flag", 1, "1[7]", ""),
	Reserved(7, "1[6:0]"),
	Number("on", 12, "2+3[7:4]", "").If(When{Mask: 0x80, Want: 0x80}),
	Number("off", 12, "2+3[7:4]", "").If(When{Mask: 0x80}).TwosComplement().Named(Names{{7, "SEVEN"}}),
	Number("low", 4, "3[3:0]", ""),
	Reserved(32, "4-7").If(When{Mask: 0x80, Want: 0x80, Not: true}),
	Number("word", 32, "4-7", "").If(When{Mask: 0x80, Want: 0x80}),
}}

func TestConditionsChooseFields(t *testing.T) {
	h, fault := example.Over([]byte{0x05, 0x80, 0xAB, 0xCD, 1, 2, 3, 4, 99})
	if fault.Wrong() || len(h.Octets) != 8 {
		t.Fatal(fault, h.Octets)
	}
	for name, want := range map[string]uint64{"a": 5, "flag": 1, "on": 0xABC, "low": 0xD, "word": 0x01020304} {
		if v, ok := h.Get(name); v != want || !ok {
			t.Errorf("%s is %#x, %v", name, v, ok)
		}
	}
	if v, ok := h.Get("off"); ok {
		t.Errorf("off is there: %#x", v)
	}
	if h.Put("off", 1) || h.Put("none", 1) || h.Put("low", 16) || !h.Put("low", 15) || h.Octets[3] != 0xCF {
		t.Errorf("Put: % x", h.Octets)
	}
	if off := example.Field("off", 0); off.Names.Find(7) != "SEVEN" || off.Names.Find(8) != "" || !off.Signed ||
		off.Max() != 4095 {
		t.Errorf("%+v", off)
	}
}

func TestFaultsAreNamed(t *testing.T) {
	for _, c := range []struct {
		octets     []byte
		code, text string
	}{
		{[]byte{5, 0, 1, 2, 0, 0, 0, 0}, "no fault", "no fault"},
		{[]byte{5, 0, 1}, "truncated: example after 3 of 8 octets",
			"truncated: example after 3 of 8 octets (nowhere §1)"},
		{nil, "truncated: example after 0 of 8 octets", "truncated: example after 0 of 8 octets (nowhere §1)"},
		{[]byte{0x25, 0, 1, 2, 0, 0, 0, 0}, "reserved bits set: example.reserved at octet 0",
			"reserved bits set: example.reserved at octet 0, value 1 (nowhere §1)"},
		{[]byte{5, 0, 1, 2, 0, 0, 1, 0}, "reserved bits set: example.reserved at octet 4",
			"reserved bits set: example.reserved at octet 4, value 256 (nowhere §1)"},
		{[]byte{5, 0x80, 1, 2, 0, 0, 1, 0}, "no fault", "no fault"},
		{[]byte{21, 0, 1, 2, 0, 0, 0, 0}, "value out of range: example.a at octet 0",
			"value out of range: example.a at octet 0, value 21, not 2 to 20 (nowhere §1)"},
		{[]byte{1, 0, 1, 2, 0, 0, 0, 0}, "value out of range: example.a at octet 0",
			"value out of range: example.a at octet 0, value 1, not 2 to 20 (nowhere §1)"},
	} {
		h, fault := example.Over(c.octets)
		if !fault.Wrong() {
			fault = h.Check()
		}
		if fault.Code() != c.code || fault.Error() != c.text {
			t.Errorf("% x: %q, %q", c.octets, fault.Code(), fault.Error())
		}
	}
	if s := Reason(200).String(); s != "unknown fault" {
		t.Error(s)
	}
}

func TestReservedBitsBeyondAWordAreSeen(t *testing.T) {
	f := Format{Name: "wide", Len: 14, Fields: []Field{Number("x", 16, "0-1", ""), Reserved(96, "2-13")}}
	for bit := 16; bit < 14*8; bit++ {
		b := make([]byte, 14)
		b[bit/8] = 0x80 >> (bit % 8)
		h, _ := f.Over(b)
		if got := h.Check(); got.Reason != ReservedBits || !strings.Contains(got.Code(), "octet 2") {
			t.Fatalf("bit %d: %v", bit, got)
		}
	}
}

// Value returns the value given to Set, and no other bit changes.
func TestSetLeavesOtherBitsAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 24, 24).Draw(t, "octets")
		at := rapid.IntRange(0, 100).Draw(t, "at")
		room := 64 - at%8 // more would be in nine octets
		f := Field{Name: "f", At: at, Bits: rapid.IntRange(1, room).Draw(t, "bits")}
		v := rapid.Uint64().Draw(t, "value") & f.Max()
		h := Header{&Format{Len: 24, Fields: []Field{f}}, append([]byte{}, b...)}
		h.Set(&f, v)
		if got := h.Value(&f); got != v {
			t.Fatalf("%d bits at %d: %#x came back as %#x", f.Bits, at, v, got)
		}
		for bit := range 24 * 8 {
			if bit >= at && bit < at+f.Bits {
				continue
			}
			if (h.Octets[bit/8]^b[bit/8])>>(7-bit%8)&1 != 0 {
				t.Fatalf("%d bits at %d: bit %d has changed", f.Bits, at, bit)
			}
		}
	})
}

func TestNoAllocation(t *testing.T) {
	b := []byte{5, 0, 1, 2, 0, 0, 0, 0}
	if n := testing.AllocsPerRun(100, func() {
		h, _ := example.Over(b)
		h.Put("low", 3)
		h.Get("off")
		h.Check()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestBlankHeaderIsARightOne(t *testing.T) {
	for _, first := range []uint16{0x0000, 0x0080, 0x0500} {
		h := example.Blank(first)
		if fault := h.Check(); fault.Wrong() || len(h.Octets) != example.Len {
			t.Errorf("%#04x: %v, %d octets", first, fault, len(h.Octets))
		}
	}
	if a, _ := example.Blank(0x0080).Get("a"); a != 2 {
		t.Errorf("a is %d, not the least that it may be", a)
	}
	if a, _ := example.Blank(0x0580).Get("a"); a != 5 {
		t.Errorf("a is %d, not as the first bits say", a)
	}
}
