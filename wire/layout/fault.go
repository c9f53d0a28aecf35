package layout

import "fmt"

// Reason is a kind of fault; NoFault is 0.
type Reason uint8

// The reasons.
const (
	NoFault      Reason = iota
	Truncated           // the octets end within the header
	ReservedBits        // a bit that has to be 0 is set
	Range               // a value that the field may not have
	UnknownType         // no header is known by this type
	Misfit              // this header may not follow that one, or has an operation code of others
	Length              // a length that tells of more than there is
	PartElement         // operands that end within an element of their data type
	Elements            // operands of more than one element, where one is allowed
	numReasons
)

var reasons = [...]string{"no fault", "truncated", "reserved bits set", "value out of range", "unknown type",
	"does not fit", "length of more than there is", "ends within an element", "more than one element", "unknown fault"}

// String is the reason in words.
func (r Reason) String() string { return reasons[min(r, numReasons)] }

// Fault is what is wrong with a header; the zero Fault is none. It is an error.
type Fault struct {
	Reason Reason
	Format *Format // of the header
	Field  *Field  // that is wrong; nil when it is the whole header
	At     int     // octet of the header; of Truncated, how many there are
	Value  uint64  // of the field
}

// Wrong tells whether there is a fault.
func (f Fault) Wrong() bool { return f.Reason != NoFault }

// Code is the fault without the value, in the words that the dissector for Wireshark has too:
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

// Error names the octet, the field, its value and where its format is from.
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
