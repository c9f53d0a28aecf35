package decode

import (
	"slices"

	"uelink/wire"
	"uelink/wire/layout"
)

// Places in a control ordered set: the octet that is its type, and the octet with the item, if the type has items.
const (
	typeOctet = 1
	itemOctet = 4
)

// ctlosKind is a format of control ordered sets, with the type that selects it. Of types with items (the high half of
// octet 4), it is the format of one item.
type ctlosKind struct {
	format  layout.Format
	kind    wire.CtlOSType
	hasItem bool
	item    uint8
}

// ctlosNames are the names of the types of control ordered sets.
var ctlosNames = layout.Names{
	{Value: uint64(wire.LLRAck), Name: "LLR_ACK"}, {Value: uint64(wire.LLRNack), Name: "LLR_NACK"},
	{Value: uint64(wire.LLRInit), Name: "LLR_INIT"}, {Value: uint64(wire.LLRInitEcho), Name: "LLR_INIT_ECHO"},
	{Value: uint64(wire.CFUpdate), Name: "CF_Update"}, {Value: uint64(wire.StationCtlOS), Name: "STATION"},
	{Value: uint64(wire.ChannelCtlOS), Name: "VC"}, {Value: uint64(wire.GapCtlOS), Name: "GAP"},
}

// blockNames are the names of the two views in octet 0.
var blockNames = layout.Names{{Value: uint64(wire.ViewPCS), Name: "64B/66B"}, {Value: uint64(wire.ViewXMII),
	Name: "xMII"}}

// ctlos returns the format of a control ordered set: the fields that all share (octets 0 and 1, and the O-code)
// and the given fields, in their order in the octets.
func ctlos(name, prefix, title, source string, fields ...layout.Field) layout.Format {
	head := []layout.Field{
		field("block_type", 8, "0", "block type, or control character").Named(blockNames),
		field("ctlos_type", 8, "1", "message type").Named(ctlosNames),
	}
	fields = append(append(head, fields...), field("ocode", 4, "4[3:0]", "ordered set code").Within(6, 6))
	slices.SortStableFunc(fields, func(a, b layout.Field) int { return a.At - b.At })
	return layout.Format{Name: name, Prefix: prefix, Title: title, Len: wire.CtlOSLen, Source: source, Fields: fields}
}

// station returns the format of a STATION control ordered set with one item, by the item's number and its fields.
func station(number uint8, name, title string, fields ...layout.Field) ctlosKind {
	fields = append([]layout.Field{item(stationItems)}, fields...)
	return ctlosKind{kind: wire.StationCtlOS, hasItem: true, item: number,
		format: ctlos(name, "uelink.station", title, "our own", fields...)}
}

// gap returns the format of a GAP control ordered set with one item, by the item's number and its fields.
func gap(number uint8, name, title string, fields ...layout.Field) ctlosKind {
	fields = append([]layout.Field{item(gapItems)}, fields...)
	return ctlosKind{kind: wire.GapCtlOS, hasItem: true, item: number,
		format: ctlos(name, "uelink.gap", title, "our own", fields...)}
}

// initFields returns the fields of LLR_INIT and LLR_INIT_ECHO.
func initFields() []layout.Field {
	return []layout.Field{
		field("init_seq", 20, "2-3+4[7:4]", "sequence number of the next frame"),
		field("init_data_low", 8, "5", "echoed unchanged"),
		field("init_data_high", 8, "6", "echoed unchanged"),
		reserved(8, "7"),
	}
}

// ackFields returns the fields of LLR_ACK and LLR_NACK.
func ackFields() []layout.Field {
	return []layout.Field{
		field("ack_nack_seq", 20, "2-3+4[7:4]", "sequence number of the last frame received in order"),
		reserved(24, "5-7"),
	}
}

// item returns the field that holds the number of an item of STATION or GAP, the high half of octet 4. names are the
// names of the items.
func item(names layout.Names) layout.Field {
	return field("item", 4, "4[7:4]", "number of the item").Named(names)
}

// stationItems are the names of the items of STATION.
var stationItems = layout.Names{{Value: 0, Name: "frames"}, {Value: 1, Name: "start"}, {Value: 2, Name: "services"},
	{Value: 3, Name: "twice"}, {Value: 4, Name: "leaves"}, {Value: 5, Name: "resumes"},
	{Value: 6, Name: "trouble"}}

// channelOps are the names of the operations of VC.
var channelOps = layout.Names{{Value: 0, Name: "HELD"}, {Value: 1, Name: "START"}, {Value: 2, Name: "STARTED"},
	{Value: 3, Name: "STOP"}, {Value: 4, Name: "STOPPED"}, {Value: 5, Name: "REFUSED"}, {Value: 6, Name: "UNKNOWN"},
	{Value: 7, Name: "STARTED_TOTAL"}}

// ctlosKinds are the formats of control ordered sets. Of formats with the same type, the first that fits counts.
var ctlosKinds = []ctlosKind{
	{kind: wire.LLRAck, format: ctlos("llr_ack", ProtocolLLR, "LLR_ACK", "UE-LINK §2.1", ackFields()...)},
	{kind: wire.LLRNack, format: ctlos("llr_nack", ProtocolLLR, "LLR_NACK", "UE-LINK §2.2", ackFields()...)},
	{kind: wire.LLRInit, format: ctlos("llr_init", ProtocolLLR, "LLR_INIT", "UE-LINK §2.3", initFields()...)},
	{kind: wire.LLRInitEcho, format: ctlos("llr_init_echo", ProtocolLLR, "LLR_INIT_ECHO", "UE-LINK §2.4",
		initFields()...)},
	{kind: wire.CFUpdate, format: ctlos("cf_update", "uecbfc.cf", "CF_Update", "UE-LINK §4.1",
		field("cf1_vc", 5, "2[7:3]", "virtual channel"),
		field("cf1_count", 15, "2[2:0]+3+4[7:4]", "credits freed of the channel, the low 15 bits"),
		field("cf2_vc", 5, "5[7:3]", "virtual channel"),
		field("cf2_count", 15, "5[2:0]+6+7[7:4]", "credits freed of the channel, the low 15 bits"),
		reserved(4, "7[3:0]"))},
	station(0, "station_frames", "STATION frames",
		field("largest", 16, "2-3", "longest link frame accepted, octets"),
		field("longest", 16, "5-6", "longest control frame received, octets"),
		field("seen_shim", 1, "7[7]", "a data frame with a shim was received"),
		field("ue1", 1, "7[6]", "the dialect is ue1"),
		field("addressed", 1, "7[5]", "data frames have outer addresses, those of the two link ports"),
		field("fcs", 1, "7[4]", "data frames end with an FCS image, a CRC-32 over the frame"),
		field("dynamic", 1, "7[3]", "negotiation turns LLR on and off (mode: dynamic)"),
		field("live", 1, "7[2]", "the LLR receiver has been initialised"),
		field("remote", 1, "7[1]", "LLR_MODE_REMOTE is on"),
		field("local", 1, "7[0]", "LLR_MODE_LOCAL is on")),
	station(1, "station_start", "STATION start",
		field("ethertype", 16, "2-3", "EtherType of the data frames sent"),
		field("start_id", 24, "5-7", "random identifier of this start of the station")),
	station(2, "station_services", "STATION services",
		field("cbfc", 1, "2[7]", "CBFC"),
		field("takes_addressed", 1, "2[6]", "the station accepts frames with outer addresses"),
		field("takes_to_partner", 1, "2[5]", "the station accepts data frames for its own use, such as CC_Updates"),
		field("takes_vcs", 1, "2[4]", "the station accepts frames of virtual channels above 0"),
		field("busy", 1, "2[3]", "the station accepts no data frames now (BUSY)"),
		field("held", 1, "2[2]", "the station keeps frames for the leaving partner, which has "+
			"acknowledged every frame that the station sent"),
		field("holds", 1, "2[1]", "the station keeps frames until the leaving partner is back"),
		field("numbers_nacks", 1, "2[0]", "the station recognises a copy of an LLR_NACK by nack_number"),
		field("num_vcs", 8, "3", "number of virtual channels"),
		field("controls", 16, "5-6", "control frames received, modulo 2^16"),
		field("keeps", 8, "7", "log2 of the frames kept behind a gap; 0: go-back-N")),
	station(3, "station_twice", "STATION twice",
		field("twice_high", 16, "2-3", "sequenced frames received twice, bits 31 to 16"),
		field("twice_low", 16, "5-6", "sequenced frames received twice, bits 15 to 0"),
		field("nack_again", 1, "7[7]", "the following LLR_NACK asks again, because no answer came"),
		field("nack_number", 7, "7[6:0]", "number of the last LLR_NACK, the same in a copy of the LLR_NACK; 0: none")),
	station(4, "station_leaves", "STATION leaves",
		field("back_within", 16, "2-3", "longest absence, milliseconds"),
		field("spare", 24, "5-7", "not used")),
	station(5, "station_resumes", "STATION resumes",
		field("origin_high", 16, "2-3", "init_seq of the partner in the previous start of the station, bits 19 to 4"),
		field("origin_low", 4, "5[7:4]", "init_seq of the partner in the previous start of the station, bits 3 to 0"),
		field("next_rx_seq", 20, "5[3:0]+6-7", "sequence number of the next expected frame")),
	station(6, "station_trouble", "STATION trouble",
		field("trouble", 8, "2", "code of a problem that the station sees"),
		field("trouble_a_high", 8, "3", "first number that belongs to the problem, such as a length, bits 15 to 8"),
		field("trouble_a_low", 8, "5", "first number that belongs to the problem, bits 7 to 0"),
		field("trouble_b", 16, "6-7", "second number that belongs to the problem")),
	{kind: wire.StationCtlOS, format: ctlos("station_other", "uelink.station", "STATION", "our own",
		item(stationItems), field("data_high", 16, "2-3", "data of an unknown item, first part"), field("data_low", 24, "5-7",
			"data of an unknown item, second part"))},
	gap(0, "gap_missing", "GAP missing",
		field("from_high", 16, "2-3", "sequence number of the first missing frame, bits 19 to 4"),
		field("from_low", 4, "5[7:4]", "sequence number of the first missing frame, bits 3 to 0"),
		field("to", 20, "5[3:0]+6-7", "sequence number after the last missing frame of the gap")),
	gap(1, "gap_arrived", "GAP arrived",
		field("last_high", 16, "2-3", "sequence number of the frame that arrived last, bits 19 to 4"),
		field("last_low", 4, "5[7:4]", "sequence number of the frame that arrived last, bits 3 to 0"),
		field("high", 20, "5[3:0]+6-7", "sequence number after the highest number that has arrived")),
	{kind: wire.ChannelCtlOS, format: ctlos("vc", "uecbfc.vc", "VC", "our own",
		field("vc", 5, "2[7:3]", "virtual channel"),
		field("operation", 3, "2[2:0]", "question or answer").Named(channelOps),
		field("transaction", 8, "3", "number of the question, the same in the answer"),
		field("credit_size", 4, "4[7:4]", "binary exponent: a credit is 32 << credit_size octets"),
		field("credit_limit", 16, "5-6", "credits"),
		field("overhead", 8, "7", "octets that the count of credits adds to each frame").TwosComplement())},
}

// gapItems are the names of the items of GAP.
var gapItems = layout.Names{{Value: 0, Name: "missing"}, {Value: 1, Name: "arrived"}}

// ctlosUnknown is the format of a control ordered set of unknown type.
var ctlosUnknown = ctlos("ctlos_unknown", "uelink.ctlos", "Control ordered set", "our own",
	field("data_high", 16, "2-3", "data of an unknown type, first part"),
	field("data_item", 4, "4[7:4]", "data of an unknown type, second part"),
	field("data_low", 24, "5-7", "data of an unknown type, third part"))

// ctlosFormats are the formats of ctlosKinds, and ctlosUnknown.
var ctlosFormats = func() (list []*layout.Format) {
	for i := range ctlosKinds {
		list = append(list, &ctlosKinds[i].format)
	}
	return append(list, &ctlosUnknown)
}()

// ctlosFormat returns the format of a control ordered set of 8 octets, by its type and item; ctlosUnknown for
// other types.
func ctlosFormat(octets []byte) *layout.Format {
	for i := range ctlosKinds {
		k := &ctlosKinds[i]
		if byte(k.kind) == octets[typeOctet] && (!k.hasItem || k.item == octets[itemOctet]>>4) {
			return &k.format
		}
	}
	return &ctlosUnknown
}
