package layout

import (
	"fmt"
	"strconv"
	"strings"
)

// Field is a run of bits of a header. The first bit of a header is the most significant bit of its
// first octet, and a value begins with its most significant bit.
type Field struct {
	Name   string // as in the document; empty for reserved bits, which must be 0
	At     int    // index in the header of the first bit
	Bits   int    // number of bits: 1 to 64, reserved bits may be more
	Text   string // meaning of the field
	When   When   // condition on the header for it to have the field
	Limits Limits // allowed values
	Names  Names  // names of values
	Signed bool   // the value is a number in two's complement
}

// When is a condition on the first 16 bits of a header: the bits of Mask must equal Want, or differ
// if Not is set. The zero When always holds.
type When struct {
	Mask, Want uint16
	Not        bool
}

// Holds reports whether a header with the given first 16 bits meets the condition of a field.
func (w When) Holds(first uint16) bool { return (first&w.Mask == w.Want) != w.Not }

// Limits are the least and the largest value of a field, if Set.
type Limits struct {
	Least, Most uint64
	Set         bool
}

// Name is the name of one value.
type Name struct {
	Value uint64
	Name  string
}

// Names are names of values, in the order of the values.
type Names []Name

// Find returns the name of the value v of a field, or "" if it has none.
func (n Names) Find(v uint64) string {
	for i := range n {
		if n[i].Value == v {
			return n[i].Name
		}
	}
	return ""
}

// Number returns a field of a header with a name, a number of bits, its place and its meaning, text. The place is
// written as in the documents: "4" and "2-3" are whole octets, "0[5:0]" some bits of an octet, and "8[3:0]+9" bits
// that continue in the next octet. Number panics if the place does not have the given number of bits.
func Number(name string, bits int, place, text string) Field {
	f := Field{Name: name, At: firstBit(place), Bits: bits, Text: text}
	if f.Place() != place {
		panic(fmt.Sprintf("field %s: place %s does not have %d bits, place %s has", name, place, bits, f.Place()))
	}
	return f
}

// Reserved returns a field of reserved bits, which must be 0.
func Reserved(bits int, place string) Field { return Number("", bits, place, "reserved, must be 0") }

// Named returns the field f with names for its values.
func (f Field) Named(n Names) Field {
	f.Names = n
	return f
}

// If returns the field f with a condition: only headers that meet the condition have the field.
func (f Field) If(w When) Field {
	f.When = w
	return f
}

// Within returns the field f with limits: the least and the largest allowed value.
func (f Field) Within(least, most uint64) Field {
	f.Limits = Limits{least, most, true}
	return f
}

// TwosComplement returns the field f as a signed number.
func (f Field) TwosComplement() Field {
	f.Signed = true
	return f
}

// IsReserved reports whether the field is reserved bits.
func (f *Field) IsReserved() bool { return f.Name == "" }

// Label returns the name of the field, or "reserved".
func (f *Field) Label() string {
	if f.IsReserved() {
		return "reserved"
	}
	return f.Name
}

// Max returns the largest value that the field, of up to 64 bits, can have.
func (f *Field) Max() uint64 { return ^uint64(0) >> (64 - f.Bits) }

// Octet returns the index in the header of the first octet that holds bits of the field.
func (f *Field) Octet() int { return f.At / 8 }

// end returns the index in the header of the bit after the last bit of the field.
func (f *Field) end() int { return f.At + f.Bits }

// firstBit returns the index in the header of the first bit of a place, written as for Number.
func firstBit(place string) int {
	octet, rest := number(place)
	if !strings.HasPrefix(rest, "[") {
		return octet * 8
	}
	high, _ := number(rest[1:])
	return octet*8 + 7 - high
}

// number parses the decimal number at the start of s and returns it with the rest of s; it panics if there is
// none.
func number(s string) (n int, rest string) {
	end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(s)
	}
	n, err := strconv.Atoi(s[:end])
	if err != nil {
		panic(fmt.Sprintf("%q is not a place in a header: want octets and bits as in 2-3 or 0[5:0]", s))
	}
	return n, s[end:]
}

// Place returns the place of the field in the header as the documents write it: see Number.
func (f *Field) Place() string {
	var parts []string
	for at := f.At; at < f.end(); {
		octet := at / 8
		end := min(f.end(), (octet+1)*8)
		if at%8 == 0 && end%8 == 0 { // take all whole octets at once
			end = f.end() &^ 7
			parts = append(parts, wholeOctets(octet, end/8-1))
		} else {
			parts = append(parts, fmt.Sprintf("%d[%s]", octet, someBits(7-at%8, 7-(end-1)%8)))
		}
		at = end
	}
	return strings.Join(parts, "+")
}

// wholeOctets returns the place of whole octets of a header, such as "4" or "2-3".
func wholeOctets(first, last int) string {
	if first == last {
		return strconv.Itoa(first)
	}
	return fmt.Sprintf("%d-%d", first, last)
}

// someBits returns the bits of an octet as they stand in brackets in a place, such as "3" or "5:0".
func someBits(high, low int) string {
	if high == low {
		return strconv.Itoa(high)
	}
	return fmt.Sprintf("%d:%d", high, low)
}
