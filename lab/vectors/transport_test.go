package vectors

import (
	"encoding/hex"
	"fmt"
	"strings"

	"uelink/wire"
	"uelink/wire/layout"
	"uelink/wire/uet"
)

// plainAt is the octet where UET begins in a frame of IPv4 and UDP, without options or tags.
const plainAt = wire.HeaderLen + 20 + 8

// payloadLen is the payload of packets of KindReal, octets.
const payloadLen = 24

var dialects = [2]wire.Dialect{wire.DialectSeed, wire.DialectUE1}

// transport makes the vectors of UET.
func (b *builder) transport() {
	formats := uet.Formats()
	for i := range formats {
		f := &formats[i]
		for _, d := range dialects {
			if f.Dialects.Contains(d) && (f.Dialects != uet.Every || d == wire.DialectSeed) {
				b.format(d, f)
			}
		}
	}
	b.encapsulations()
	b.misfits()
}

// carrier is the headers of a packet around a header under test.
type carrier struct {
	headers []layout.Header
	at      int // index of the header under test
	payload []byte
}

// with returns the octets and fields of the carrier, with h as the header under test.
func (c carrier) with(h layout.Header) (octets []byte, fields []Field) {
	for i, header := range c.headers {
		if i == c.at {
			header = h
		}
		fields = append(fields, fieldsOf(header, plainAt+len(octets))...)
		octets = append(octets, header.Octets...)
	}
	return append(octets, c.payload...), fields
}

// format makes the vectors of one format of UET.
func (b *builder) format(d wire.Dialect, f *uet.Format) {
	bases := variants(&f.Format, f.First(), f.When.Mask|typeMask(f))
	for i, base := range bases {
		base = f.Choose(base)
		name := d.String() + "/" + f.Name
		if len(bases) > 1 {
			name += fmt.Sprintf("/variant%d", i+1)
		}
		keep := kept(f)
		real := carry(d, f, fill(copyOf(base), keep), true)
		b.packet(d, f, name+"/real", KindReal, real, real.headers[real.at])
		zero := carry(d, f, base, false)
		series(base, keep, func(kind, what string, h layout.Header) {
			b.packet(d, f, name+"/"+kind+"/"+what, kind, zero, h)
		})
		b.cut(d, f, name, zero)
	}
}

// typeMask returns the bits of a PDS or TSS header that a field's condition must not change.
func typeMask(f *uet.Format) uint16 {
	if f.Layer == uet.LayerPDS || f.Layer == uet.LayerTSS {
		return 0xF800
	}
	return 0
}

// opcodeName returns the name of the operation code in an SES format.
func opcodeName(f *uet.Format) string {
	if f.Field("response_opcode", 0) != nil {
		return "response_opcode"
	}
	return "opcode"
}

// kept returns a function that reports whether a field selects the format or its fields.
func kept(f *uet.Format) func(*layout.Field) bool {
	mask := f.When.Mask | typeMask(f)
	for i := range f.Fields {
		mask |= f.Fields[i].When.Mask
	}
	return func(field *layout.Field) bool {
		switch {
		case field.IsReserved(): // a bit may distinguish two formats of the type
			return field.At < 16 && f.When.Mask>>(15-field.At)&1 != 0
		case field.Name == "next_hdr" || f.Layer == uet.LayerSES && field.Name == opcodeName(f):
			return true
		case f.Atomic != 0 && field.Name == "opcode":
			return true
		}
		for bit := field.At; bit < min(16, field.At+field.Bits); bit++ {
			if mask>>(15-bit)&1 != 0 {
				return true
			}
		}
		return false
	}
}

// carry builds a packet around a header. A full packet has values in all headers and a payload.
func carry(d wire.Dialect, f *uet.Format, h layout.Header, full bool) carrier {
	headers, at := f.Carry(d, h)
	c := carrier{at: at}
	for i, entry := range headers {
		if full && i != at {
			fill(entry.Header, kept(entry.Of))
		}
		c.headers = append(c.headers, entry.Header)
	}
	switch {
	case f.Layer == uet.LayerTSS:
		c.payload = octetsFrom(0x80, payloadLen)
	case f.Layer == uet.LayerSES && full:
		c.payload = octetsFrom(1, payloadLen)
		for _, length := range []string{"payload_length", "request_length"} {
			if f.Field(length, h.First()) != nil {
				put(h, length, payloadLen)
			}
		}
	}
	return c
}

// octetsFrom returns n octets that count up.
func octetsFrom(first byte, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = first + byte(i)
	}
	return b
}

// packet adds a packet in UDP over IPv4; directly over IPv4 if the format is an entropy header.
func (b *builder) packet(d wire.Dialect, f *uet.Format, name, kind string, c carrier, h layout.Header) {
	octets, fields := c.with(h)
	v := Vector{Name: name, Kind: kind, Dialect: d.String(), Format: f.Name, Link: LinkEthernet, Fields: fields}
	v.Octets = ethernet(0x0800, ipv4(protocolUDP, 0, nil, udp4(octets)))
	if f.Layer == uet.LayerEntropy {
		v.Octets = ethernet(0x0800, ipv4(uet.DefaultProtocol, 0, nil, octets))
		shift(v.Fields, -8*8)
	}
	b.add(v)
}

// shift moves fields by a number of bits.
func shift(fields []Field, bits int) {
	for i := range fields {
		fields[i].At += bits
	}
}

// cut adds the packet, cut one octet before the end of the header under test.
func (b *builder) cut(d wire.Dialect, f *uet.Format, name string, c carrier) {
	var octets []byte
	var fields []Field
	for i, h := range c.headers[:c.at+1] {
		if i < c.at {
			fields = append(fields, fieldsOf(h, plainAt+len(octets))...)
		}
		octets = append(octets, h.Octets...)
	}
	octets = octets[:len(octets)-1]
	v := Vector{Name: name + "/negative/cut", Kind: KindNegative, Dialect: d.String(), Format: f.Name,
		Link:   LinkEthernet,
		Fields: fields, Octets: ethernet(0x0800, ipv4(protocolUDP, 0, nil, udp4(octets)))}
	if f.Layer == uet.LayerEntropy {
		v.Octets = ethernet(0x0800, ipv4(uet.DefaultProtocol, 0, nil, octets))
	}
	b.add(v)
}

// Standard headers of atomic operations, the same in both dialects. atomicRead asks for 4 octets.
const (
	atomicWrite = "03" + atomicRest + "00000000"
	atomicRead  = "04" + atomicRest + "00000004"
	atomicRest  = "03 0001 00 000001 0001 0001 0000000000000000 00000001 0000000000000002 0000000000000000 "
)

// misfits adds packets whose headers do not fit together. Their fields are those of the headers before the fault.
func (b *builder) misfits() {
	const rest = " 0000 00000001 0001 0002"
	for _, c := range []struct {
		dialect wire.Dialect
		name    string
		octets  string
		headers string // headers decoded before the fault
	}{
		{0, "type_0", "0000 0000", ""},
		{0, "type_31", "F800 0000", ""},
		{0, "one_octet", "11", ""},
		{0, "request_with_response", "1200" + rest, "rud_req"},
		{1, "request_with_response", "1200" + rest, "rud_req"},
		{1, "request_with_nothing", "1000" + rest, "rud_req"},
		{0, "ack_with_request", "3980" + rest, "ack"},
		{1, "ack_with_request", "3880" + rest, "ack"},
		{0, "nack_with_response", "5200 0100 00000001 0001 0002 00000000", "nack"},
		{0, "small_code_in_standard_header", "1000" + rest + "0803 0001 00 000001", "rud_req"},
		{0, "send_in_small_header", "1180" + rest + "000C 0001 00 000001", "rud_req"},
		{0, "send_without_matching", "1100" + rest + "200C 0001 00 000001", "rud_req"},
		{0, "response_with_code_of_data", "3A00" + rest + "0100 0001 00 000001", "ack"},
		{1, "rendezvous_in_small_header", "1080" + rest + "0603 0001 00 000001", "rud_req"},
		{1, "response_with_code_of_data", "3A00" + rest + "0201 0001 00 000001", "ack"},
		{0, "unknown_next_header", "1780" + rest + "AABBCCDD", "rud_req"},
		{1, "unknown_next_header", "3C80" + rest + "AABBCCDD", "ack"},
		{0, "unknown_opcode", "1080" + rest + "3F02 0001 00 000001 00000000 00000000", "rud_req standard_request_som0"},
		{1, "unknown_opcode", "1080" + rest + "3F03 0000 00 000001 0001 0001 0000000000000000", "rud_req req_small"},
		{1, "sync_and_atomic", "1180" + rest +
			"1103 0001 00 000001 0001 0001 0000000000000000 00000001 0000000000000002 " +
			"0000000000000000 00000010 00010002 02070000", "rud_req req_std_som1 sync_ext atomic_ext"},
		{0, "atomic_ends_within_element", "1000" + rest + atomicWrite + "02070000 00000000 AABBCCDD",
			"rud_req standard_request_som1 atomic_extension"},
		{0, "fetching_atomic_of_two", "1000" + rest + atomicRead + "02050000 00000000 AABBCCDD EEFF0011",
			"rud_req standard_request_som1 atomic_extension"},
		{1, "atomic_ends_within_element", "1180" + rest + atomicWrite + "02070000 AABBCCDD",
			"rud_req req_std_som1 atomic_ext"},
		{1, "fetching_atomic_asks_for_two", "1180" + rest + atomicRead + "0B030000", "rud_req req_std_som1 atomic_ext"},
	} {
		octets := unhex(c.octets)
		v := Vector{Name: c.dialect.String() + "/packet/negative/" + c.name, Kind: KindNegative,
			Dialect: c.dialect.String(),
			Format:  "packet", Link: LinkEthernet, Octets: ethernet(0x0800, ipv4(protocolUDP, 0, nil, udp4(octets)))}
		v.Fields = named(c.dialect, c.headers, octets, plainAt)
		b.add(v)
	}
}

// named returns the fields of consecutive headers.
func named(d wire.Dialect, headers string, octets []byte, at int) (list []Field) {
	for name := range strings.FieldsSeq(headers) {
		h, fault := uet.FormatByName(d, name).Over(octets)
		if fault.Wrong() {
			panic(fault)
		}
		list = append(list, fieldsOf(h, at)...)
		octets, at = octets[len(h.Octets):], at+len(h.Octets)
	}
	return list
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		panic(err)
	}
	return b
}
