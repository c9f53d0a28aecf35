package vectors

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"uelink/lab/decode"
	"uelink/wire"
	"uelink/wire/crc"
	"uelink/wire/layout"
)

// keepNone keeps no field, so that a series walks through every field.
func keepNone(*layout.Field) bool { return false }

// linkFormat returns a format of the link by name.
func linkFormat(name string) *layout.Format {
	for _, f := range decode.Formats() {
		if f.Name == name {
			return f
		}
	}
	panic("no format " + name)
}

// link makes the vectors of the frames between two ends of a link.
func (b *builder) link() {
	for _, d := range dialects {
		b.shims(d)
	}
	for _, f := range decode.Formats() {
		if f.Field("ocode", 0) != nil {
			b.ctlos(f)
		}
	}
	b.controls()
	b.blocks()
	b.ccUpdates()
	b.seedCCUpdates()
	b.pauses()
}

// shims makes the vectors of data frames, in one dialect of the preamble.
func (b *builder) shims(d wire.Dialect) {
	format := linkFormat("preamble_" + d.String())
	inner := ethernet(0x0800, ipv4(protocolUDP, 0, nil, udp4(unhex("3800 0000 00000001 0001 0002"))))
	tagged := ethernet(0x0800, ipv4(protocolUDP, 0, nil, udp4(unhex("3800 0000 00000001 0001 0002"))), 5)
	ack := named(wire.DialectSeed, "ack", unhex("3800 0000 00000001 0001 0002"), plainAt+wire.ShimLen)
	deeper := slices.Clone(ack)
	shift(deeper, 4*8)
	within, deepest := slices.Clone(ack), slices.Clone(deeper)
	shift(within, wire.AddressesLen*8)
	shift(deepest, wire.AddressesLen*8)
	other := ethernet(0x0806, octetsFrom(1, 28))
	for _, c := range []struct {
		name    string
		p       wire.Preamble
		carried []byte
		fields  []Field
		state   string // of the FCS image
	}{
		{"sequenced", wire.Preamble{Seq: 0x12345, Sequenced: true, FCS: true}, inner, ack, "good"},
		{"tagged", wire.Preamble{Seq: 0, Sequenced: true, FCS: true, To: wire.To{VC: 3}}, tagged, deeper, "good"},
		{"last_number", wire.Preamble{Seq: wire.SeqMask, Sequenced: true, FCS: true, To: wire.To{VC: 31}}, other, nil, "good"},
		{"not_sequenced", wire.Preamble{FCS: true, To: wire.To{VC: 1}}, other, nil, "good"},
		{"without_fcs", wire.Preamble{Seq: 7, Sequenced: true}, inner, ack, ""},
		{"poisoned", wire.Preamble{Seq: 8, Sequenced: true, FCS: true}, other, nil, "poisoned"},
		{"bad_fcs", wire.Preamble{Seq: 9, Sequenced: true, FCS: true}, other, nil, "bad"},
		{"addressed", wire.Preamble{Seq: 10, Sequenced: true, FCS: true, To: wire.To{Addressed: true}}, inner, within, "good"},
		{"addressed_tagged", wire.Preamble{To: wire.To{Addressed: true, VC: 2}}, tagged, deepest, ""},
	} {
		frame := shimmed(c.carried, d, c.p, c.state == "poisoned")
		if c.state == "bad" {
			frame[len(frame)-1] ^= 1
		}
		kind := KindReal
		if c.state == "bad" {
			kind = KindNegative
		}
		v := Vector{Name: "shim/" + d.String() + "/" + kind + "/" + c.name, Kind: kind, Dialect: d.String(),
			Format: format.Name,
			Link:   LinkEthernet, Octets: frame}
		v.Fields = append(preambleFields(format, frame), workedOut(c.p, frame, c.state)...)
		v.Fields = append(v.Fields, c.fields...)
		b.add(v)
	}
	b.brokenShims(d, format, other)
}

// linkEnds are the addresses of the two ends of an addressed link.
var linkEnds = wire.AddressesOf(wire.MAC{2, 0, 0, 0, 0, 0x0B}, wire.MAC{2, 0, 0, 0, 0, 0x0A})

// shimmed returns a data frame that carries the frame carried.
func shimmed(carried []byte, d wire.Dialect, p wire.Preamble, poisoned bool) []byte {
	frame := make([]byte, p.DataLen(len(carried)))
	if p.Addressed {
		wire.PutAddressed(frame, carried, &linkEnds, wire.EtherTypeData, d, p, poisoned)
	} else {
		wire.PutData(frame, carried, wire.EtherTypeData, d, p, poisoned)
	}
	return frame
}

func preambleFields(f *layout.Format, frame []byte) []Field {
	h, _ := f.Over(frame[wire.HeaderLen:])
	return fieldsOf(h, wire.HeaderLen)
}

// workedOut returns the computed fields of a data frame: the meaning of its preamble, in either dialect.
func workedOut(p wire.Preamble, frame []byte, state string) (list []Field) {
	one := func(on bool) uint64 {
		if on {
			return 1
		}
		return 0
	}
	list = append(list, Field{"uelink.sequenced", -1, 0, one(p.Sequenced)}, Field{"uelink.vc", -1, 0, uint64(p.VC)})
	if p.FCS {
		list = append(list, Field{"uelink.fcs", -1, 0, uint64(binary.LittleEndian.Uint32(frame[len(frame)-4:]))},
			Field{"uelink.fcs_status", -1, 0, uint64(slices.Index([]string{"good", "poisoned", "bad"}, state))})
	}
	if p.Sequenced {
		list = append(list, Field{"uellr.seq", -1, 0, uint64(p.Seq)})
	}
	return list
}

// brokenShims inverts each field of the preamble in turn, which is mostly a fault, and then cuts the frame short.
func (b *builder) brokenShims(d wire.Dialect, format *layout.Format, carried []byte) {
	base := make([]byte, wire.DataLen(len(carried), false))
	wire.PutData(base, carried, wire.EtherTypeData, d, wire.Preamble{Sequenced: true}, false)
	v := Vector{Dialect: d.String(), Format: format.Name, Link: LinkEthernet, Kind: KindWalk}
	for i := range format.Fields {
		frame := slices.Clone(base)
		h, _ := format.Over(frame[wire.HeaderLen:])
		f := &format.Fields[i]
		if f.Name == "start" {
			continue // selects the dialect
		}
		h.Set(f, ^h.Value(f)&f.Max()) // inverts every bit
		v.Name, v.Octets, v.Fields = "shim/"+d.String()+"/walk/"+f.Name, frame, preambleFields(format, frame)
		if p, fault := wire.ParseData(frame, d); fault == wire.NoFault {
			v.Fields = append(v.Fields, workedOut(p, frame, "bad")...)
		}
		b.add(v)
	}
	b.cutShims(d, format, base)
}

// cutShims cuts a data frame short: within the shim, and within the least carried frame.
func (b *builder) cutShims(d wire.Dialect, format *layout.Format, base []byte) {
	v := Vector{Dialect: d.String(), Format: format.Name, Link: LinkEthernet, Kind: KindNegative}
	for _, n := range []int{wire.HeaderLen, wire.HeaderLen + 7, wire.HeaderLen + 8, wire.DataLen(0, false) - 1} {
		v.Name, v.Octets, v.Fields = fmt.Sprintf("shim/%v/negative/cut_%d", d, n), base[:n], nil
		if n >= wire.HeaderLen+wire.PreambleLen {
			v.Fields = preambleFields(format, base[:n])
		}
		b.add(v)
	}
}

// ctlos makes the vectors of a control ordered set: in a control frame in the view of 64B/66B, and alone in both
// views.
func (b *builder) ctlos(f *layout.Format) {
	keep := func(field *layout.Field) bool {
		return field.Name == "block_type" || field.Name == "ctlos_type" || field.Name == "item"
	}
	base := f.Blank(uint16(wire.ViewPCS)<<8 | uint16(ctlosType(f)))
	put(base, "ocode", 6)
	if field := f.Field("item", 0); field != nil {
		base.Set(field, itemNumber(f))
	}
	name := "ctlos/" + f.Name
	real := fill(copyOf(base), func(field *layout.Field) bool { return keep(field) || field.Name == "ocode" })
	b.ctlosFrame(f, name+"/real", KindReal, real)
	b.ctlosAlone(f, name+"/real", KindReal, real)
	series(base, keep, func(kind, what string, h layout.Header) {
		b.ctlosFrame(f, name+"/"+kind+"/"+what, kind, h)
		b.ctlosAlone(f, name+"/"+kind+"/"+what, kind, h)
	})
}

// ctlosType returns the message type that selects a format; 77 for the format of unknown types.
func ctlosType(f *layout.Format) byte {
	types := map[string]byte{"llr_ack": 0x01, "llr_nack": 0x02, "llr_init": 0x03, "llr_init_echo": 0x04,
		"cf_update": 0x10, "vc": 0xF1, "gap_missing": 0xF2, "gap_arrived": 0xF2}
	if t, ok := types[f.Name]; ok {
		return t
	}
	if strings.HasPrefix(f.Name, "station") {
		return 0xF0
	}
	return 0x77
}

func itemNumber(f *layout.Format) uint64 {
	return map[string]uint64{"station_frames": 0, "station_start": 1, "station_services": 2,
		"station_twice": 3, "station_leaves": 4, "station_resumes": 5, "station_trouble": 6}[f.Name] |
		map[string]uint64{"station_other": 9, "gap_missing": 0, "gap_arrived": 1}[f.Name]
}

// controlFrame returns a control frame with these control ordered sets. The frame itself is valid.
func controlFrame(sets ...[]byte) []byte {
	b := slices.Concat(wire.ControlDA[:], source[:], []byte{0x88, 0xB6, 1, byte(len(sets))}, slices.Concat(sets...))
	b = binary.LittleEndian.AppendUint32(b, crc.Checksum(b))
	for len(b) < wire.MinFrameLen {
		b = append(b, 0)
	}
	return b
}

// controlFields returns the fields of a control frame whose control ordered sets have these headers.
func controlFields(frame []byte, sets ...layout.Header) []Field {
	h, _ := linkFormat("control").Over(frame[wire.HeaderLen:])
	list := fieldsOf(h, wire.HeaderLen)
	at := wire.HeaderLen + 2
	for _, set := range sets {
		list = append(list, fieldsOf(set, at)...)
		at += wire.CtlOSLen
	}
	return append(list, Field{"uelink.control.crc", -1, 0, uint64(binary.LittleEndian.Uint32(frame[at:]))})
}

func (b *builder) ctlosFrame(f *layout.Format, name, kind string, h layout.Header) {
	frame := controlFrame(h.Octets)
	b.add(Vector{Name: name, Kind: kind, Dialect: "seed", Format: f.Name, Link: LinkEthernet, Octets: frame,
		Fields: controlFields(frame, h)})
}

func (b *builder) ctlosAlone(f *layout.Format, name, kind string, h layout.Header) {
	for _, view := range []wire.View{wire.ViewPCS, wire.ViewXMII} {
		alone := copyOf(h)
		alone.Octets[0] = byte(view)
		v := Vector{Name: name + "/" + map[wire.View]string{wire.ViewPCS: "64b66b", wire.ViewXMII: "xmii"}[view],
			Kind:    kind,
			Dialect: "seed", Format: f.Name, Link: LinkCtlOS, Octets: alone.Octets, Fields: fieldsOf(alone, 0)}
		b.add(v)
	}
}

// controls makes the vectors of the control frame itself: counts, padding, versions, CRC, lengths.
func (b *builder) controls() {
	ack := put(put(linkFormat("llr_ack").Blank(0x4B01), "ocode", 6), "ack_nack_seq", 0x12345)
	cf := put(put(linkFormat("cf_update").Blank(0x4B10), "ocode", 6), "cf1_count", 0x1234)
	one, count := controlFrame(ack.Octets), controlFrame(ack.Octets, cf.Octets, cf.Octets)
	var full [][]byte
	var fullHeaders []layout.Header
	for range wire.MaxCtlOS {
		full, fullHeaders = append(full, cf.Octets), append(fullHeaders, cf)
	}
	most := controlFrame(full...)
	edit := func(frame []byte, at int, v byte) []byte {
		frame = slices.Clone(frame)
		frame[at] = v
		return frame
	}
	xmii := slices.Clone(ack.Octets)
	xmii[0] = 0x5C
	for _, c := range []struct {
		name, kind string
		frame      []byte
		sets       []layout.Header
		crc        bool // all control ordered sets and the CRC are in the frame
	}{
		{"several", KindReal, count, []layout.Header{ack, cf, cf}, true},
		{"most", KindReal, most, fullHeaders, true},
		{"padded", KindReal, append(slices.Clone(one), make([]byte, 200)...), []layout.Header{ack}, true},
		{"version_2", KindNegative, edit(one, 14, 2), []layout.Header{ack}, true},
		{"version_255", KindNegative, edit(one, 14, 255), []layout.Header{ack}, true},
		{"count_0", KindNegative, edit(one, 15, 0), nil, true},
		{"wrong_crc", KindNegative, edit(one, 24, one[24]^0x40), []layout.Header{ack}, true},
		{"other_view", KindNegative, controlFrame(xmii), []layout.Header{{Format: ack.Format, Octets: xmii}}, true},
		{"cut_59", KindNegative, one[:59], []layout.Header{ack}, true},
		{"cut_16", KindNegative, one[:16], nil, false},
		{"cut_15", KindNegative, one[:15], nil, false},
		{"cut_in_set", KindNegative, count[:37], []layout.Header{ack, cf}, false},
	} {
		v := Vector{Name: "control/" + c.kind + "/" + c.name, Kind: c.kind, Dialect: "seed", Format: "control",
			Link: LinkEthernet, Octets: c.frame}
		if len(c.frame) >= 16 {
			padded := append(slices.Clone(c.frame), make([]byte, 400)...)
			v.Fields = controlFields(padded, c.sets...)
			if !c.crc {
				v.Fields = v.Fields[:len(v.Fields)-1]
			}
		}
		b.add(v)
	}
}

// blocks makes the vectors of the LLR preamble in 64B/66B.
func (b *builder) blocks() {
	f := linkFormat("preamble_block")
	base := layout.Header{Format: f, Octets: make([]byte, f.Len)}
	real := copyOf(base)
	wire.PutPreambleBlock(real.Octets, wire.Preamble{Seq: 0x54321, FCS: true, To: wire.To{VC: 9}})
	v := Vector{Name: "preamble_block/real", Kind: KindReal, Dialect: "seed", Format: f.Name, Link: LinkBlock,
		Octets: real.Octets, Fields: fieldsOf(real, 0)}
	b.add(v)
	series(base, keepNone, func(kind, name string, h layout.Header) {
		v.Name, v.Kind, v.Octets, v.Fields = "preamble_block/"+kind+"/"+name, kind, h.Octets, fieldsOf(h, 0)
		b.add(v)
	})
}
