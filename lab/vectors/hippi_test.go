package vectors

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"uelink/wire"
	"uelink/wire/crc"
	"uelink/wire/layout"
	"uelink/wire/micropacket"
)

// The findings on the CRCs of a micropacket, as the computed fields lcrc_status and ecrc_status have them.
const (
	crcGood     = 0
	lcrcStomped = 1
	lcrcBad     = 2
	ecrcBad     = 1
	ecrcUnknown = -1 // the field is absent: a part of the Message is not in the frame, or ERROR is set
)

// packet is a micropacket of a vector.
type packet struct {
	data       [micropacket.DataLen]byte
	control    layout.Header
	lcrc, ecrc int // findings
}

// packetOf returns a micropacket of data octets in hexadecimal and control bits.
func packetOf(data string, control uint64, lcrc, ecrc int) packet {
	p := packet{control: linkFormat("micropacket").Blank(0), lcrc: lcrc, ecrc: ecrc}
	copy(p.data[:], unhex(data))
	binary.BigEndian.PutUint64(p.control.Octets, control)
	return p
}

// sealed returns a micropacket with the fields of a control and the CRCs that these and the data octets have, from an
// ECRC register.
func sealed(data []byte, f micropacket.Fields, register uint16) packet {
	m := micropacket.Micropacket{Control: f.Control()}
	copy(m.Data[:], data)
	m.Control = m.Control.WithECRC(m.ECRC(register))
	m.Seal()
	p := packet{data: m.Data, control: linkFormat("micropacket").Blank(0)}
	binary.BigEndian.PutUint64(p.control.Octets, uint64(m.Control))
	return p
}

// resealed returns p with control bits h and the LCRC that they have.
func (p packet) resealed(h layout.Header) packet {
	m := micropacket.Micropacket{Data: p.data, Control: micropacket.Control(binary.BigEndian.Uint64(h.Octets))}
	p.control = put(copyOf(h), "lcrc", uint64(m.LCRC()))
	return p
}

// ecrcRegister returns the ECRC of a micropacket, from which the next of its Message goes on.
func (p packet) ecrcRegister() uint16 { return binary.BigEndian.Uint16(p.control.Octets[2:]) }

// hippi makes the vectors of frames of micropackets.
func (b *builder) hippi() {
	b.hippiGoldens()
	b.hippiMessages()
	b.hippiSeries()
	b.hippiDamaged()
}

// hippiHead returns the head of a frame of n micropackets with an FCS image.
func hippiHead(n int) layout.Header {
	h := linkFormat("hippi_frame").Blank(0x4836)
	put(put(put(h, "fcs", 1), "count", uint64(n)), "number", 0x01020304)
	return put(put(h, "from", 0x1111), "to", 0x2222)
}

// hippiOctets returns a frame with a head and micropackets, and an FCS image if the head tells of one.
func hippiOctets(head layout.Header, packets ...packet) []byte {
	frame := slices.Concat(destination[:], source[:], []byte{0x88, 0xB5}, head.Octets)
	for _, p := range packets {
		frame = slices.Concat(frame, p.data[:], p.control.Octets)
	}
	if head.Value(head.Format.Field("fcs", 0)) == 1 {
		frame = binary.LittleEndian.AppendUint32(frame, crc.Checksum(frame))
	}
	return frame
}

// hippiFields returns the fields of a frame of micropackets. fcs is the state of its FCS image.
func hippiFields(frame []byte, head layout.Header, fcs wire.FCS, packets ...packet) []Field {
	list := fieldsOf(head, wire.HeaderLen)
	at := micropacket.FrameHeadLen
	for _, p := range packets {
		list = append(list, fieldsOf(p.control, at+micropacket.DataLen)...)
		list = append(list, Field{"uehippi.lcrc_status", -1, 0, uint64(p.lcrc)})
		if p.ecrc != ecrcUnknown {
			list = append(list, Field{"uehippi.ecrc_status", -1, 0, uint64(p.ecrc)})
		}
		if micropacket.Control(binary.BigEndian.Uint64(p.control.Octets)).Type() == micropacket.Header {
			h, _ := linkFormat("hippi_header").Over(p.data[:])
			list = append(list, fieldsOf(h, at)...)
		}
		at += micropacket.Len
	}
	if head.Value(head.Format.Field("fcs", 0)) == 1 {
		list = append(list, Field{"uehippi.fcs", -1, 0, uint64(binary.LittleEndian.Uint32(frame[at:]))},
			Field{"uehippi.fcs_status", -1, 0, uint64(fcs)})
	}
	return list
}

// hippiVector adds a vector of a frame of micropackets whose FCS image, if any, is right.
func (b *builder) hippiVector(name, kind, format string, head layout.Header, packets ...packet) {
	frame := hippiOctets(head, packets...)
	b.add(Vector{Name: "hippi/" + name, Kind: kind, Dialect: "seed", Format: format, Link: LinkEthernet, Octets: frame,
		Fields: hippiFields(frame, head, wire.FCSGood, packets...)})
}

// annex is the Message of HIPPI-6400 A.6: a Header, and a Data micropacket with TAIL.
var annex = []packet{
	packetOf("123456789ABC 123456789ABC 00000030 AAAA030000008183 0001020304050607", 0x2742_D691_1413_0024, 0, 0),
	packetOf("101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F", 0x6B93_AE11_1513_0060, 0, 0),
}

// hippiGoldens makes the example of HIPPI-6400 A.6, and a vector for each of eight other micropackets of zeros, whose
// CRCs were computed from the serial implementation of figures 12 and 13.
func (b *builder) hippiGoldens() {
	b.hippiVector("real/annex_a6", KindReal, "micropacket", hippiHead(2), annex...)
	for _, c := range []struct {
		name    string
		control uint64
		lcrc    int
		ecrc    int
	}{
		{"reset", 0x46B0_5897_FFFF_0048, crcGood, crcGood},
		{"reset_ack", 0xC57C_5897_FFFF_004C, crcGood, crcGood},
		{"initialize", 0x562B_5897_FFFF_0050, crcGood, crcGood},
		{"initialize_ack", 0xD5E7_5897_FFFF_0054, crcGood, crcGood},
		{"null", 0xA626_5897_FFFF_001C, crcGood, crcGood},
		{"null_with_rseq", 0x918A_5897_FF13_001C, crcGood, crcGood},
		{"credit_only", 0xCAD0_5897_00FF_FD28, crcGood, crcGood},
		{"credit_only_stomped", 0x4D9D_5897_00FF_FD28, lcrcStomped, ecrcUnknown},
	} {
		b.hippiVector("real/"+c.name, KindReal, "micropacket", hippiHead(1), packetOf("", c.control, c.lcrc, c.ecrc))
	}
}

// header returns the data octets of a Header micropacket.
func header(mLen uint32, etherType uint16, payload string) []byte {
	h := linkFormat("hippi_header").Blank(0)
	put(put(put(h, "d_ula", 0x020000000001), "s_ula", 0x020000000002), "m_len", uint64(mLen))
	put(put(put(put(h, "dsap", 0xAA), "ssap", 0xAA), "ctl", 3), "ethertype", uint64(etherType))
	return append(slices.Clone(h.Octets), unhex(payload)...)
}

// hippiMessages makes frames as a link sends them: Messages of several virtual channels by turns, Admin micropackets,
// the continuation of a Message, a retransmission, the largest frame of an MTU of 1500, and one without an FCS image.
func (b *builder) hippiMessages() {
	fields := func(t micropacket.Type, vc, tseq uint8, tail bool) micropacket.Fields {
		return micropacket.Fields{VC: vc, Type: t, Tail: tail, TSEQ: tseq, RSEQ: 9, VCR: 2, CR: 5}
	}
	zero := sealed(header(40, 0x0800, "45000020 00000000"), fields(micropacket.Header, 0, 252, false),
		micropacket.ECRCInit)
	jumbo := sealed(header(9008, 0x0800, "4500 2328 00000000"), fields(micropacket.Header, 1, 253, false),
		micropacket.ECRCInit)
	first := sealed(octetsFrom(8, 24), fields(micropacket.Data, 0, 254, true), zero.ecrcRegister())
	second := sealed(octetsFrom(32, 32), fields(micropacket.Data, 1, 0, false), jumbo.ecrcRegister())
	null := sealed(nil, micropacket.Fields{Type: micropacket.Null, TSEQ: micropacket.NoSeq, RSEQ: 9},
		micropacket.ECRCInit)
	b.hippiVector("real/channels_by_turns", KindReal, "hippi_frame", hippiHead(5), zero, jumbo, first, second, null)

	unknown := second
	unknown.ecrc = ecrcUnknown
	b.hippiVector("real/continuation", KindReal, "hippi_frame", hippiHead(1), unknown)
	b.hippiVector("real/retransmission", KindReal, "hippi_frame", hippiHead(3), zero, jumbo, unknown)

	lengths := header(0x26+8, 0x26, "424203 0000000000") // IEEE 802.3 with LLC, as BPDUs have it
	b.hippiVector("real/length_802_3", KindReal, "hippi_header", hippiHead(2),
		sealed(lengths, fields(micropacket.Header, 2, 7, false), micropacket.ECRCInit),
		sealed(octetsFrom(1, 30), fields(micropacket.Data, 2, 8, true),
			sealed(lengths, micropacket.Fields{}, micropacket.ECRCInit).ecrcRegister()))
	b.hippiVector("real/admin", KindReal, "micropacket", hippiHead(2),
		sealed(octetsFrom(1, 32), fields(micropacket.Admin, 1, 3, true), micropacket.ECRCInit),
		sealed(octetsFrom(33, 32), fields(micropacket.Admin, 2, 4, true), micropacket.ECRCInit))

	damaged := packet{data: zero.data, ecrc: ecrcUnknown}.resealed(put(put(copyOf(zero.control), "ecrc", 1), "error", 1))
	b.hippiVector("real/error_upstream", KindReal, "micropacket", hippiHead(1), damaged)

	full := []packet{jumbo}
	for i := range micropacket.InFrame(1514, true) - 1 {
		last := full[len(full)-1]
		full = append(full, sealed(octetsFrom(byte(i), 32), fields(micropacket.Data, 1, uint8((254+i)%255), false),
			last.ecrcRegister()))
	}
	b.hippiVector("real/full", KindReal, "hippi_frame", hippiHead(len(full)), full...)
	b.hippiVector("real/without_fcs", KindReal, "hippi_frame", put(hippiHead(2), "fcs", 0), annex...)
}

// hippiSeries walks through the fields of the three formats, in a frame of one micropacket.
func (b *builder) hippiSeries() {
	null := sealed(nil, micropacket.Fields{Type: micropacket.Null}, micropacket.ECRCInit)
	keepHead := func(f *layout.Field) bool { return f.Name == "mark" || f.Name == "fcs" || f.Name == "count" }
	b.hippiVector("head/real", KindReal, "hippi_frame", fill(hippiHead(1), keepHead), null)
	series(hippiHead(1), keepHead, func(kind, name string, h layout.Header) {
		frame := hippiOctets(h, null)
		fields := hippiFields(frame, h, wire.FCSGood, null)
		if strings.HasPrefix(name, "version") {
			fields = fieldsOf(h, wire.HeaderLen) // the layout of another version is unknown
		}
		b.add(Vector{Name: "hippi/head/" + kind + "/" + name, Kind: kind, Dialect: "seed", Format: "hippi_frame",
			Link: LinkEthernet, Octets: frame, Fields: fields})
	})
	keepControl := func(f *layout.Field) bool {
		return f.Name == "type" || f.Name == "error" || f.Name == "lcrc" || f.Name == "ecrc"
	}
	b.hippiVector("control/real", KindReal, "micropacket", hippiHead(1),
		null.resealed(fill(copyOf(null.control), keepControl)))
	series(null.control, keepNone, func(kind, name string, h layout.Header) {
		p := null.resealed(h)
		switch name {
		case "lcrc":
			p.control, p.lcrc, p.ecrc = h, lcrcBad, ecrcUnknown
		case "ecrc":
			p.ecrc = ecrcBad
		case "error":
			p.ecrc = ecrcUnknown
		}
		b.hippiVector("control/"+kind+"/"+name, kind, "micropacket", hippiHead(1), p)
	})
	alone := micropacket.Fields{Type: micropacket.Header, Tail: true}
	blank := linkFormat("hippi_header").Blank(0)
	b.hippiVector("header/real", KindReal, "hippi_header", hippiHead(1),
		sealed(fill(copyOf(blank), keepNone).Octets, alone, micropacket.ECRCInit))
	series(blank, keepNone, func(kind, name string, h layout.Header) {
		b.hippiVector("header/"+kind+"/"+name, kind, "hippi_header", hippiHead(1),
			sealed(h.Octets, alone, micropacket.ECRCInit))
	})
}

// hippiDamaged makes frames with faults: damage to the mark, to the FCS image, to data and control bits; a frame of no
// micropackets, of more than are there, and cut frames.
func (b *builder) hippiDamaged() {
	head := hippiHead(2)
	whole := hippiOctets(head, annex...)
	bad := func(p packet, lcrc, ecrc int) packet {
		p.lcrc, p.ecrc = lcrc, ecrc
		return p
	}
	damaged := bad(annex[0], lcrcBad, ecrcUnknown)
	damaged.data[5] ^= 0x10
	b.hippiVector("negative/wrong_lcrc", KindNegative, "micropacket", head, damaged, bad(annex[1], crcGood, ecrcUnknown))
	wrong := annex[1].resealed(put(copyOf(annex[1].control), "ecrc", 0xAE10))
	b.hippiVector("negative/wrong_ecrc", KindNegative, "micropacket", head, annex[0], bad(wrong, crcGood, ecrcBad))

	b.hippiFaulty("wrong_fcs", flipped(whole, len(whole)-1, 0x80), hippiFields(flipped(whole, len(whole)-1, 0x80), head,
		wire.FCSBad, annex...))
	for _, c := range []struct {
		name  string
		octet int
		mask  byte
	}{{"mark", 14, 0x40}, {"mark_twice", 15, 0x90}} {
		frame := flipped(whole, c.octet, c.mask)
		h, _ := head.Format.Over(frame[wire.HeaderLen:])
		b.hippiFaulty(c.name, frame, fieldsOf(h, wire.HeaderLen))
	}
	for _, c := range []struct {
		name  string
		count uint64
	}{{"count_0", 0}, {"count_3", 3}} {
		h := put(copyOf(head), "count", c.count)
		b.hippiFaulty(c.name, hippiOctets(h, annex...), fieldsOf(h, wire.HeaderLen))
	}
	for _, n := range []int{wire.HeaderLen + 11, micropacket.FrameHeadLen, micropacket.FrameHeadLen + 79, len(whole) - 1} {
		fields := fieldsOf(head, wire.HeaderLen)
		if n < micropacket.FrameHeadLen {
			fields = nil
		}
		b.hippiFaulty(fmt.Sprintf("cut_%d", n), whole[:n], fields)
	}
}

// hippiFaulty adds a vector of a frame with a fault.
func (b *builder) hippiFaulty(name string, frame []byte, fields []Field) {
	b.add(Vector{Name: "hippi/negative/" + name, Kind: KindNegative, Dialect: "seed", Format: "hippi_frame",
		Link: LinkEthernet, Octets: frame, Fields: fields})
}

// flipped returns a copy of a frame with some bits of an octet inverted.
func flipped(frame []byte, octet int, mask byte) []byte {
	frame = slices.Clone(frame)
	frame[octet] ^= mask
	return frame
}
