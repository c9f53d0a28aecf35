package uet

import (
	"testing"

	"uelink/wire"
)

// variants returns the first 16 bits of headers of a format, for every outcome of the fields' conditions.
func variants(f *Format) []uint16 {
	var mask uint16
	for i := range f.Fields {
		mask |= f.Fields[i].When.Mask
	}
	list := []uint16{0}
	for part := mask; part != 0; part = (part - 1) & mask {
		list = append(list, part)
	}
	return list
}

// Every bit of a header belongs to one field, whatever the conditions say.
func TestFieldsLeaveNoGapAndDoNotOverlap(t *testing.T) {
	for i := range formats {
		f := &formats[i]
		for _, first := range variants(f) {
			owner := make([]string, f.Len*8)
			for j := range f.Fields {
				field := &f.Fields[j]
				if !field.When.Holds(first) {
					continue
				}
				for bit := field.At; bit < field.At+field.Bits; bit++ {
					if bit >= len(owner) || owner[bit] != "" {
						t.Fatalf("%s, %04x: bit %d of %s is beyond its end or also that of %v", f.Name, first, bit,
							field.Label(), owner)
					}
					owner[bit] = field.Label()
				}
			}
			for bit, name := range owner {
				if name == "" {
					t.Fatalf("%s, %04x: bit %d belongs to no field", f.Name, first, bit)
				}
			}
		}
	}
}

// Thirteen sections of UE-SES have twelve layouts: ten headers, of which two are the same, and
// three extensions. UE 1.0 has nine and four. The prologue knows 14 types.
func TestEveryFormatIsThere(t *testing.T) {
	count := map[[2]any]int{}
	kinds := map[uint8]bool{}
	for i := range formats {
		f := &formats[i]
		count[[2]any{f.Layer, f.Dialects}]++
		if f.Layer == LayerPDS || f.Layer == LayerTSS {
			kinds[f.Type] = true
		}
	}
	for what, want := range map[[2]any]int{
		{LayerSES, Seed}: 9, {LayerExtension, Seed}: 3, {LayerSES, UE1}: 9, {LayerExtension, UE1}: 4,
	} {
		if count[what] != want {
			t.Errorf("%v: %d formats, not %d", what, count[what], want)
		}
	}
	if len(kinds) != 14 || kinds[0] {
		t.Errorf("types of packets: %v", kinds)
	}
	for i, f := range formats {
		for j, g := range formats[:i] {
			if f.Name == g.Name && f.Dialects&g.Dialects != 0 {
				t.Errorf("formats %d and %d are both %s", i, j, f.Name)
			}
		}
		if f.Title == "" || f.Source == "" || f.Prefix == "" || f.Len < 2 {
			t.Errorf("%+v lacks something", f)
		}
	}
}

// A field with a name has the same width wherever conditions put it, and each has a meaning.
func TestFieldsAreDescribed(t *testing.T) {
	for i := range formats {
		for _, field := range formats[i].Fields {
			if field.Text == "" || !field.IsReserved() && field.Bits > 64 {
				t.Errorf("%s.%s: %d bits, %q", formats[i].Name, field.Label(), field.Bits, field.Text)
			}
		}
	}
}

func TestSetsOfOpcodes(t *testing.T) {
	if s := span(2, 4) | opcodes(0, 63); s.Contains(1) || !s.Contains(2) || !s.Contains(4) ||
		s.Contains(5) || !s.Contains(0) || !s.Contains(63) || s.Contains(64) {
		t.Errorf("%b", s)
	}
	if s := span(0, 63); s != ^Opcodes(0) {
		t.Errorf("%b", s)
	}
	if Seed.Contains(wire.DialectUE1) || !Every.Contains(wire.DialectUE1) || !Seed.Contains(wire.DialectSeed) {
		t.Error("sets of dialects")
	}
	if f := FormatByName(wire.DialectUE1, "response"); f != nil {
		t.Errorf("ue1 has %s", f.Name)
	}
	for name, want := range map[string]string{"rud_req": "both", "response": "seed", "rsp": "ue1"} {
		for i := range formats {
			if f := &formats[i]; f.Name == name && f.DialectName() != want {
				t.Errorf("%s is of %s", name, f.DialectName())
			}
		}
	}
}

// Each operation code of the documents selects a format, and no format has an unknown code.
func TestFormatsTakeKnownOpcodesOnly(t *testing.T) {
	for i := range formats {
		f := &formats[i]
		if f.Layer != LayerSES {
			continue
		}
		codes := opcodeField(f).Names
		for code := range uint64(64) {
			if f.Opcodes.Contains(code) && codes.Find(code) == "" {
				t.Errorf("%s takes operation code %#x, which has no name", f.Name, code)
			}
		}
	}
}
