package uet

import (
	"uelink/wire"
	"uelink/wire/layout"
)

const (
	requestOpcode  = "opcode"
	responseOpcode = "response_opcode"

	payloadLengthField = "payload_length"
	requestLengthField = "request_length"
)

// prologueOnly stands for a PDS header of which no more is known.
var prologueOnly = layout.Format{Name: "prologue", Prefix: "ueuet.pds", Title: "Prologue", Len: 2,
	Source: ueLinkLayer + ", PDS", Fields: prologue()}

// Formats that the code names.
var (
	entropy    = FormatByName(wire.DialectSeed, "entropy")
	rendezvous = FormatByName(wire.DialectSeed, "rendezvous_extension")
)

// pushes is, by dialect, the operation codes of requests whose data is in the packet.
var pushes = [2]Opcodes{opcodes(0x01, 0x03, 0x08, 0x09, 0x0B), opcodes(0x01, 0x03, 0x05, 0x07, 0x09, 0x0D)}

// NextHeaderName is what a value of next_hdr is called in a packet of this format, or empty.
func (f *Format) NextHeaderName(d wire.Dialect, v uint64) string {
	if v == 0 && !f.requests(d) {
		return "NONE"
	}
	return nextHeaders[d].Of(v)
}

// requests tells whether requests are among what a PDS format carries. In the seed their next
// headers include 0, which therefore says of other packets that nothing follows.
func (f *Format) requests(d wire.Dialect) bool { return f.Carries[d]&carryRequest[d]&^1 != 0 }

// packetFormat is the format of a packet that begins with these 16 bits, or nil.
func packetFormat(first uint16) *Format {
	for i := range formats {
		f := &formats[i]
		if (f.Layer == LayerTSS || f.Layer == LayerPDS) && f.Type == uint8(first>>11) && f.When.Holds(first) {
			return f
		}
	}
	return nil
}

// sesLead is the usual SES format of a next header, or nil.
func sesLead(d wire.Dialect, next uint8) *Format {
	for i := range formats {
		if f := &formats[i]; f.Layer == LayerSES && f.NextHeader == next && f.Dialects.Has(d) {
			return f
		}
	}
	return nil
}

// sesFormat is the SES format of a header that begins with these 16 bits, where lead is the
// usual one of its next header; and the operation code with its field. The format is nil if the
// code is one of another next header.
func sesFormat(d wire.Dialect, lead *Format, first uint16) (f *Format, opcode *layout.Field, code uint64) {
	opcode = opcodeField(lead)
	start := [2]byte{byte(first >> 8), byte(first)}
	code = layout.Header{Format: &lead.Format, Octets: start[:]}.Value(opcode)
	unknown := opcode.Names.Of(code) == ""
	for i := range formats {
		f := &formats[i]
		if f.Layer == LayerSES && f.NextHeader == lead.NextHeader && f.Dialects.Has(d) && f.When.Holds(first) &&
			(f.Opcodes.Has(code) || unknown && f.Opcodes == lead.Opcodes) {
			return f, opcode, code
		}
	}
	return nil, opcode, code
}

// opcodeField is the field of an SES format with the operation code.
func opcodeField(f *Format) *layout.Field {
	if field := f.Field(requestOpcode, 0); field != nil {
		return field
	}
	return f.Field(responseOpcode, 0)
}

// singlePacket tells whether a message with that header is always one packet.
func singlePacket(f *Format) bool {
	if f.Dialects.Has(wire.DialectSeed) {
		return f.NextHeader == seedOptimized || f.NextHeader == seedSmall
	}
	return f.NextHeader == ue1Small || f.NextHeader == ue1Medium
}
