package uet

import (
	"uelink/wire"
	"uelink/wire/layout"
)

// maxHeaders is the number of headers of the longest packet (entropy, TSS or PDS, SES, and two
// extensions) and one to spare.
const maxHeaders = 6

// Options are facts about a packet that the packet does not contain.
type Options struct {
	Dialect    wire.Dialect
	Entropy    bool  // the packet begins with the entropy header, as UET directly over IP does
	Trimmed    bool  // a switch has trimmed the packet: a missing end is no fault
	Rendezvous uint8 // dialect seed: the operation code with a rendezvous extension; 0: none
}

// Header is a header of a packet.
type Header struct {
	layout.Header
	Of *Format
}

// Packet is a UET packet cut into headers. It refers to the octets given to Parse.
type Packet struct {
	Payload   []byte // octets after the last header
	Encrypted bool   // the payload is encrypted
	headers   [maxHeaders]Header
	n         int          // headers parsed
	fault     layout.Fault // the first fault
	options   Options
}

// Headers returns the parsed headers of the packet, the outermost first.
func (p *Packet) Headers() []Header { return p.headers[:p.n] }

// Header returns the first header of a layer in the packet, and false if the packet has none.
func (p *Packet) Header(l Layer) (Header, bool) {
	for _, h := range p.Headers() {
		if h.Of.Layer == l {
			return h, true
		}
	}
	return Header{}, false
}

// Parse cuts a packet into headers and returns the packet's first fault. b begins after UDP, or
// after IP. After a fault that hides the rest of the packet (Truncated, UnknownType, Misfit) the
// rest is the payload. Unknown next headers and operation codes are no fault: with an unknown next
// header the packet has no SES header, with an unknown operation code the default header of its
// next header.
func (p *Packet) Parse(b []byte, o Options) layout.Fault {
	*p = Packet{Payload: b, options: o}
	if o.Entropy && !p.cut(entropy) {
		return p.fault
	}
	first, ok := p.first(&prologueOnly)
	if !ok {
		return p.fault
	}
	f := packetFormat(first)
	if f == nil {
		p.recordFault(layout.Fault{Reason: layout.UnknownType, Format: &prologueOnly, Field: &prologueOnly.Fields[0],
			Value: uint64(first >> 11)})
		return p.fault
	}
	if p.cut(f) {
		p.Encrypted = f.Layer == LayerTSS
		if !p.Encrypted {
			p.parseSES(f, uint8(first>>7&0xF))
		}
	}
	return p.fault
}

// recordFault records a fault of the packet, if it is the first. A missing end of a trimmed packet is no fault.
func (p *Packet) recordFault(f layout.Fault) {
	missing := f.Reason == layout.Truncated || f.Reason == layout.Length || f.Reason == layout.PartElement
	if f.Wrong() && !p.fault.Wrong() && !(missing && p.options.Trimmed) {
		p.fault = f
	}
}

// first returns the first 16 bits of the octets not parsed yet. If fewer are left, it records that a header of format
// f is truncated, and returns false.
func (p *Packet) first(f *layout.Format) (uint16, bool) {
	if len(p.Payload) < 2 {
		p.recordFault(layout.Fault{Reason: layout.Truncated, Format: f, At: len(p.Payload)})
		return 0, false
	}
	return uint16(p.Payload[0])<<8 | uint16(p.Payload[1]), true
}

// cut parses the next header, of format f, from the octets not parsed yet, and checks its fields. It returns false if
// the header is incomplete.
func (p *Packet) cut(f *Format) bool {
	h, fault := f.Over(p.Payload)
	p.recordFault(fault)
	if fault.Wrong() {
		return false
	}
	p.recordFault(h.Check())
	p.headers[p.n] = Header{h, f}
	p.n++
	p.Payload = p.Payload[f.Len:]
	return true
}

// parseSES parses the SES header that next, the next header in a PDS header of format pds, announces, and the
// extensions after it, and records their faults. A CTRL packet, or a packet in which nothing or something unknown
// follows, has no SES header.
// Clauses: UE-SES/overview.8.
func (p *Packet) parseSES(pds *Format, next uint8) {
	d := p.options.Dialect
	carries := pds.Carries[d]
	lead := sesLead(d, next)
	switch {
	case pds.Type == typeCTRL:
		return // in a CTRL packet next_hdr is the control type
	case next == 0 && carries.contains(next) && (d == wire.DialectUE1 || !pds.requests(d)):
		return // nothing follows
	case lead == nil && next != 0:
		return // unknown next header: no SES header
	case !carries.contains(next):
		field := pds.Field("next_hdr", 0)
		p.recordFault(layout.Fault{Reason: layout.Misfit, Format: &pds.Format, Field: field, At: field.Octet(),
			Value: uint64(next)})
		return
	}
	first, ok := p.first(&lead.Format)
	if !ok {
		return
	}
	f, field, code := sesFormat(d, lead, first)
	if f == nil {
		p.recordFault(layout.Fault{Reason: layout.Misfit, Format: &lead.Format, Field: field, At: field.Octet(), Value: code})
		return
	}
	at := p.n
	if p.cut(f) && p.parseExtensions(field, code) {
		p.checkLength(p.headers[at], field, code)
		p.checkElements(p.headers[at], code)
	}
}

// contains reports whether the next header next is in the set.
func (n NextHeaders) contains(next uint8) bool { return n>>next&1 != 0 }

// parseExtensions parses the extension headers that follow an SES request with the operation code code, of the field
// opcode; a response has none. It reports false if an extension is incomplete.
// Clauses: UE-SES/atomic.6,10.
func (p *Packet) parseExtensions(opcode *layout.Field, code uint64) bool {
	if opcode.Name != requestOpcode {
		return true
	}
	for i := range formats {
		f := &formats[i]
		if f.Layer != LayerExtension || !f.Dialects.Contains(p.options.Dialect) || !p.follows(f, code) {
			continue
		}
		if !p.cut(f) {
			return false
		}
		if f.Atomic != 0 || f == rendezvous {
			break // a packet has one atomic extension, or a rendezvous extension
		}
	}
	return true
}

// follows reports whether an extension of format f follows a request with an operation code. Of the atomic extensions
// it is that of the atomic operation in the first octet behind the request.
// Clauses: UE-SES/rendezvous.4,5.
func (p *Packet) follows(f *Format, code uint64) bool {
	switch {
	case f == rendezvous:
		return code != 0 && code == uint64(p.options.Rendezvous)
	case !f.Opcodes.Contains(code):
		return false
	}
	return f.Atomic == 0 || len(p.Payload) == 0 || f.Atomic.Contains(uint64(min(p.Payload[0], 63)))
}

// checkLength records a fault if the SES header names a longer payload than the packet has: in payload_length, or in a
// request that carries all of its message, in request_length.
// Clauses: UE-SES/data.8, UE-SES/small.8.
func (p *Packet) checkLength(ses Header, opcode *layout.Field, code uint64) {
	name := payloadLengthField
	if opcode.Name == requestOpcode && singlePacket(ses.Of) && pushes[p.options.Dialect].Contains(code) {
		name = requestLengthField
	}
	field := ses.Of.Field(name, ses.First())
	if field == nil {
		return
	}
	if v := ses.Value(field); v > uint64(len(p.Payload)) {
		p.recordFault(layout.Fault{Reason: layout.Length, Format: &ses.Of.Format, Field: field, At: field.Octet(), Value: v})
	}
}
