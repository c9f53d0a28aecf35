package vectors

import (
	"fmt"

	"uelink/decode"
	"uelink/wire/layout"
	"uelink/wire/uet"
)

// What the octets of a vector are.
const (
	LinkEthernet = "ethernet"       // a frame without FCS
	LinkCtlOS    = "ctlos"          // a control ordered set in either view
	LinkBlock    = "preamble_block" // an LLR preamble in 64B/66B
)

// The kinds of vectors.
const (
	KindReal     = "real"     // one that may be on a link
	KindWalk     = "walk"     // one field all ones, what chooses the format kept, the rest zero or the least
	KindNegative = "negative" // one that is wrong, or that carries nothing of ours
)

// Vector is octets, and what is in them.
type Vector struct {
	Name    string // "seed/response/walk/job_id"
	Kind    string
	Dialect string // "seed" or "ue1": which preference reads it; of both, it is "seed"
	Format  string // of the header that it is about
	Link    string
	Octets  []byte
	Fields  []Field
	Faults  []string // "uelink: wrong CRC"
}

// Field is one value.
type Field struct {
	Name  string // the display filter
	At    int    // first bit in the octets; -1: worked out
	Bits  int
	Value uint64
}

// Options is what the vectors have to be read with.
func (v *Vector) Options() decode.Options {
	o := decode.Defaults()
	if v.Dialect == "seed" {
		o.Dialect = 0
	}
	o.UET.Trimmed = 1 << TrimmedDSCP
	o.Rendezvous = RendezvousOpcode
	return o
}

// What vectors have that is not fixed by a format.
const (
	TrimmedDSCP      = 16 // DSCP of trimmed packets
	RendezvousOpcode = uet.RendezvousOpcode
)

// Decoded is the octets as package decode reads them.
func (v *Vector) Decoded() *decode.Frame {
	switch v.Link {
	case LinkCtlOS:
		return decode.DecodeCtlOS(v.Octets)
	case LinkBlock:
		return decode.DecodePreambleBlock(v.Octets)
	}
	return decode.Decode(v.Octets, v.Options())
}

// All is every vector, always the same.
func All() []Vector {
	b := &builder{names: map[string]bool{}}
	b.transport()
	b.link()
	b.discovery()
	return b.list
}

// builder gathers vectors.
type builder struct {
	list  []Vector
	names map[string]bool
}

// add adds a vector. Its faults are what package decode finds.
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

// fieldsOf is the values in a header that begins at an octet.
func fieldsOf(h layout.Header, octet int) (list []Field) {
	for i := range h.Format.Fields {
		f := &h.Format.Fields[i]
		if !f.IsReserved() && h.Has(f) {
			list = append(list, Field{h.Format.Filter(f), octet*8 + f.At, f.Bits, h.Value(f)})
		}
	}
	return list
}

// copyOf is a header with octets of its own.
func copyOf(h layout.Header) layout.Header {
	return layout.Header{Format: h.Format, Octets: append([]byte{}, h.Octets...)}
}

// put sets a field that is known to be there.
func put(h layout.Header, name string, v uint64) layout.Header {
	if !h.Put(name, v) {
		panic(fmt.Sprintf("%s has no %s for %#x", h.Format.Name, name, v))
	}
	return h
}

// fill gives every field but the kept ones an arbitrary value that it may have, always the same.
func fill(h layout.Header, keep func(*layout.Field) bool) layout.Header {
	for i := range h.Format.Fields {
		f := &h.Format.Fields[i]
		if f.IsReserved() || !h.Has(f) || keep(f) {
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

// series calls with a copy of base for each field that is not kept: with all ones in it, and with
// values beside its limits. It is also called for each run of reserved bits.
func series(base layout.Header, keep func(*layout.Field) bool, add func(kind, what string, h layout.Header)) {
	for i := range base.Format.Fields {
		f := &base.Format.Fields[i]
		switch {
		case !base.Has(f) || keep(f):
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

// kindOf is KindNegative for a value beyond the limits of a field.
func kindOf(f *layout.Field, v uint64) string {
	if f.Limits.Set && v > f.Limits.Most {
		return KindNegative
	}
	return KindWalk
}

// ones is a copy with all bits of a field set.
func ones(base layout.Header, f *layout.Field) layout.Header {
	h := copyOf(base)
	for at := f.At; at < f.At+f.Bits; at += 64 {
		part := layout.Field{At: at, Bits: min(64, f.At+f.Bits-at)}
		h.Set(&part, ^uint64(0))
	}
	return h
}

// variants is headers of zeros, one for every set of fields that conditions can make of a format
// with these first 16 bits, of which the bits of fixed are not to be touched.
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

// present is which fields a header has.
func present(h layout.Header) string {
	key := make([]byte, len(h.Format.Fields))
	for i := range h.Format.Fields {
		if h.Has(&h.Format.Fields[i]) {
			key[i] = 1
		}
	}
	return string(key)
}
