package layout

// Format is the layout of one header.
type Format struct {
	Name   string // "response_with_data"
	Prefix string // see Filter
	Title  string // "Response with Data"
	Len    int    // octets
	Source string // where it is from: "UE-SES §3.4"
	Fields []Field
}

// Filter is what a field is called in a display filter: the prefix of the format and the name,
// "ueuet.ses.job_id". Where there is no prefix, the name is all of it.
func (f *Format) Filter(field *Field) string {
	if f.Prefix == "" {
		return field.Name
	}
	return f.Prefix + "." + field.Name
}

// Over lays the format over the first octets of b. Its only fault is Truncated.
func (f *Format) Over(b []byte) (Header, Fault) {
	if len(b) < f.Len {
		return Header{}, Fault{Reason: Truncated, Format: f, At: len(b)}
	}
	return Header{f, b[:f.Len:f.Len]}, Fault{}
}

// Blank is a new header of zeros, but for these first 16 bits and the least values that fields may have.
func (f *Format) Blank(first uint16) Header {
	h := Header{f, make([]byte, f.Len)}
	h.Octets[0], h.Octets[1] = byte(first>>8), byte(first)
	for i := range f.Fields {
		if field := &f.Fields[i]; h.Has(field) && field.Limits.Set && h.Value(field) < field.Limits.Least {
			h.Set(field, field.Limits.Least)
		}
	}
	return h
}

// Field is the field with a name. Where more than one has it, it is the first whose condition
// holds in a header that begins with these 16 bits. It is nil if there is none.
func (f *Format) Field(name string, first uint16) *Field {
	for i := range f.Fields {
		if field := &f.Fields[i]; field.Name == name && field.When.Holds(first) {
			return field
		}
	}
	return nil
}

// Header is octets and their format. There are at least Format.Len of them, at least 2.
type Header struct {
	Format *Format
	Octets []byte
}

// First is the first 16 bits, on which the conditions of fields are.
func (h Header) First() uint16 { return uint16(h.Octets[0])<<8 | uint16(h.Octets[1]) }

// Has tells whether a field of the format is in this header: by its condition.
func (h Header) Has(f *Field) bool { return f.When.Holds(h.First()) }

// Value is the value of a field of the format. Of a field of more than 64 bits it is the last 64.
func (h Header) Value(f *Field) uint64 {
	var v uint64
	first, last := f.At/8, (f.end()-1)/8
	for i := first; i < last; i++ {
		v = v<<8 | uint64(h.Octets[i])
	}
	// The last octet may end with bits of the next field.
	spare := 7 - (f.end()-1)%8
	v = v<<(8-spare) | uint64(h.Octets[last])>>spare
	if f.Bits < 64 {
		v &= f.Max()
	}
	return v
}

// Set writes the lowest bits of v into a field of up to 64 bits.
func (h Header) Set(f *Field, v uint64) {
	for bit := f.end() - 1; bit >= f.At; bit-- {
		mask := byte(0x80) >> (bit % 8)
		h.Octets[bit/8] &^= mask
		if v&1 != 0 {
			h.Octets[bit/8] |= mask
		}
		v >>= 1
	}
}

// Get is the value of the field with that name; ok is false if the header has none.
func (h Header) Get(name string) (v uint64, ok bool) {
	f := h.Format.Field(name, h.First())
	if f == nil {
		return 0, false
	}
	return h.Value(f), true
}

// Put sets the field with that name. It is false if the header has none, or v does not fit.
func (h Header) Put(name string, v uint64) bool {
	f := h.Format.Field(name, h.First())
	if f == nil || v > f.Max() {
		return false
	}
	h.Set(f, v)
	return true
}

// Check finds the first field with a value that it may not have. Faults: ReservedBits, Range.
func (h Header) Check() Fault {
	first := h.First()
	for i := range h.Format.Fields {
		f := &h.Format.Fields[i]
		if !f.When.Holds(first) {
			continue
		}
		if fault := h.check(f); fault.Reason != NoFault {
			return fault
		}
	}
	return Fault{}
}

// check judges one field.
func (h Header) check(f *Field) Fault {
	if f.IsReserved() {
		if h.anySet(f) {
			return h.fault(ReservedBits, f)
		}
		return Fault{}
	}
	if !f.Limits.Set {
		return Fault{}
	}
	if v := h.Value(f); v < f.Limits.Least || v > f.Limits.Most {
		return h.fault(Range, f)
	}
	return Fault{}
}

// anySet tells whether a bit of reserved ones, of which there may be many, is set.
func (h Header) anySet(f *Field) bool {
	for at := f.At; at < f.end(); at += 64 {
		part := Field{At: at, Bits: min(64, f.end()-at)}
		if h.Value(&part) != 0 {
			return true
		}
	}
	return false
}

// fault is what is wrong with a field.
func (h Header) fault(r Reason, f *Field) Fault {
	return Fault{Reason: r, Format: h.Format, Field: f, At: f.Octet(), Value: h.Value(f)}
}
