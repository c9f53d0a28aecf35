package uet

import (
	"math/bits"

	"uelink/wire"
	"uelink/wire/layout"
)

// RendezvousOpcode is the operation code of a request with a rendezvous extension in packets of the dialect seed built
// by Carry. UE-SES defines no operation code for the extension; this code is unused. See Options.Rendezvous.
const RendezvousOpcode uint8 = 0x0E

// unknownNext is an unassigned next header: payload follows.
const unknownNext = 15

// standardNext is, by dialect, the next header of the standard request.
var standardNext = [2]uint8{seedStandardSOM1, ue1Standard}

// Kinds returns the header formats of a dialect for which Build makes packets: all but the entropy header, in the
// order of the layers.
func Kinds(d wire.Dialect) (list []*Format) {
	for i := range formats {
		if f := &formats[i]; f != entropy && f.Dialects.Contains(d) {
			list = append(list, f)
		}
	}
	return list
}

// First returns the first 16 bits that a header of the format begins with, by which the format is chosen when a
// packet is parsed.
func (f *Format) First() uint16 { return uint16(f.Type)<<11 | f.When.Want }

// Choose sets, in the header h, the fields besides the first 16 bits by which the format is chosen: the format's
// lowest operation code, or in a PDS request an unassigned next header.
func (f *Format) Choose(h layout.Header) layout.Header {
	switch {
	case f.Layer == LayerSES:
		h.Set(opcodeField(f), f.Opcodes.lowest())
	case f.Atomic != 0:
		h.Put("opcode", f.Atomic.lowest())
	case f.Layer == LayerPDS && f.requests(wire.DialectSeed):
		h.Put("next_hdr", unknownNext)
	}
	return h
}

// lowest returns the lowest operation code of a set that is not empty.
func (s Opcodes) lowest() uint64 { return uint64(bits.TrailingZeros64(uint64(s))) }

// Build returns the headers of a packet in a dialect that contains a header of the format. Fields are 0 or the
// least value within their limits, except for the fields that choose formats. A PDS request is followed by a
// standard request. The packet may have any payload.
func (f *Format) Build(d wire.Dialect) []Header {
	h := f.Choose(f.Blank(f.First()))
	if f.Layer == LayerPDS && f.requests(d) {
		h.Put("next_hdr", uint64(standardNext[d]))
	}
	headers, _ := f.Carry(d, h)
	return headers
}

// Carry returns the header h of the format together with the headers that it needs in a packet of a dialect: a PDS
// header before an SES header, both before an extension, a PDS header after the entropy header, and an SES header
// after a PDS request. TSS stands alone. at is the index of h in headers.
func (f *Format) Carry(d wire.Dialect, h layout.Header) (headers []Header, at int) {
	own := Header{h, f}
	switch f.Layer {
	case LayerEntropy:
		return []Header{own, carrier(d, "ack", 0)}, 0
	case LayerPDS:
		return append([]Header{own}, f.carried(d, h)...), 0
	case LayerSES:
		name := "rud_req"
		if opcodeField(f).Name == responseOpcode {
			name = "ack"
		}
		return []Header{carrier(d, name, f.NextHeader), own}, 1
	case LayerExtension:
		return []Header{carrier(d, "rud_req", standardNext[d]), f.extended(d), own}, 2
	default: // LayerTSS
		return []Header{own}, 0
	}
}

// carrier returns a PDS header of the format with that name, whose next_hdr is next.
func carrier(d wire.Dialect, name string, next uint8) Header {
	f := FormatByName(d, name)
	h := f.Blank(f.First())
	h.Put("next_hdr", uint64(next))
	return Header{h, f}
}

// carried returns the SES header that the PDS request h announces by next_hdr; none if next_hdr is unknown or h is
// no request.
func (f *Format) carried(d wire.Dialect, h layout.Header) []Header {
	next, _ := h.Get("next_hdr")
	lead := sesLead(d, uint8(next))
	if lead == nil || !f.requests(d) {
		return nil
	}
	return []Header{{lead.Choose(lead.Blank(lead.First())), lead}}
}

// extended returns the header of a standard request whose operation code makes this extension follow: the lowest of
// Opcodes, or RendezvousOpcode if there are none.
func (f *Format) extended(d wire.Dialect) Header {
	lead := sesLead(d, standardNext[d])
	h, code := lead.Blank(lead.First()), uint64(RendezvousOpcode)
	if f.Opcodes != 0 {
		code = f.Opcodes.lowest()
	}
	h.Put(requestOpcode, code)
	return Header{h, lead}
}

// Counter returns the field of the header that differs between consecutive packets: the packet sequence number,
// the packet identifier, or the time stamp of TSS. It returns nil if the header has none.
func (h Header) Counter() *layout.Field {
	return h.any("psn", "pkt_id", "cack_psn", "nack_psn", "nack_pkt_id", "tsc")
}

// PayloadLength returns the field of the header with the length of the payload: of the packet, or in a request of
// the whole message. It returns nil if the header has none.
func (h Header) PayloadLength() *layout.Field { return h.any(payloadLengthField, requestLengthField) }

// any returns the first of the fields with the given names that the header has, or nil.
func (h Header) any(names ...string) *layout.Field {
	for _, name := range names {
		if f := h.Format.Field(name, h.First()); f != nil {
			return f
		}
	}
	return nil
}
