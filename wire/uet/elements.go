package uet

import (
	"uelink/wire"
	"uelink/wire/layout"
)

// datatypeSizes are, by dialect, the sizes in octets of an element of each data type (UE-SES §3.7,
// Table 3-22). 0: unknown. The size of long doubles depends on the machine.
// Clauses: UE-SES/atomic.8.
var datatypeSizes = [2][]uint8{
	{1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8, 16, 0, 0, 2, 2},
	{1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 4, 8, 8, 16, 0, 0, 2, 2},
}

// fetches are, by dialect, the operation codes of requests with an atomic extension that request
// the original value.
// Clauses: UE-SES/atomic.11.
var fetches = [2]Opcodes{opcodes(0x04, 0x0C), opcodes(0x04, 0x0E)}

// atomics are, by dialect, the extension of atomic operations with one operand; the operand is the
// payload.
var atomics = [2]*Format{
	FormatByName(wire.DialectSeed, "atomic_extension"), FormatByName(wire.DialectUE1, "atomic_ext"),
}

// datatypeField is the name of the field of an atomic extension with the data type of the operands.
const datatypeField = "datatype"

// checkElements records a fault if the operands of an atomic operation are not whole elements of their data type,
// or are more than one element in a request that asks for the original value (UE-SES §3.7). ses is the request's SES
// header, code its operation code. Packets that do not end with an atomic extension are not checked.
// Clauses: UE-SES/atomic.8,11.
func (p *Packet) checkElements(ses Header, code uint64) {
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
		p.recordFault(fault)
	}
	if asked, ok := ses.Get(requestLengthField); ok {
		octets = max(octets, asked)
	}
	if octets > size && fetches[d].Contains(code) {
		fault.Reason = layout.Elements
		p.recordFault(fault)
	}
}

// elementSize returns the size, in octets, of an operand of a data type of atomic operations, 0 if the type is
// unknown.
func elementSize(d wire.Dialect, datatype uint64) uint64 {
	if sizes := datatypeSizes[d]; datatype < uint64(len(sizes)) {
		return uint64(sizes[datatype])
	}
	return 0
}
