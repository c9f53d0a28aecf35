package uet

import (
	"uelink/wire"
	"uelink/wire/layout"
)

// maxHeaders is entropy, TSS or PDS, SES, and two extensions; and one to spare.
const maxHeaders = 6

// Options is what a packet does not tell of itself.
type Options struct {
	Dialect    wire.Dialect
	Entropy    bool  // it begins with the entropy header, as UET directly over IP does
	Trimmed    bool  // a switch has cut it: its end is no fault
	Rendezvous uint8 // dialect seed: the operation code with a rendezvous extension; 0: none
}

// Header is one of a packet.
type Header struct {
	layout.Header
	Of *Format
}

// Packet is a UET packet cut into its headers. It refers to the octets that it was made from.
type Packet struct {
	Payload   []byte // what is behind the last header
	Encrypted bool   // the payload is
	headers   [maxHeaders]Header
	n         int
	fault     layout.Fault
	options   Options
}

// Headers is the headers, the outermost first.
func (p *Packet) Headers() []Header { return p.headers[:p.n] }

// Header is the first header of a layer, and false if there is none.
func (p *Packet) Header(l Layer) (Header, bool) {
	for _, h := range p.Headers() {
		if h.Of.Layer == l {
			return h, true
		}
	}
	return Header{}, false
}

// Parse cuts a packet into its headers and returns the first fault of it. b begins behind UDP,
// or behind IP. After a fault that hides what follows (Truncated, UnknownType, Misfit) the rest
// of the packet is its payload. Next headers and operation codes that nobody knows are kept: of
// such a next header the packet has no SES header, of such an operation code the usual one of
// its next header.
func (p *Packet) Parse(b []byte, o Options) layout.Fault {
	*p = Packet{Payload: b, options: o}
	if o.Entropy && !p.take(entropy) {
		return p.fault
	}
	first, ok := p.first(&prologueOnly)
	if !ok {
		return p.fault
	}
	f := packetFormat(first)
	if f == nil {
		p.note(layout.Fault{Reason: layout.UnknownType, Format: &prologueOnly, Field: &prologueOnly.Fields[0],
			Value: uint64(first >> 11)})
		return p.fault
	}
	if p.take(f) {
		p.Encrypted = f.Layer == LayerTSS
		if !p.Encrypted {
			p.semantic(f, uint8(first>>7&0xF))
		}
	}
	return p.fault
}

// note keeps the first fault. That a trimmed packet ends is none.
func (p *Packet) note(f layout.Fault) {
	cut := f.Reason == layout.Truncated || f.Reason == layout.Length || f.Reason == layout.PartElement
	if f.Wrong() && !p.fault.Wrong() && !(cut && p.options.Trimmed) {
		p.fault = f
	}
}

// first is the first 16 bits of what is left; without them the packet ends within format f.
func (p *Packet) first(f *layout.Format) (uint16, bool) {
	if len(p.Payload) < 2 {
		p.note(layout.Fault{Reason: layout.Truncated, Format: f, At: len(p.Payload)})
		return 0, false
	}
	return uint16(p.Payload[0])<<8 | uint16(p.Payload[1]), true
}

// take cuts the next header off and checks it. It is false if it is not all there.
func (p *Packet) take(f *Format) bool {
	h, fault := f.Over(p.Payload)
	p.note(fault)
	if fault.Wrong() {
		return false
	}
	p.note(h.Check())
	p.headers[p.n] = Header{h, f}
	p.n++
	p.Payload = p.Payload[f.Len:]
	return true
}

// semantic takes the SES header that a PDS header announces, and its extensions.
func (p *Packet) semantic(pds *Format, next uint8) {
	d := p.options.Dialect
	carries := pds.Carries[d]
	lead := sesLead(d, next)
	switch {
	case pds.Type == typeCTRL:
		return // the bits are the type of the control packet
	case next == 0 && carries.has(next) && (d == wire.DialectUE1 || !pds.requests(d)):
		return // nothing follows
	case lead == nil && next != 0:
		return // kept, and not understood
	case !carries.has(next):
		field := pds.Field("next_hdr", 0)
		p.note(layout.Fault{Reason: layout.Misfit, Format: &pds.Format, Field: field, At: field.Octet(),
			Value: uint64(next)})
		return
	}
	first, ok := p.first(&lead.Format)
	if !ok {
		return
	}
	f, field, code := sesFormat(d, lead, first)
	if f == nil {
		p.note(layout.Fault{Reason: layout.Misfit, Format: &lead.Format, Field: field, At: field.Octet(), Value: code})
		return
	}
	at := p.n
	if p.take(f) && p.extensions(field, code) {
		p.length(p.headers[at], field, code)
		p.elements(p.headers[at], code)
	}
}

// has tells whether a value is in the set.
func (n NextHeaders) has(next uint8) bool { return n>>next&1 != 0 }

// extensions takes what follows a request with an operation code. It is false if one is not all
// there.
func (p *Packet) extensions(opcode *layout.Field, code uint64) bool {
	if opcode.Name != requestOpcode {
		return true
	}
	for i := range formats {
		f := &formats[i]
		if f.Layer != LayerExtension || !f.Dialects.Has(p.options.Dialect) || !p.follows(f, code) {
			continue
		}
		if !p.take(f) {
			return false
		}
		if f.Atomic != 0 || f == rendezvous {
			break // of the atomic ones there is one, and none goes with a rendezvous
		}
	}
	return true
}

// follows tells whether an extension follows a request with an operation code.
func (p *Packet) follows(f *Format, code uint64) bool {
	switch {
	case f == rendezvous:
		return code != 0 && code == uint64(p.options.Rendezvous)
	case !f.Opcodes.Has(code):
		return false
	}
	return f.Atomic == 0 || len(p.Payload) == 0 || f.Atomic.Has(uint64(min(p.Payload[0], 63)))
}

// length checks what the SES header says of the payload in this packet.
func (p *Packet) length(ses Header, opcode *layout.Field, code uint64) {
	name := payloadLengthField
	if opcode.Name == requestOpcode && singlePacket(ses.Of) && pushes[p.options.Dialect].Has(code) {
		name = requestLengthField
	}
	field := ses.Of.Field(name, ses.First())
	if field == nil {
		return
	}
	if v := ses.Value(field); v > uint64(len(p.Payload)) {
		p.note(layout.Fault{Reason: layout.Length, Format: &ses.Of.Format, Field: field, At: field.Octet(), Value: v})
	}
}
