package uet

import (
	"uelink/wire"
	"uelink/wire/layout"
)

// Names of fields of SES headers by which headers are chosen and checked.
const (
	requestOpcode  = "opcode"
	responseOpcode = "response_opcode"

	payloadLengthField = "payload_length"
	requestLengthField = "request_length"
)

// prologueOnly is the format of a PDS header of unknown type.
var prologueOnly = layout.Format{Name: "prologue", Prefix: "ueuet.pds", Title: "Prologue", Len: 2,
	Source: ueLinkLayer + ", PDS", Fields: prologue()}

// Formats used by name.
var (
	entropy    = FormatByName(wire.DialectSeed, "entropy")
	rendezvous = FormatByName(wire.DialectSeed, "rendezvous_extension")
)

// pushes are, by dialect, the operation codes of requests that carry their data in the packet.
var pushes = [2]Opcodes{opcodes(0x01, 0x03, 0x08, 0x09, 0x0B), opcodes(0x01, 0x03, 0x05, 0x07, 0x09, 0x0D)}

// NextHeaderName returns the name of the value v of next_hdr in a packet of this format, or "".
func (f *Format) NextHeaderName(d wire.Dialect, v uint64) string {
	if v == 0 && !f.requests(d) {
		return "NONE"
	}
	return nextHeaders[d].Find(v)
}

// requests reports whether a PDS format carries requests. In the dialect seed, the next headers of requests include 0;
// in other packets 0 therefore means that nothing follows.
func (f *Format) requests(d wire.Dialect) bool { return f.Carries[d]&carryRequest[d]&^1 != 0 }

// packetFormat returns the security (TSS) or PDS format whose header begins with the given 16 bits, or nil.
func packetFormat(first uint16) *Format {
	for i := range formats {
		f := &formats[i]
		if (f.Layer == LayerTSS || f.Layer == LayerPDS) && f.Type == uint8(first>>11) && f.When.Holds(first) {
			return f
		}
	}
	return nil
}

// sesLead returns the SES format that a next header stands for unless the operation code chooses another; nil if
// the next header is unknown.
// Clauses: UE-SES/overview.1-7.
func sesLead(d wire.Dialect, next uint8) *Format {
	for i := range formats {
		if f := &formats[i]; f.Layer == LayerSES && f.NextHeader == next && f.Dialects.Contains(d) {
			return f
		}
	}
	return nil
}

// sesFormat returns the format of an SES header that begins with the given 16 bits, and the value and the field of
// its operation code. lead is the format that the field next_hdr of the header before SES selects, unless the
// operation code selects a more special one. The format is nil if the code is not valid under that next_hdr.
// Clauses: UE-SES/opcodes.5, UE-SES/som1.18, UE-SES/rtr.5.
func sesFormat(d wire.Dialect, lead *Format, first uint16) (f *Format, opcode *layout.Field, code uint64) {
	opcode = opcodeField(lead)
	start := [2]byte{byte(first >> 8), byte(first)}
	code = layout.Header{Format: &lead.Format, Octets: start[:]}.Value(opcode)
	unknown := opcode.Names.Find(code) == ""
	for i := range formats {
		f := &formats[i]
		if f.Layer == LayerSES && f.NextHeader == lead.NextHeader && f.Dialects.Contains(d) && f.When.Holds(first) &&
			(f.Opcodes.Contains(code) || unknown && f.Opcodes == lead.Opcodes) {
			return f, opcode, code
		}
	}
	return nil, opcode, code
}

// opcodeField returns the field of an SES format that holds the operation code.
func opcodeField(f *Format) *layout.Field {
	if field := f.Field(requestOpcode, 0); field != nil {
		return field
	}
	return f.Field(responseOpcode, 0)
}

// singlePacket reports whether a message whose SES header has format f is always a single packet.
// Clauses: UE-SES/small.8.
func singlePacket(f *Format) bool {
	if f.Dialects.Contains(wire.DialectSeed) {
		return f.NextHeader == seedOptimized || f.NextHeader == seedSmall
	}
	return f.NextHeader == ue1Small || f.NextHeader == ue1Medium
}
