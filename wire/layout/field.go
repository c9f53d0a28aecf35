package layout

import (
	"fmt"
	"strconv"
	"strings"
)

// Field is a run of bits of a header. The first bit of a header is the most significant one of
// its first octet, and a value begins with its most significant bit.
type Field struct {
	Name   string // as its document writes it; empty for reserved bits, which have to be 0
	At     int    // its first bit
	Bits   int    // 1 to 64; reserved bits may be more
	Text   string // what it means
	When   When   // in which headers of the format it is
	Limits Limits // what values it may have
	Names  Names  // what some of the values are called
	Signed bool   // it is a number in two's complement
}

// When is a condition on the first 16 bits of a header: those of Mask have to be Want, or with
// Not anything else. The zero When always holds.
type When struct {
	Mask, Want uint16
	Not        bool
}

// Holds tells whether a header with these first 16 bits meets the condition.
func (w When) Holds(first uint16) bool { return (first&w.Mask == w.Want) != w.Not }

// Limits is the least and the largest value of a field, if Set.
type Limits struct {
	Least, Most uint64
	Set         bool
}

// Name is what one value is called.
type Name struct {
	Value uint64
	Name  string
}

// Names is the names of values, in the order of these.
type Names []Name

// Of is the name of a value, or empty.
func (n Names) Of(v uint64) string {
	for i := range n {
		if n[i].Value == v {
			return n[i].Name
		}
	}
	return ""
}

// Number is a field at the place that where says in the words of the documents: "4" and "2-3"
// are whole octets, "0[5:0]" some bits of one, and "8[3:0]+9" bits that go on in the next. It
// panics if that is not as many bits.
func Number(name string, bits int, where, text string) Field {
	f := Field{Name: name, At: firstBit(where), Bits: bits, Text: text}
	if f.Where() != where {
		panic(fmt.Sprintf("field %s: %d bits at %s are not %s", name, bits, f.Where(), where))
	}
	return f
}

// Reserved is bits that have to be 0.
func Reserved(bits int, where string) Field { return Number("", bits, where, "reserved, has to be 0") }

// Named is f with names for values.
func (f Field) Named(n Names) Field {
	f.Names = n
	return f
}

// If is f, there only where the condition holds.
func (f Field) If(w When) Field {
	f.When = w
	return f
}

// Within is f with the least and the largest value that it may have.
func (f Field) Within(least, most uint64) Field {
	f.Limits = Limits{least, most, true}
	return f
}

// TwosComplement is f as a number that may be negative.
func (f Field) TwosComplement() Field {
	f.Signed = true
	return f
}

// IsReserved tells whether the field is reserved bits.
func (f *Field) IsReserved() bool { return f.Name == "" }

// Label is the name of the field, or "reserved".
func (f *Field) Label() string {
	if f.IsReserved() {
		return "reserved"
	}
	return f.Name
}

// Max is the largest value that the bits of a field of up to 64 can hold.
func (f *Field) Max() uint64 { return ^uint64(0) >> (64 - f.Bits) }

// Octet is the first octet that the field has bits in.
func (f *Field) Octet() int { return f.At / 8 }

// end is the bit behind the last one.
func (f *Field) end() int { return f.At + f.Bits }

// firstBit reads the first bit of a place.
func firstBit(where string) int {
	octet, rest := number(where)
	if !strings.HasPrefix(rest, "[") {
		return octet * 8
	}
	high, _ := number(rest[1:])
	return octet*8 + 7 - high
}

// number splits the number that s begins with off.
func number(s string) (n int, rest string) {
	end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(s)
	}
	n, err := strconv.Atoi(s[:end])
	if err != nil {
		panic(fmt.Sprintf("%q is no place in a header", s))
	}
	return n, s[end:]
}

// Where is the place of the field in the words of the documents: see Number.
func (f *Field) Where() string {
	var parts []string
	for at := f.At; at < f.end(); {
		octet := at / 8
		end := min(f.end(), (octet+1)*8)
		if at%8 == 0 && end%8 == 0 { // as many whole octets as there are
			end = f.end() &^ 7
			parts = append(parts, wholeOctets(octet, end/8-1))
		} else {
			parts = append(parts, fmt.Sprintf("%d[%s]", octet, someBits(7-at%8, 7-(end-1)%8)))
		}
		at = end
	}
	return strings.Join(parts, "+")
}

func wholeOctets(first, last int) string {
	if first == last {
		return strconv.Itoa(first)
	}
	return fmt.Sprintf("%d-%d", first, last)
}

func someBits(high, low int) string {
	if high == low {
		return strconv.Itoa(high)
	}
	return fmt.Sprintf("%d:%d", high, low)
}
