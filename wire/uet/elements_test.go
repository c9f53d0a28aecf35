package uet

import (
	"fmt"
	"strings"
	"testing"

	"uelink/wire"
	"uelink/wire/layout"
)

// sizesByName is Table 3-22 of UE-SES §3.7, and for UE 1.0 the sizes that the names say.
var sizesByName = map[string]int{
	"INT8": 1, "UINT8": 1, "INT16": 2, "UINT16": 2, "INT32": 4, "UINT32": 4, "INT64": 8, "UINT64": 8,
	"INT128": 16, "UINT128": 16, "FLOAT": 4, "DOUBLE": 8, "FLOAT_COMPLEX": 8, "DOUBLE_COMPLEX": 16,
	"FLOAT16": 2, "BFLOAT16": 2, "FP16": 2, "BF16": 2, "LONG_DOUBLE": 0, "LONG_DOUBLE_COMPLEX": 0,
}

func TestSizesOfDatatypes(t *testing.T) {
	for d, names := range [2]layout.Names{seedDatatypes, ue1Datatypes} {
		for _, n := range names {
			want, ok := sizesByName[n.Name]
			if got := elementSize(wire.Dialect(d), n.Value); !ok || got != uint64(want) {
				t.Errorf("%v, %s: %d octets, want %d", wire.Dialect(d), n.Name, got, want)
			}
		}
		if got := elementSize(wire.Dialect(d), 0xFF); got != 0 {
			t.Errorf("%v: data type 255 has %d octets", wire.Dialect(d), got)
		}
	}
}

// atomic is a request with an atomic extension: SUM over elements of a data type, with so many octets of payload, and
// a request_length.
func atomic(t *testing.T, d wire.Dialect, code, datatype uint64, payload int, requestLength string) []byte {
	standard := fmt.Sprintf("%02X", code) + seedSOM1[2:len(seedSOM1)-8] + requestLength
	if d == wire.DialectUE1 {
		return octets(t, rud("3")+standard+fmt.Sprintf("02%02X0000", datatype)+strings.Repeat("AA", payload))
	}
	return octets(t, rud("0")+standard+fmt.Sprintf("02%02X0000 00000000", datatype)+strings.Repeat("AA", payload))
}

// UE-SES §3.7: "Payload must be integral multiple of datatype size", and "Fetching atomics MUST NOT operate on more
// than one element". Where the size is not known nothing is checked.
func TestElementsOfAtomics(t *testing.T) {
	codes := [2][2]uint64{{0x03, 0x04}, {0x03, 0x04}} // writes, and asks for the original value
	for d, names := range [2]layout.Names{seedDatatypes, ue1Datatypes} {
		d := wire.Dialect(d)
		for _, n := range names {
			size := sizesByName[n.Name]
			for payload := range 40 {
				part := size > 0 && payload%size != 0
				for i, code := range codes[d] {
					want := layout.NoFault
					switch {
					case part:
						want = layout.PartElement
					case i == 1 && size > 0 && payload > size:
						want = layout.Elements
					}
					var p Packet
					b := atomic(t, d, code, n.Value, payload, "00000000")
					if got := p.Parse(b, Options{Dialect: d}); got.Reason != want {
						t.Errorf("%v, code %d, %d octets of %s: %v, want %v", d, code, payload, n.Name, got, want)
					}
					if want == layout.PartElement {
						want = layout.NoFault // it was cut; too many elements stay too many
						if i == 1 && payload > size {
							want = layout.Elements
						}
					}
					if got := p.Parse(b, Options{Dialect: d, Trimmed: true}); got.Reason != want {
						t.Errorf("%v, trimmed, code %d, %d octets of %s: %v, want %v", d, code, payload, n.Name, got, want)
					}
				}
			}
		}
	}
}

// An atomic read without operands asks by its request_length.
func TestFetchOfMoreThanOneElement(t *testing.T) {
	for _, d := range []wire.Dialect{wire.DialectSeed, wire.DialectUE1} {
		for length, want := range map[string]layout.Reason{
			"00000000": layout.NoFault, "00000008": layout.NoFault, "00000009": layout.Elements, "FFFFFFF8": layout.Elements,
		} {
			for code, want := range map[uint64]layout.Reason{0x03: layout.NoFault, 0x04: want} {
				var p Packet
				fault := p.Parse(atomic(t, d, code, 7, 0, length), Options{Dialect: d})
				if fault.Reason != want {
					t.Errorf("%v, code %d, request_length %s: %v, want %v", d, code, length, fault, want)
				}
			}
		}
	}
}

// The small atomics of the seed, and the tagged ones of UE 1.0, are held to the same.
func TestElementsOfOtherAtomics(t *testing.T) {
	small := func(code, size string) string {
		return rud("3") + code + "0C 00" + size + " 00 000001 0001 0001 00000001 0000000000000002 0000000000000000"
	}
	for _, c := range []struct {
		name, octets, want string
		dialect            wire.Dialect
	}{
		{"small atomic read", small("30", "08") + "02070000 00000000" + strings.Repeat("AA", 8), "no fault", 0},
		{"small atomic read of two", small("30", "10") + "02070000 00000000" + strings.Repeat("AA", 16),
			"fetching atomic on more than one element: atomic_extension.datatype at octet 1", 0},
		{"small atomic write of two", small("2C", "10") + "02070000 00000000" + strings.Repeat("AA", 16), "no fault", 0},
		{"small atomic write of one and a half", small("2C", "0C") + "02070000 00000000" + strings.Repeat("AA", 12),
			"operands end within an element: atomic_extension.datatype at octet 1", 0},
		{"tagged fetching atomic of two", rud("3") + "0E" + ue1STD + "02070000",
			"fetching atomic on more than one element: atomic_ext.datatype at octet 1", ue1},
		{"compare and swap", rud("3") + "04" + ue1STD + "0D070000" + operands2, "no fault", ue1},
	} {
		var p Packet
		if got := p.Parse(octets(t, c.octets), Options{Dialect: c.dialect}); got.Code() != c.want {
			t.Errorf("%s: %v, want %s", c.name, got.Code(), c.want)
		}
	}
}
