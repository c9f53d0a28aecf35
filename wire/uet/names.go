package uet

import (
	"uelink/wire"
	"uelink/wire/layout"
)

// names returns a table of values and their names: the first name of the list is for value 0, the next for value 1, and
// so on. A value whose name is empty gets no entry.
func names(list ...string) layout.Names {
	var n layout.Names
	for v, name := range list {
		if name != "" {
			n = append(n, layout.Name{Value: uint64(v), Name: name})
		}
	}
	return n
}

// typeNames are the packet types of PDS.
var typeNames = names("", "SECURITY", "RUD_REQ", "ROD_REQ", "RUDI_REQ", "RUDI_RESP", "UUD_REQ", "ACK", "ACK_CC",
	"ACK_CCX", "NACK", "CTRL", "NACK_CCX", "RUD_CC_REQ", "ROD_CC_REQ")

// nextHeaders are, by dialect, the values of next_hdr of PDS, which announce the following SES
// header: UE-SES §1, and UE 1.0.
var nextHeaders = [2]layout.Names{
	names("STANDARD_SOM1", "STANDARD_SOM0", "OPTIMIZED_NON_MATCHING", "SMALL", "RESPONSE",
		"RESPONSE_WITH_DATA", "OPTIMIZED_RESPONSE"),
	names("NONE", "REQ_SMALL", "REQ_MEDIUM", "REQ_STD", "RSP", "RSP_DATA", "RSP_DATA_SMALL"),
}

// NextHeaderNames returns the names of the values of next_hdr in a dialect. The caller must not
// change them.
func NextHeaderNames(d wire.Dialect) layout.Names { return nextHeaders[d] }

// controlNames are the types of CTRL packets.
var controlNames = names("NOP", "ACK_REQ", "CLEAR", "CLEAR_REQ", "CLOSE", "CLOSE_REQ", "PROBE", "CREDIT",
	"CREDIT_REQ", "NEGOTIATION")

// nackNames are the codes of NACK packets. UE 1.0.3 has removed TRIMMED_ACK.
var nackNames = append(names("", "TRIMMED", "TRIMMED_LASTHOP", "TRIMMED_ACK", "NO_PDC_AVAIL", "NO_CCC_AVAIL",
	"NO_BITMAP", "NO_PKT_BUFFER", "NO_GTD_DEL_AVAIL", "NO_SES_MSG_AVAIL", "NO_RESOURCE", "PSN_OOR_WINDOW", "",
	"ROD_OOO", "INV_DPDCID", "PDC_HDR_MISMATCH", "CLOSING", "CLOSING_IN_ERR", "PKT_NOT_RCVD", "GTD_RESP_UNAVAIL",
	"ACK_WITH_DATA", "INVALID_SYN", "PDC_MODE_MISMATCH", "NEW_START_PSN", "RCVD_SES_PROCG", "UNEXP_EVENT",
	"RCVR_INFER_LOSS"),
	layout.Name{Value: 0xFD, Name: "EXP_NACK_NORMAL"}, layout.Name{Value: 0xFE, Name: "EXP_NACK_ERR"},
	layout.Name{Value: 0xFF, Name: "EXP_NACK_FATAL"})

// Operation codes of requests: UE-SES §2, Table 3-17, and UE 1.0.
// Clauses: UE-SES/opcodes.1-3.
var (
	seedRequests = names("TAGGED_SEND", "RMA_WRITE", "RMA_READ", "ATOMIC_WRITE", "ATOMIC_READ", "ATOMIC_CAS",
		"DEFERRABLE_SEND", "READY_TO_RESTART", "SMALL_MESSAGE", "SMALL_RMA_WRITE", "SMALL_RMA_READ",
		"SMALL_ATOMIC_WRITE", "SMALL_ATOMIC_READ", "SMALL_ATOMIC_CAS")
	ue1Requests = names("NO_OP", "WRITE", "READ", "ATOMIC", "FETCH_ATOMIC", "SEND", "RNDV_SEND", "DGRAM_SEND",
		"DEFER_SEND", "TAGGED_SEND", "RNDV_TSEND", "DEFER_TSEND", "DEFER_RTR", "TSEND_ATOMIC",
		"TSEND_FETCH_ATOMIC", "MSG_ERR", "SYNC_WRITE", "SYNC_ATOMIC")
)

// Operation codes of responses: UE-SES §2, Table 3-18, and UE 1.0.
// Clauses: UE-SES/opcodes.4.
var (
	seedResponses = names("RESPONSE", "RESPONSE_WITH_DATA", "OPTIMIZED_RESPONSE", "NACK")
	ue1Responses  = names("DEFAULT_RESPONSE", "RESPONSE", "RESPONSE_W_DATA", "NO_RESPONSE")
)

// Return codes: UE-SES §3.3, Table 3-19, and UE 1.0.
// Clauses: UE-SES/response.7.
var (
	seedReturnCodes = names("RC_OK", "RC_NO_MATCH", "RC_BUFFER_TOO_SMALL", "RC_AUTHORIZATION_FAILURE",
		"RC_INVALID_OPERATION", "RC_RESOURCE_EXHAUSTION", "RC_GENERATION_MISMATCH", "RC_TRUNCATED")
	ue1ReturnCodes = names("RC_NULL", "RC_OK", "RC_BAD_GENERATION", "RC_DISABLED", "RC_DISABLED_GEN", "RC_NO_MATCH",
		"RC_UNSUPPORTED_OP", "RC_UNSUPPORTED_SIZE", "RC_AT_INVALID", "RC_AT_PERM", "RC_AT_ATS_ERROR",
		"RC_AT_NO_TRANS", "RC_AT_OUT_OF_RANGE", "RC_HOST_POISONED", "RC_HOST_UNSUCCESS_CMPL",
		"RC_AMO_UNSUPPORTED_OP", "RC_AMO_UNSUPPORTED_DT", "RC_AMO_UNSUPPORTED_SIZE", "RC_AMO_UNALIGNED",
		"RC_AMO_FP_NAN", "RC_AMO_FP_UNDERFLOW", "RC_AMO_FP_OVERFLOW", "RC_AMO_FP_INEXACT", "RC_PERM_VIOLATION",
		"RC_OP_VIOLATION", "RC_BAD_INDEX", "RC_BAD_PID", "RC_BAD_JOB_ID", "RC_BAD_MKEY", "RC_BAD_ADDR",
		"RC_CANCELLED", "RC_UNDELIVERABLE", "RC_UNCOR", "RC_UNCOR_TRNSNT", "RC_TOO_LONG", "RC_INITIATOR_ERR",
		"RC_DROPPED")
)

// lists are the destinations of a response's payload (UE-SES §3.3).
var lists = names("EXPECTED", "UNEXPECTED")

// atomicOpcodes are the operations of UE-SES §3.7, Table 3-21; UE 1.0 has the same.
// Clauses: UE-SES/atomic.4.
var atomicOpcodes = names("MIN", "MAX", "SUM", "DIFF", "PROD", "LOR", "LAND", "BOR", "BAND", "LXOR", "BXOR", "READ",
	"WRITE", "CSWAP", "CSWAP_NE", "CSWAP_LE", "CSWAP_LT", "CSWAP_GE", "CSWAP_GT", "MSWAP", "INVAL")

// The atomic operation codes with two operands.
const (
	firstSwap = 0x0D // CSWAP
	lastSwap  = 0x13 // MSWAP
)

// Data types of atomic operations: UE-SES §3.7, Table 3-22, and UE 1.0.
// Clauses: UE-SES/atomic.5.
var (
	seedDatatypes = names("INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32", "INT64", "UINT64", "FLOAT",
		"DOUBLE", "FLOAT_COMPLEX", "DOUBLE_COMPLEX", "", "", "FLOAT16", "BFLOAT16")
	ue1Datatypes = names("INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32", "INT64", "UINT64", "INT128",
		"UINT128", "FLOAT", "DOUBLE", "FLOAT_COMPLEX", "DOUBLE_COMPLEX", "LONG_DOUBLE", "LONG_DOUBLE_COMPLEX",
		"BF16", "FP16")
)
