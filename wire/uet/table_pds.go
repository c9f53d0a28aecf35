package uet

import "uelink/wire/layout"

// Short names for the tables.
var (
	field    = layout.Number
	reserved = layout.Reserved
)

// ueLinkLayer is the document that the formats of PDS, TSS and, in the dialect ue1, SES are taken from.
const ueLinkLayer = "UE 1.0 as in the reference provider uet-ref-prov"

// Conditions on flags in the first 16 bits of PDS headers.
var (
	syn       = layout.When{Mask: 0x0004, Want: 0x0004} // the packet sets a context up
	notSyn    = layout.When{Mask: 0x0004}
	probe     = layout.When{Mask: 0x0008, Want: 0x0008} // the flag of a probe
	notProbe  = layout.When{Mask: 0x0008}
	rudi      = probe // in a NACK the bit is flag nt: the refused packet is a RUDI packet
	notRUDI   = notProbe
	epsn      = layout.When{Mask: 0x0040, Want: 0x0040} // the expected PSN follows
	notEPSN   = layout.When{Mask: 0x0040}
	ssi       = layout.When{Mask: 0x0400, Want: 0x0400} // a source identifier follows (TSS)
	notSSI    = layout.When{Mask: 0x0400}
	opaque    = layout.When{Mask: 0x0780, Want: 0x0300} // a CTRL packet of type PROBE
	notOpaque = layout.When{Mask: 0x0780, Want: 0x0300, Not: true}
)

// The packet types of PDS.
const (
	typeSecurity = 0x01
	typeRUDReq   = 0x02
	typeRODReq   = 0x03
	typeRUDIReq  = 0x04
	typeRUDIResp = 0x05
	typeUUDReq   = 0x06
	typeACK      = 0x07
	typeACKCC    = 0x08
	typeACKCCX   = 0x09
	typeNACK     = 0x0A
	typeCTRL     = 0x0B
	typeNACKCCX  = 0x0C
	typeRUDCCReq = 0x0D
	typeRODCCReq = 0x0E
)

// The next headers that may follow a packet, by dialect. In the dialect seed, next header 0 is a request's. No
// acknowledgement carries a request, so in acknowledgements 0 means that nothing follows, as in UE 1.0.
// Clauses: UE-SES/overview.8.
var (
	carryRequest = [2]NextHeaders{1<<0 | 1<<1 | 1<<2 | 1<<3, 1<<1 | 1<<2 | 1<<3}
	carryData    = [2]NextHeaders{1<<5 | 1<<6, 1<<5 | 1<<6}
	carryAnswer  = [2]NextHeaders{1<<0 | 1<<4 | 1<<5 | 1<<6, 1<<0 | 1<<4 | 1<<5 | 1<<6}
	carryNothing = [2]NextHeaders{1 << 0, 1 << 0}
	carryEither  = [2]NextHeaders{carryRequest[0] | carryData[0], carryRequest[1] | carryData[1]}
)

// outer returns the header formats that precede PDS: entropy, and security (TSS) without and with the source identifier
// ssi.
func outer() []Format {
	security := func(name, title string, length int, when layout.When, f ...layout.Field) Format {
		head := []layout.Field{
			field("type", 5, "0[7:3]", "packet type: SECURITY").Named(typeNames),
			field("sp", 1, "0[2]", "a source identifier follows"),
			reserved(1, "0[1]"),
			field("an", 1, "0[0]", "association number: which of two keys"),
			field("sdi", 24, "1-3", "secure domain identifier"),
		}
		return Format{Layer: LayerTSS, Dialects: Every, Type: typeSecurity, When: when, Format: layout.Format{
			Name: name, Prefix: "ueuet.tss", Title: title, Len: length, Source: ueLinkLayer + ", TSS",
			Fields: append(head, f...)}}
	}
	return []Format{
		{Layer: LayerEntropy, Dialects: Every, Format: layout.Format{
			Name: "entropy", Prefix: "ueuet.entropy", Title: "Entropy", Len: 4, Source: "UE-LINK §6.2, Table 4-1",
			Fields: []layout.Field{
				field("value", 16, "0-1", "entropy, by which a network spreads flows; only in UET directly over IP"),
				reserved(16, "2-3"),
			}}},
		security("tss", "Security", 12, notSSI,
			field("epoch", 16, "4-5", "epoch of the key"),
			field("tsc", 48, "6-11", "time stamp counter, a part of the initialization vector")),
		security("tss_ssi", "Security with source identifier", 16, ssi,
			field("ssi", 32, "4-7", "secure source identifier"),
			field("epoch", 16, "8-9", "epoch of the key"),
			field("tsc", 48, "10-15", "time stamp counter, a part of the initialization vector")),
	}
}

// prologue returns the fields in the first 16 bits of a PDS header; the flags depend on the packet type.
func prologue(flags ...layout.Field) []layout.Field {
	return append([]layout.Field{
		field("type", 5, "0[7:3]", "packet type").Named(typeNames),
		field("next_hdr", 4, "0[2:0]+1[7]", "SES header that follows; the values depend on the dialect"),
	}, flags...)
}

// packet returns a PDS header format of both dialects: its packet type, names, length, the next headers that it
// carries, and the fields in parts.
func packet(kind uint8, name, title string, length int, carries [2]NextHeaders, parts ...[]layout.Field) Format {
	f := Format{Layer: LayerPDS, Dialects: Every, Type: kind, Carries: carries, Format: layout.Format{
		Name: name, Prefix: "ueuet.pds", Title: title, Len: length, Source: ueLinkLayer + ", PDS"}}
	for _, part := range parts {
		f.Fields = append(f.Fields, part...)
	}
	return f
}

// pds returns the header formats of packet delivery (PDS), one or two for each packet type: name, title, length in
// octets, the SES headers that may follow, and the fields.
func pds() []Format {
	ackEPSN := packet(typeACK, "ack_epsn", "ACK with expected PSN", 16, carryAnswer, ackHead(true),
		[]layout.Field{field("expected_psn", 32, "12-15", "next PSN that the closing end expects")})
	ackEPSN.When = epsn
	ack := packet(typeACK, "ack", "ACK", 12, carryAnswer, ackHead(false))
	ack.When = notEPSN
	return []Format{
		packet(typeRUDReq, "rud_req", "RUD request", 12, carryEither, request()),
		packet(typeRODReq, "rod_req", "ROD request", 12, carryEither, request()),
		packet(typeRUDIReq, "rudi_req", "RUDI request", 8, carryRequest, idempotent()),
		packet(typeRUDIResp, "rudi_resp", "RUDI response", 8, carryAnswer, idempotent()),
		packet(typeUUDReq, "uud_req", "UUD request", 4, carryRequest,
			prologue(reserved(7, "1[6:0]"), reserved(16, "2-3"))),
		ack, ackEPSN,
		packet(typeACKCC, "ack_cc", "ACK with congestion control", 32, carryAnswer, ackHead(false), ackCC()),
		packet(typeACKCCX, "ack_ccx", "ACK with extended congestion control", 40, carryAnswer, ackHead(false), ackCC(),
			[]layout.Field{field("ack_ccx_state", 64, "32-39", "more state of congestion control")}),
		packet(typeNACK, "nack", "NACK", 16, carryNothing, nack()),
		packet(typeNACKCCX, "nack_ccx", "NACK with extended congestion control", 32, carryNothing, nack(),
			[]layout.Field{
				field("nccx_type", 4, "16[7:4]", "kind of the state that follows"),
				field("nack_ccx_state1", 60, "16[3:0]+17-23", "state of congestion control"),
				field("nack_ccx_state2", 64, "24-31", "state of congestion control, continued"),
			}),
		packet(typeCTRL, "ctrl", "Control", 16, carryNothing, control()),
		packet(typeRUDCCReq, "rud_cc_req", "RUD request with congestion control", 16, carryEither, request(),
			requestCC()),
		packet(typeRODCCReq, "rod_cc_req", "ROD request with congestion control", 16, carryEither, request(),
			requestCC()),
	}
}

// contexts returns the fields of octets 8 to 11 of most PDS headers: the packet delivery contexts of source and
// destination.
func contexts() []layout.Field {
	return []layout.Field{
		field("spdcid", 16, "8-9", "packet delivery context of the source"),
		field("dpdcid", 16, "10-11", "packet delivery context of the destination"),
	}
}

// opening returns the fields of octets 8 to 11 of a PDS header that may set up a context, by the flag SYN.
func opening() []layout.Field {
	c := contexts()
	return []layout.Field{
		c[0], c[1].If(notSyn),
		field("pdc_info", 4, "10[7:4]", "kind of the context asked for; bit 0: a reserved context").If(syn),
		field("psn_offset", 12, "10[3:0]+11", "distance of the PSN from the first PSN of the context").If(syn),
	}
}

// request returns the fields of octets 0 to 11 of a PDS request that RUD or ROD delivers.
func request() []layout.Field {
	return append(prologue(
		reserved(2, "1[6:5]"),
		field("retx", 1, "1[4]", "the packet is sent again"),
		field("ar", 1, "1[3]", "an ACK is asked for"),
		field("syn", 1, "1[2]", "the packet sets a context up"),
		reserved(2, "1[1:0]"),
		field("clear_psn_offset", 16, "2-3", "clear PSN, as an offset from psn").TwosComplement(),
		field("psn", 32, "4-7", "packet sequence number"),
	), opening()...)
}

// requestCC returns the fields of congestion control, octets 12 to 15, of a PDS request.
func requestCC() []layout.Field {
	return []layout.Field{
		field("ccc_id", 8, "12", "congestion control context"),
		field("credit_target", 24, "13-15", "credit that is asked for"),
	}
}

// idempotent returns the fields of octets 0 to 7 of a RUDI request, and of its response.
func idempotent() []layout.Field {
	return prologue(
		reserved(1, "1[6]"),
		field("m", 1, "1[5]", "the packet that is answered was marked by ECN"),
		field("retx", 1, "1[4]", "the packet is sent again"),
		reserved(4, "1[3:0]"),
		reserved(16, "2-3"),
		field("pkt_id", 32, "4-7", "packet identifier"),
	)
}

// ackHead returns the fields that all kinds of ACK header begin with. With chosen, the bit of the flag EPSN is field
// epsn, for the formats that the flag chooses; without chosen the bit is reserved.
func ackHead(chosen bool) []layout.Field {
	flag := reserved(1, "1[6]")
	if chosen {
		flag = field("epsn", 1, "1[6]", "the PSN that is expected next follows")
	}
	return append(prologue(
		flag,
		field("m", 1, "1[5]", "the packet that is acknowledged was marked by ECN"),
		field("retx", 1, "1[4]", "the acknowledged packet was sent again"),
		field("p", 1, "1[3]", "the ACK answers a probe"),
		field("req", 2, "1[2:1]", "request of the target to the source").Named(names("NONE", "CLEAR", "CLOSE")),
		reserved(1, "1[0]"),
		field("ack_psn_offset", 16, "2-3", "acknowledged PSN, as an offset from cack_psn").If(notProbe).TwosComplement(),
		field("probe_opaque", 16, "2-3", "value of probe_opaque in the probe").If(probe),
		field("cack_psn", 32, "4-7", "cumulatively acknowledged PSN"),
	), contexts()...)
}

// ackCC returns the fields of octets 12 to 31 of ACK_CC and ACK_CCX, which stand behind those of ACK.
func ackCC() []layout.Field {
	return []layout.Field{
		field("cc_type", 4, "12[7:4]", "kind of congestion control").Named(names("NSCC", "CREDIT")),
		field("cc_flags", 4, "12[3:0]", "flags of congestion control"),
		field("mpr", 8, "13", "maximum PSN range"),
		field("sack_psn_offset", 16, "14-15", "first PSN of the bitmap, as an offset from cack_psn").TwosComplement(),
		field("sack_bitmap", 64, "16-23", "bitmap of the packets received"),
		field("ack_cc_state", 64, "24-31", "state of congestion control"),
	}
}

// nack returns the fields of octets 0 to 15 of NACK and NACK_CCX. Octets 4 to 7 name the refused packet: by its
// identifier if it is a RUDI packet, else by its PSN.
func nack() []layout.Field {
	return append(prologue(
		reserved(1, "1[6]"),
		field("m", 1, "1[5]", "the refused packet was marked by ECN"),
		field("retx", 1, "1[4]", "the refused packet was sent again"),
		field("nt", 1, "1[3]", "the refused packet is a RUDI packet"),
		reserved(3, "1[2:0]"),
		field("nack_code", 8, "2", "reason of the refusal").Named(nackNames),
		field("vendor_code", 8, "3", "reason, as the vendor defines it"),
		field("nack_psn", 32, "4-7", "PSN of the refused packet").If(notRUDI),
		field("nack_pkt_id", 32, "4-7", "identifier of the refused packet").If(rudi),
	), append(contexts(), field("payload", 32, "12-15", "depends on nack_code"))...)
}

// control returns all fields of a CTRL packet's header; the control type has the place of next_hdr. A probe has
// probe_opaque where other control packets have reserved bits.
func control() []layout.Field {
	head := []layout.Field{
		field("type", 5, "0[7:3]", "packet type").Named(typeNames),
		field("ctl_type", 4, "0[2:0]+1[7]", "kind of control message").Named(controlNames),
		reserved(1, "1[6]"),
		field("isrod", 1, "1[5]", "the context is ordered (ROD)"),
		field("retx", 1, "1[4]", "the packet is sent again"),
		field("ar", 1, "1[3]", "an ACK is asked for"),
		field("syn", 1, "1[2]", "the packet sets a context up"),
		reserved(2, "1[1:0]"),
		reserved(16, "2-3").If(notOpaque),
		field("probe_opaque", 16, "2-3", "value that the ACK returns").If(opaque),
		field("psn", 32, "4-7", "packet sequence number"),
	}
	return append(append(head, opening()...), field("payload", 32, "12-15", "depends on ctl_type"))
}
