package uet

import (
	"math/bits"

	"uelink/wire"
	"uelink/wire/layout"
)

// RendezvousOpcode announces a rendezvous extension in the packets of the seed that Carry makes.
// The seed names no operation code for that: this one is free. See Options.Rendezvous.
const RendezvousOpcode uint8 = 0x0E

// unknownNext is a next header that nobody knows: what follows is payload.
const unknownNext = 15

// standardNext is, by dialect, the next header of the standard request.
var standardNext = [2]uint8{seedStandardSOM1, ue1Standard}

// Kinds is the formats that a packet of a dialect can be about: all but the entropy header, in
// the order of the layers.
func Kinds(d wire.Dialect) (list []*Format) {
	for i := range formats {
		if f := &formats[i]; f != entropy && f.Dialects.Has(d) {
			list = append(list, f)
		}
	}
	return list
}

// First is the first 16 bits of a header of the format: what it is chosen by.
func (f *Format) First() uint16 { return uint16(f.Type)<<11 | f.When.Want }

// Choose sets in a header what else the format is chosen by, the lowest operation code of those that
// it is for. The next header of a request becomes one that nobody knows.
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

// lowest is the lowest code of a set that is not empty.
func (s Opcodes) lowest() uint64 { return uint64(bits.TrailingZeros64(uint64(s))) }

// Build is the headers of a packet of a dialect that is about this format. Its fields are 0, or
// the least that they may be, but for what chooses the formats. A request of PDS has a standard
// request behind it. The payload may be any.
func (f *Format) Build(d wire.Dialect) []Header {
	h := f.Choose(f.Blank(f.First()))
	if f.Layer == LayerPDS && f.requests(d) {
		h.Put("next_hdr", uint64(standardNext[d]))
	}
	headers, _ := f.Carry(d, h)
	return headers
}

// Carry puts around a header of the format what has to be around it in a packet of a dialect: a
// header of PDS before a SES header, both before an extension, and what the entropy header and
// a request of PDS ask for behind them. at is the place of the header among them.
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
	}
	return []Header{own}, 0
}

// carrier is the header of PDS with that name and next header.
func carrier(d wire.Dialect, name string, next uint8) Header {
	f := FormatByName(d, name)
	h := f.Blank(f.First())
	h.Put("next_hdr", uint64(next))
	return Header{h, f}
}

// carried is the SES header that a request of PDS announces, if it is a known one.
func (f *Format) carried(d wire.Dialect, h layout.Header) []Header {
	next, _ := h.Get("next_hdr")
	lead := sesLead(d, uint8(next))
	if lead == nil || !f.requests(d) {
		return nil
	}
	return []Header{{lead.Choose(lead.Blank(lead.First())), lead}}
}

// extended is the standard request that an extension follows.
func (f *Format) extended(d wire.Dialect) Header {
	lead := sesLead(d, standardNext[d])
	h, code := lead.Blank(lead.First()), uint64(RendezvousOpcode)
	if f.Opcodes != 0 {
		code = f.Opcodes.lowest()
	}
	h.Put(requestOpcode, code)
	return Header{h, lead}
}

// Counter is the field that tells a packet from the next one: the packet sequence number, the
// packet identifier, or the time stamp of TSS. It is nil if the header has none.
func (h Header) Counter() *layout.Field {
	return h.any("psn", "pkt_id", "cack_psn", "nack_psn", "nack_pkt_id", "tsc")
}

// PayloadLength is the field that tells how much payload there is, in the packet or, where a
// message has a request, in all of it. It is nil if the header has none.
func (h Header) PayloadLength() *layout.Field { return h.any(payloadLengthField, requestLengthField) }

// any is the first field that the header has of some names, or nil.
func (h Header) any(names ...string) *layout.Field {
	for _, name := range names {
		if f := h.Format.Field(name, h.First()); f != nil {
			return f
		}
	}
	return nil
}
