-- Wireshark dissectors for everything on a link of uelink: the shim and the frame that it
-- carries (uelink), link layer retry (uellr), credit-based flow control (uecbfc), frames of
-- micropackets (uehippi), the TLVs of Ultra Ethernet in LLDP, and UET where this Wireshark has
-- no dissector of its own (ueuet).
--
-- One file: put it into the folder of personal Lua plugins (Help, About, Folders), or
--   tshark -X lua_script:uelink.lua -r FILE
-- Filters, colours and what the analysis means are in docs/wireshark.md of uelink.

if package.loaded["uelink.dissector"] then return end -- twice is as once
package.loaded["uelink.dissector"] = true

if set_plugin_info then
  set_plugin_info({version = "1", author = "uelink", description = "Ultra Ethernet link layer"})
end

-- Lua 5.1 and 5.2 have bit operations in a library, later ones have operators.
local bitlib = bit32 or bit
local band, bxor, rshift
if bitlib then
  band, bxor, rshift = bitlib.band, bitlib.bxor, bitlib.rshift
else
  band = load("return function(a, b) return a & b end")()
  bxor = load("return function(a, b) return a ~ b end")()
  rshift = load("return function(a, n) return a >> n end")()
end

-- Tables: made by `make vectors`, not by hand.
local names = {
  {[75]="64B/66B", [92]="xMII"},
  {[1]="LLR_ACK", [2]="LLR_NACK", [3]="LLR_INIT", [4]="LLR_INIT_ECHO", [16]="CF_Update", [240]="STATION", [241]="VC", [242]="GAP"},
  {[0]="frames", [1]="start", [2]="services", [3]="twice", [4]="leaves", [5]="resumes", [6]="trouble"},
  {[0]="missing", [1]="arrived"},
  {[0]="HELD", [1]="START", [2]="STARTED", [3]="STOP", [4]="STOPPED", [5]="REFUSED", [6]="UNKNOWN", [7]="STARTED_TOTAL"},
  {[213]="not sequenced", [221]="LLR"},
  {[5]="not sequenced", [7]="LLR"},
  {[1]="VC 0 to 15", [2]="VC 16 to 31"},
  {[2]="Reset", [3]="Reset_ACK", [4]="Initialize", [5]="Initialize_ACK", [7]="Null", [8]="Data", [9]="Header", [10]="Credit-only", [15]="Admin"},
  {[1]="SECURITY", [2]="RUD_REQ", [3]="ROD_REQ", [4]="RUDI_REQ", [5]="RUDI_RESP", [6]="UUD_REQ", [7]="ACK", [8]="ACK_CC", [9]="ACK_CCX", [10]="NACK", [11]="CTRL", [12]="NACK_CCX", [13]="RUD_CC_REQ", [14]="ROD_CC_REQ"},
  {[0]="NONE", [1]="CLEAR", [2]="CLOSE"},
  {[0]="NSCC", [1]="CREDIT"},
  {[1]="TRIMMED", [2]="TRIMMED_LASTHOP", [3]="TRIMMED_ACK", [4]="NO_PDC_AVAIL", [5]="NO_CCC_AVAIL", [6]="NO_BITMAP", [7]="NO_PKT_BUFFER", [8]="NO_GTD_DEL_AVAIL", [9]="NO_SES_MSG_AVAIL", [10]="NO_RESOURCE", [11]="PSN_OOR_WINDOW", [13]="ROD_OOO", [14]="INV_DPDCID", [15]="PDC_HDR_MISMATCH", [16]="CLOSING", [17]="CLOSING_IN_ERR", [18]="PKT_NOT_RCVD", [19]="GTD_RESP_UNAVAIL", [20]="ACK_WITH_DATA", [21]="INVALID_SYN", [22]="PDC_MODE_MISMATCH", [23]="NEW_START_PSN", [24]="RCVD_SES_PROCG", [25]="UNEXP_EVENT", [26]="RCVR_INFER_LOSS", [253]="EXP_NACK_NORMAL", [254]="EXP_NACK_ERR", [255]="EXP_NACK_FATAL"},
  {[0]="NOP", [1]="ACK_REQ", [2]="CLEAR", [3]="CLEAR_REQ", [4]="CLOSE", [5]="CLOSE_REQ", [6]="PROBE", [7]="CREDIT", [8]="CREDIT_REQ", [9]="NEGOTIATION"},
  {[0]="TAGGED_SEND", [1]="RMA_WRITE", [2]="RMA_READ", [3]="ATOMIC_WRITE", [4]="ATOMIC_READ", [5]="ATOMIC_CAS", [6]="DEFERRABLE_SEND", [7]="READY_TO_RESTART", [8]="SMALL_MESSAGE", [9]="SMALL_RMA_WRITE", [10]="SMALL_RMA_READ", [11]="SMALL_ATOMIC_WRITE", [12]="SMALL_ATOMIC_READ", [13]="SMALL_ATOMIC_CAS"},
  {[0]="EXPECTED", [1]="UNEXPECTED"},
  {[0]="RESPONSE", [1]="RESPONSE_WITH_DATA", [2]="OPTIMIZED_RESPONSE", [3]="NACK"},
  {[0]="RC_OK", [1]="RC_NO_MATCH", [2]="RC_BUFFER_TOO_SMALL", [3]="RC_AUTHORIZATION_FAILURE", [4]="RC_INVALID_OPERATION", [5]="RC_RESOURCE_EXHAUSTION", [6]="RC_GENERATION_MISMATCH", [7]="RC_TRUNCATED"},
  {[0]="NO_OP", [1]="WRITE", [2]="READ", [3]="ATOMIC", [4]="FETCH_ATOMIC", [5]="SEND", [6]="RNDV_SEND", [7]="DGRAM_SEND", [8]="DEFER_SEND", [9]="TAGGED_SEND", [10]="RNDV_TSEND", [11]="DEFER_TSEND", [12]="DEFER_RTR", [13]="TSEND_ATOMIC", [14]="TSEND_FETCH_ATOMIC", [15]="MSG_ERR", [16]="SYNC_WRITE", [17]="SYNC_ATOMIC"},
  {[0]="DEFAULT_RESPONSE", [1]="RESPONSE", [2]="RESPONSE_W_DATA", [3]="NO_RESPONSE"},
  {[0]="RC_NULL", [1]="RC_OK", [2]="RC_BAD_GENERATION", [3]="RC_DISABLED", [4]="RC_DISABLED_GEN", [5]="RC_NO_MATCH", [6]="RC_UNSUPPORTED_OP", [7]="RC_UNSUPPORTED_SIZE", [8]="RC_AT_INVALID", [9]="RC_AT_PERM", [10]="RC_AT_ATS_ERROR", [11]="RC_AT_NO_TRANS", [12]="RC_AT_OUT_OF_RANGE", [13]="RC_HOST_POISONED", [14]="RC_HOST_UNSUCCESS_CMPL", [15]="RC_AMO_UNSUPPORTED_OP", [16]="RC_AMO_UNSUPPORTED_DT", [17]="RC_AMO_UNSUPPORTED_SIZE", [18]="RC_AMO_UNALIGNED", [19]="RC_AMO_FP_NAN", [20]="RC_AMO_FP_UNDERFLOW", [21]="RC_AMO_FP_OVERFLOW", [22]="RC_AMO_FP_INEXACT", [23]="RC_PERM_VIOLATION", [24]="RC_OP_VIOLATION", [25]="RC_BAD_INDEX", [26]="RC_BAD_PID", [27]="RC_BAD_JOB_ID", [28]="RC_BAD_MKEY", [29]="RC_BAD_ADDR", [30]="RC_CANCELLED", [31]="RC_UNDELIVERABLE", [32]="RC_UNCOR", [33]="RC_UNCOR_TRNSNT", [34]="RC_TOO_LONG", [35]="RC_INITIATOR_ERR", [36]="RC_DROPPED"},
  {[0]="MIN", [1]="MAX", [2]="SUM", [3]="DIFF", [4]="PROD", [5]="LOR", [6]="LAND", [7]="BOR", [8]="BAND", [9]="LXOR", [10]="BXOR", [11]="READ", [12]="WRITE", [13]="CSWAP", [14]="CSWAP_NE", [15]="CSWAP_LE", [16]="CSWAP_LT", [17]="CSWAP_GE", [18]="CSWAP_GT", [19]="MSWAP", [20]="INVAL"},
  {[0]="INT8", [1]="UINT8", [2]="INT16", [3]="UINT16", [4]="INT32", [5]="UINT32", [6]="INT64", [7]="UINT64", [8]="FLOAT", [9]="DOUBLE", [10]="FLOAT_COMPLEX", [11]="DOUBLE_COMPLEX", [14]="FLOAT16", [15]="BFLOAT16"},
  {[0]="INT8", [1]="UINT8", [2]="INT16", [3]="UINT16", [4]="INT32", [5]="UINT32", [6]="INT64", [7]="UINT64", [8]="INT128", [9]="UINT128", [10]="FLOAT", [11]="DOUBLE", [12]="FLOAT_COMPLEX", [13]="DOUBLE_COMPLEX", [14]="LONG_DOUBLE", [15]="LONG_DOUBLE_COMPLEX", [16]="BF16", [17]="FP16"},
  {[0]="STANDARD_SOM1", [1]="STANDARD_SOM0", [2]="OPTIMIZED_NON_MATCHING", [3]="SMALL", [4]="RESPONSE", [5]="RESPONSE_WITH_DATA", [6]="OPTIMIZED_RESPONSE"},
  {[0]="NONE", [1]="REQ_SMALL", [2]="REQ_MEDIUM", [3]="REQ_STD", [4]="RSP", [5]="RSP_DATA", [6]="RSP_DATA_SMALL"},
}
local next_headers = {[0]=names[25], names[26]}
local formats = {
  {name="llr_ack", prefix="uellr", title="LLR_ACK", len=8, fields={
    {"block_type", 0, 8, "block type, or control character", names=1},
    {"ctlos_type", 8, 8, "message type", names=2},
    {"ack_nack_seq", 16, 20, "sequence number of the last frame received in order"},
    {"ocode", 36, 4, "ordered set code", least=6, most=6},
    {"", 40, 24, "reserved, must be 0"},
  }},
  {name="llr_nack", prefix="uellr", title="LLR_NACK", len=8, fields={
    {"block_type", 0, 8, "block type, or control character", names=1},
    {"ctlos_type", 8, 8, "message type", names=2},
    {"ack_nack_seq", 16, 20, "sequence number of the last frame received in order"},
    {"ocode", 36, 4, "ordered set code", least=6, most=6},
    {"", 40, 24, "reserved, must be 0"},
  }},
  {name="llr_init", prefix="uellr", title="LLR_INIT", len=8, fields={
    {"block_type", 0, 8, "block type, or control character", names=1},
    {"ctlos_type", 8, 8, "message type", names=2},
    {"init_seq", 16, 20, "sequence number of the next frame"},
    {"ocode", 36, 4, "ordered set code", least=6, most=6},
    {"init_data_low", 40, 8, "echoed unchanged"},
    {"init_data_high", 48, 8, "echoed unchanged"},
    {"", 56, 8, "reserved, must be 0"},
  }},
  {name="llr_init_echo", prefix="uellr", title="LLR_INIT_ECHO", len=8, fields={
    {"block_type", 0, 8, "block type, or control character", names=1},
    {"ctlos_type", 8, 8, "message type", names=2},
    {"init_seq", 16, 20, "sequence number of the next frame"},
    {"ocode", 36, 4, "ordered set code", least=6, most=6},
    {"init_data_low", 40, 8, "echoed unchanged"},
    {"init_data_high", 48, 8, "echoed unchanged"},
    {"", 56, 8, "reserved, must be 0"},
  }},
  {name="cf_update", prefix="uecbfc.cf", title="CF_Update", len=8, fields={
    {"block_type", 0, 8, "block type, or control character", names=1},
    {"ctlos_type", 8, 8, "message type", names=2},
    {"cf1_vc", 16, 5, "virtual channel"},
    {"cf1_count", 21, 15, "credits freed of the channel, the low 15 bits"},
    {"ocode", 36, 4, "ordered set code", least=6, most=6},
    {"cf2_vc", 40, 5, "virtual channel"},
    {"cf2_count", 45, 15, "credits freed of the channel, the low 15 bits"},
    {"", 60, 4, "reserved, must be 0"},
  }},
  {name="station_frames", prefix="uelink.station", title="STATION frames", len=8, fields={
    {"block_type", 0, 8, "block type, or control character", names=1},
    {"ctlos_type", 8, 8, "message type", names=2},
    {"largest", 16, 16, "longest link frame accepted, octets"},
    {"item", 32, 4, "number of the item", names=3},
    {"ocode", 36, 4, "ordered set code", least=6, most=6},
    {"longest", 40, 16, "longest control frame received, octets"},
    {"seen_shim", 56, 1, "a data frame with a shim was received"},
    {"ue1", 57, 1, "the dialect is ue1"},
    {"addressed", 58, 1, "data frames have outer addresses, those of the two link ports"},
    {"fcs", 59, 1, "data frames end with an FCS image, a CRC-32 over the frame"},
    {"dynamic", 60, 1, "negotiation turns LLR on and off (mode: dynamic)"},
    {"live", 61, 1, "the LLR receiver has been initialised"},
    {"remote", 62, 1, "LLR_MODE_REMOTE is on"},
    {"local", 63, 1, "LLR_MODE_LOCAL is on"},
  }},
  {name="station_start", prefix="uelink.station", title="STATION start", len=8, fields={
    {"block_type", 0, 8, "block type, or control character", names=1},
    {"ctlos_type", 8, 8, "message type", names=2},
    {"ethertype", 16, 16, "EtherType of the data frames sent"},
    {"item", 32, 4, "number of the item", names=3},
    {"ocode", 36, 4, "ordered set code", least=6, most=6},
    {"start_id", 40, 24, "random identifier of this start of the station"},
  }},
  {name="station_services", prefix="uelink.station", title="STATION services", len=8, fields={
    {"block_type", 0, 8, "block type, or control character", names=1},
    {"ctlos_type", 8, 8, "message type", names=2},
    {"cbfc", 16, 1, "CBFC"},
    {"takes_addressed", 17, 1, "the station accepts frames with outer addresses"},
    {"takes_to_partner", 18, 1, "the station accepts data frames for its own use, such as CC_Updates"},
    {"takes_vcs", 19, 1, "the station accepts frames of virtual channels above 0"},
    {"busy", 20, 1, "the station accepts no data frames now (BUSY)"},
    {"held", 21, 1, "the station keeps frames for the leaving partner, which has acknowledged every frame that the station sent"},
    {"holds", 22, 1, "the station keeps frames until the leaving partner is back"},
    {"numbers_nacks", 23, 1, "the station recognises a copy of an LLR_NACK by nack_number"},
    {"num_vcs", 24, 8, "number of virtual channels"},
    {"item", 32, 4, "number of the item", names=3},
    {"ocode", 36, 4, "ordered set code", least=6, most=6},
    {"controls", 40, 16, "control frames received, modulo 2^16"},
    {"keeps", 56, 8, "log2 of the frames kept behind a gap; 0: go-back-N"},
  }},
  {name="station_twice", prefix="uelink.station", title="STATION twice", len=8, fields={
    {"block_type", 0, 8, "block type, or control character", names=1},
    {"ctlos_type", 8, 8, "message type", names=2},
    {"twice_high", 16, 16, "sequenced frames received twice, bits 31 to 16"},
    {"item", 32, 4, "number of the item", names=3},
    {"ocode", 36, 4, "ordered set code", least=6, most=6},
    {"twice_low", 40, 16, "sequenced frames received twice, bits 15 to 0"},
    {"nack_again", 56, 1, "the following LLR_NACK asks again, because no answer came"},
    {"nack_number", 57, 7, "number of the last LLR_NACK, the same in a copy of the LLR_NACK; 0: none"},
  }},
  {name="station_leaves", prefix="uelink.station", title="STATION leaves", len=8, fields={
    {"block_type", 0, 8, "block type, or control character", names=1},
    {"ctlos_type", 8, 8, "message type", names=2},
    {"back_within", 16, 16, "longest absence, milliseconds"},
    {"item", 32, 4, "number of the item", names=3},
    {"ocode", 36, 4, "ordered set code", least=6, most=6},
    {"spare", 40, 24, "not used"},
  }},
  {name="station_resumes", prefix="uelink.station", title="STATION resumes", len=8, fields={
    {"block_type", 0, 8, "block type, or control character", names=1},
    {"ctlos_type", 8, 8, "message type", names=2},
    {"origin_high", 16, 16, "init_seq of the partner in the previous start of the station, bits 19 to 4"},
    {"item", 32, 4, "number of the item", names=3},
    {"ocode", 36, 4, "ordered set code", least=6, most=6},
    {"origin_low", 40, 4, "init_seq of the partner in the previous start of the station, bits 3 to 0"},
    {"next_rx_seq", 44, 20, "sequence number of the next expected frame"},
  }},
  {name="station_trouble", prefix="uelink.station", title="STATION trouble", len=8, fields={
    {"block_type", 0, 8, "block type, or control character", names=1},
    {"ctlos_type", 8, 8, "message type", names=2},
    {"trouble", 16, 8, "code of a problem that the station sees"},
    {"trouble_a_high", 24, 8, "first number that belongs to the problem, such as a length, bits 15 to 8"},
    {"item", 32, 4, "number of the item", names=3},
    {"ocode", 36, 4, "ordered set code", least=6, most=6},
    {"trouble_a_low", 40, 8, "first number that belongs to the problem, bits 7 to 0"},
    {"trouble_b", 48, 16, "second number that belongs to the problem"},
  }},
  {name="station_other", prefix="uelink.station", title="STATION", len=8, fields={
    {"block_type", 0, 8, "block type, or control character", names=1},
    {"ctlos_type", 8, 8, "message type", names=2},
    {"data_high", 16, 16, "data of an unknown item, first part"},
    {"item", 32, 4, "number of the item", names=3},
    {"ocode", 36, 4, "ordered set code", least=6, most=6},
    {"data_low", 40, 24, "data of an unknown item, second part"},
  }},
  {name="gap_missing", prefix="uelink.gap", title="GAP missing", len=8, fields={
    {"block_type", 0, 8, "block type, or control character", names=1},
    {"ctlos_type", 8, 8, "message type", names=2},
    {"from_high", 16, 16, "sequence number of the first missing frame, bits 19 to 4"},
    {"item", 32, 4, "number of the item", names=4},
    {"ocode", 36, 4, "ordered set code", least=6, most=6},
    {"from_low", 40, 4, "sequence number of the first missing frame, bits 3 to 0"},
    {"to", 44, 20, "sequence number after the last missing frame of the gap"},
  }},
  {name="gap_arrived", prefix="uelink.gap", title="GAP arrived", len=8, fields={
    {"block_type", 0, 8, "block type, or control character", names=1},
    {"ctlos_type", 8, 8, "message type", names=2},
    {"last_high", 16, 16, "sequence number of the frame that arrived last, bits 19 to 4"},
    {"item", 32, 4, "number of the item", names=4},
    {"ocode", 36, 4, "ordered set code", least=6, most=6},
    {"last_low", 40, 4, "sequence number of the frame that arrived last, bits 3 to 0"},
    {"high", 44, 20, "sequence number after the highest number that has arrived"},
  }},
  {name="vc", prefix="uecbfc.vc", title="VC", len=8, fields={
    {"block_type", 0, 8, "block type, or control character", names=1},
    {"ctlos_type", 8, 8, "message type", names=2},
    {"vc", 16, 5, "virtual channel"},
    {"operation", 21, 3, "question or answer", names=5},
    {"transaction", 24, 8, "number of the question, the same in the answer"},
    {"credit_size", 32, 4, "binary exponent: a credit is 32 << credit_size octets"},
    {"ocode", 36, 4, "ordered set code", least=6, most=6},
    {"credit_limit", 40, 16, "credits"},
    {"overhead", 56, 8, "octets that the count of credits adds to each frame", signed=true},
  }},
  {name="ctlos_unknown", prefix="uelink.ctlos", title="Control ordered set", len=8, fields={
    {"block_type", 0, 8, "block type, or control character", names=1},
    {"ctlos_type", 8, 8, "message type", names=2},
    {"data_high", 16, 16, "data of an unknown type, first part"},
    {"data_item", 32, 4, "data of an unknown type, second part"},
    {"ocode", 36, 4, "ordered set code", least=6, most=6},
    {"data_low", 40, 24, "data of an unknown type, third part"},
  }},
  {name="preamble_seed", prefix="uelink.preamble", title="LLR preamble", len=8, fields={
    {"preamble", 0, 24, "preamble pattern, 555555"},
    {"sfd", 24, 8, "start frame delimiter", names=6},
    {"sequence_number", 32, 24, "sequence number of 20 bits"},
    {"fcs", 56, 1, "the frame ends with an FCS image, a CRC-32 over the frame"},
    {"addressed", 57, 1, "the outer addresses are those of the two link ports"},
    {"to_partner", 58, 1, "the frame is for the partner itself, not for a host behind it"},
    {"vc", 59, 5, "virtual channel"},
  }},
  {name="preamble_ue1", prefix="uelink.preamble", title="LLR preamble", len=8, fields={
    {"start", 0, 8, "start of frame, FB"},
    {"seq_high", 8, 4, "sequence number, bits 19 to 16"},
    {"mark", 12, 4, "7: LLR, 5: not sequenced", names=7},
    {"seq_low", 16, 16, "sequence number, bits 15 to 0"},
    {"fill", 32, 16, "5555"},
    {"flags", 48, 8, "control flags XOR 55"},
    {"sfd", 56, 8, "start frame delimiter, D5"},
  }},
  {name="preamble_block", prefix="uelink.preamble", title="LLR preamble, 64B/66B", len=8, fields={
    {"sequence_number", 0, 24, "sequence number of 20 bits"},
    {"fcs", 24, 1, "the frame ends with an FCS image, a CRC-32 over the frame"},
    {"addressed", 25, 1, "the outer addresses are those of the two link ports"},
    {"to_partner", 26, 1, "the frame is for the partner itself, not for a host behind it"},
    {"vc", 27, 5, "virtual channel"},
    {"", 32, 32, "reserved, must be 0"},
  }},
  {name="control", prefix="uelink.control", title="Control frame", len=2, fields={
    {"version", 0, 8, "1"},
    {"count", 8, 8, "control ordered sets that follow"},
  }},
  {name="cc_update_seed", prefix="uecbfc.cc", title="CC_Update", len=8, fields={
    {"message_type", 0, 8, "1; 0 ends the messages"},
    {"vc_index", 8, 5, "virtual channel"},
    {"cc_counter", 13, 15, "credits consumed of the channel, the low 15 bits"},
    {"", 28, 4, "reserved, must be 0"},
    {"", 32, 32, "reserved, must be 0"},
  }},
  {name="cc_update_ue1", prefix="uecbfc.cc", title="CC_Update", len=46, fields={
    {"opcode", 0, 16, "MAC Control, extension"},
    {"cid", 16, 24, "company identifier of the Ultra Ethernet Consortium, FA7ACB"},
    {"type", 40, 8, "which 16 virtual channels the counters are of", names=8},
    {"count0", 48, 20, "credits consumed of VC 0; of VC 16 if the type is VC 16 to 31"},
    {"count1", 68, 20, "credits consumed of VC 1; of VC 17 if the type is VC 16 to 31"},
    {"count2", 88, 20, "credits consumed of VC 2; of VC 18 if the type is VC 16 to 31"},
    {"count3", 108, 20, "credits consumed of VC 3; of VC 19 if the type is VC 16 to 31"},
    {"count4", 128, 20, "credits consumed of VC 4; of VC 20 if the type is VC 16 to 31"},
    {"count5", 148, 20, "credits consumed of VC 5; of VC 21 if the type is VC 16 to 31"},
    {"count6", 168, 20, "credits consumed of VC 6; of VC 22 if the type is VC 16 to 31"},
    {"count7", 188, 20, "credits consumed of VC 7; of VC 23 if the type is VC 16 to 31"},
    {"count8", 208, 20, "credits consumed of VC 8; of VC 24 if the type is VC 16 to 31"},
    {"count9", 228, 20, "credits consumed of VC 9; of VC 25 if the type is VC 16 to 31"},
    {"count10", 248, 20, "credits consumed of VC 10; of VC 26 if the type is VC 16 to 31"},
    {"count11", 268, 20, "credits consumed of VC 11; of VC 27 if the type is VC 16 to 31"},
    {"count12", 288, 20, "credits consumed of VC 12; of VC 28 if the type is VC 16 to 31"},
    {"count13", 308, 20, "credits consumed of VC 13; of VC 29 if the type is VC 16 to 31"},
    {"count14", 328, 20, "credits consumed of VC 14; of VC 30 if the type is VC 16 to 31"},
    {"count15", 348, 20, "credits consumed of VC 15; of VC 31 if the type is VC 16 to 31"},
  }},
  {name="pause", prefix="macc", title="PAUSE", len=4, fields={
    {"opcode", 0, 16, "1"},
    {"pause_time", 16, 16, "quanta of 512 bit times"},
  }},
  {name="pfc", prefix="macc", title="PFC", len=20, fields={
    {"opcode", 0, 16, "0101"},
    {"", 16, 8, "reserved, must be 0"},
    {"cbfc.enbv.c7", 24, 1, "the frame pauses or resumes this priority"},
    {"cbfc.enbv.c6", 25, 1, "the frame pauses or resumes this priority"},
    {"cbfc.enbv.c5", 26, 1, "the frame pauses or resumes this priority"},
    {"cbfc.enbv.c4", 27, 1, "the frame pauses or resumes this priority"},
    {"cbfc.enbv.c3", 28, 1, "the frame pauses or resumes this priority"},
    {"cbfc.enbv.c2", 29, 1, "the frame pauses or resumes this priority"},
    {"cbfc.enbv.c1", 30, 1, "the frame pauses or resumes this priority"},
    {"cbfc.enbv.c0", 31, 1, "the frame pauses or resumes this priority"},
    {"cbfc.pause_time.c0", 32, 16, "quanta of 512 bit times"},
    {"cbfc.pause_time.c1", 48, 16, "quanta of 512 bit times"},
    {"cbfc.pause_time.c2", 64, 16, "quanta of 512 bit times"},
    {"cbfc.pause_time.c3", 80, 16, "quanta of 512 bit times"},
    {"cbfc.pause_time.c4", 96, 16, "quanta of 512 bit times"},
    {"cbfc.pause_time.c5", 112, 16, "quanta of 512 bit times"},
    {"cbfc.pause_time.c6", 128, 16, "quanta of 512 bit times"},
    {"cbfc.pause_time.c7", 144, 16, "quanta of 512 bit times"},
  }},
  {name="tlv_link", prefix="uelink.lldp", title="UE Link Negotiation", len=2, fields={
    {"llr_enabled", 0, 1, "LLR is offered"},
    {"cbfc_enabled", 1, 1, "CBFC is offered"},
    {"flags_reserved", 2, 6, "sent as 0; a received value is stored, and has no effect"},
    {"ue_version", 8, 8, "version of the specification"},
  }},
  {name="tlv_cbfc", prefix="uelink.lldp", title="UE CBFC", len=9, fields={
    {"num_vcs", 0, 8, "virtual channels, 1 to 32", least=1, most=32},
    {"credit_pool_size", 8, 16, "all credits, above 0", least=1, most=65535},
    {"lossless_vcs", 24, 32, "bit N: VC N is lossless"},
    {"reserved", 56, 16, "sent as 0; a received value is stored, and has no effect"},
  }},
  {name="tlv_wishes", prefix="uelink.lldp", title="uelink wishes", len=3, fields={
    {"wishes_version", 0, 8, "1", least=1, most=255},
    {"wishes_dcbx", 8, 1, "DCBX is on"},
    {"wishes_pfc", 9, 1, "PFC is enabled and advertised"},
    {"wishes_willing", 10, 1, "PFC adopts the settings of a peer that is not willing"},
    {"wishes_asks", 11, 1, "the configuration asks for PFC"},
    {"wishes_reserved", 12, 4, "sent as 0, ignored when received"},
    {"wishes_priorities", 16, 8, "PFC as configured: bit i is priority i"},
  }},
  {name="dcbx_control", prefix="lldp.dcbx", title="DCBX control", len=10, fields={
    {"version", 0, 8, "version in operation"},
    {"max_version", 8, 8, "highest version"},
    {"control.seq", 16, 32, "SeqNo"},
    {"control.ack", 48, 32, "AckNo"},
  }},
  {name="dcbx_feature", prefix="lldp.dcbx", title="DCBX feature", len=4, fields={
    {"version", 0, 8, "version in operation"},
    {"max_version", 8, 8, "highest version"},
    {"feature.enabled", 16, 1, "the feature is enabled"},
    {"feature.willing", 17, 1, "willing to use the settings of the peer"},
    {"feature.error", 18, 1, "the DCBX settings of the two ends are incompatible"},
    {"", 19, 5, "reserved, must be 0"},
    {"feature.subtype", 24, 8, "0"},
  }},
  {name="dcbx_pg", prefix="lldp.dcbx", title="DCBX priority groups", len=13, fields={
    {"feature.pg.pgid_prio0", 0, 4, "group of the priority"},
    {"feature.pg.pgid_prio1", 4, 4, "group of the priority"},
    {"feature.pg.pgid_prio2", 8, 4, "group of the priority"},
    {"feature.pg.pgid_prio3", 12, 4, "group of the priority"},
    {"feature.pg.pgid_prio4", 16, 4, "group of the priority"},
    {"feature.pg.pgid_prio5", 20, 4, "group of the priority"},
    {"feature.pg.pgid_prio6", 24, 4, "group of the priority"},
    {"feature.pg.pgid_prio7", 28, 4, "group of the priority"},
    {"feature.pg.per0", 32, 8, "share of the link's bandwidth for the group, percent"},
    {"feature.pg.per1", 40, 8, "share of the link's bandwidth for the group, percent"},
    {"feature.pg.per2", 48, 8, "share of the link's bandwidth for the group, percent"},
    {"feature.pg.per3", 56, 8, "share of the link's bandwidth for the group, percent"},
    {"feature.pg.per4", 64, 8, "share of the link's bandwidth for the group, percent"},
    {"feature.pg.per5", 72, 8, "share of the link's bandwidth for the group, percent"},
    {"feature.pg.per6", 80, 8, "share of the link's bandwidth for the group, percent"},
    {"feature.pg.per7", 88, 8, "share of the link's bandwidth for the group, percent"},
    {"feature.pg.numtcs", 96, 8, "traffic classes"},
  }},
  {name="dcbx_pfc", prefix="lldp.dcbx", title="DCBX priority-based flow control", len=2, fields={
    {"feature.pfc.prio7", 0, 1, "the priority has PFC"},
    {"feature.pfc.prio6", 1, 1, "the priority has PFC"},
    {"feature.pfc.prio5", 2, 1, "the priority has PFC"},
    {"feature.pfc.prio4", 3, 1, "the priority has PFC"},
    {"feature.pfc.prio3", 4, 1, "the priority has PFC"},
    {"feature.pfc.prio2", 5, 1, "the priority has PFC"},
    {"feature.pfc.prio1", 6, 1, "the priority has PFC"},
    {"feature.pfc.prio0", 7, 1, "the priority has PFC"},
    {"feature.pfc.numtcs", 8, 8, "traffic classes with PFC at a time"},
  }},
  {name="dcbx_app", prefix="", title="DCBX application", len=6, fields={
    {"lldp.dcbx.feature.app.proto", 0, 16, "EtherType or port"},
    {"lldp.dcbx.feature.app.oui_high", 16, 6, "OUI, bits 23 to 18"},
    {"lldp.dcbx.feature.app.sf", 22, 2, "selector: EtherType or port"},
    {"lldp.dcbx.feature.app.oui_low", 24, 16, "OUI, bits 15 to 0"},
    {"uelink.dcbx.priorities", 40, 8, "bit i: priority i"},
  }},
  {name="hippi_frame", prefix="uehippi.frame", title="Frame of micropackets", len=12, fields={
    {"mark", 0, 16, "4836, in the place where a data frame has the LLR preamble"},
    {"fcs", 16, 1, "the frame ends with an FCS image, a CRC-32 over the frame"},
    {"vc3", 17, 1, "the sender of the frame accepts Messages on VC3"},
    {"version", 18, 6, "version of the frame", least=1, most=1},
    {"count", 24, 8, "micropackets that follow", least=1, most=255},
    {"number", 32, 32, "number of the frame, modulo 2^32"},
    {"from", 64, 16, "epoch of the sender, new at each Link Reset and Initialize", least=1, most=65535},
    {"to", 80, 16, "epoch of the receiver as the sender knows it, 0 is unknown"},
  }},
  {name="micropacket", prefix="uehippi", title="Control bits of a micropacket", len=8, fields={
    {"lcrc", 0, 16, "link CRC over the data octets and the control bits c47 to c00"},
    {"ecrc", 16, 16, "end-to-end CRC over the data octets of the Message so far, the Header included"},
    {"tseq", 32, 8, "number of the micropacket, 255 is none"},
    {"rseq", 40, 8, "ACK indication: the last number accepted, 255 is none"},
    {"cr", 48, 6, "credits granted"},
    {"vcr", 54, 2, "virtual channel of the credits"},
    {"error", 56, 1, "damaged upstream: the ECRC is not checked"},
    {"tail", 57, 1, "the last micropacket of a Message"},
    {"type", 58, 4, "TYPE", names=9},
    {"vc", 62, 2, "virtual channel"},
  }},
  {name="hippi_header", prefix="uehippi", title="Header of a Message", len=24, fields={
    {"d_ula", 0, 48, "MAC address of the destination"},
    {"s_ula", 48, 48, "MAC address of the source"},
    {"m_len", 96, 32, "octets behind M_len without padding: 8 octets of LLC and SNAP, and the payload"},
    {"dsap", 128, 8, "AA"},
    {"ssap", 136, 8, "AA"},
    {"ctl", 144, 8, "3"},
    {"org", 152, 24, "0"},
    {"ethertype", 176, 16, "EtherType, or the length of an 802.3 frame"},
  }},
  {name="entropy", prefix="ueuet.entropy", title="Entropy", len=4, layer="entropy", dialects=3, type=0, carries={{}, {}}, next=0, opcodes={}, fields={
    {"value", 0, 16, "entropy, by which a network spreads flows; only in UET directly over IP"},
    {"", 16, 16, "reserved, must be 0"},
  }},
  {name="tss", prefix="ueuet.tss", title="Security", len=12, layer="tss", dialects=3, type=1, carries={{}, {}}, next=0, opcodes={}, when={0x0400, 0x0000, false}, fields={
    {"type", 0, 5, "packet type: SECURITY", names=10},
    {"sp", 5, 1, "a source identifier follows"},
    {"", 6, 1, "reserved, must be 0"},
    {"an", 7, 1, "association number: which of two keys"},
    {"sdi", 8, 24, "secure domain identifier"},
    {"epoch", 32, 16, "epoch of the key"},
    {"tsc", 48, 48, "time stamp counter, a part of the initialization vector"},
  }},
  {name="tss_ssi", prefix="ueuet.tss", title="Security with source identifier", len=16, layer="tss", dialects=3, type=1, carries={{}, {}}, next=0, opcodes={}, when={0x0400, 0x0400, false}, fields={
    {"type", 0, 5, "packet type: SECURITY", names=10},
    {"sp", 5, 1, "a source identifier follows"},
    {"", 6, 1, "reserved, must be 0"},
    {"an", 7, 1, "association number: which of two keys"},
    {"sdi", 8, 24, "secure domain identifier"},
    {"ssi", 32, 32, "secure source identifier"},
    {"epoch", 64, 16, "epoch of the key"},
    {"tsc", 80, 48, "time stamp counter, a part of the initialization vector"},
  }},
  {name="rud_req", prefix="ueuet.pds", title="RUD request", len=12, layer="pds", dialects=3, type=2, carries={{[0]=1,[1]=1,[2]=1,[3]=1,[5]=1,[6]=1}, {[1]=1,[2]=1,[3]=1,[5]=1,[6]=1}}, next=0, opcodes={}, fields={
    {"type", 0, 5, "packet type", names=10},
    {"next_hdr", 5, 4, "SES header that follows; the values depend on the dialect"},
    {"", 9, 2, "reserved, must be 0"},
    {"retx", 11, 1, "the packet is sent again"},
    {"ar", 12, 1, "an ACK is asked for"},
    {"syn", 13, 1, "the packet sets a context up"},
    {"", 14, 2, "reserved, must be 0"},
    {"clear_psn_offset", 16, 16, "clear PSN, as an offset from psn", signed=true},
    {"psn", 32, 32, "packet sequence number"},
    {"spdcid", 64, 16, "packet delivery context of the source"},
    {"dpdcid", 80, 16, "packet delivery context of the destination", when={0x0004, 0x0000, false}},
    {"pdc_info", 80, 4, "kind of the context asked for; bit 0: a reserved context", when={0x0004, 0x0004, false}},
    {"psn_offset", 84, 12, "distance of the PSN from the first PSN of the context", when={0x0004, 0x0004, false}},
  }},
  {name="rod_req", prefix="ueuet.pds", title="ROD request", len=12, layer="pds", dialects=3, type=3, carries={{[0]=1,[1]=1,[2]=1,[3]=1,[5]=1,[6]=1}, {[1]=1,[2]=1,[3]=1,[5]=1,[6]=1}}, next=0, opcodes={}, fields={
    {"type", 0, 5, "packet type", names=10},
    {"next_hdr", 5, 4, "SES header that follows; the values depend on the dialect"},
    {"", 9, 2, "reserved, must be 0"},
    {"retx", 11, 1, "the packet is sent again"},
    {"ar", 12, 1, "an ACK is asked for"},
    {"syn", 13, 1, "the packet sets a context up"},
    {"", 14, 2, "reserved, must be 0"},
    {"clear_psn_offset", 16, 16, "clear PSN, as an offset from psn", signed=true},
    {"psn", 32, 32, "packet sequence number"},
    {"spdcid", 64, 16, "packet delivery context of the source"},
    {"dpdcid", 80, 16, "packet delivery context of the destination", when={0x0004, 0x0000, false}},
    {"pdc_info", 80, 4, "kind of the context asked for; bit 0: a reserved context", when={0x0004, 0x0004, false}},
    {"psn_offset", 84, 12, "distance of the PSN from the first PSN of the context", when={0x0004, 0x0004, false}},
  }},
  {name="rudi_req", prefix="ueuet.pds", title="RUDI request", len=8, layer="pds", dialects=3, type=4, carries={{[0]=1,[1]=1,[2]=1,[3]=1}, {[1]=1,[2]=1,[3]=1}}, next=0, opcodes={}, fields={
    {"type", 0, 5, "packet type", names=10},
    {"next_hdr", 5, 4, "SES header that follows; the values depend on the dialect"},
    {"", 9, 1, "reserved, must be 0"},
    {"m", 10, 1, "the packet that is answered was marked by ECN"},
    {"retx", 11, 1, "the packet is sent again"},
    {"", 12, 4, "reserved, must be 0"},
    {"", 16, 16, "reserved, must be 0"},
    {"pkt_id", 32, 32, "packet identifier"},
  }},
  {name="rudi_resp", prefix="ueuet.pds", title="RUDI response", len=8, layer="pds", dialects=3, type=5, carries={{[0]=1,[4]=1,[5]=1,[6]=1}, {[0]=1,[4]=1,[5]=1,[6]=1}}, next=0, opcodes={}, fields={
    {"type", 0, 5, "packet type", names=10},
    {"next_hdr", 5, 4, "SES header that follows; the values depend on the dialect"},
    {"", 9, 1, "reserved, must be 0"},
    {"m", 10, 1, "the packet that is answered was marked by ECN"},
    {"retx", 11, 1, "the packet is sent again"},
    {"", 12, 4, "reserved, must be 0"},
    {"", 16, 16, "reserved, must be 0"},
    {"pkt_id", 32, 32, "packet identifier"},
  }},
  {name="uud_req", prefix="ueuet.pds", title="UUD request", len=4, layer="pds", dialects=3, type=6, carries={{[0]=1,[1]=1,[2]=1,[3]=1}, {[1]=1,[2]=1,[3]=1}}, next=0, opcodes={}, fields={
    {"type", 0, 5, "packet type", names=10},
    {"next_hdr", 5, 4, "SES header that follows; the values depend on the dialect"},
    {"", 9, 7, "reserved, must be 0"},
    {"", 16, 16, "reserved, must be 0"},
  }},
  {name="ack", prefix="ueuet.pds", title="ACK", len=12, layer="pds", dialects=3, type=7, carries={{[0]=1,[4]=1,[5]=1,[6]=1}, {[0]=1,[4]=1,[5]=1,[6]=1}}, next=0, opcodes={}, when={0x0040, 0x0000, false}, fields={
    {"type", 0, 5, "packet type", names=10},
    {"next_hdr", 5, 4, "SES header that follows; the values depend on the dialect"},
    {"", 9, 1, "reserved, must be 0"},
    {"m", 10, 1, "the packet that is acknowledged was marked by ECN"},
    {"retx", 11, 1, "the acknowledged packet was sent again"},
    {"p", 12, 1, "the ACK answers a probe"},
    {"req", 13, 2, "request of the target to the source", names=11},
    {"", 15, 1, "reserved, must be 0"},
    {"ack_psn_offset", 16, 16, "acknowledged PSN, as an offset from cack_psn", signed=true, when={0x0008, 0x0000, false}},
    {"probe_opaque", 16, 16, "value of probe_opaque in the probe", when={0x0008, 0x0008, false}},
    {"cack_psn", 32, 32, "cumulatively acknowledged PSN"},
    {"spdcid", 64, 16, "packet delivery context of the source"},
    {"dpdcid", 80, 16, "packet delivery context of the destination"},
  }},
  {name="ack_epsn", prefix="ueuet.pds", title="ACK with expected PSN", len=16, layer="pds", dialects=3, type=7, carries={{[0]=1,[4]=1,[5]=1,[6]=1}, {[0]=1,[4]=1,[5]=1,[6]=1}}, next=0, opcodes={}, when={0x0040, 0x0040, false}, fields={
    {"type", 0, 5, "packet type", names=10},
    {"next_hdr", 5, 4, "SES header that follows; the values depend on the dialect"},
    {"epsn", 9, 1, "the PSN that is expected next follows"},
    {"m", 10, 1, "the packet that is acknowledged was marked by ECN"},
    {"retx", 11, 1, "the acknowledged packet was sent again"},
    {"p", 12, 1, "the ACK answers a probe"},
    {"req", 13, 2, "request of the target to the source", names=11},
    {"", 15, 1, "reserved, must be 0"},
    {"ack_psn_offset", 16, 16, "acknowledged PSN, as an offset from cack_psn", signed=true, when={0x0008, 0x0000, false}},
    {"probe_opaque", 16, 16, "value of probe_opaque in the probe", when={0x0008, 0x0008, false}},
    {"cack_psn", 32, 32, "cumulatively acknowledged PSN"},
    {"spdcid", 64, 16, "packet delivery context of the source"},
    {"dpdcid", 80, 16, "packet delivery context of the destination"},
    {"expected_psn", 96, 32, "next PSN that the closing end expects"},
  }},
  {name="ack_cc", prefix="ueuet.pds", title="ACK with congestion control", len=32, layer="pds", dialects=3, type=8, carries={{[0]=1,[4]=1,[5]=1,[6]=1}, {[0]=1,[4]=1,[5]=1,[6]=1}}, next=0, opcodes={}, fields={
    {"type", 0, 5, "packet type", names=10},
    {"next_hdr", 5, 4, "SES header that follows; the values depend on the dialect"},
    {"", 9, 1, "reserved, must be 0"},
    {"m", 10, 1, "the packet that is acknowledged was marked by ECN"},
    {"retx", 11, 1, "the acknowledged packet was sent again"},
    {"p", 12, 1, "the ACK answers a probe"},
    {"req", 13, 2, "request of the target to the source", names=11},
    {"", 15, 1, "reserved, must be 0"},
    {"ack_psn_offset", 16, 16, "acknowledged PSN, as an offset from cack_psn", signed=true, when={0x0008, 0x0000, false}},
    {"probe_opaque", 16, 16, "value of probe_opaque in the probe", when={0x0008, 0x0008, false}},
    {"cack_psn", 32, 32, "cumulatively acknowledged PSN"},
    {"spdcid", 64, 16, "packet delivery context of the source"},
    {"dpdcid", 80, 16, "packet delivery context of the destination"},
    {"cc_type", 96, 4, "kind of congestion control", names=12},
    {"cc_flags", 100, 4, "flags of congestion control"},
    {"mpr", 104, 8, "maximum PSN range"},
    {"sack_psn_offset", 112, 16, "first PSN of the bitmap, as an offset from cack_psn", signed=true},
    {"sack_bitmap", 128, 64, "bitmap of the packets received"},
    {"ack_cc_state", 192, 64, "state of congestion control"},
  }},
  {name="ack_ccx", prefix="ueuet.pds", title="ACK with extended congestion control", len=40, layer="pds", dialects=3, type=9, carries={{[0]=1,[4]=1,[5]=1,[6]=1}, {[0]=1,[4]=1,[5]=1,[6]=1}}, next=0, opcodes={}, fields={
    {"type", 0, 5, "packet type", names=10},
    {"next_hdr", 5, 4, "SES header that follows; the values depend on the dialect"},
    {"", 9, 1, "reserved, must be 0"},
    {"m", 10, 1, "the packet that is acknowledged was marked by ECN"},
    {"retx", 11, 1, "the acknowledged packet was sent again"},
    {"p", 12, 1, "the ACK answers a probe"},
    {"req", 13, 2, "request of the target to the source", names=11},
    {"", 15, 1, "reserved, must be 0"},
    {"ack_psn_offset", 16, 16, "acknowledged PSN, as an offset from cack_psn", signed=true, when={0x0008, 0x0000, false}},
    {"probe_opaque", 16, 16, "value of probe_opaque in the probe", when={0x0008, 0x0008, false}},
    {"cack_psn", 32, 32, "cumulatively acknowledged PSN"},
    {"spdcid", 64, 16, "packet delivery context of the source"},
    {"dpdcid", 80, 16, "packet delivery context of the destination"},
    {"cc_type", 96, 4, "kind of congestion control", names=12},
    {"cc_flags", 100, 4, "flags of congestion control"},
    {"mpr", 104, 8, "maximum PSN range"},
    {"sack_psn_offset", 112, 16, "first PSN of the bitmap, as an offset from cack_psn", signed=true},
    {"sack_bitmap", 128, 64, "bitmap of the packets received"},
    {"ack_cc_state", 192, 64, "state of congestion control"},
    {"ack_ccx_state", 256, 64, "more state of congestion control"},
  }},
  {name="nack", prefix="ueuet.pds", title="NACK", len=16, layer="pds", dialects=3, type=10, carries={{[0]=1}, {[0]=1}}, next=0, opcodes={}, fields={
    {"type", 0, 5, "packet type", names=10},
    {"next_hdr", 5, 4, "SES header that follows; the values depend on the dialect"},
    {"", 9, 1, "reserved, must be 0"},
    {"m", 10, 1, "the refused packet was marked by ECN"},
    {"retx", 11, 1, "the refused packet was sent again"},
    {"nt", 12, 1, "the refused packet is a RUDI packet"},
    {"", 13, 3, "reserved, must be 0"},
    {"nack_code", 16, 8, "reason of the refusal", names=13},
    {"vendor_code", 24, 8, "reason, as the vendor defines it"},
    {"nack_psn", 32, 32, "PSN of the refused packet", when={0x0008, 0x0000, false}},
    {"nack_pkt_id", 32, 32, "identifier of the refused packet", when={0x0008, 0x0008, false}},
    {"spdcid", 64, 16, "packet delivery context of the source"},
    {"dpdcid", 80, 16, "packet delivery context of the destination"},
    {"payload", 96, 32, "depends on nack_code"},
  }},
  {name="nack_ccx", prefix="ueuet.pds", title="NACK with extended congestion control", len=32, layer="pds", dialects=3, type=12, carries={{[0]=1}, {[0]=1}}, next=0, opcodes={}, fields={
    {"type", 0, 5, "packet type", names=10},
    {"next_hdr", 5, 4, "SES header that follows; the values depend on the dialect"},
    {"", 9, 1, "reserved, must be 0"},
    {"m", 10, 1, "the refused packet was marked by ECN"},
    {"retx", 11, 1, "the refused packet was sent again"},
    {"nt", 12, 1, "the refused packet is a RUDI packet"},
    {"", 13, 3, "reserved, must be 0"},
    {"nack_code", 16, 8, "reason of the refusal", names=13},
    {"vendor_code", 24, 8, "reason, as the vendor defines it"},
    {"nack_psn", 32, 32, "PSN of the refused packet", when={0x0008, 0x0000, false}},
    {"nack_pkt_id", 32, 32, "identifier of the refused packet", when={0x0008, 0x0008, false}},
    {"spdcid", 64, 16, "packet delivery context of the source"},
    {"dpdcid", 80, 16, "packet delivery context of the destination"},
    {"payload", 96, 32, "depends on nack_code"},
    {"nccx_type", 128, 4, "kind of the state that follows"},
    {"nack_ccx_state1", 132, 60, "state of congestion control"},
    {"nack_ccx_state2", 192, 64, "state of congestion control, continued"},
  }},
  {name="ctrl", prefix="ueuet.pds", title="Control", len=16, layer="pds", dialects=3, type=11, carries={{[0]=1}, {[0]=1}}, next=0, opcodes={}, fields={
    {"type", 0, 5, "packet type", names=10},
    {"ctl_type", 5, 4, "kind of control message", names=14},
    {"", 9, 1, "reserved, must be 0"},
    {"isrod", 10, 1, "the context is ordered (ROD)"},
    {"retx", 11, 1, "the packet is sent again"},
    {"ar", 12, 1, "an ACK is asked for"},
    {"syn", 13, 1, "the packet sets a context up"},
    {"", 14, 2, "reserved, must be 0"},
    {"", 16, 16, "reserved, must be 0", when={0x0780, 0x0300, true}},
    {"probe_opaque", 16, 16, "value that the ACK returns", when={0x0780, 0x0300, false}},
    {"psn", 32, 32, "packet sequence number"},
    {"spdcid", 64, 16, "packet delivery context of the source"},
    {"dpdcid", 80, 16, "packet delivery context of the destination", when={0x0004, 0x0000, false}},
    {"pdc_info", 80, 4, "kind of the context asked for; bit 0: a reserved context", when={0x0004, 0x0004, false}},
    {"psn_offset", 84, 12, "distance of the PSN from the first PSN of the context", when={0x0004, 0x0004, false}},
    {"payload", 96, 32, "depends on ctl_type"},
  }},
  {name="rud_cc_req", prefix="ueuet.pds", title="RUD request with congestion control", len=16, layer="pds", dialects=3, type=13, carries={{[0]=1,[1]=1,[2]=1,[3]=1,[5]=1,[6]=1}, {[1]=1,[2]=1,[3]=1,[5]=1,[6]=1}}, next=0, opcodes={}, fields={
    {"type", 0, 5, "packet type", names=10},
    {"next_hdr", 5, 4, "SES header that follows; the values depend on the dialect"},
    {"", 9, 2, "reserved, must be 0"},
    {"retx", 11, 1, "the packet is sent again"},
    {"ar", 12, 1, "an ACK is asked for"},
    {"syn", 13, 1, "the packet sets a context up"},
    {"", 14, 2, "reserved, must be 0"},
    {"clear_psn_offset", 16, 16, "clear PSN, as an offset from psn", signed=true},
    {"psn", 32, 32, "packet sequence number"},
    {"spdcid", 64, 16, "packet delivery context of the source"},
    {"dpdcid", 80, 16, "packet delivery context of the destination", when={0x0004, 0x0000, false}},
    {"pdc_info", 80, 4, "kind of the context asked for; bit 0: a reserved context", when={0x0004, 0x0004, false}},
    {"psn_offset", 84, 12, "distance of the PSN from the first PSN of the context", when={0x0004, 0x0004, false}},
    {"ccc_id", 96, 8, "congestion control context"},
    {"credit_target", 104, 24, "credit that is asked for"},
  }},
  {name="rod_cc_req", prefix="ueuet.pds", title="ROD request with congestion control", len=16, layer="pds", dialects=3, type=14, carries={{[0]=1,[1]=1,[2]=1,[3]=1,[5]=1,[6]=1}, {[1]=1,[2]=1,[3]=1,[5]=1,[6]=1}}, next=0, opcodes={}, fields={
    {"type", 0, 5, "packet type", names=10},
    {"next_hdr", 5, 4, "SES header that follows; the values depend on the dialect"},
    {"", 9, 2, "reserved, must be 0"},
    {"retx", 11, 1, "the packet is sent again"},
    {"ar", 12, 1, "an ACK is asked for"},
    {"syn", 13, 1, "the packet sets a context up"},
    {"", 14, 2, "reserved, must be 0"},
    {"clear_psn_offset", 16, 16, "clear PSN, as an offset from psn", signed=true},
    {"psn", 32, 32, "packet sequence number"},
    {"spdcid", 64, 16, "packet delivery context of the source"},
    {"dpdcid", 80, 16, "packet delivery context of the destination", when={0x0004, 0x0000, false}},
    {"pdc_info", 80, 4, "kind of the context asked for; bit 0: a reserved context", when={0x0004, 0x0004, false}},
    {"psn_offset", 84, 12, "distance of the PSN from the first PSN of the context", when={0x0004, 0x0004, false}},
    {"ccc_id", 96, 8, "congestion control context"},
    {"credit_target", 104, 24, "credit that is asked for"},
  }},
  {name="standard_request_som1", prefix="ueuet.ses", title="Standard Request SOM=1", len=44, layer="ses", dialects=1, type=0, carries={{}, {}}, next=0, opcodes={[0]=1,[1]=1,[2]=1,[3]=1,[4]=1,[5]=1}, fields={
    {"", 0, 2, "reserved, must be 0"},
    {"opcode", 2, 6, "operation", names=15},
    {"version", 8, 2, "protocol version, 0 for 1.0", least=0, most=0},
    {"dc", 10, 1, "delivery complete: answer when the data is globally observable"},
    {"ie", 11, 1, "initiator error"},
    {"rel", 12, 1, "relative addressing"},
    {"hd", 13, 1, "header data is present"},
    {"eom", 14, 1, "end of message"},
    {"som", 15, 1, "start of message", least=1, most=1},
    {"message_id", 16, 16, "message identifier, never 0", least=1, most=65535},
    {"ri_generation", 32, 8, "generation of the resource index"},
    {"job_id", 40, 24, "job identifier"},
    {"", 64, 4, "reserved, must be 0"},
    {"pid_on_fep", 68, 12, "process on the fabric end point"},
    {"", 80, 4, "reserved, must be 0"},
    {"resource_index", 84, 12, "resource of the process"},
    {"buffer_offset", 96, 64, "offset in the buffer, or a virtual address"},
    {"initiator", 160, 32, "initiator, for tagged matching"},
    {"match_bits", 192, 64, "match bits of a send, memory key of RMA"},
    {"header_data", 256, 64, "completion data, valid if hd is set"},
    {"request_length", 320, 32, "octets to transfer"},
  }},
  {name="deferrable_send_request", prefix="ueuet.ses", title="Deferrable Send Request", len=44, layer="ses", dialects=1, type=0, carries={{}, {}}, next=0, opcodes={[6]=1}, fields={
    {"", 0, 2, "reserved, must be 0"},
    {"opcode", 2, 6, "operation", names=15},
    {"version", 8, 2, "protocol version, 0 for 1.0", least=0, most=0},
    {"dc", 10, 1, "delivery complete: answer when the data is globally observable"},
    {"ie", 11, 1, "initiator error"},
    {"rel", 12, 1, "relative addressing"},
    {"hd", 13, 1, "header data is present"},
    {"eom", 14, 1, "end of message"},
    {"som", 15, 1, "start of message", least=1, most=1},
    {"message_id", 16, 16, "message identifier, never 0", least=1, most=65535},
    {"ri_generation", 32, 8, "generation of the resource index"},
    {"job_id", 40, 24, "job identifier"},
    {"", 64, 4, "reserved, must be 0"},
    {"pid_on_fep", 68, 12, "process on the fabric end point"},
    {"", 80, 4, "reserved, must be 0"},
    {"resource_index", 84, 12, "resource of the process"},
    {"initiator_restart_token", 96, 32, "token chosen by the initiator"},
    {"target_restart_token", 128, 32, "token of the Ready to Restart; 0 in the first request"},
    {"initiator", 160, 32, "initiator, for tagged matching"},
    {"match_bits", 192, 64, "match bits of a send, memory key of RMA"},
    {"header_data", 256, 64, "completion data, valid if hd is set"},
    {"request_length", 320, 32, "octets to transfer"},
  }},
  {name="ready_to_restart", prefix="ueuet.ses", title="Ready to Restart", len=44, layer="ses", dialects=1, type=0, carries={{}, {}}, next=0, opcodes={[7]=1}, fields={
    {"", 0, 2, "reserved, must be 0"},
    {"opcode", 2, 6, "operation", names=15},
    {"version", 8, 2, "protocol version, 0 for 1.0", least=0, most=0},
    {"dc", 10, 1, "delivery complete: answer when the data is globally observable"},
    {"ie", 11, 1, "initiator error"},
    {"rel", 12, 1, "relative addressing"},
    {"hd", 13, 1, "header data is present"},
    {"eom", 14, 1, "end of message"},
    {"som", 15, 1, "start of message", least=1, most=1},
    {"message_id", 16, 16, "message identifier, never 0", least=1, most=65535},
    {"ri_generation", 32, 8, "generation of the resource index"},
    {"job_id", 40, 24, "job identifier"},
    {"", 64, 4, "reserved, must be 0"},
    {"pid_on_fep", 68, 12, "process on the fabric end point"},
    {"", 80, 4, "reserved, must be 0"},
    {"resource_index", 84, 12, "resource of the process"},
    {"buffer_offset", 96, 64, "offset from which on the target has not taken the message", least=0, most=4294967294},
    {"initiator_restart_token", 160, 32, "token of the deferrable send"},
    {"target_restart_token", 192, 32, "token chosen by the target, 0 for none"},
    {"", 224, 32, "reserved, must be 0"},
    {"header_data", 256, 64, "completion data, valid if hd is set"},
    {"request_length", 320, 32, "octets to transfer"},
  }},
  {name="standard_request_som0", prefix="ueuet.ses", title="Standard Request SOM=0", len=16, layer="ses", dialects=1, type=0, carries={{}, {}}, next=1, opcodes={[0]=1,[1]=1,[2]=1,[3]=1,[4]=1,[5]=1,[6]=1}, fields={
    {"", 0, 2, "reserved, must be 0"},
    {"opcode", 2, 6, "operation", names=15},
    {"version", 8, 2, "protocol version, 0 for 1.0", least=0, most=0},
    {"dc", 10, 1, "delivery complete: answer when the data is globally observable"},
    {"ie", 11, 1, "initiator error"},
    {"rel", 12, 1, "relative addressing"},
    {"hd", 13, 1, "header data is present"},
    {"eom", 14, 1, "end of message"},
    {"som", 15, 1, "start of message", least=0, most=0},
    {"message_id", 16, 16, "message identifier, never 0", least=1, most=65535},
    {"ri_generation", 32, 8, "generation of the resource index"},
    {"job_id", 40, 24, "job identifier"},
    {"message_offset", 64, 32, "offset in the message at which this packet begins"},
    {"", 96, 32, "reserved, must be 0"},
  }},
  {name="optimized_non_matching", prefix="ueuet.ses", title="Optimized Non-Matching", len=32, layer="ses", dialects=1, type=0, carries={{}, {}}, next=2, opcodes={[1]=1,[2]=1,[3]=1,[4]=1,[5]=1,[9]=1,[10]=1,[11]=1,[12]=1,[13]=1}, fields={
    {"opcode", 0, 6, "operation", names=15},
    {"version", 6, 2, "protocol version, 0 for 1.0", least=0, most=0},
    {"dc", 8, 1, "delivery complete: answer when the data is globally observable"},
    {"ie", 9, 1, "initiator error"},
    {"rel", 10, 1, "relative addressing"},
    {"", 11, 1, "reserved, must be 0"},
    {"eom", 12, 1, "end of message, always 1", least=1, most=1},
    {"som", 13, 1, "start of message, always 1", least=1, most=1},
    {"", 14, 2, "reserved, must be 0"},
    {"", 16, 2, "reserved, must be 0"},
    {"request_length", 18, 14, "octets to transfer"},
    {"ri_generation", 32, 8, "generation of the resource index"},
    {"job_id", 40, 24, "job identifier"},
    {"", 64, 4, "reserved, must be 0"},
    {"pid_on_fep", 68, 12, "process on the fabric end point"},
    {"", 80, 4, "reserved, must be 0"},
    {"resource_index", 84, 12, "resource of the process"},
    {"buffer_offset", 96, 64, "offset in the buffer, or a virtual address"},
    {"", 160, 96, "reserved, must be 0"},
  }},
  {name="small_message", prefix="ueuet.ses", title="Small Message, Small RMA", len=32, layer="ses", dialects=1, type=0, carries={{}, {}}, next=3, opcodes={[1]=1,[2]=1,[8]=1,[9]=1,[10]=1,[11]=1,[12]=1,[13]=1}, fields={
    {"opcode", 0, 6, "operation", names=15},
    {"version", 6, 2, "protocol version, 0 for 1.0", least=0, most=0},
    {"dc", 8, 1, "delivery complete: answer when the data is globally observable"},
    {"ie", 9, 1, "initiator error"},
    {"rel", 10, 1, "relative addressing"},
    {"hd", 11, 1, "header data is present"},
    {"eom", 12, 1, "end of message, always 1", least=1, most=1},
    {"som", 13, 1, "start of message, always 1", least=1, most=1},
    {"", 14, 2, "reserved, must be 0"},
    {"", 16, 2, "reserved, must be 0"},
    {"request_length", 18, 14, "octets to transfer"},
    {"ri_generation", 32, 8, "generation of the resource index"},
    {"job_id", 40, 24, "job identifier"},
    {"", 64, 4, "reserved, must be 0"},
    {"pid_on_fep", 68, 12, "process on the fabric end point"},
    {"", 80, 4, "reserved, must be 0"},
    {"resource_index", 84, 12, "resource of the process"},
    {"initiator", 96, 32, "initiator, for tagged matching"},
    {"match_bits", 128, 64, "match bits of a send, memory key of RMA"},
    {"header_data", 192, 64, "completion data, valid if hd is set"},
  }},
  {name="response", prefix="ueuet.ses", title="Response", len=16, layer="ses", dialects=1, type=0, carries={{}, {}}, next=4, opcodes={[0]=1,[3]=1}, fields={
    {"list", 0, 2, "list of the target's buffers that took the payload", names=16},
    {"response_opcode", 2, 6, "operation of the response", names=17},
    {"version", 8, 2, "protocol version, 0 for 1.0", least=0, most=0},
    {"return_code", 10, 6, "outcome of the request", names=18},
    {"message_id", 16, 16, "message identifier of the request"},
    {"ri_generation", 32, 8, "generation of the resource index"},
    {"job_id", 40, 24, "job identifier"},
    {"modified_length", 64, 32, "octets that were transferred"},
    {"", 96, 32, "reserved, must be 0"},
  }},
  {name="response_with_data", prefix="ueuet.ses", title="Response with Data", len=24, layer="ses", dialects=1, type=0, carries={{}, {}}, next=5, opcodes={[1]=1}, fields={
    {"list", 0, 2, "list of the target's buffers that took the payload", names=16},
    {"response_opcode", 2, 6, "operation of the response", names=17},
    {"version", 8, 2, "protocol version, 0 for 1.0", least=0, most=0},
    {"return_code", 10, 6, "outcome of the request", names=18},
    {"response_message_id", 16, 16, "message identifier of the response"},
    {"", 32, 8, "reserved, must be 0"},
    {"job_id", 40, 24, "job identifier"},
    {"read_request_message_id", 64, 16, "message identifier of the request"},
    {"", 80, 2, "reserved, must be 0"},
    {"payload_length", 82, 14, "octets of payload in this packet"},
    {"modified_length", 96, 32, "octets that were transferred, in all packets"},
    {"message_offset", 128, 32, "offset in the response at which this packet begins"},
    {"", 160, 32, "reserved, must be 0"},
  }},
  {name="optimized_response_with_data", prefix="ueuet.ses", title="Optimized Response with Data", len=16, layer="ses", dialects=1, type=0, carries={{}, {}}, next=6, opcodes={[2]=1}, fields={
    {"list", 0, 2, "list of the target's buffers that took the payload", names=16},
    {"response_opcode", 2, 6, "operation of the response", names=17},
    {"version", 8, 2, "protocol version, 0 for 1.0", least=0, most=0},
    {"return_code", 10, 6, "outcome of the request", names=18},
    {"", 16, 2, "reserved, must be 0"},
    {"payload_length", 18, 14, "octets of payload in this packet"},
    {"", 32, 8, "reserved, must be 0"},
    {"job_id", 40, 24, "job identifier"},
    {"original_request_psn", 64, 32, "PSN of the request"},
    {"", 96, 32, "reserved, must be 0"},
  }},
  {name="req_small", prefix="ueuet.ses", title="Small Request", len=20, layer="ses", dialects=2, type=0, carries={{}, {}}, next=1, opcodes={[0]=1,[1]=1,[2]=1,[3]=1,[4]=1}, fields={
    {"", 0, 2, "reserved, must be 0"},
    {"opcode", 2, 6, "operation", names=19},
    {"version", 8, 2, "protocol version, 0 for 1.0", least=0, most=0},
    {"dc", 10, 1, "delivery complete: answer when the data is globally observable"},
    {"ie", 11, 1, "initiator error"},
    {"rel", 12, 1, "relative addressing"},
    {"hd", 13, 1, "header data is present"},
    {"eom", 14, 1, "end of message"},
    {"som", 15, 1, "start of message"},
    {"", 16, 2, "reserved, must be 0"},
    {"request_length", 18, 14, "octets to transfer"},
    {"ri_generation", 32, 8, "generation of the resource index"},
    {"job_id", 40, 24, "job identifier"},
    {"", 64, 4, "reserved, must be 0"},
    {"pid_on_fep", 68, 12, "process on the fabric end point"},
    {"", 80, 4, "reserved, must be 0"},
    {"resource_index", 84, 12, "resource of the process"},
    {"buffer_offset", 96, 64, "offset in the buffer, or a virtual address"},
  }},
  {name="req_medium", prefix="ueuet.ses", title="Medium Request", len=32, layer="ses", dialects=2, type=0, carries={{}, {}}, next=2, opcodes={[0]=1,[1]=1,[2]=1,[3]=1,[4]=1,[5]=1,[7]=1,[9]=1,[13]=1,[14]=1}, fields={
    {"", 0, 2, "reserved, must be 0"},
    {"opcode", 2, 6, "operation", names=19},
    {"version", 8, 2, "protocol version, 0 for 1.0", least=0, most=0},
    {"dc", 10, 1, "delivery complete: answer when the data is globally observable"},
    {"ie", 11, 1, "initiator error"},
    {"rel", 12, 1, "relative addressing"},
    {"hd", 13, 1, "header data is present"},
    {"eom", 14, 1, "end of message"},
    {"som", 15, 1, "start of message"},
    {"", 16, 2, "reserved, must be 0"},
    {"request_length", 18, 14, "octets to transfer"},
    {"ri_generation", 32, 8, "generation of the resource index"},
    {"job_id", 40, 24, "job identifier"},
    {"", 64, 4, "reserved, must be 0"},
    {"pid_on_fep", 68, 12, "process on the fabric end point"},
    {"", 80, 4, "reserved, must be 0"},
    {"resource_index", 84, 12, "resource of the process"},
    {"header_data", 96, 64, "completion data if hd is set, else the offset in the buffer"},
    {"initiator", 160, 32, "initiator, for tagged matching"},
    {"match_bits", 192, 64, "match bits of a send, memory key of RMA"},
  }},
  {name="req_std_som1", prefix="ueuet.ses", title="Standard Request SOM=1", len=44, layer="ses", dialects=2, type=0, carries={{}, {}}, next=3, opcodes={[0]=1,[1]=1,[2]=1,[3]=1,[4]=1,[5]=1,[6]=1,[7]=1,[9]=1,[10]=1,[13]=1,[14]=1,[15]=1,[16]=1,[17]=1}, when={0x0001, 0x0001, false}, fields={
    {"", 0, 2, "reserved, must be 0"},
    {"opcode", 2, 6, "operation", names=19},
    {"version", 8, 2, "protocol version, 0 for 1.0", least=0, most=0},
    {"dc", 10, 1, "delivery complete: answer when the data is globally observable"},
    {"ie", 11, 1, "initiator error"},
    {"rel", 12, 1, "relative addressing"},
    {"hd", 13, 1, "header data is present"},
    {"eom", 14, 1, "end of message"},
    {"som", 15, 1, "start of message"},
    {"message_id", 16, 16, "message identifier"},
    {"ri_generation", 32, 8, "generation of the resource index"},
    {"job_id", 40, 24, "job identifier"},
    {"", 64, 4, "reserved, must be 0"},
    {"pid_on_fep", 68, 12, "process on the fabric end point"},
    {"", 80, 4, "reserved, must be 0"},
    {"resource_index", 84, 12, "resource of the process"},
    {"buffer_offset", 96, 64, "offset in the buffer, or a virtual address"},
    {"initiator", 160, 32, "initiator, for tagged matching"},
    {"match_bits", 192, 64, "match bits of a send, memory key of RMA"},
    {"header_data", 256, 64, "completion data, valid if hd is set", when={0x0001, 0x0001, false}},
    {"", 256, 18, "reserved, must be 0", when={0x0001, 0x0000, false}},
    {"payload_length", 274, 14, "octets of payload in this packet", when={0x0001, 0x0000, false}},
    {"message_offset", 288, 32, "offset in the message at which this packet begins", when={0x0001, 0x0000, false}},
    {"request_length", 320, 32, "octets to transfer"},
  }},
  {name="req_std_som0", prefix="ueuet.ses", title="Standard Request SOM=0", len=44, layer="ses", dialects=2, type=0, carries={{}, {}}, next=3, opcodes={[0]=1,[1]=1,[2]=1,[3]=1,[4]=1,[5]=1,[6]=1,[7]=1,[9]=1,[10]=1,[13]=1,[14]=1,[15]=1,[16]=1,[17]=1}, when={0x0001, 0x0000, false}, fields={
    {"", 0, 2, "reserved, must be 0"},
    {"opcode", 2, 6, "operation", names=19},
    {"version", 8, 2, "protocol version, 0 for 1.0", least=0, most=0},
    {"dc", 10, 1, "delivery complete: answer when the data is globally observable"},
    {"ie", 11, 1, "initiator error"},
    {"rel", 12, 1, "relative addressing"},
    {"hd", 13, 1, "header data is present"},
    {"eom", 14, 1, "end of message"},
    {"som", 15, 1, "start of message"},
    {"message_id", 16, 16, "message identifier"},
    {"ri_generation", 32, 8, "generation of the resource index"},
    {"job_id", 40, 24, "job identifier"},
    {"", 64, 4, "reserved, must be 0"},
    {"pid_on_fep", 68, 12, "process on the fabric end point"},
    {"", 80, 4, "reserved, must be 0"},
    {"resource_index", 84, 12, "resource of the process"},
    {"buffer_offset", 96, 64, "offset in the buffer, or a virtual address"},
    {"initiator", 160, 32, "initiator, for tagged matching"},
    {"match_bits", 192, 64, "match bits of a send, memory key of RMA"},
    {"header_data", 256, 64, "completion data, valid if hd is set", when={0x0001, 0x0001, false}},
    {"", 256, 18, "reserved, must be 0", when={0x0001, 0x0000, false}},
    {"payload_length", 274, 14, "octets of payload in this packet", when={0x0001, 0x0000, false}},
    {"message_offset", 288, 32, "offset in the message at which this packet begins", when={0x0001, 0x0000, false}},
    {"request_length", 320, 32, "octets to transfer"},
  }},
  {name="req_std_deferrable", prefix="ueuet.ses", title="Deferrable Request", len=44, layer="ses", dialects=2, type=0, carries={{}, {}}, next=3, opcodes={[8]=1,[11]=1}, fields={
    {"", 0, 2, "reserved, must be 0"},
    {"opcode", 2, 6, "operation", names=19},
    {"version", 8, 2, "protocol version, 0 for 1.0", least=0, most=0},
    {"dc", 10, 1, "delivery complete: answer when the data is globally observable"},
    {"ie", 11, 1, "initiator error"},
    {"rel", 12, 1, "relative addressing"},
    {"hd", 13, 1, "header data is present"},
    {"eom", 14, 1, "end of message"},
    {"som", 15, 1, "start of message"},
    {"message_id", 16, 16, "message identifier"},
    {"ri_generation", 32, 8, "generation of the resource index"},
    {"job_id", 40, 24, "job identifier"},
    {"", 64, 4, "reserved, must be 0"},
    {"pid_on_fep", 68, 12, "process on the fabric end point"},
    {"", 80, 4, "reserved, must be 0"},
    {"resource_index", 84, 12, "resource of the process"},
    {"initiator_restart_token", 96, 32, "token chosen by the initiator"},
    {"target_restart_token", 128, 32, "token of the Ready to Restart; 0 in the first request"},
    {"initiator", 160, 32, "initiator, for tagged matching"},
    {"match_bits", 192, 64, "match bits of a send, memory key of RMA"},
    {"header_data", 256, 64, "completion data, valid if hd is set", when={0x0001, 0x0001, false}},
    {"", 256, 18, "reserved, must be 0", when={0x0001, 0x0000, false}},
    {"payload_length", 274, 14, "octets of payload in this packet", when={0x0001, 0x0000, false}},
    {"message_offset", 288, 32, "offset in the message at which this packet begins", when={0x0001, 0x0000, false}},
    {"request_length", 320, 32, "octets to transfer"},
  }},
  {name="req_std_rtr", prefix="ueuet.ses", title="Ready to Restart", len=44, layer="ses", dialects=2, type=0, carries={{}, {}}, next=3, opcodes={[12]=1}, fields={
    {"", 0, 2, "reserved, must be 0"},
    {"opcode", 2, 6, "operation", names=19},
    {"version", 8, 2, "protocol version, 0 for 1.0", least=0, most=0},
    {"dc", 10, 1, "delivery complete: answer when the data is globally observable"},
    {"ie", 11, 1, "initiator error"},
    {"rel", 12, 1, "relative addressing"},
    {"hd", 13, 1, "header data is present"},
    {"eom", 14, 1, "end of message"},
    {"som", 15, 1, "start of message"},
    {"message_id", 16, 16, "message identifier"},
    {"ri_generation", 32, 8, "generation of the resource index"},
    {"job_id", 40, 24, "job identifier"},
    {"", 64, 4, "reserved, must be 0"},
    {"pid_on_fep", 68, 12, "process on the fabric end point"},
    {"", 80, 4, "reserved, must be 0"},
    {"resource_index", 84, 12, "resource of the process"},
    {"buffer_offset", 96, 64, "offset in the buffer, or a virtual address"},
    {"initiator", 160, 32, "initiator"},
    {"initiator_restart_token", 192, 32, "token of the deferrable send"},
    {"target_restart_token", 224, 32, "token chosen by the target"},
    {"header_data", 256, 64, "completion data, valid if hd is set", when={0x0001, 0x0001, false}},
    {"", 256, 18, "reserved, must be 0", when={0x0001, 0x0000, false}},
    {"payload_length", 274, 14, "octets of payload in this packet", when={0x0001, 0x0000, false}},
    {"message_offset", 288, 32, "offset in the message at which this packet begins", when={0x0001, 0x0000, false}},
    {"request_length", 320, 32, "octets to transfer"},
  }},
  {name="rsp", prefix="ueuet.ses", title="Response", len=12, layer="ses", dialects=2, type=0, carries={{}, {}}, next=4, opcodes={[0]=1,[1]=1,[3]=1}, fields={
    {"list", 0, 2, "list of the target's buffers that took the payload", names=16},
    {"response_opcode", 2, 6, "operation of the response", names=20},
    {"version", 8, 2, "protocol version, 0 for 1.0", least=0, most=0},
    {"return_code", 10, 6, "outcome of the request", names=21},
    {"message_id", 16, 16, "message identifier of the request"},
    {"ri_generation", 32, 8, "generation of the resource index"},
    {"job_id", 40, 24, "job identifier"},
    {"modified_length", 64, 32, "octets that were transferred"},
  }},
  {name="rsp_data", prefix="ueuet.ses", title="Response with Data", len=20, layer="ses", dialects=2, type=0, carries={{}, {}}, next=5, opcodes={[2]=1}, fields={
    {"list", 0, 2, "list of the target's buffers that took the payload", names=16},
    {"response_opcode", 2, 6, "operation of the response", names=20},
    {"version", 8, 2, "protocol version, 0 for 1.0", least=0, most=0},
    {"return_code", 10, 6, "outcome of the request", names=21},
    {"response_message_id", 16, 16, "message identifier of the response"},
    {"ri_generation", 32, 8, "generation of the resource index"},
    {"job_id", 40, 24, "job identifier"},
    {"read_request_message_id", 64, 16, "message identifier of the request"},
    {"", 80, 2, "reserved, must be 0"},
    {"payload_length", 82, 14, "octets of payload in this packet"},
    {"modified_length", 96, 32, "octets that were transferred, in all packets"},
    {"message_offset", 128, 32, "offset in the response at which this packet begins"},
  }},
  {name="rsp_data_small", prefix="ueuet.ses", title="Small Response with Data", len=12, layer="ses", dialects=2, type=0, carries={{}, {}}, next=6, opcodes={[2]=1}, fields={
    {"list", 0, 2, "list of the target's buffers that took the payload", names=16},
    {"response_opcode", 2, 6, "operation of the response", names=20},
    {"version", 8, 2, "protocol version, 0 for 1.0", least=0, most=0},
    {"return_code", 10, 6, "outcome of the request", names=21},
    {"", 16, 2, "reserved, must be 0"},
    {"payload_length", 18, 14, "octets of payload in this packet"},
    {"", 32, 8, "reserved, must be 0"},
    {"job_id", 40, 24, "job identifier"},
    {"original_request_psn", 64, 32, "PSN of the request"},
  }},
  {name="rendezvous_extension", prefix="ueuet.rendezvous", title="Rendezvous Extension", len=32, layer="extension", dialects=1, type=0, carries={{}, {}}, next=0, opcodes={}, fields={
    {"eager_length", 0, 32, "octets that come with the request"},
    {"memory_key", 32, 64, "memory key of the initiator"},
    {"buffer_offset", 96, 64, "offset of the rest of the message in the initiator's buffer"},
    {"remaining_length", 160, 32, "octets of the rest, which the target reads"},
    {"", 192, 64, "reserved, must be 0"},
  }},
  {name="atomic_extension", prefix="ueuet.atomic", title="Atomic Extension", len=8, layer="extension", dialects=1, type=0, carries={{}, {}}, next=0, opcodes={[3]=1,[4]=1,[11]=1,[12]=1}, fields={
    {"opcode", 0, 8, "atomic operation", names=22},
    {"datatype", 8, 8, "data type of the operands", names=23},
    {"semantic_control", 16, 16, "coherence of the memory"},
    {"", 32, 32, "reserved, must be 0"},
  }},
  {name="cas_extension", prefix="ueuet.atomic", title="Compare-and-Swap Extension", len=40, layer="extension", dialects=1, type=0, carries={{}, {}}, next=0, opcodes={[5]=1,[13]=1}, fields={
    {"opcode", 0, 8, "atomic operation", names=22, least=13, most=19},
    {"datatype", 8, 8, "data type of the operands", names=23},
    {"semantic_control", 16, 16, "coherence of the memory"},
    {"", 32, 32, "reserved, must be 0"},
    {"compare_high", 64, 64, "compare or mask value, bits 127 to 64"},
    {"compare_low", 128, 64, "compare or mask value, bits 63 to 0"},
    {"swap_high", 192, 64, "swap value, bits 127 to 64"},
    {"swap_low", 256, 64, "swap value, bits 63 to 0"},
  }},
  {name="rndv_ext", prefix="ueuet.rendezvous", title="Rendezvous Extension", len=24, layer="extension", dialects=2, type=0, carries={{}, {}}, next=0, opcodes={[6]=1,[10]=1}, fields={
    {"eager_length", 0, 32, "octets that come with the request"},
    {"ri_generation", 32, 8, "generation of the resource index to read from"},
    {"pid_on_fep", 40, 12, "process to read from"},
    {"resource_index", 52, 12, "resource to read from"},
    {"buffer_offset", 64, 64, "offset in the initiator's buffer to read from"},
    {"memory_key", 128, 64, "memory key to read with"},
  }},
  {name="sync_ext", prefix="ueuet.sync", title="Sync Extension", len=4, layer="extension", dialects=2, type=0, carries={{}, {}}, next=0, opcodes={[16]=1,[17]=1}, fields={
    {"group", 0, 16, "group of requests"},
    {"count", 16, 16, "requests in the group"},
  }},
  {name="atomic_ext", prefix="ueuet.atomic", title="Atomic Extension", len=4, layer="extension", dialects=2, type=0, carries={{}, {}}, next=0, opcodes={[3]=1,[4]=1,[13]=1,[14]=1,[17]=1}, atomic={[0]=1,[1]=1,[2]=1,[3]=1,[4]=1,[5]=1,[6]=1,[7]=1,[8]=1,[9]=1,[10]=1,[11]=1,[12]=1,[20]=1,[21]=1,[22]=1,[23]=1,[24]=1,[25]=1,[26]=1,[27]=1,[28]=1,[29]=1,[30]=1,[31]=1,[32]=1,[33]=1,[34]=1,[35]=1,[36]=1,[37]=1,[38]=1,[39]=1,[40]=1,[41]=1,[42]=1,[43]=1,[44]=1,[45]=1,[46]=1,[47]=1,[48]=1,[49]=1,[50]=1,[51]=1,[52]=1,[53]=1,[54]=1,[55]=1,[56]=1,[57]=1,[58]=1,[59]=1,[60]=1,[61]=1,[62]=1,[63]=1}, fields={
    {"opcode", 0, 8, "atomic operation", names=22},
    {"datatype", 8, 8, "data type of the operands", names=24},
    {"semantic_control", 16, 8, "coherence of the memory: 1 cacheable, 2 CPU coherent"},
    {"", 24, 8, "reserved, must be 0"},
  }},
  {name="cswap_ext", prefix="ueuet.atomic", title="Compare-and-Swap Extension", len=36, layer="extension", dialects=2, type=0, carries={{}, {}}, next=0, opcodes={[3]=1,[4]=1,[13]=1,[14]=1,[17]=1}, atomic={[13]=1,[14]=1,[15]=1,[16]=1,[17]=1,[18]=1,[19]=1}, fields={
    {"opcode", 0, 8, "atomic operation", names=22},
    {"datatype", 8, 8, "data type of the operands", names=24},
    {"semantic_control", 16, 8, "coherence of the memory: 1 cacheable, 2 CPU coherent"},
    {"", 24, 8, "reserved, must be 0"},
    {"compare_high", 32, 64, "compare or mask value, bits 127 to 64"},
    {"compare_low", 96, 64, "compare or mask value, bits 63 to 0"},
    {"swap_high", 160, 64, "swap value, bits 127 to 64"},
    {"swap_low", 224, 64, "swap value, bits 63 to 0"},
  }},
}
-- End of the tables.

---------------------------------------------------------------------------------------------
-- Protocols, fields, preferences
---------------------------------------------------------------------------------------------

local uelink = Proto("uelink", "uelink")
local uellr = Proto("uellr", "UE Link Layer Retry")
local uecbfc = Proto("uecbfc", "UE Credit-Based Flow Control")
local ueuet = Proto("ueuet", "Ultra Ethernet Transport (uelink)")
local uehippi = Proto("uehippi", "HIPPI-6400-PH micropackets")
local p_ctlos = Proto("uelink_ctlos", "UE control ordered set") -- for a private link type
local p_block = Proto("uelink_block", "UE LLR preamble, 64B/66B") -- for a private link type
local by_name = {uelink = uelink, uellr = uellr, uecbfc = uecbfc, ueuet = ueuet, uehippi = uehippi}

-- owner is the protocol that a name of a filter begins with.
local function owner(name) return by_name[name:match("^%a+")] end

local pf = {} -- by the name of the filter
local experts = {}

local function list_of(proto)
  local l = {}
  for name, f in pairs(pf) do
    if owner(name) == proto then l[#l + 1] = f.pf end
  end
  return l
end

-- Of the fields with one name the widest counts.
local function declare(name, title, bits)
  local old = pf[name]
  if not old or old.bits < bits then
    pf[name] = {bits = bits, title = title}
  end
end

local by_format = {} -- formats by their names; those of two dialects have two names
for _, f in ipairs(formats) do
  by_format[f.name] = f
  for _, field in ipairs(f.fields) do
    field.name, field.at, field.bits, field.text = field[1], field[2], field[3], field[4]
    field.names = names[field.names or 0]
    if field.name ~= "" then
      field.filter = f.prefix == "" and field.name or f.prefix .. "." .. field.name
      if owner(field.filter) then declare(field.filter, field.name, field.bits) end
    end
  end
end
for _, name in ipairs({"uelink.sequenced", "uelink.vc", "uelink.fcs_status", "ueuet.trimmed", "uellr.seq",
    "uehippi.fcs_status", "uehippi.lcrc_status", "uehippi.ecrc_status"}) do
  declare(name, name:match("[^.]+$"), 32)
end
for name, f in pairs(pf) do
  if f.bits > 32 then
    f.pf = ProtoField.uint64(name, f.title, base.HEX)
  else
    f.pf = ProtoField.uint32(name, f.title, f.bits > 16 and base.DEC_HEX or base.DEC)
  end
end
for _, name in ipairs({"uelink.fcs", "uelink.control.crc", "uehippi.fcs"}) do
  pf[name] = {bits = 32, pf = ProtoField.uint32(name, name:match("[^.]+$"), base.HEX)}
end
for _, name in ipairs({"uelink.fault", "uecbfc.fault", "ueuet.fault", "uehippi.fault"}) do
  pf[name] = {bits = 0, pf = ProtoField.string(name, "fault")}
end

-- What the analysis across packets says; see docs/wireshark.md.
local analysis = {
  {"uellr.analysis.expected", "Expected number", ProtoField.uint32},
  {"uellr.analysis.gap", "Frames missing before this one", ProtoField.uint32},
  {"uellr.analysis.duplicate", "Came before, by so many numbers", ProtoField.uint32},
  {"uellr.analysis.bad", "The expected frame, damaged", ProtoField.uint32},
  {"uellr.analysis.replay", "A replay begins, the n-th", ProtoField.uint32},
  {"uellr.analysis.recovery", "Seconds from the loss to the delivery", ProtoField.double},
  {"uellr.analysis.acknowledged", "Frames that are acknowledged by it", ProtoField.uint32},
  {"uellr.analysis.handshake", "Seconds from LLR_INIT to its echo", ProtoField.double},
  {"uecbfc.analysis.in_use", "Credits in use", ProtoField.uint32},
  {"uehippi.analysis.expected", "Expected number of a micropacket", ProtoField.uint32},
  {"uehippi.analysis.gap", "Frames missing before this one", ProtoField.uint32},
  {"uehippi.analysis.duplicate", "Frame overtaken, or came before, by so many numbers", ProtoField.uint32},
  {"uehippi.analysis.again", "A retransmission begins, the n-th", ProtoField.uint32},
}
for _, a in ipairs(analysis) do pf[a[1]] = {bits = 32, pf = a[3](a[1], a[2])} end


local function new_expert(name, text, group, severity)
  experts[name] = ProtoExpert.new(name, text, group, severity)
  return experts[name]
end
local malformed, err = expert.group.MALFORMED, expert.severity.ERROR
local sequence, note, warn = expert.group.SEQUENCE, expert.severity.NOTE, expert.severity.WARN
local e_malformed = {
  uelink = new_expert("uelink.malformed", "Not as it has to be", malformed, err),
  uecbfc = new_expert("uecbfc.malformed", "Not as it has to be", malformed, err),
  ueuet = new_expert("ueuet.malformed", "Not as it has to be", malformed, err),
  uehippi = new_expert("uehippi.malformed", "Not as it has to be", malformed, err),
}
local e_bad_fcs = new_expert("uelink.bad_fcs", "The FCS image is wrong: damaged on the way", expert.group.CHECKSUM, warn)
local e_poisoned = new_expert("uelink.poisoned", "The FCS image is inverted: damaged before it was sent", expert.group.CHECKSUM, note)
local e_damaged = new_expert("uehippi.damaged", "A check sequence is wrong: damaged on the way", expert.group.CHECKSUM, warn)
local e_stomped = new_expert("uehippi.stomped", "Nullified by its sender", expert.group.CHECKSUM, note)
new_expert("uehippi.again", "A retransmission begins", sequence, note)
new_expert("uehippi.gap", "Frames are missing before this one", sequence, warn)
new_expert("uehippi.duplicate", "This frame came before, or was overtaken", sequence, note)
new_expert("uellr.gap", "Frames are missing before this one", sequence, warn)
new_expert("uellr.duplicate", "This frame came before", sequence, note)
new_expert("uellr.replay", "A replay begins", sequence, note)
local e_nack = new_expert("uellr.nack", "Negative acknowledgement", sequence, note)

local function experts_of(proto)
  local l = {}
  for name, e in pairs(experts) do
    if owner(name) == proto then l[#l + 1] = e end
  end
  return l
end
for _, proto in pairs(by_name) do
  proto.fields = list_of(proto)
  proto.experts = experts_of(proto)
end

uelink.prefs.data = Pref.uint("EtherType of data frames", 0x88B5, "34997 is 88B5")
uelink.prefs.control = Pref.uint("EtherType of control frames", 0x88B6, "34998 is 88B6")
uelink.prefs.oui = Pref.uint("OUI of the LLDP TLVs", 0xFA7ACB, "16415435 is FA-7A-CB")
uelink.prefs.check = Pref.bool("Check FCS images and check sequences", true, "It takes time")
uehippi.prefs.analyse = Pref.bool("Follow the numbers", true, "Frames missing or twice, and retransmissions")
uellr.prefs.analyse = Pref.bool("Follow the sequence numbers", true, "Gaps, duplicates, replays and how long they took")
ueuet.prefs.dialect = Pref.enum("Dialect", 1, "Of the SES headers", {{1, "seed", 0}, {2, "ue1", 1}}, false)
ueuet.prefs.port = Pref.uint("UDP port", 4793, "4793 is assigned")
ueuet.prefs.protocol = Pref.uint("IP protocol number", 253, "No number is assigned; 253 is for experiments")
ueuet.prefs.trimmed = Pref.string("DSCPs of trimmed packets", "", "For example 16,18")
ueuet.prefs.rendezvous = Pref.uint("Operation code with a rendezvous extension", 0,
  "Dialect seed, which names none; 0: none")

---------------------------------------------------------------------------------------------
-- Headers by their tables
---------------------------------------------------------------------------------------------

-- holds tells whether the first 16 bits of a header meet a condition.
local function holds(when, first)
  return not when or (band(first, when[1]) == when[2]) ~= when[3]
end

-- bits_of reads a field: a number, or a UInt64 if it has more than 32 bits.
local function bits_of(tvb, at, f)
  local first = math.floor(f.at / 8)
  local last = math.floor((f.at + f.bits - 1) / 8)
  local range = tvb:range(at + first, last - first + 1)
  return range:bitfield(f.at - first * 8, f.bits), range
end

local function number_of(v)
  return type(v) == "number" and v or v:tonumber()
end

-- any_set tells whether one of reserved bits is set.
local function any_set(tvb, at, f)
  for bit = f.at, f.at + f.bits - 1, 32 do
    if bits_of(tvb, at, {at = bit, bits = math.min(32, f.at + f.bits - bit)}) ~= 0 then return true end
  end
  return false
end

-- check is what is wrong with a header, in the words of uelink, or nil.
local function check(tvb, at, f, first)
  for _, field in ipairs(f.fields) do
    if holds(field.when, first) then
      local place = " at octet " .. math.floor(field.at / 8)
      if field.name == "" then
        if any_set(tvb, at, field) then return "reserved bits set: " .. f.name .. ".reserved" .. place end
      elseif field.least then
        local v = number_of((bits_of(tvb, at, field)))
        if v < field.least or v > field.most then
          return "value out of range: " .. f.name .. "." .. field.name .. place
        end
      end
    end
  end
end

-- add_value shows a value that is at some octets.
local function add_value(tree, name, range, v, text)
  local field = pf[name]
  if field.bits > 32 and type(v) == "number" then v = UInt64.new(v) end
  local item = tree:add(field.pf, range, v)
  if text then item:append_text(" (" .. text .. ")") end
  return item
end

-- requests tells whether a PDS header may carry a request.
local function requests(f, d)
  local carries = f.carries[d + 1]
  return carries[1] or carries[2] or carries[3]
end

-- show adds a subtree with the fields of a header that begins at an octet. It returns the subtree
-- and the first 16 bits, or nil if the header is not all there.
local function show(tvb, at, f, tree, proto)
  if tvb:len() < at + f.len then return nil end
  local first = tvb:range(at, 2):uint()
  local sub = tree:add(proto, tvb:range(at, f.len), f.title)
  for _, field in ipairs(f.fields) do
    if field.filter and holds(field.when, first) then
      local v, range = bits_of(tvb, at, field)
      local n = number_of(v)
      local text = field.names and field.names[n]
      if field.filter == "ueuet.pds.next_hdr" then
        text = n == 0 and not requests(f, ueuet.prefs.dialect) and "NONE" or next_headers[ueuet.prefs.dialect][n]
      end
      if field.signed and n >= 2 ^ (field.bits - 1) then text = string.format("%d", n - 2 ^ field.bits) end
      add_value(sub, field.filter, range, v, text)
    end
  end
  return sub, first
end

-- fault shows what is wrong: by default a malformed message.
local function fault(tree, name, range, text, as)
  local item = tree:add(pf[name .. ".fault"].pf, range, text)
  item:set_generated()
  item:add_proto_expert_info(as or e_malformed[name], text)
end

-- hand_over has another dissector go on. That a frame is malformed for it is told, and is no error
-- of this script.
local function hand_over(dissector, tvb, pinfo, tree)
  local ok, n = pcall(function() return dissector:call(tvb, pinfo, tree) end)
  if not ok then
    tree:add_proto_expert_info(e_malformed.uelink, "malformed")
    return tvb:len()
  end
  return n
end

---------------------------------------------------------------------------------------------
-- UET
---------------------------------------------------------------------------------------------

local dscp4, dscp6 = Field.new("ip.dsfield.dscp"), Field.new("ipv6.tclass.dscp")
local udp_length = Field.new("udp.length")
local trimmed_set = {}

local TSS, CTRL = 1, 11
local pushes = {[0] = {[1] = 1, [3] = 1, [8] = 1, [9] = 1, [11] = 1}, {[1] = 1, [3] = 1, [5] = 1, [7] = 1, [9] = 1, [13] = 1}}

-- Octets of an element by data type, and the operation codes that ask for the original value: wire/uet/elements.go.
local element_sizes = {
  [0] = {[0] = 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8, 16, [14] = 2, [15] = 2},
  {[0] = 1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 4, 8, 8, 16, [16] = 2, [17] = 2},
}
local fetches = {[0] = {[4] = 1, [12] = 1}, {[4] = 1, [14] = 1}}

local function of_dialect(f, d) return band(f.dialects or 0, 2 ^ d) ~= 0 end

local function packet_format(first)
  for _, f in ipairs(formats) do
    if (f.layer == "tss" or f.layer == "pds") and f.type == rshift(first, 11) and holds(f.when, first) then return f end
  end
end

local function ses_lead(d, next)
  for _, f in ipairs(formats) do
    if f.layer == "ses" and f.next == next and of_dialect(f, d) then return f end
  end
end

local function field_of(f, name, first)
  for _, field in ipairs(f.fields) do
    if field.name == name and holds(field.when, first) then return field end
  end
end

local function opcode_field(f) return field_of(f, "opcode", 0) or field_of(f, "response_opcode", 0) end

local function same_set(a, b)
  for k in pairs(a) do if not b[k] then return false end end
  for k in pairs(b) do if not a[k] then return false end end
  return true
end

local function ses_format(d, lead, first, code, known)
  for _, f in ipairs(formats) do
    if f.layer == "ses" and f.next == lead.next and of_dialect(f, d) and holds(f.when, first) and
        (f.opcodes[code] or not known and same_set(f.opcodes, lead.opcodes)) then
      return f
    end
  end
end

local function single_packet(f, d)
  return f.next == (d == 0 and 2 or 1) or f.next == (d == 0 and 3 or 2)
end

-- follows tells whether an extension follows a request with an operation code.
local function follows(f, d, code, tvb, at)
  if f.name == "rendezvous_extension" then return code ~= 0 and code == ueuet.prefs.rendezvous end
  if not f.opcodes[code] then return false end
  return not f.atomic or at >= tvb:len() or f.atomic[math.min(63, tvb:range(at, 1):uint())] ~= nil
end

-- Transport is a packet on its way through the headers.
local Transport = {}
Transport.__index = Transport

function Transport:note(text, cut)
  if not self.fault and not (cut and self.trimmed) then self.fault = text end
end

-- take shows and checks the next header. It is nil if that is not all there.
function Transport:take(f)
  local left = self.tvb:len() - self.at
  local sub, first = show(self.tvb, self.at, f, self.tree, ueuet)
  if not sub then
    self:note("truncated: " .. f.name .. " after " .. left .. " of " .. f.len .. " octets", true)
    return nil
  end
  local wrong = check(self.tvb, self.at, f, first)
  if wrong then self:note(wrong) end
  self.at = self.at + f.len
  return first
end

-- first is the first 16 bits of what is left, or nil.
function Transport:first(name, len)
  local left = self.tvb:len() - self.at
  if left < 2 then
    self:note("truncated: " .. name .. " after " .. left .. " of " .. len .. " octets", true)
    return nil
  end
  return self.tvb:range(self.at, 2):uint()
end

function Transport:semantic(pds, next)
  local d = self.dialect
  local carries = pds.carries[d + 1]
  local lead = ses_lead(d, next)
  if pds.type == CTRL or next == 0 and carries[0] and (d == 1 or not requests(pds, d)) then return end
  if not lead and next ~= 0 then return end
  if not carries[next] then
    self:note("does not fit: " .. pds.name .. ".next_hdr at octet 0")
    return
  end
  local first = self:first(lead.name, lead.len)
  if not first then return end
  local field = opcode_field(lead)
  local code = bits_of(self.tvb, self.at, field)
  local f = ses_format(d, lead, first, code, field.names[code])
  if not f then
    self:note("does not fit: " .. lead.name .. "." .. field.name .. " at octet 0")
    return
  end
  local start = self.at
  if not self:take(f) then return end
  self.what = field.names[code] or string.format("operation %d", code)
  if field.name ~= "opcode" or self:extensions(code) then
    self:length(f, start, first, field, code)
    self:elements(f, start, first, code)
  end
end

function Transport:extensions(code)
  for _, f in ipairs(formats) do
    if f.layer == "extension" and of_dialect(f, self.dialect) and follows(f, self.dialect, code, self.tvb, self.at) then
      local start = self.at
      if not self:take(f) then return false end
      if f.name == "atomic_extension" or f.name == "atomic_ext" then self.atomic = {format = f, at = start} end
      if f.atomic or f.name == "rendezvous_extension" then break end
    end
  end
  return true
end

function Transport:length(f, start, first, opcode, code)
  local name = "payload_length"
  if opcode.name == "opcode" and single_packet(f, self.dialect) and pushes[self.dialect][code] then name = "request_length" end
  local field = field_of(f, name, first)
  if field and number_of((bits_of(self.tvb, start, field))) > self.tvb:len() - self.at then
    self:note("length exceeds the octets present: " .. f.name .. "." .. name .. " at octet " .. math.floor(field.at / 8), true)
  end
end

-- elements checks the operands of an atomic operation: whole elements, and one where the original value is asked for.
function Transport:elements(f, start, first, code)
  if not self.atomic then return end
  local size = element_sizes[self.dialect][self.tvb:range(self.atomic.at + 1, 1):uint()]
  if not size then return end
  local at = ": " .. self.atomic.format.name .. ".datatype at octet 1"
  local octets = self.tvb:len() - self.at
  if octets % size ~= 0 then self:note("operands end within an element" .. at, true) end
  local field = field_of(f, "request_length", first)
  if field then octets = math.max(octets, number_of((bits_of(self.tvb, start, field)))) end
  if octets > size and fetches[self.dialect][code] then self:note("fetching atomic on more than one element" .. at) end
end

local function last(...)
  local n = select("#", ...)
  if n > 0 then return (select(n, ...)) end
end

-- is_trimmed goes by the DSCP, and by a UDP that is longer than IP has room for.
local function is_trimmed(tvb, over_udp)
  local dscp = last(dscp4()) or last(dscp6())
  if dscp and trimmed_set[dscp.value] then return true end
  local length = over_udp and last(udp_length())
  return length and length.value - 8 > tvb:reported_len() or false
end

function ueuet.dissector(tvb, pinfo, tree)
  local over_udp = pinfo.match_uint ~= ueuet.prefs.protocol or pinfo.match_uint == ueuet.prefs.port
  local top = tree:add(ueuet, tvb())
  local t = setmetatable({tvb = tvb, tree = top, at = 0, dialect = ueuet.prefs.dialect}, Transport)
  t.trimmed = is_trimmed(tvb, over_udp)
  pinfo.cols.protocol = "UET"
  if not over_udp and not t:take(by_format.entropy) then
    if t.fault then fault(top, "ueuet", tvb(), t.fault) end
    return tvb:len()
  end
  local first = t:first("prologue", 2)
  local f = first and packet_format(first)
  if f then
    t.what = nil
    if t:take(f) and f.type ~= TSS then t:semantic(f, band(rshift(first, 7), 15)) end
    local info = f.title .. (t.what and ", " .. t.what or "") .. (t.trimmed and " [trimmed]" or "")
    pinfo.cols.info = info
    top:append_text(": " .. info)
  elseif first then
    t:note("unknown type: prologue.type at octet 0")
  end
  if t.trimmed then add_value(top, "ueuet.trimmed", tvb(0, 0), 1):set_generated() end
  if t.fault then fault(top, "ueuet", tvb(), t.fault) end
  if t.at < tvb:len() then hand_over(Dissector.get("data"), tvb(t.at):tvb(), pinfo, top) end
  return tvb:len()
end

---------------------------------------------------------------------------------------------
-- CRC-32 of IEEE 802.3, over octets of which the first are not next to each other
---------------------------------------------------------------------------------------------

local crc_table = {}
for i = 0, 255 do
  local c = i
  for _ = 1, 8 do
    if c % 2 == 1 then c = bxor(rshift(c, 1), 0xEDB88320) else c = rshift(c, 1) end
  end
  crc_table[i] = c
end

local function crc32(...)
  local c = 0xFFFFFFFF
  for _, octets in ipairs({...}) do
    for i = 1, #octets do c = bxor(rshift(c, 8), crc_table[band(bxor(c, octets:byte(i)), 255)]) end
  end
  c = bxor(c, 0xFFFFFFFF)
  return c < 0 and c + 2 ^ 32 or c
end

---------------------------------------------------------------------------------------------
-- Analysis across packets: of one direction at one interface of the capture
---------------------------------------------------------------------------------------------

local MOD, HALF = 2 ^ 20, 2 ^ 19
local streams, results = {}, {}
local interface_id, direction = Field.new("frame.interface_id"), Field.new("frame.packet_flags_direction")

-- optional_field is a field that Wireshark had not at all times.
local function optional_field(name)
  local ok, field = pcall(Field.new, name)
  return ok and field or function() end
end

-- Of Linux's cooked captures (tcpdump -i any): the interface, and 4 for a packet that this host sends.
local cooked_interface, cooked_kind, COOKED_SENT = optional_field("sll.ifindex"), optional_field("sll.pkttype"), 4

local function reset() streams, results = {}, {} end
uelink.init = reset

-- ways is the keys of the frame's own direction and of the other one, or nil where the capture
-- does not tell directions.
local function ways()
  local index, kind = cooked_interface(), cooked_kind()
  if index and kind then
    local sent = kind.value == COOKED_SENT
    return index.value .. (sent and "/sent" or "/received"), index.value .. (sent and "/received" or "/sent")
  end
  local way, intf = direction(), interface_id()
  if not way or way.value == 0 then return nil end
  local at = tostring(intf and intf.value or 0)
  local other = way.value == 1 and 2 or 1
  return at .. "/" .. way.value, at .. "/" .. other
end

local function stream(key)
  streams[key] = streams[key] or {replays = 0, consumed = {}, freed = {}}
  return streams[key]
end

-- sequenced follows the frames of a direction as its receiver does.
local function sequenced(s, seq, good, now)
  local r = {expected = s.next}
  if s.last and (seq - s.last - 1) % MOD >= HALF then
    s.replays = s.replays + 1
    r.replay = s.replays
  end
  s.last = seq
  if s.next then
    local d = (seq - s.next) % MOD
    if d >= HALF then
      r.duplicate = MOD - d
    elseif d > 0 then
      r.gap = d
      s.lost = s.lost or now
    elseif not good then
      r.bad = 1
      s.lost = s.lost or now
    end
    if d ~= 0 or not good then return r end
  end
  if s.lost then r.recovery, s.lost = now - s.lost, nil end
  s.next = (seq + 1) % MOD
  return r
end

local explain = {"expected", "gap", "duplicate", "bad", "replay", "again", "recovery", "acknowledged", "handshake"}

local function show_analysis(tree, prefix, r, range)
  for _, name in ipairs(explain) do
    local v = r[name]
    if v then
      local item = tree:add(pf[prefix .. ".analysis." .. name].pf, range, v)
      item:set_generated()
      local told = experts[prefix .. "." .. name]
      if told then item:add_proto_expert_info(told) end
    end
  end
end

-- once keeps what the first pass found out of a packet, under a place in it.
local function once(pinfo, place, find)
  local key = pinfo.number .. "/" .. place
  if not pinfo.visited then results[key] = find() end
  return results[key]
end

---------------------------------------------------------------------------------------------
-- The shim
---------------------------------------------------------------------------------------------

local eth_dst, eth_src = Field.new("eth.dst"), Field.new("eth.src")

-- addresses_of is the destination and the source of the Ethernet frame, which check sequences cover; nil in a cooked
-- capture (tcpdump -i any), which has no destination.
local function addresses_of()
  local dst, src = last(eth_dst()), last(eth_src())
  return dst and src and dst.range:bytes() .. src.range:bytes()
end

-- with_type is the octets in front of those that a check sequence covers: the addresses and the EtherType.
local function with_type(addresses, pinfo)
  return addresses:raw() .. string.char(math.floor(pinfo.match_uint / 256), pinfo.match_uint % 256)
end

local fcs_states = {[0] = "good", "poisoned", "bad"}
local MIN_FRAME, SHIM, FCS = 60, 10, 4

-- preamble reads an image: sequenced, number, flags; or nil and what is wrong.
local function preamble(tvb)
  local seq, flags, is
  if tvb:range(0, 1):uint() == 0xFB then
    local mark, word = tvb:range(1, 1):bitfield(4, 4), tvb:range(1, 3):uint()
    if tvb:range(4, 2):uint() ~= 0x5555 or tvb:range(7, 1):uint() ~= 0xD5 then return nil, "bad preamble image" end
    flags = bxor(tvb:range(6, 1):uint(), 0x55)
    if mark == 7 then
      is, seq = true, tvb:range(1, 1):bitfield(0, 4) * 65536 + tvb:range(2, 2):uint()
    elseif word == 0x555555 then
      is, seq = false, 0
    else
      return nil, "bad preamble image"
    end
  else
    local sfd = tvb:range(3, 1):uint()
    if tvb:range(0, 3):uint() ~= 0x555555 or sfd ~= 0xD5 and sfd ~= 0xDD then return nil, "bad preamble image" end
    is, seq, flags = sfd == 0xDD, tvb:range(4, 3):uint(), tvb:range(7, 1):uint()
  end
  if seq >= MOD or not is and seq ~= 0 then return nil, "reserved bits set" end
  return {sequenced = is, seq = seq, fcs = flags >= 128, addressed = band(flags, 0x40) ~= 0,
    to_partner = band(flags, 0x20) ~= 0, vc = band(flags, 31)}
end

-- fcs_state is 0 good, 1 poisoned, 2 bad.
local function fcs_state(tvb, before)
  local n = tvb:len()
  local got = tvb:range(n - FCS, FCS):le_uint()
  local want = crc32(before, tvb:raw(0, n - FCS))
  if got == want then return 0 end
  return got == 2 ^ 32 - 1 - want and 1 or 2
end

local cc_messages -- see CC_Update
local depth, deep_in = 0, 0 -- of frames in frames, and the number of the packet

local ADDRESSES, LLC_BELOW = 12, 0x600

-- without_addresses shows a carried frame from its EtherType on, where the capture lacks the addresses.
local function without_addresses(tvb, pinfo, tree)
  local kind, rest = tvb:range(0, 2):uint(), tvb(2):tvb()
  local dissector = kind < LLC_BELOW and Dissector.get("llc") or DissectorTable.get("ethertype"):get_dissector(kind)
  hand_over(dissector or Dissector.get("data"), rest, pinfo, tree)
end

local function data_frame(tvb, pinfo, tree)
  if deep_in ~= pinfo.number then depth, deep_in = 0, pinfo.number end
  local top = tree:add(uelink, tvb(0, math.min(8, tvb:len())), "uelink shim")
  pinfo.cols.protocol = "UELINK"
  local format = tvb:len() > 0 and tvb:range(0, 1):uint() == 0xFB and by_format.preamble_ue1 or by_format.preamble_seed
  local sub = show(tvb, 0, format, top, uelink)
  if not sub then
    fault(top, "uelink", tvb(), "truncated")
    return
  end
  local p, wrong = preamble(tvb)
  local inner = p and p.addressed and ADDRESSES or 0 -- octets of addresses behind the preamble image
  if p and tvb:len() < MIN_FRAME - 14 + SHIM + inner + (p.fcs and FCS or 0) then wrong = "truncated" end
  if wrong then
    fault(top, "uelink", tvb(0, 8), wrong)
    return
  end
  local addresses = addresses_of()
  add_value(top, "uelink.sequenced", tvb(0, 8), p.sequenced and 1 or 0):set_generated()
  add_value(top, "uelink.vc", tvb(0, 8), p.vc):set_generated()
  local state, body = 0, tvb:len() - 8
  if p.fcs then
    body = body - FCS
    local range = tvb:range(tvb:len() - FCS, FCS)
    top:add_le(pf["uelink.fcs"].pf, range)
    if uelink.prefs.check and addresses then
      state = fcs_state(tvb, with_type(addresses, pinfo))
      local item = add_value(top, "uelink.fcs_status", range, state, fcs_states[state])
      item:set_generated()
      if state == 1 then item:add_proto_expert_info(e_poisoned) end
      if state == 2 then item:add_proto_expert_info(e_bad_fcs) end
    end
  end
  local what = ""
  if p.sequenced then
    local llr = tree:add(uellr, tvb(0, 8), "UE Link Layer Retry, number " .. p.seq)
    add_value(llr, "uellr.seq", tvb(0, 8), p.seq):set_generated()
    local key = ways()
    if key and uellr.prefs.analyse and depth == 0 then
      local r = once(pinfo, "data", function() return sequenced(stream(key), p.seq, state < 2, tonumber(pinfo.rel_ts)) end)
      show_analysis(llr, "uellr", r, tvb(0, 8))
      if r.gap then what = " [gap of " .. r.gap .. "]" elseif r.duplicate then what = " [duplicate]" end
      if r.bad or state == 2 then what = what .. " [damaged]" end
      if r.replay then what = what .. " [replay]" end
      if r.recovery then what = what .. string.format(" [recovered in %.6f s]", r.recovery) end
    end
  end
  local label = (p.sequenced and "#" .. p.seq or "bare") .. (p.vc > 0 and " VC " .. p.vc or "") .. what .. ": "
  if p.to_partner and tvb:range(8 + inner, 2):uint() == uelink.prefs.control then
    pinfo.cols.protocol = "UECBFC"
    pinfo.cols.info = label .. "CC_Update" .. cc_messages(tvb, pinfo, tree, 10 + inner, 8 + body)
    return
  end
  local frame = tvb:range(8, body):bytes()
  depth = depth + 1
  if depth > 3 then
    -- Deeper frames in frames are not shown.
  elseif p.addressed then
    hand_over(Dissector.get("eth_withoutfcs"), ByteArray.tvb(frame, "Carried frame"), pinfo, tree)
  elseif addresses then
    hand_over(Dissector.get("eth_withoutfcs"), ByteArray.tvb(addresses .. frame, "Carried frame"), pinfo, tree)
  else
    without_addresses(ByteArray.tvb(frame, "Carried frame"), pinfo, tree)
  end
  depth = depth - 1
  pinfo.cols.info:prepend(label)
end

---------------------------------------------------------------------------------------------
-- Frames of micropackets (HIPPI-6400-PH)
---------------------------------------------------------------------------------------------

local MARK, MARK_FLIPS, MICROPACKET, HEAD = 0x4836, 2, 40, 12
local HEADER, ADMIN, CREDIT_ONLY, TSEQS = 9, 15, 10, 255
local STOMP = 0x874D
local type_names = field_of(by_format.micropacket, "type", 0).names
local lcrc_states, ecrc_states = {[0] = "good", "stomped", "bad"}, {[0] = "good", "bad"}

-- crc16 returns the table of a reflected polynomial, an entry for each octet.
local function crc16(poly)
  local t = {}
  for i = 0, 255 do
    local c = i
    for _ = 1, 8 do
      if c % 2 == 1 then c = bxor(rshift(c, 1), poly) else c = rshift(c, 1) end
    end
    t[i] = c
  end
  return t
end

local lcrc_table, ecrc_table = crc16(0x8408), crc16(0xD008)

-- clock returns a register after octets from first to last, which may go down.
local function clock(t, register, octets, first, last)
  for i = first, last, first <= last and 1 or -1 do
    register = bxor(rshift(register, 8), t[band(bxor(register, octets:byte(i)), 255)])
  end
  return register
end

-- lcrc_of is the LCRC of a micropacket: 64 data bits and 16 control bits by turns. c63 to c56 are octet 33.
local function lcrc_of(octets)
  local r = 0xFFFF
  for i = 0, 3 do
    r = clock(lcrc_table, r, octets, 8 * i + 1, 8 * i + 8)
    if i < 3 then r = clock(lcrc_table, r, octets, 40 - 2 * i, 39 - 2 * i) end
  end
  return r
end

-- is_hippi tells whether a data frame has the mark, with up to two wrong bits: no preamble image is that near.
local function is_hippi(tvb)
  if tvb:len() < 2 then return false end
  local diff, n = bxor(tvb:range(0, 2):uint(), MARK), 0
  while diff > 0 do n, diff = n + diff % 2, math.floor(diff / 2) end
  return n <= MARK_FLIPS
end

-- follow_ecrc is 0 for a good ECRC, 1 for a wrong one, and nil if that cannot be told: the ECRC of a Message can be
-- followed from its Header on, in one frame.
local function follow_ecrc(s, octets, m)
  if m.type >= 8 then
    if m.tseq ~= s.next then s.register = {} end
    s.next = (m.tseq + 1) % TSEQS
  end
  local single = m.type < 8 or m.type == CREDIT_ONLY or m.type == ADMIN
  local from = (single or m.type == HEADER) and 0xFFFF or s.register[m.vc]
  if not from then return nil end
  local got = clock(ecrc_table, from, octets, 1, 32)
  if not single then s.register[m.vc] = not m.tail and got or nil end
  if m.error then return nil end
  return got == m.ecrc and 0 or 1
end

-- follow_frame follows the numbers of the frames of a direction, and of their micropackets: a number that is not the
-- expected one, with no frame missing before, begins a retransmission.
local function follow_frame(pinfo, number, from, tseqs)
  local own = ways()
  if not own or not uehippi.prefs.analyse then return {} end
  return once(pinfo, "hippi", function()
    local s, r = stream(own), {}
    if s.from ~= from then s.from, s.number, s.tseq = from, nil, nil end -- the numbers begin again
    local d = s.number and (number - s.number - 1) % 2 ^ 32 or 0
    if d >= 2 ^ 31 then
      r.duplicate = 2 ^ 32 - d
      return r
    end
    if d > 0 then r.gap, s.tseq = d, nil end
    s.number, r.expected = number, s.tseq
    for _, tseq in ipairs(tseqs) do
      if s.tseq and tseq ~= s.tseq then
        s.again = (s.again or 0) + 1
        r.again = s.again
      end
      s.tseq = (tseq + 1) % TSEQS
    end
    return r
  end)
end

-- micropacket shows the micropacket at an octet. It returns its fields by name.
local function micropacket(tvb, at, top, s)
  local word = tvb:range(at + 38, 2):uint()
  local m = {
    lcrc = tvb:range(at + 32, 2):uint(), ecrc = tvb:range(at + 34, 2):uint(), tseq = tvb:range(at + 36, 1):uint(),
    type = band(rshift(word, 2), 15), vc = word % 4, tail = band(word, 0x40) ~= 0, error = band(word, 0x80) ~= 0,
  }
  local kind = type_names[m.type] or "undefined"
  m.name = m.type >= 8 and m.type ~= CREDIT_ONLY and kind .. "/VC" .. m.vc or kind
  local box = top:add(uehippi, tvb:range(at, MICROPACKET), "Micropacket: " .. m.name)
  if m.tseq ~= TSEQS then box:append_text(" #" .. m.tseq) end
  local sub = show(tvb, at + 32, by_format.micropacket, box, uehippi)
  if uelink.prefs.check then
    local octets = tvb:raw(at, MICROPACKET)
    local diff = bxor(lcrc_of(octets), m.lcrc)
    local state = diff == 0 and 0 or diff == STOMP and 1 or 2
    local item = add_value(sub, "uehippi.lcrc_status", tvb:range(at + 32, 2), state, lcrc_states[state])
    item:set_generated()
    if state == 1 then item:add_proto_expert_info(e_stomped) end
    if state == 2 then fault(sub, "uehippi", tvb:range(at, MICROPACKET), "wrong LCRC", e_damaged) end
    if state ~= 0 then
      s.register = {}
    else
      local good = follow_ecrc(s, octets, m)
      if good then
        add_value(sub, "uehippi.ecrc_status", tvb:range(at + 34, 2), good, ecrc_states[good]):set_generated()
        if good == 1 then fault(sub, "uehippi", tvb:range(at, MICROPACKET), "wrong ECRC", e_damaged) end
      end
    end
  end
  if m.type == HEADER then show(tvb, at, by_format.hippi_header, box, uehippi) end
  return m
end

-- hippi_fault is what is wrong with a frame, and whether its micropackets can be shown all the same. full is the octets
-- up to its FCS image.
local function hippi_fault(tvb, full)
  if tvb:len() < HEAD then return "truncated" end
  if tvb:range(0, 2):uint() ~= MARK then return "bad preamble image" end
  if tvb:range(2, 1):bitfield(2, 6) ~= 1 then return "unknown version" end
  if tvb:range(3, 1):uint() == 0 then return "impossible count" end
  if tvb:len() < full + 4 * tvb:range(2, 1):bitfield(0, 1) then return "truncated" end
  return nil, true
end

local function hippi_frame(tvb, pinfo, tree)
  local top = tree:add(uehippi, tvb(), "HIPPI-6400-PH micropackets")
  pinfo.cols.protocol = "UEHIPPI"
  local sub = show(tvb, 0, by_format.hippi_frame, top, uehippi)
  local count = sub and tvb:range(3, 1):uint() or 0
  local full = HEAD + count * MICROPACKET
  local wrong, go_on = hippi_fault(tvb, full)
  local has_fcs = sub and tvb:range(2, 1):bitfield(0, 1) == 1
  local good = true
  local addresses = addresses_of()
  if has_fcs and uelink.prefs.check and addresses then
    local stop = go_on and full or tvb:len() - FCS -- where the image is if the count cannot be believed
    local range = tvb:range(stop, FCS)
    good = crc32(with_type(addresses, pinfo), tvb:raw(0, stop)) == range:le_uint()
    if go_on then
      add_value(top, "uehippi.fcs_status", range, good and 0 or 2, fcs_states[good and 0 or 2]):set_generated()
      if not good then wrong = "wrong CRC" end
    end
  end
  if go_on and has_fcs then top:add_le(pf["uehippi.fcs"].pf, tvb:range(full, FCS)) end
  if go_on and not wrong and tvb:range(8, 2):uint() == 0 then wrong = "reserved bits set" end
  if wrong then fault(top, "uehippi", tvb(), wrong, not good and e_damaged or nil) end
  if not go_on then
    pinfo.cols.info = "[" .. wrong .. "]"
    return
  end
  local s, texts, tseqs, run = {register = {}}, {}, {}, 0
  for i = 0, count - 1 do
    local m = micropacket(tvb, HEAD + i * MICROPACKET, top, s)
    run = m.name == s.name and run + 1 or 1
    s.name = m.name
    texts[#texts + (run == 1 and 1 or 0)] = (run > 1 and run .. "x" or "") .. m.name
    if m.type >= 8 then tseqs[#tseqs + 1] = m.tseq end
  end
  local label = ""
  if good then
    local r = follow_frame(pinfo, tvb:range(4, 4):uint(), tvb:range(8, 2):uint(), tseqs)
    show_analysis(top, "uehippi", r, tvb(0, HEAD))
    if r.gap then label = "[gap of " .. r.gap .. "] " elseif r.duplicate then label = "[duplicate] " end
    if r.again then label = label .. "[again] " end
  end
  pinfo.cols.info = label .. table.concat(texts, " ") .. (wrong and " [" .. wrong .. "]" or "")
end

---------------------------------------------------------------------------------------------
-- Control frames
---------------------------------------------------------------------------------------------

local ACK, NACK, INIT, ECHO, CF = 1, 2, 3, 4, 0x10
local MAX_SETS = 32

-- The formats of control ordered sets by type, and by type and item.
local sets = {
  [1] = "llr_ack", [2] = "llr_nack", [3] = "llr_init", [4] = "llr_init_echo", [0x10] = "cf_update", [0xF1] = "vc",
  [0xF0] = {[0] = "station_frames", "station_start", "station_services", "station_twice",
    "station_leaves", "station_resumes", "station_trouble", other = "station_other"},
  [0xF2] = {[0] = "gap_missing", "gap_arrived"},
}

local function set_format(tvb, at)
  local name = sets[tvb:range(at + 1, 1):uint()]
  if type(name) == "table" then name = name[rshift(tvb:range(at + 4, 1):uint(), 4)] or name.other end
  return by_format[name or "ctlos_unknown"]
end

-- set_fault is what the codec says of a control ordered set. It passes over types that it does
-- not know.
local function set_fault(tvb, at, f, view)
  if tvb:range(at, 1):uint() ~= view or band(tvb:range(at + 4, 1):uint(), 15) ~= 6 then return "not a control block" end
  for _, field in ipairs(f.fields) do
    if field.name == "" and any_set(tvb, at, field) then return "reserved bits set" end
  end
end

-- follow_set is what a control ordered set says of the numbers.
local function follow_set(pinfo, at, kind, seq, data)
  local own, other = ways()
  if not own or not uellr.prefs.analyse then return {} end
  return once(pinfo, at, function()
    local r, now = {}, tonumber(pinfo.rel_ts)
    if kind == INIT then
      local s, this = stream(own), seq .. "/" .. data
      if s.init ~= this then -- the same again changes nothing, however late it comes
        s.init, s.next, s.last, s.lost, s.acked, s.asked = this, seq, nil, nil, nil, now
      end
    elseif kind == ECHO then
      local s = stream(other)
      if s.asked then r.handshake, s.asked = now - s.asked, nil end
    elseif kind == ACK or kind == NACK then
      local s = stream(other)
      if s.acked and (seq - s.acked) % MOD < HALF then r.acknowledged = (seq - s.acked) % MOD end
      s.acked = seq
    end
    return r
  end)
end

-- credits shows how many of a channel are in use: consumed by the sender, not yet freed.
local function credits(pinfo, place, tree, range, vc, count, freed)
  local own, other = ways()
  if not own then return end
  local r = once(pinfo, place, function()
    local s = stream(freed and other or own)
    s[freed and "freed" or "consumed"][vc] = count
    if s.consumed[vc] and s.freed[vc] then return {(s.consumed[vc] - s.freed[vc]) % 2 ^ 15} end
    return {}
  end)
  if r[1] then add_value(tree, "uecbfc.analysis.in_use", range, r[1], "VC " .. vc):set_generated() end
end

local protos = {llr = uellr, cf_ = uecbfc, vc = uecbfc}

local function show_set(tvb, at, pinfo, tree)
  local f = set_format(tvb, at)
  local sub = show(tvb, at, f, tree, protos[f.name:sub(1, 3)] or uelink)
  local text = f.title
  local kind = tvb:range(at + 1, 1):uint()
  if protos[f.name:sub(1, 3)] == uellr then
    local seq = tvb:range(at + 2, 3):bitfield(0, 20)
    text = text .. " " .. seq
    if kind == NACK then sub:add_proto_expert_info(e_nack, "everything behind " .. seq .. " is asked for again") end
    show_analysis(sub, "uellr", follow_set(pinfo, at, kind, seq, tvb:range(at + 5, 2):uint()), tvb(at, 8))
  elseif kind == CF then
    for i, bit in ipairs({16, 40}) do
      local vc, count = tvb:range(at, 8):bitfield(bit, 5), tvb:range(at, 8):bitfield(bit + 5, 15)
      text = text .. string.format(" VC %d %d", vc, count)
      credits(pinfo, at + i, sub, tvb(at, 8), vc, count, true)
    end
  end
  sub:append_text(text:sub(#f.title + 1))
  return text, f
end

local function control_frame(tvb, pinfo, tree)
  local top = tree:add(uelink, tvb(), "uelink control frame")
  pinfo.cols.protocol = "UELINK"
  local sub = show(tvb, 0, by_format.control, top, uelink)
  local wrong, texts = nil, {}
  if tvb:len() < MIN_FRAME - 14 then
    wrong = "truncated"
  elseif tvb:range(0, 1):uint() ~= 1 then
    wrong = "unknown version"
  elseif tvb:range(1, 1):uint() == 0 or tvb:range(1, 1):uint() > MAX_SETS then
    wrong = "impossible count"
  end
  if sub then
    local count = math.min(tvb:range(1, 1):uint(), MAX_SETS)
    local at, set_wrong = 2, nil
    for _ = 1, count do
      if tvb:len() < at + 8 then break end
      local text, f = show_set(tvb, at, pinfo, top)
      texts[#texts + 1] = text
      if f.name ~= "ctlos_unknown" and f.name ~= "vc" or tvb:range(at, 1):uint() ~= 0x4B or
          band(tvb:range(at + 4, 1):uint(), 15) ~= 6 then
        set_wrong = set_wrong or set_fault(tvb, at, f, 0x4B)
      end
      at = at + 8
    end
    local complete = at == 2 + count * 8 and tvb:len() >= at + 4
    if complete then
      local range = tvb:range(at, 4)
      top:add_le(pf["uelink.control.crc"].pf, range)
      local addresses = addresses_of()
      if not wrong and uelink.prefs.check and addresses and
          crc32(with_type(addresses, pinfo), tvb:raw(0, at)) ~= range:le_uint() then
        wrong = "wrong CRC"
      end
    else
      wrong = wrong or "truncated"
    end
    wrong = wrong or set_wrong
  end
  if wrong then fault(top, "uelink", tvb(), wrong) end
  pinfo.cols.info = table.concat(texts, ", ") .. (wrong and " [" .. wrong .. "]" or "")
end

function p_ctlos.dissector(tvb, pinfo, tree)
  if tvb:len() < 8 then
    fault(tree, "uelink", tvb(), "truncated")
    return tvb:len()
  end
  local view = tvb:range(0, 1):uint() == 0x5C and 0x5C or 0x4B
  local text, f = show_set(tvb, 0, pinfo, tree)
  local wrong = set_fault(tvb, 0, f, view)
  if wrong then fault(tree, "uelink", tvb(), wrong) end
  pinfo.cols.protocol, pinfo.cols.info = "UELINK", text
  return tvb:len()
end

function p_block.dissector(tvb, pinfo, tree)
  show(tvb, 0, by_format.preamble_block, tree, uelink)
  if tvb:len() < 8 then
    fault(tree, "uelink", tvb(), "truncated")
  elseif tvb:range(4, 4):uint() ~= 0 or tvb:range(0, 3):uint() >= MOD then
    fault(tree, "uelink", tvb(), "reserved bits set")
  end
  pinfo.cols.protocol = "UELINK"
  return tvb:len()
end

---------------------------------------------------------------------------------------------
-- CC_Update and the TLVs of LLDP
---------------------------------------------------------------------------------------------

local mac_control = DissectorTable.get("ethertype"):get_dissector(0x8808)
local CC_OPCODE, CC_CID = 0xFFFE, 0xFA7ACB

function uecbfc.dissector(tvb, pinfo, tree)
  if tvb:len() < 6 or tvb:range(0, 2):uint() ~= CC_OPCODE or tvb:range(2, 3):uint() ~= CC_CID then
    if mac_control then return hand_over(mac_control, tvb, pinfo, tree) end
    return 0
  end
  pinfo.cols.protocol, pinfo.cols.info = "UECBFC", "CC_Update"
  local sub = show(tvb, 0, by_format.cc_update_ue1, tree, uecbfc)
  if not sub then
    fault(tree, "uecbfc", tvb(), "truncated")
    return tvb:len()
  end
  local half = tvb:range(5, 1):uint()
  if half ~= 1 and half ~= 2 then
    fault(sub, "uecbfc", tvb:range(5, 1), "unknown type")
    return tvb:len()
  end
  for i = 0, 15 do
    local count = tvb:range(6, 40):bitfield(20 * i, 20)
    credits(pinfo, i, sub, tvb:range(6, 40), (half - 1) * 16 + i, count % 2 ^ 15, false)
  end
  return tvb:len()
end

-- cc_messages shows the CC_Update of the seed: messages behind the EtherType of the frame that a
-- shim carries, up to one of type 0, or to an octet.
function cc_messages(tvb, pinfo, tree, at, stop)
  local f, text, wrong = by_format.cc_update_seed, "", nil
  while at < stop and tvb:range(at, 1):uint() ~= 0 and at + f.len <= stop do
    local sub = show(tvb, at, f, tree, uecbfc)
    local range = tvb:range(at, 8)
    local vc, count = range:bitfield(8, 5), range:bitfield(13, 15)
    if tvb:range(at, 1):uint() ~= 1 then
      wrong = wrong or "unknown type"
    elseif range:bitfield(28, 4) ~= 0 or tvb:range(at + 4, 4):uint() ~= 0 then
      wrong = wrong or "reserved bits set"
    elseif not wrong then
      credits(pinfo, "cc" .. at, sub, range, vc, count, false)
      text = text .. string.format(" VC %d %d", vc, count)
    end
    at = at + f.len
  end
  if wrong then fault(tree, "uecbfc", tvb(10, math.max(0, stop - 10)), wrong) end
  return text
end

-- What the codec says of the TLVs.
local function tlv_fault(tvb, at, f)
  if f.name == "tlv_cbfc" then
    local vcs = tvb:range(at, 1):uint()
    if vcs < 1 or vcs > 32 then return "number of VCs is not 1 to 32" end
    if tvb:range(at + 1, 2):uint() == 0 then return "credit pool is empty" end
  elseif f.name == "tlv_wishes" and tvb:range(at, 1):uint() == 0 then
    return "there is no version 0"
  end
end

local function lldp_tlv(tvb, pinfo, tree)
  local at = 5 -- Wireshark gives the whole TLV: 16 bits of type and length, the OUI, the subtype
  if tvb:len() <= at or tvb:range(2, 3):uint() ~= uelink.prefs.oui then return 0 end
  local subtype = tvb:range(at, 1):uint()
  local f = subtype == 1 and by_format.tlv_link or subtype == 2 and by_format.tlv_cbfc
    or subtype == 129 and by_format.tlv_wishes
  if not f then return 0 end
  local sub = show(tvb, at + 1, f, tree, uelink)
  local wrong = not sub and "too short" or tlv_fault(tvb, at + 1, f)
  if wrong then fault(sub or tree, "uelink", tvb(), wrong) end
  return tvb:len()
end

-- DCBX: Wireshark shows one priority of an application. This adds all of them.
local lldp = DissectorTable.get("ethertype"):get_dissector(0x88CC)
local p_lldp = Proto("uelink_lldp", "LLDP, with all priorities of DCBX")
local DCBX_OUI, DCBX_SUBTYPE, DCBX_APP, APP_LEN = 0x001B21, 2, 4, 6

-- each calls with the type, the place and the length of TLVs that follow each other.
local function each(tvb, at, stop, call)
  while at + 2 <= stop do
    local head = tvb:range(at, 2):uint()
    local kind, len = rshift(head, 9), head % 512
    at = at + 2
    if kind == 0 or at + len > stop then return end
    call(kind, at, len)
    at = at + len
  end
end

local function priorities(tvb, tree, at, len)
  for entry = at + 4, at + len - APP_LEN, APP_LEN do
    local field = field_of(by_format.dcbx_app, "uelink.dcbx.priorities", 0)
    local v, range = bits_of(tvb, entry, field)
    local list = {}
    for i = 0, 7 do
      if rshift(v, i) % 2 == 1 then list[#list + 1] = i end
    end
    local text = string.format("protocol %04x, priorities %s", tvb:range(entry, 2):uint(), table.concat(list, " "))
    add_value(tree, field.filter, range, v, text)
  end
end

function p_lldp.dissector(tvb, pinfo, tree)
  each(tvb, 0, tvb:len(), function(kind, at, len)
    if kind ~= 127 or len < 4 or tvb:range(at, 3):uint() ~= DCBX_OUI or tvb:range(at + 3, 1):uint() ~= DCBX_SUBTYPE then return end
    each(tvb, at + 4, at + len, function(sub, start, length)
      if sub == DCBX_APP and length >= 4 + APP_LEN then
        priorities(tvb, tree:add(uelink, tvb:range(start, length), "DCBX applications"), start, length)
      end
    end)
  end)
  return hand_over(lldp, tvb, pinfo, tree) -- it cuts the buffer short where it stops reading
end

---------------------------------------------------------------------------------------------
-- Registration
---------------------------------------------------------------------------------------------

local registered = {}

function uelink.dissector(tvb, pinfo, tree)
  if pinfo.match_uint == uelink.prefs.oui then return lldp_tlv(tvb, pinfo, tree) end
  if pinfo.match_uint == uelink.prefs.control then
    control_frame(tvb, pinfo, tree)
  elseif is_hippi(tvb) then
    hippi_frame(tvb, pinfo, tree)
  else
    data_frame(tvb, pinfo, tree)
  end
  return tvb:len()
end

local function register(name, value, proto)
  local t = DissectorTable.get(name)
  if t then
    t:add(value, proto)
    registered[#registered + 1] = {t, value, proto}
  end
end

local has_uet = pcall(function() return Dissector.get("uet").name end) and Dissector.get("uet") ~= nil

local function set_up()
  for _, r in ipairs(registered) do r[1]:remove(r[2], r[3]) end
  registered = {}
  register("ethertype", uelink.prefs.data, uelink)
  register("ethertype", uelink.prefs.control, uelink)
  register("lldp.orgtlv.oui", uelink.prefs.oui, uelink)
  if not has_uet then
    register("udp.port", ueuet.prefs.port, ueuet)
    register("ip.proto", ueuet.prefs.protocol, ueuet)
  end
  trimmed_set = {}
  for dscp in ueuet.prefs.trimmed:gmatch("%d+") do trimmed_set[tonumber(dscp)] = true end
end

uelink.prefs_changed = set_up
ueuet.prefs_changed = set_up
DissectorTable.get("ethertype"):set(0x8808, uecbfc)
if lldp then DissectorTable.get("ethertype"):set(0x88CC, p_lldp) end
set_up()
