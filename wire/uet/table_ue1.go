package uet

import "uelink/wire/layout"

// The values of next_hdr in the dialect ue1: the SES header that follows.
const (
	ue1None = iota
	ue1Small
	ue1Medium
	ue1Standard
	ue1Response
	ue1ResponseData
	ue1ResponseDataSmall
)

// ue1SESSource is the source of the SES formats of UE 1.0.
const ue1SESSource = ueLinkLayer + ", SES"

// Conditions on the first 16 bits of requests of UE 1.0.
var (
	started   = layout.When{Mask: 0x0001, Want: 0x0001} // SOM
	continued = layout.When{Mask: 0x0001}
)

// ue1Head returns the fields of octets 0 to 7 of requests of UE 1.0; last are the fields of octets 2 and 3.
func ue1Head(last ...layout.Field) []layout.Field {
	head := append([]layout.Field{}, standard(UE1, 0)[:9]...)
	head[8].Limits = layout.Limits{} // SOM is free
	head = append(head, last...)
	return append(head,
		field("ri_generation", 8, "4", "generation of the resource index"),
		field("job_id", 24, "5-7", "job identifier"))
}

// ue1MessageID returns the field of octets 2 and 3 of the standard header of UE 1.0.
func ue1MessageID() layout.Field { return field("message_id", 16, "2-3", "message identifier") }

// ue1Length returns the fields of octets 2 and 3 of the small and the medium header of UE 1.0.
func ue1Length() []layout.Field {
	return []layout.Field{reserved(2, "2[7:6]"), field(requestLengthField, 14, "2[5:0]+3", "octets to transfer")}
}

// ue1Part returns the fields of octets 32 to 39 of the standard header of UE 1.0: completion data at the start of
// a message, and in every later packet the offset in the message.
func ue1Part() []layout.Field {
	return []layout.Field{
		headerData()[0].If(started),
		reserved(18, "32-33+34[7:6]").If(continued),
		payloadLength("34[5:0]+35").If(continued),
		field("message_offset", 32, "36-39", "offset in the message at which this packet begins").If(continued),
	}
}

// ue1SES returns the SES header formats of UE 1.0.
func ue1SES() []Format {
	head := answer(ue1Responses, ue1ReturnCodes)
	job := field("job_id", 24, "5-7", "job identifier")
	prefix := []layout.Field{field("ri_generation", 8, "4", "generation of the resource index"), job}
	std := func(codes Opcodes, name, title string, middle ...[]layout.Field) Format {
		parts := append([][]layout.Field{ue1Head(ue1MessageID()), target()}, middle...)
		return semantic(UE1, ue1Standard, codes, name, title, ue1SESSource, 44, append(parts, ue1Part(),
			requestLength())...)
	}
	ordinary := span(0x00, 0x07) | opcodes(0x09, 0x0A) | span(0x0D, 0x11)
	first := std(ordinary, "req_std_som1", "Standard Request SOM=1", bufferOffset(), matching())
	first.When = started
	later := std(ordinary, "req_std_som0", "Standard Request SOM=0", bufferOffset(), matching())
	later.When = continued
	return []Format{
		semantic(UE1, ue1Small, span(0x00, 0x04), "req_small", "Small Request", ue1SESSource, 20,
			ue1Head(ue1Length()...), target(), bufferOffset()),
		semantic(UE1, ue1Medium, span(0x00, 0x05)|opcodes(0x07, 0x09)|span(0x0D, 0x0E), "req_medium", "Medium Request",
			ue1SESSource, 32, ue1Head(ue1Length()...), target(), []layout.Field{
				field("header_data", 64, "12-19", "completion data if hd is set, else the offset in the buffer"),
			}, matching()),
		first, later,
		std(opcodes(0x08, 0x0B), "req_std_deferrable", "Deferrable Request", restartTokens(), matching()),
		std(opcodes(0x0C), "req_std_rtr", "Ready to Restart", bufferOffset(), []layout.Field{
			field("initiator", 32, "20-23", "initiator"),
			field("initiator_restart_token", 32, "24-27", "token of the deferrable send"),
			field("target_restart_token", 32, "28-31", "token chosen by the target"),
		}),
		semantic(UE1, ue1Response, opcodes(0x00, 0x01, 0x03), "rsp", "Response", ue1SESSource, 12, head,
			[]layout.Field{field("message_id", 16, "2-3", "message identifier of the request")}, prefix,
			[]layout.Field{field("modified_length", 32, "8-11", "octets that were transferred")}),
		semantic(UE1, ue1ResponseData, opcodes(0x02), "rsp_data", "Response with Data", ue1SESSource, 20, head,
			[]layout.Field{field("response_message_id", 16, "2-3", "message identifier of the response")}, prefix,
			[]layout.Field{
				field("read_request_message_id", 16, "8-9", "message identifier of the request"),
				reserved(2, "10[7:6]"), payloadLength("10[5:0]+11"),
				field("modified_length", 32, "12-15", "octets that were transferred, in all packets"),
				field("message_offset", 32, "16-19", "offset in the response at which this packet begins"),
			}),
		semantic(UE1, ue1ResponseDataSmall, opcodes(0x02), "rsp_data_small", "Small Response with Data", ue1SESSource,
			12, head,
			[]layout.Field{
				reserved(2, "2[7:6]"), payloadLength("2[5:0]+3"), reserved(8, "4"), job,
				field("original_request_psn", 32, "8-11", "PSN of the request"),
			}),
	}
}
