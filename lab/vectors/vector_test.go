package vectors

import (
	"fmt"

	"uelink/lab/decode"
	"uelink/wire/layout"
	"uelink/wire/uet"
)

// The types of a vector's octets.
const (
	LinkEthernet = "ethernet"       // a frame without FCS
	LinkCtlOS    = "ctlos"          // a control ordered set in either view
	LinkBlock    = "preamble_block" // an LLR preamble in 64B/66B
)

// The kinds of vectors.
const (
	KindReal     = "real"     // a frame that may be on a link
	KindWalk     = "walk"     // one field all ones; selectors of the format kept; the rest zero or least
	KindNegative = "negative" // a faulty frame, or a frame that carries no format of ours
)

// Vector is octets, and the fields and faults in them.
type Vector struct {
	Name    string // "seed/response/walk/job_id"
	Kind    string
	Dialect string // "seed" or "ue1": the preference for reading it; "seed" for formats of both
	Format  string // of the header under test
	Link    string
	Octets  []byte
	Fields  []Field
	Faults  []string // "uelink: wrong CRC"
}

// Field is one value.
type Field struct {
	Name  string // the display filter
	At    int    // first bit in the octets; -1: computed
	Bits  int
	Value uint64
}

// Options returns the options of package decode for the vector.
func (v *Vector) Options() decode.Options {
	o := decode.Defaults()
	if v.Dialect == "seed" {
		o.Dialect = 0
	}
	o.UET.Trimmed = 1 << TrimmedDSCP
	o.Rendezvous = RendezvousOpcode
	return o
}

// Values in vectors that the formats leave open.
const (
	TrimmedDSCP      = 16 // DSCP of trimmed packets
	RendezvousOpcode = uet.RendezvousOpcode
)

// Decoded returns the octets as decoded by package decode.
func (v *Vector) Decoded() *decode.Frame {
	switch v.Link {
	case LinkCtlOS:
		return decode.DecodeCtlOS(v.Octets)
	case LinkBlock:
		return decode.DecodePreambleBlock(v.Octets)
	}
	return decode.Decode(v.Octets, v.Options())
}

// All returns every vector, always in the same order with the same octets.
func All() []Vector {
	b := &builder{names: map[string]bool{}}
	b.transport()
	b.link()
	b.discovery()
	b.hippi()
	return b.list
}

// builder collects vectors.
type builder struct {
	list  []Vector
	names map[string]bool
}

// add adds a vector, with the faults found by package decode.
func (b *builder) add(v Vector) {
	if b.names[v.Name] {
		panic("two vectors are called " + v.Name)
	}
	b.names[v.Name] = true
	for _, f := range v.Decoded().Faults {
		v.Faults = append(v.Faults, f.Protocol+": "+f.Text)
	}
	b.list = append(b.list, v)
}

// fieldsOf returns the fields of a header that begins at an octet.
func fieldsOf(h layout.Header, octet int) (list []Field) {
	for i := range h.Format.Fields {
		f := &h.Format.Fields[i]
		if !f.IsReserved() && h.HasField(f) {
			list = append(list, Field{h.Format.Filter(f), octet*8 + f.At, f.Bits, h.Value(f)})
		}
	}
	return list
}

// copyOf returns a header with a copy of the octets.
func copyOf(h layout.Header) layout.Header {
	return layout.Header{Format: h.Format, Octets: append([]byte{}, h.Octets...)}
}

// put sets a field of a header and panics if the header has no such field.
func put(h layout.Header, name string, v uint64) layout.Header {
	if !h.Put(name, v) {
		panic(fmt.Sprintf("%s has no %s for %#x", h.Format.Name, name, v))
	}
	return h
}

// fill gives every field but the kept ones an arbitrary valid value, always the same.
func fill(h layout.Header, keep func(*layout.Field) bool) layout.Header {
	for i := range h.Format.Fields {
		f := &h.Format.Fields[i]
		if f.IsReserved() || !h.HasField(f) || keep(f) {
			continue
		}
		v := uint64(i+1) * 0x9E3779B97F4A7C15 >> (64 - f.Bits)
		if f.Limits.Set {
			v = min(max(v, f.Limits.Least), f.Limits.Most)
		}
		h.Set(f, v)
	}
	return h
}

// series calls add with a changed copy of base for each field that keep does not keep: the field all ones, and values
// just beyond its limits. It also calls add for each run of reserved bits, all ones.
func series(base layout.Header, keep func(*layout.Field) bool, add func(kind, name string, h layout.Header)) {
	for i := range base.Format.Fields {
		f := &base.Format.Fields[i]
		switch {
		case !base.HasField(f) || keep(f):
		case f.IsReserved():
			add(KindNegative, fmt.Sprintf("reserved_%d", f.At), ones(base, f))
		default:
			add(kindOf(f, f.Max()), f.Name, ones(base, f))
			if f.Limits.Set && f.Limits.Least > 0 {
				h := copyOf(base)
				h.Set(f, f.Limits.Least-1)
				add(KindNegative, f.Name+"_below", h)
			}
			if f.Limits.Set && f.Limits.Most < f.Max()-1 {
				h := copyOf(base)
				h.Set(f, f.Limits.Most+1)
				add(KindNegative, f.Name+"_above", h)
			}
		}
	}
}

// kindOf returns KindNegative for a value above the limit of a field, else KindWalk.
func kindOf(f *layout.Field, v uint64) string {
	if f.Limits.Set && v > f.Limits.Most {
		return KindNegative
	}
	return KindWalk
}

// ones returns a copy with all bits of a field set.
func ones(base layout.Header, f *layout.Field) layout.Header {
	h := copyOf(base)
	for at := f.At; at < f.At+f.Bits; at += 64 {
		part := layout.Field{At: at, Bits: min(64, f.At+f.Bits-at)}
		h.Set(&part, ^uint64(0))
	}
	return h
}

// variants returns headers of zeros that begin with the 16 bits first: one for every set of fields that the conditions
// of the format allow. To choose the fields variants sets bits of the first 16, but none of those in fixed.
func variants(f *layout.Format, first, fixed uint16) (list []layout.Header) {
	var mask uint16
	for i := range f.Fields {
		mask |= f.Fields[i].When.Mask
	}
	mask &^= fixed
	seen := map[string]bool{}
	for part := uint16(0); ; part = (part - mask) & mask { // every subset, the smallest first
		h := f.Blank(first | part)
		if key := present(h); !seen[key] {
			seen[key] = true
			list = append(list, h)
		}
		if part == mask {
			return list
		}
	}
}

// present returns a key of the fields that a header has: an octet a field.
func present(h layout.Header) string {
	key := make([]byte, len(h.Format.Fields))
	for i := range h.Format.Fields {
		if h.HasField(&h.Format.Fields[i]) {
			key[i] = 1
		}
	}
	return string(key)
}
