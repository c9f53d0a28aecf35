package layout

// Format is the layout of one header.
type Format struct {
	Name   string // name in programs, such as "response_with_data"
	Prefix string // front part of the names of fields in display filters: see Filter
	Title  string // name in documents, such as "Response with Data"
	Len    int    // length of the header in octets
	Source string // document and section of the layout, such as "UE-SES §3.4"
	Fields []Field
}

// Filter returns a field's name in a display filter, "ueuet.ses.job_id": the prefix of the format
// and the field's name, or the name alone if the prefix is empty.
func (f *Format) Filter(field *Field) string {
	if f.Prefix == "" {
		return field.Name
	}
	return f.Prefix + "." + field.Name
}

// Over returns the first octets of b as a header of the format; the Header shares memory with b. The only fault is
// Truncated.
func (f *Format) Over(b []byte) (Header, Fault) {
	if len(b) < f.Len {
		return Header{}, Fault{Reason: Truncated, Format: f, At: len(b)}
	}
	return Header{f, b[:f.Len:f.Len]}, Fault{}
}

// Blank returns a new header of the format that begins with the given 16 bits. All other fields are zero, or the
// least value within their limits.
func (f *Format) Blank(first uint16) Header {
	h := Header{f, make([]byte, f.Len)}
	h.Octets[0], h.Octets[1] = byte(first>>8), byte(first)
	for i := range f.Fields {
		if field := &f.Fields[i]; h.HasField(field) && field.Limits.Set && h.Value(field) < field.Limits.Least {
			h.Set(field, field.Limits.Least)
		}
	}
	return h
}

// Field returns the format's field with a name, or nil. Of several fields with the same name, Field returns the
// first whose condition holds for the header's first 16 bits.
func (f *Format) Field(name string, first uint16) *Field {
	for i := range f.Fields {
		if field := &f.Fields[i]; field.Name == name && field.When.Holds(first) {
			return field
		}
	}
	return nil
}

// Header is the octets of a header with their format: at least Format.Len octets, and at least 2.
type Header struct {
	Format *Format
	Octets []byte
}

// First returns the first 16 bits of the header, which the conditions of fields test.
func (h Header) First() uint16 { return uint16(h.Octets[0])<<8 | uint16(h.Octets[1]) }

// HasField reports whether the header has a field of the format, by the field's condition.
func (h Header) HasField(f *Field) bool { return f.When.Holds(h.First()) }

// Value returns the value that field f of the format has in the header; for a field of more than 64 bits, the last
// 64 bits.
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

// Set writes the lowest bits of v, as many as the field has, into the field f of up to 64 bits of the header.
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

// Get returns the value of the field with a name; ok is false if the header has no such field.
func (h Header) Get(name string) (v uint64, ok bool) {
	f := h.Format.Field(name, h.First())
	if f == nil {
		return 0, false
	}
	return h.Value(f), true
}

// Put sets the field with a name. It reports false if the header has no such field, or v is too
// large.
func (h Header) Put(name string, v uint64) bool {
	f := h.Format.Field(name, h.First())
	if f == nil || v > f.Max() {
		return false
	}
	h.Set(f, v)
	return true
}

// Check returns the fault of the first field of this header with a forbidden value, ReservedBits or Range; the zero
// Fault if there is none.
// Clauses: UE-SES/som1.16.
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

// check returns the fault of one field of the header, if a reserved bit is set or the value is outside the limits.
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

// anySet reports whether any bit of a reserved field, of any length, is set.
func (h Header) anySet(f *Field) bool {
	for at := f.At; at < f.end(); at += 64 {
		part := Field{At: at, Bits: min(64, f.end()-at)}
		if h.Value(&part) != 0 {
			return true
		}
	}
	return false
}

// fault returns a Fault of the field f for the reason r, with the field's place and value.
func (h Header) fault(r Reason, f *Field) Fault {
	return Fault{Reason: r, Format: h.Format, Field: f, At: f.Octet(), Value: h.Value(f)}
}
