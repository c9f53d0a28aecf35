package vectors

import (
	"uelink/wire"
	"uelink/wire/layout"
)

// ccUpdates makes the vectors of CC_Update of UE 1.0.
func (b *builder) ccUpdates() {
	f := linkFormat("cc_update_ue1")
	base := put(put(put(f.Blank(0xFFFE), "opcode", 0xFFFE), "cid", 0xFA7ACB), "type", 1)
	keep := func(f *layout.Field) bool { return f.Name == "opcode" || f.Name == "cid" }
	frame := func(h layout.Header) []byte { return ethernet(0x8808, h.Octets) }
	add := func(name, kind string, h layout.Header) {
		b.add(Vector{Name: name, Kind: kind, Dialect: "ue1", Format: f.Name, Link: LinkEthernet, Octets: frame(h),
			Fields: fieldsOf(h, wire.HeaderLen)})
	}
	inShim, fields := partnerFrame(frame(base), false)
	b.add(Vector{Name: "cc_update/ue1/real/in_a_shim", Kind: KindReal, Dialect: "ue1", Format: f.Name,
		Link:   LinkEthernet,
		Octets: inShim, Fields: append(fields, fieldsOf(base, wire.HeaderLen+wire.ShimLen)...)})
	isType := func(f *layout.Field) bool { return keep(f) || f.Name == "type" }
	add("cc_update/ue1/real", KindReal, fill(copyOf(base), isType))
	add("cc_update/ue1/real/upper_half", KindReal, put(fill(copyOf(base), isType), "type", 2))
	series(base, keep, func(kind, name string, h layout.Header) {
		if name == "type" {
			kind = KindNegative
		}
		add("cc_update/ue1/"+kind+"/"+name, kind, h)
	})
	b.add(Vector{Name: "cc_update/ue1/negative/cut", Kind: KindNegative, Dialect: "ue1", Format: f.Name,
		Link: LinkEthernet, Octets: frame(base)[:59]})
}

// partnerFrame returns a data frame addressed to the partner itself, and the fields of its preamble.
func partnerFrame(carried []byte, addressed bool) (frame []byte, fields []Field) {
	p := wire.Preamble{Seq: 0x54321, Sequenced: true, FCS: true, To: wire.To{Partner: true, Addressed: addressed}}
	frame = shimmed(carried, wire.DialectSeed, p, false)
	return frame, append(preambleFields(linkFormat("preamble_seed"), frame), workedOut(p, frame, "good")...)
}

// seedCCUpdates makes the vectors of CC_Update of dialect seed: a data frame for the partner carries the messages.
func (b *builder) seedCCUpdates() {
	f := linkFormat("cc_update_seed")
	in := func(name, kind string, addressed bool, messages ...layout.Header) {
		var octets []byte
		for _, h := range messages {
			octets = append(octets, h.Octets...)
		}
		frame, fields := partnerFrame(ethernet(wire.EtherTypeControl, octets), addressed)
		_, at := wire.Preamble{To: wire.To{Addressed: addressed}}.CarriedParts()
		for i, h := range messages {
			fields = append(fields, fieldsOf(h, at+2+i*f.Len)...)
		}
		b.add(Vector{Name: "cc_update/seed/" + name, Kind: kind, Dialect: "seed", Format: f.Name, Link: LinkEthernet,
			Octets: frame, Fields: fields})
	}
	add := func(name, kind string, messages ...layout.Header) { in(name, kind, false, messages...) }
	base := put(f.Blank(0), "message_type", 1)
	keep := func(f *layout.Field) bool { return f.Name == "message_type" }
	one := fill(copyOf(base), keep)
	two := put(put(copyOf(base), "vc_index", 31), "cc_counter", 0x7FFF)
	add("real", KindReal, one)
	add("real/several", KindReal, one, two, base)
	in("real/addressed", KindReal, true, one, two)
	add("negative/message_type", KindNegative, put(copyOf(base), "message_type", 2))
	series(base, keep, func(kind, name string, h layout.Header) { add(kind+"/"+name, kind, h) })
}

// pauses makes the vectors of PAUSE and PFC. Wireshark's own dissector decodes both.
func (b *builder) pauses() {
	b.macControl(linkFormat("pause"), 0x0001)
	b.macControl(linkFormat("pfc"), 0x0101)
}

func (b *builder) macControl(f *layout.Format, opcode uint16) {
	keep := func(f *layout.Field) bool { return f.Name == "opcode" }
	base := f.Blank(opcode)
	add := func(kind, name string, h layout.Header) {
		frame := ethernet(wire.EtherTypeMACControl, h.Octets)
		copy(frame, wire.MACControlDA[:])
		b.add(Vector{Name: f.Name + "/" + kind + name, Kind: kind, Dialect: "seed", Format: f.Name, Link: LinkEthernet,
			Octets: frame, Fields: fieldsOf(h, wire.HeaderLen)})
	}
	add(KindReal, "", fill(copyOf(base), keep))
	series(base, keep, func(kind, name string, h layout.Header) { add(kind, "/"+name, h) })
}
