package layout

import "fmt"

// Reason is a kind of fault; NoFault is 0.
type Reason uint8

// What is wrong with a header.
const (
	NoFault      Reason = iota
	Truncated           // the octets end within the header
	ReservedBits        // a reserved bit is set
	Range               // a field's value is outside the field's limits
	UnknownType         // no header has the type in the packet
	Misfit              // the header may not follow the previous one, or has the operation code of another header
	Length              // a field names a length greater than the payload
	PartElement         // the operands end within an element of their data type
	Elements            // the operands have more than one element, but one is allowed
	numReasons
)

var reasons = [...]string{"no fault", "truncated", "reserved bits set", "value out of range", "unknown type",
	"does not fit", "length exceeds the octets present", "operands end within an element",
	"fetching atomic on more than one element", "unknown fault"}

// String returns the reason of a fault in words.
func (r Reason) String() string { return reasons[min(r, numReasons)] }

// Fault is an error in a header; the zero Fault is no error.
type Fault struct {
	Reason Reason
	Format *Format // of the header
	Field  *Field  // the wrong field; nil for a fault of the whole header
	At     int     // octet of the header where the field begins; for Truncated, the number of octets present
	Value  uint64  // value of the field
}

// Wrong reports whether f is a fault; the zero value is none.
func (f Fault) Wrong() bool { return f.Reason != NoFault }

// Code returns the fault in words without the field's value, in the words of the dissector for Wireshark:
// "reserved bits set: response.reserved at octet 12".
func (f Fault) Code() string {
	if f.Format == nil {
		return f.Reason.String()
	}
	name := f.Format.Name
	if f.Field != nil {
		name += "." + f.Field.Label()
	}
	if f.Reason == Truncated {
		return fmt.Sprintf("%v: %s after %d of %d octets", f.Reason, name, f.At, f.Format.Len)
	}
	return fmt.Sprintf("%v: %s at octet %d", f.Reason, name, f.At)
}

// Error returns the fault in words as Code does, with the field's value, its limits if the value is outside of them,
// and the source of the format.
func (f Fault) Error() string {
	text := f.Code()
	if f.Field != nil {
		text += fmt.Sprintf(", value %d", f.Value)
		if l := f.Field.Limits; f.Reason == Range && l.Set {
			text += fmt.Sprintf(", not %d to %d", l.Least, l.Most)
		}
	}
	if f.Format != nil {
		text += " (" + f.Format.Source + ")"
	}
	return text
}
