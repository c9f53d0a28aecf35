package uet

import (
	"uelink/wire"
	"uelink/wire/layout"
)

// datatypeSizes is, by dialect, the octets of an element of each data type (UE-SES §3.7, Table 3-22). 0: not known.
// Long doubles differ from machine to machine.
var datatypeSizes = [2][]uint8{
	{1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8, 16, 0, 0, 2, 2},
	{1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 4, 8, 8, 16, 0, 0, 2, 2},
}

// fetches is, by dialect, the operation codes of requests with an atomic extension that ask for the original value.
var fetches = [2]Opcodes{opcodes(0x04, 0x0C), opcodes(0x04, 0x0E)}

// atomics is, by dialect, the extension of atomic operations with one operand, which is the payload.
var atomics = [2]*Format{
	FormatByName(wire.DialectSeed, "atomic_extension"), FormatByName(wire.DialectUE1, "atomic_ext"),
}

const datatypeField = "datatype"

// elements checks the operands of an atomic operation: whole elements of its data type, and not more than one where the
// original value is asked for (UE-SES §3.7).
func (p *Packet) elements(ses Header, code uint64) {
	d := p.options.Dialect
	extension := p.headers[p.n-1]
	if extension.Of != atomics[d] {
		return
	}
	field := extension.Of.Field(datatypeField, 0)
	size := elementSize(d, extension.Value(field))
	if size == 0 {
		return
	}
	fault := layout.Fault{Format: &extension.Of.Format, Field: field, At: field.Octet(), Value: extension.Value(field)}
	octets := uint64(len(p.Payload))
	if octets%size != 0 {
		fault.Reason = layout.PartElement
		p.note(fault)
	}
	if asked, ok := ses.Get(requestLengthField); ok {
		octets = max(octets, asked)
	}
	if octets > size && fetches[d].Has(code) {
		fault.Reason = layout.Elements
		p.note(fault)
	}
}

// elementSize returns how many octets an element of a data type has, 0 if that is not known.
func elementSize(d wire.Dialect, datatype uint64) uint64 {
	if sizes := datatypeSizes[d]; datatype < uint64(len(sizes)) {
		return uint64(sizes[datatype])
	}
	return 0
}
