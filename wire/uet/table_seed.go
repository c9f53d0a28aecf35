package uet

import "uelink/wire/layout"

// The values of next_hdr in the dialect seed: the SES header that follows (UE-SES §1).
const (
	seedStandardSOM1 = iota
	seedStandardSOM0
	seedOptimized
	seedSmall
	seedResponse
	seedResponseData
	seedOptimizedResponse
)

// semantic returns the format of an SES header of length octets for dialects d, the next header that announces it, and
// its operation codes. parts are its fields; name, title and source are those of layout.Format.
func semantic(d Dialects, nextHeader uint8, codes Opcodes, name, title, source string, length int,
	parts ...[]layout.Field) Format {
	f := Format{Layer: LayerSES, Dialects: d, NextHeader: nextHeader, Opcodes: codes,
		Format: layout.Format{Name: name, Prefix: "ueuet.ses", Title: title, Len: length, Source: source}}
	for _, part := range parts {
		f.Fields = append(f.Fields, part...)
	}
	return f
}

// version returns the field of the two version bits, 0 in every version so far, at the given place.
func version(place string) layout.Field {
	return field("version", 2, place, "protocol version, 0 for 1.0").Within(0, 0)
}

// standard returns the fields of octets 0 to 7 of the standard SES headers; som is the required value of SOM, and d
// chooses the names of the operation codes.
// Clauses: UE-SES/som1.1-16, UE-SES/deferrable.5.
func standard(d Dialects, som uint64) []layout.Field {
	return []layout.Field{
		reserved(2, "0[7:6]"),
		field("opcode", 6, "0[5:0]", "operation").Named(requestNames(d)),
		version("1[7:6]"),
		field("dc", 1, "1[5]", "delivery complete: answer when the data is globally observable"),
		field("ie", 1, "1[4]", "initiator error"),
		field("rel", 1, "1[3]", "relative addressing"),
		field("hd", 1, "1[2]", "header data is present"),
		field("eom", 1, "1[1]", "end of message"),
		field("som", 1, "1[0]", "start of message").Within(som, som),
		field("message_id", 16, "2-3", "message identifier, never 0").Within(1, 0xFFFF),
		field("ri_generation", 8, "4", "generation of the resource index"),
		field("job_id", 24, "5-7", "job identifier"),
	}
}

// requestNames returns the names of the operation codes of requests: of UE-SES for Seed, else of UE 1.0.
func requestNames(d Dialects) layout.Names {
	if d == Seed {
		return seedRequests
	}
	return ue1Requests
}

// target returns the fields of octets 8 to 11 of SES requests: the process and resource addressed.
func target() []layout.Field {
	return []layout.Field{
		reserved(4, "8[7:4]"),
		field("pid_on_fep", 12, "8[3:0]+9", "process on the fabric end point"),
		reserved(4, "10[7:4]"),
		field("resource_index", 12, "10[3:0]+11", "resource of the process"),
	}
}

// bufferOffset returns the fields of the octets 12 to 19 of a standard header that names a place in a buffer.
func bufferOffset() []layout.Field {
	return []layout.Field{field("buffer_offset", 64, "12-19", "offset in the buffer, or a virtual address")}
}

// restartTokens returns the fields of the two restart tokens of a request.
// Clauses: UE-SES/som1.17.
func restartTokens() []layout.Field {
	return []layout.Field{
		field("initiator_restart_token", 32, "12-15", "token chosen by the initiator"),
		field("target_restart_token", 32, "16-19", "token of the Ready to Restart; 0 in the first request"),
	}
}

// matching returns the fields of octets 20 to 31 of a standard request: initiator and match bits.
func matching() []layout.Field {
	return []layout.Field{
		field("initiator", 32, "20-23", "initiator, for tagged matching"),
		field("match_bits", 64, "24-31", "match bits of a send, memory key of RMA"),
	}
}

// headerData returns the field of octets 32 to 39 of a standard request, the completion data.
func headerData() []layout.Field {
	return []layout.Field{field("header_data", 64, "32-39", "completion data, valid if hd is set")}
}

// requestLength returns the field of octets 40 to 43 of a standard request, the octets to transfer.
func requestLength() []layout.Field {
	return []layout.Field{field(requestLengthField, 32, "40-43", "octets to transfer")}
}

// small returns the fields of octets 0 to 7 of the small SES headers of the dialect seed. The fields of octets 0 and 1
// are two bits further left than in the standard headers.
// Clauses: UE-SES/small.1-7.
func small(hd layout.Field) []layout.Field {
	return []layout.Field{
		field("opcode", 6, "0[7:2]", "operation").Named(seedRequests),
		version("0[1:0]"),
		field("dc", 1, "1[7]", "delivery complete: answer when the data is globally observable"),
		field("ie", 1, "1[6]", "initiator error"),
		field("rel", 1, "1[5]", "relative addressing"),
		hd,
		field("eom", 1, "1[3]", "end of message, always 1").Within(1, 1),
		field("som", 1, "1[2]", "start of message, always 1").Within(1, 1),
		reserved(2, "1[1:0]"),
		reserved(2, "2[7:6]"),
		field(requestLengthField, 14, "2[5:0]+3", "octets to transfer"),
		field("ri_generation", 8, "4", "generation of the resource index"),
		field("job_id", 24, "5-7", "job identifier"),
	}
}

// answer returns the fields of octets 0 and 1 of SES responses, with the names of operation and return codes.
// Clauses: UE-SES/response.7.
func answer(opcodes, codes layout.Names) []layout.Field {
	return []layout.Field{
		field("list", 2, "0[7:6]", "list of the target's buffers that took the payload").Named(lists),
		field("response_opcode", 6, "0[5:0]", "operation of the response").Named(opcodes),
		version("1[7:6]"),
		field("return_code", 6, "1[5:0]", "outcome of the request").Named(codes),
	}
}

// payloadLength returns the field of 14 bits, at the given place, with the length of the payload of a packet.
func payloadLength(place string) layout.Field {
	return field(payloadLengthField, 14, place, "octets of payload in this packet")
}

// seedSES returns the SES header formats of UE-SES. The layout of §3.13 is that of §3.5.
// Clauses: UE-SES/overview.1-7, UE-SES/opcodes.1-4, UE-SES/som0.1-4, UE-SES/response.1-6, UE-SES/data.1-7,
// UE-SES/deferrable.1-4, UE-SES/rtr.1-4, UE-SES/optimized.1-7, UE-SES/optresponse.1-4, UE-SES/smallrma.1,2.
func seedSES() []Format {
	head := answer(seedResponses, seedReturnCodes)
	job := field("job_id", 24, "5-7", "job identifier")
	return []Format{
		semantic(Seed, seedStandardSOM1, span(0x00, 0x05), "standard_request_som1", "Standard Request SOM=1",
			"UE-SES §3.1, Table 3-8", 44,
			standard(Seed, 1), target(), bufferOffset(), matching(), headerData(), requestLength()),
		semantic(Seed, seedStandardSOM1, opcodes(0x06), "deferrable_send_request", "Deferrable Send Request",
			"UE-SES §3.9, Figure 3-11", 44,
			standard(Seed, 1), target(), restartTokens(), matching(), headerData(), requestLength()),
		semantic(Seed, seedStandardSOM1, opcodes(0x07), "ready_to_restart", "Ready to Restart",
			"UE-SES §3.10, Figure 3-12", 44, standard(Seed, 1), target(), []layout.Field{
				field("buffer_offset", 64, "12-19", "offset from which on the target has not taken the message").Within(0, 1<<32-2),
				field("initiator_restart_token", 32, "20-23", "token of the deferrable send"),
				field("target_restart_token", 32, "24-27", "token chosen by the target, 0 for none"),
				reserved(32, "28-31"),
			}, headerData(), requestLength()),
		semantic(Seed, seedStandardSOM0, span(0x00, 0x06), "standard_request_som0", "Standard Request SOM=0",
			"UE-SES §3.2, Table 3-9", 16, standard(Seed, 0), []layout.Field{
				field("message_offset", 32, "8-11", "offset in the message at which this packet begins"),
				reserved(32, "12-15"),
			}),
		semantic(Seed, seedOptimized, span(0x01, 0x05)|span(0x09, 0x0D), "optimized_non_matching",
			"Optimized Non-Matching",
			"UE-SES §3.11, Table 3-10", 32, small(reserved(1, "1[4]")), target(), bufferOffset(),
			[]layout.Field{reserved(96, "20-31")}),
		semantic(Seed, seedSmall, span(0x01, 0x02)|span(0x08, 0x0D), "small_message", "Small Message, Small RMA",
			"UE-SES §3.5 and §3.13, Figure 3-14", 32,
			small(field("hd", 1, "1[4]", "header data is present")), target(), []layout.Field{
				field("initiator", 32, "12-15", "initiator, for tagged matching"),
				field("match_bits", 64, "16-23", "match bits of a send, memory key of RMA"),
				field("header_data", 64, "24-31", "completion data, valid if hd is set"),
			}),
		semantic(Seed, seedResponse, opcodes(0x00, 0x03), "response", "Response", "UE-SES §3.3, Table 3-11", 16,
			head, []layout.Field{
				field("message_id", 16, "2-3", "message identifier of the request"),
				field("ri_generation", 8, "4", "generation of the resource index"), job,
				field("modified_length", 32, "8-11", "octets that were transferred"),
				reserved(32, "12-15"),
			}),
		semantic(Seed, seedResponseData, opcodes(0x01), "response_with_data", "Response with Data",
			"UE-SES §3.4, Table 3-12", 24, head, []layout.Field{
				field("response_message_id", 16, "2-3", "message identifier of the response"),
				reserved(8, "4"), job,
				field("read_request_message_id", 16, "8-9", "message identifier of the request"),
				reserved(2, "10[7:6]"), payloadLength("10[5:0]+11"),
				field("modified_length", 32, "12-15", "octets that were transferred, in all packets"),
				field("message_offset", 32, "16-19", "offset in the response at which this packet begins"),
				reserved(32, "20-23"),
			}),
		semantic(Seed, seedOptimizedResponse, opcodes(0x02), "optimized_response_with_data",
			"Optimized Response with Data",
			"UE-SES §3.12, Table 3-13", 16, head, []layout.Field{
				reserved(2, "2[7:6]"), payloadLength("2[5:0]+3"), reserved(8, "4"), job,
				field("original_request_psn", 32, "8-11", "PSN of the request"),
				reserved(32, "12-15"),
			}),
	}
}
