package decode

import (
	"uelink/wire/layout"
	"uelink/wire/micropacket"
)

// hippiFrame is the head of a frame of micropackets, behind its EtherType.
var hippiFrame = layout.Format{Name: "hippi_frame", Prefix: "uehippi.frame", Title: "Frame of micropackets", Len: 12,
	Source: "our own", Fields: []layout.Field{
		field("mark", 16, "0-1", "4836, in the place where a data frame has the LLR preamble"),
		field("fcs", 1, "2[7]", fcsText),
		field("vc3", 1, "2[6]", "the sender of the frame accepts Messages on VC3"),
		field("version", 6, "2[5:0]", "version of the frame").Within(1, 1),
		field("count", 8, "3", "micropackets that follow").Within(1, micropacket.MaxPerFrame),
		field("number", 32, "4-7", "number of the frame, modulo 2^32"),
		field("from", 16, "8-9", "epoch of the sender, new at each Link Reset and Initialize").Within(1, 0xFFFF),
		field("to", 16, "10-11", "epoch of the receiver as the sender knows it, 0 is unknown"),
	}}

// hippiControl is the control bits of a micropacket, behind its 32 data octets.
var hippiControl = layout.Format{Name: "micropacket", Prefix: "uehippi", Title: "Control bits of a micropacket",
	Len: micropacket.ControlLen, Source: "HIPPI-6400 §6.1, figure 11", Fields: []layout.Field{
		field("lcrc", 16, "0-1", "link CRC over the data octets and the control bits c47 to c00"),
		field("ecrc", 16, "2-3", "end-to-end CRC over the data octets of the Message so far, the Header included"),
		field("tseq", 8, "4", "number of the micropacket, 255 is none"),
		field("rseq", 8, "5", "ACK indication: the last number accepted, 255 is none"),
		field("cr", 6, "6[7:2]", "credits granted"),
		field("vcr", 2, "6[1:0]", "virtual channel of the credits"),
		field("error", 1, "7[7]", "damaged upstream: the ECRC is not checked"),
		field("tail", 1, "7[6]", "the last micropacket of a Message"),
		field("type", 4, "7[5:2]", "TYPE").Named(hippiTypes()),
		field("vc", 2, "7[1:0]", "virtual channel"),
	}}

// hippiTypes returns the names of the micropacket types that HIPPI-6400-PH defines, by number.
func hippiTypes() (list layout.Names) {
	for t := range micropacket.Type(16) {
		if t.Defined() {
			list = append(list, layout.Name{Value: uint64(t), Name: t.String()})
		}
	}
	return list
}

// hippiHeader is the MAC and LLC/SNAP header of a Message: the first 24 data octets of a Header micropacket.
var hippiHeader = layout.Format{Name: "hippi_header", Prefix: "uehippi", Title: "Header of a Message", Len: 24,
	Source: "HIPPI-6400 §7, figure 14", Fields: []layout.Field{
		field("d_ula", 48, "0-5", "MAC address of the destination"),
		field("s_ula", 48, "6-11", "MAC address of the source"),
		field("m_len", 32, "12-15", "octets behind M_len without padding: 8 octets of LLC and SNAP, and the payload"),
		field("dsap", 8, "16", "AA"),
		field("ssap", 8, "17", "AA"),
		field("ctl", 8, "18", "3"),
		field("org", 24, "19-21", "0"),
		field("ethertype", 16, "22-23", "EtherType, or the length of an 802.3 frame"),
	}}

// hippiFormats are the formats of HIPPI-6400-PH.
var hippiFormats = []*layout.Format{&hippiFrame, &hippiControl, &hippiHeader}
