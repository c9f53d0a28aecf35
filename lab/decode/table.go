package decode

import (
	"fmt"

	"uelink/wire"
	"uelink/wire/layout"
)

// Shorter names for the constructors of fields.
var (
	field    = layout.Number
	reserved = layout.Reserved
)

// Protocols, as the display filters of Wireshark call them.
const (
	ProtocolLink  = "uelink" // the shim, control frames and messages between the two ends
	ProtocolLLR   = "uellr"
	ProtocolCBFC  = "uecbfc"
	ProtocolUET   = "ueuet"
	ProtocolHIPPI = "uehippi" // frames of micropackets of HIPPI-6400-PH
	ProtocolLLDP  = "lldp"
)

// Formats returns the format of every message of the link itself (preamble, control ordered sets, CC_Update, TLVs
// and so on), in the order of its documents; UET is in package uet.
func Formats() []*layout.Format {
	list := append([]*layout.Format{}, ctlosFormats...)
	list = append(list, &preambleSeed, &preambleUE1, &preambleBlock, &controlHeader, &ccUpdateSeed, &ccUpdateUE1,
		&pause,
		&pfc, &tlvLink, &tlvCBFC, &tlvWishes)
	return append(append(list, dcbxFormats...), hippiFormats...)
}

// Texts of the flags that both layouts of the preamble have.
const (
	fcsText       = "the frame ends with an FCS image, a CRC-32 over the frame"
	addressedText = "the outer addresses are those of the two link ports"
	toPartnerText = "the frame is for the partner itself, not for a host behind it"
)

// publicSources is the text by which formats of UE 1.0 name their source.
const publicSources = "UE 1.0, as far as public sources agree"

// preambleSeed is the LLR preamble of the shim, dialect seed. The flags are our own.
var preambleSeed = layout.Format{Name: "preamble_seed", Prefix: "uelink.preamble", Title: "LLR preamble", Len: 8,
	Source: "UE-LINK §3.1", Fields: []layout.Field{
		field("preamble", 24, "0-2", "preamble pattern, 555555"),
		field("sfd", 8, "3", "start frame delimiter").Named(layout.Names{{Value: 0xD5, Name: "not sequenced"},
			{Value: 0xDD, Name: "LLR"}}),
		field("sequence_number", 24, "4-6", "sequence number of 20 bits"),
		field("fcs", 1, "7[7]", fcsText),
		field("addressed", 1, "7[6]", addressedText),
		field("to_partner", 1, "7[5]", toPartnerText),
		field("vc", 5, "7[4:0]", "virtual channel"),
	}}

// preambleUE1 is the LLR preamble of UE 1.0. Our flags are laid over octet 6.
var preambleUE1 = layout.Format{Name: "preamble_ue1", Prefix: "uelink.preamble", Title: "LLR preamble", Len: 8,
	Source: publicSources, Fields: []layout.Field{
		field("start", 8, "0", "start of frame, FB"),
		field("seq_high", 4, "1[7:4]", "sequence number, bits 19 to 16"),
		field("mark", 4, "1[3:0]", "7: LLR, 5: not sequenced").Named(layout.Names{{Value: 5, Name: "not sequenced"},
			{Value: 7, Name: "LLR"}}),
		field("seq_low", 16, "2-3", "sequence number, bits 15 to 0"),
		field("fill", 16, "4-5", "5555"),
		field("flags", 8, "6", "control flags XOR 55"),
		field("sfd", 8, "7", "start frame delimiter, D5"),
	}}

// preambleBlock is the LLR preamble in 64B/66B. The image is defined, but our links do not use it.
var preambleBlock = layout.Format{Name: "preamble_block", Prefix: "uelink.preamble", Title: "LLR preamble, 64B/66B",
	Len:    8,
	Source: "UE-LINK §3.2", Fields: []layout.Field{
		field("sequence_number", 24, "0-2", "sequence number of 20 bits"),
		field("fcs", 1, "3[7]", fcsText),
		field("addressed", 1, "3[6]", addressedText),
		field("to_partner", 1, "3[5]", toPartnerText),
		field("vc", 5, "3[4:0]", "virtual channel"),
		reserved(32, "4-7"),
	}}

// controlHeader is the header of a control frame, before the control ordered sets.
var controlHeader = layout.Format{Name: "control", Prefix: "uelink.control", Title: "Control frame", Len: 2,
	Source: "our own", Fields: []layout.Field{
		field("version", 8, "0", "1"),
		field("count", 8, "1", "control ordered sets that follow"),
	}}

// ccUpdateSeed is one message of a CC_Update. Several may follow the EtherType.
var ccUpdateSeed = layout.Format{Name: "cc_update_seed", Prefix: "uecbfc.cc", Title: "CC_Update", Len: 8,
	Source: "UE-LINK §4.2", Fields: []layout.Field{
		field("message_type", 8, "0", "1; 0 ends the messages"),
		field("vc_index", 5, "1[7:3]", "virtual channel"),
		field("cc_counter", 15, "1[2:0]+2+3[7:4]", "credits consumed of the channel, the low 15 bits"),
		reserved(4, "3[3:0]"),
		reserved(32, "4-7"),
	}}

// pause and pfc are MAC Control from the opcode on. Wireshark has fields of the same names.
var (
	pause = layout.Format{Name: "pause", Prefix: "macc", Title: "PAUSE", Len: 4, Source: "IEEE 802.3 annex 31B",
		Fields: []layout.Field{
			field("opcode", 16, "0-1", "1"),
			field("pause_time", 16, "2-3", "quanta of 512 bit times"),
		}}
	pfc = layout.Format{Name: "pfc", Prefix: "macc", Title: "PFC", Len: 20, Source: "IEEE 802.3 annex 31D",
		Fields: pfcFrameFields()}
)

// pfcFrameFields returns the fields of a PFC frame.
func pfcFrameFields() []layout.Field {
	list := []layout.Field{field("opcode", 16, "0-1", "0101"), reserved(8, "2")}
	for i := range wire.Priorities {
		list = append(list, layout.Field{Name: fmt.Sprintf("cbfc.enbv.c%d", 7-i), At: 24 + i, Bits: 1,
			Text: "the frame pauses or resumes this priority"})
	}
	for i := range wire.Priorities {
		list = append(list, layout.Field{Name: fmt.Sprintf("cbfc.pause_time.c%d", i), At: 32 + 16*i, Bits: 16,
			Text: "quanta of 512 bit times"})
	}
	return list
}

// ccUpdateUE1 is a CC_Update from the opcode of MAC Control on.
var ccUpdateUE1 = layout.Format{Name: "cc_update_ue1", Prefix: "uecbfc.cc", Title: "CC_Update", Len: 46,
	Source: publicSources, Fields: ccUpdateFields()}

// ccUpdateFields returns the fields of a CC_Update.
func ccUpdateFields() []layout.Field {
	list := []layout.Field{
		field("opcode", 16, "0-1", "MAC Control, extension"),
		field("cid", 24, "2-4", "company identifier of the Ultra Ethernet Consortium, FA7ACB"),
		field("type", 8, "5", "which 16 virtual channels the counters are of").Named(layout.Names{
			{Value: 1, Name: "VC 0 to 15"}, {Value: 2, Name: "VC 16 to 31"}}),
	}
	for i, name := range counterNames {
		list = append(list, layout.Field{Name: name, At: 48 + 20*i, Bits: 20,
			Text: fmt.Sprintf("credits consumed of VC %d; of VC %d if the type is VC 16 to 31", i, i+16)})
	}
	return list
}

// counterNames are the names of the 16 counters of a CC_Update of UE 1.0.
var counterNames = [...]string{"count0", "count1", "count2", "count3", "count4", "count5", "count6", "count7", "count8",
	"count9", "count10", "count11", "count12", "count13", "count14", "count15"}

// tlvLink and tlvCBFC are the information strings of the TLVs of Ultra Ethernet, after OUI and subtype, and tlvWishes
// that of our own TLV.
var (
	tlvLink = layout.Format{Name: "tlv_link", Prefix: "uelink.lldp", Title: "UE Link Negotiation", Len: 2,
		Source: "UE-LINK §5.1", Fields: []layout.Field{
			field("llr_enabled", 1, "0[7]", "LLR is offered"),
			field("cbfc_enabled", 1, "0[6]", "CBFC is offered"),
			field("flags_reserved", 6, "0[5:0]", "sent as 0; a received value is stored, and has no effect"),
			field("ue_version", 8, "1", "version of the specification"),
		}}
	tlvCBFC = layout.Format{Name: "tlv_cbfc", Prefix: "uelink.lldp", Title: "UE CBFC", Len: 9,
		Source: "UE-LINK §5.2", Fields: []layout.Field{
			field("num_vcs", 8, "0", "virtual channels, 1 to 32").Within(1, 32),
			field("credit_pool_size", 16, "1-2", "all credits, above 0").Within(1, 0xFFFF),
			field("lossless_vcs", 32, "3-6", "bit N: VC N is lossless"),
			field("reserved", 16, "7-8", "sent as 0; a received value is stored, and has no effect"),
		}}
	tlvWishes = layout.Format{Name: "tlv_wishes", Prefix: "uelink.lldp", Title: "uelink wishes", Len: 3,
		Source: "docs/PROTOCOL.md", Fields: []layout.Field{
			field("wishes_version", 8, "0", "1").Within(1, 0xFF),
			field("wishes_dcbx", 1, "1[7]", "DCBX is on"),
			field("wishes_pfc", 1, "1[6]", "PFC is enabled and advertised"),
			field("wishes_willing", 1, "1[5]", "PFC adopts the settings of a peer that is not willing"),
			field("wishes_asks", 1, "1[4]", "the configuration asks for PFC"),
			field("wishes_reserved", 4, "1[3:0]", "sent as 0, ignored when received"),
			field("wishes_priorities", 8, "2", "PFC as configured: bit i is priority i"),
		}}
)
