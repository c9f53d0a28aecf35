package uet

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"uelink/wire"
	"uelink/wire/layout"
)

// golden is a header of one format, typed by hand from its document and not from the tables.
type golden struct {
	dialect wire.Dialect
	format  string
	octets  string
	values  string // name=hexadecimal value, of every field that is not reserved
}

const (
	both = wire.DialectSeed
	seed = wire.DialectSeed
	ue1  = wire.DialectUE1
)

var goldens = []golden{
	{both, "entropy", "ABCD 0000", "value=ABCD"},
	{both, "tss", "09 123456 | 789A BCDEF0112233", "type=1 sp=0 an=1 sdi=123456 epoch=789A tsc=BCDEF0112233"},
	{both, "tss_ssi", "0C ABCDEF | 01020304 | 0506 0708090A0B0C",
		"type=1 sp=1 an=0 sdi=ABCDEF ssi=1020304 epoch=506 tsc=708090A0B0C"},

	{both, "rud_req", "1198 FFFE 01020304 1112 2122",
		"type=2 next_hdr=3 retx=1 ar=1 syn=0 clear_psn_offset=FFFE psn=1020304 spdcid=1112 dpdcid=2122"},
	{both, "rud_req", "1084 0000 01020304 1112 1234",
		"type=2 next_hdr=1 retx=0 ar=0 syn=1 clear_psn_offset=0 psn=1020304 spdcid=1112 pdc_info=1 psn_offset=234"},
	{both, "rod_req", "1908 0102 03040506 0708 090A",
		"type=3 next_hdr=2 retx=0 ar=1 syn=0 clear_psn_offset=102 psn=3040506 spdcid=708 dpdcid=90A"},
	{both, "rudi_req", "20A0 0000 AABBCCDD", "type=4 next_hdr=1 m=1 retx=0 pkt_id=AABBCCDD"},
	{both, "rudi_resp", "2A10 0000 01020304", "type=5 next_hdr=4 m=0 retx=1 pkt_id=1020304"},
	{both, "uud_req", "3180 0000", "type=6 next_hdr=3"},
	{both, "ack", "3A24 0003 0A0B0C0D 0102 0304",
		"type=7 next_hdr=4 m=1 retx=0 p=0 req=2 ack_psn_offset=3 cack_psn=A0B0C0D spdcid=102 dpdcid=304"},
	{both, "ack", "3808 BEEF 0A0B0C0D 0102 0304",
		"type=7 next_hdr=0 m=0 retx=0 p=1 req=0 probe_opaque=BEEF cack_psn=A0B0C0D spdcid=102 dpdcid=304"},
	{both, "ack_epsn", "3840 0001 00000010 0001 0002 00000011",
		"type=7 next_hdr=0 epsn=1 m=0 retx=0 p=0 req=0 ack_psn_offset=1 cack_psn=10 spdcid=1 dpdcid=2 expected_psn=11"},
	{both, "ack_cc", "4210 FFFF 01020304 1111 2222 | 15 7F 0040 8000000000000001 1122334455667788",
		"type=8 next_hdr=4 m=0 retx=1 p=0 req=0 ack_psn_offset=FFFF cack_psn=1020304 spdcid=1111 dpdcid=2222 " +
			"cc_type=1 cc_flags=5 mpr=7F sack_psn_offset=40 sack_bitmap=8000000000000001 " +
			"ack_cc_state=1122334455667788"},
	{both, "ack_ccx", "4A80 0001 01020304 1111 2222 | 2A 80 FFC0 0000000000000003 1122334455667788 | 99AABBCCDDEEFF00",
		"type=9 next_hdr=5 m=0 retx=0 p=0 req=0 ack_psn_offset=1 cack_psn=1020304 spdcid=1111 dpdcid=2222 " +
			"cc_type=2 cc_flags=A mpr=80 sack_psn_offset=FFC0 sack_bitmap=3 ack_cc_state=1122334455667788 " +
			"ack_ccx_state=99AABBCCDDEEFF00"},
	{both, "nack", "5020 01 77 01020304 0506 0708 090A0B0C",
		"type=A next_hdr=0 m=1 retx=0 nt=0 nack_code=1 vendor_code=77 nack_psn=1020304 spdcid=506 " +
			"dpdcid=708 payload=90A0B0C"},
	{both, "nack", "5008 0A 00 DEADBEEF 0000 0000 00000000",
		"type=A next_hdr=0 m=0 retx=0 nt=1 nack_code=A vendor_code=0 nack_pkt_id=DEADBEEF spdcid=0 dpdcid=0 payload=0"},
	{both, "nack_ccx", "6010 02 01 01020304 0506 0708 090A0B0C | 3123456789ABCDEF 0F1E2D3C4B5A6978",
		"type=C next_hdr=0 m=0 retx=1 nt=0 nack_code=2 vendor_code=1 nack_psn=1020304 spdcid=506 dpdcid=708 " +
			"payload=90A0B0C nccx_type=3 nack_ccx_state1=123456789ABCDEF nack_ccx_state2=F1E2D3C4B5A6978"},
	{both, "ctrl", "5B28 CAFE 01020304 0506 0708 090A0B0C",
		"type=B ctl_type=6 isrod=1 retx=0 ar=1 syn=0 probe_opaque=CAFE psn=1020304 spdcid=506 dpdcid=708 " +
			"payload=90A0B0C"},
	{both, "ctrl", "5A14 0000 01020304 0506 1234 00000000",
		"type=B ctl_type=4 isrod=0 retx=1 ar=0 syn=1 psn=1020304 spdcid=506 pdc_info=1 psn_offset=234 payload=0"},
	{both, "rud_cc_req", "6988 0000 01020304 0506 0708 | 12 345678",
		"type=D next_hdr=3 retx=0 ar=1 syn=0 clear_psn_offset=0 psn=1020304 spdcid=506 dpdcid=708 " +
			"ccc_id=12 credit_target=345678"},
	{both, "rod_cc_req", "7094 8000 01020304 0506 F708 | FF 000001",
		"type=E next_hdr=1 retx=1 ar=0 syn=1 clear_psn_offset=8000 psn=1020304 spdcid=506 pdc_info=F psn_offset=708 " +
			"ccc_id=FF credit_target=1"},

	// UE-SES §3.1 to §3.13, by its tables of fields.
	{seed, "standard_request_som1", "01 2D 1234 56 789ABC 0DEF 0123 | 0102030405060708 11121314 2122232425262728 " +
		"3132333435363738 41424344",
		"opcode=1 version=0 dc=1 ie=0 rel=1 hd=1 eom=0 som=1 message_id=1234 ri_generation=56 job_id=789ABC " +
			"pid_on_fep=DEF resource_index=123 buffer_offset=102030405060708 initiator=11121314 " +
			"match_bits=2122232425262728 header_data=3132333435363738 request_length=41424344"},
	{seed, "standard_request_som0", "01 22 1234 56 789ABC 00010000 | 00000000",
		"opcode=1 version=0 dc=1 ie=0 rel=0 hd=0 eom=1 som=0 message_id=1234 ri_generation=56 " +
			"job_id=789ABC message_offset=10000"},
	{seed, "deferrable_send_request",
		"06 13 0001 00 000002 0003 0004 | AABBCCDD 11223344 | 01020304 05060708090A0B0C " +
			"0D0E0F1011121314 00001000",
		"opcode=6 version=0 dc=0 ie=1 rel=0 hd=0 eom=1 som=1 message_id=1 ri_generation=0 job_id=2 pid_on_fep=3 " +
			"resource_index=4 initiator_restart_token=AABBCCDD target_restart_token=11223344 initiator=1020304 " +
			"match_bits=5060708090A0B0C header_data=D0E0F1011121314 request_length=1000"},
	{seed, "ready_to_restart", "07 03 0001 00 000002 0003 0004 | 0000000000004000 AABBCCDD 11223344 00000000 | " +
		"0102030405060708 00001000",
		"opcode=7 version=0 dc=0 ie=0 rel=0 hd=0 eom=1 som=1 message_id=1 ri_generation=0 job_id=2 pid_on_fep=3 " +
			"resource_index=4 buffer_offset=4000 initiator_restart_token=AABBCCDD target_restart_token=11223344 " +
			"header_data=102030405060708 request_length=1000"},
	{seed, "optimized_non_matching", "08 2C 3FFF 01 020304 0506 0708 | 1112131415161718 | 000000000000000000000000",
		"opcode=2 version=0 dc=0 ie=0 rel=1 eom=1 som=1 request_length=3FFF ri_generation=1 job_id=20304 " +
			"pid_on_fep=506 " +
			"resource_index=708 buffer_offset=1112131415161718"},
	{seed, "small_message", "20 9C 0040 01 020304 0506 0708 | 0A0B0C0D 1112131415161718 2122232425262728",
		"opcode=8 version=0 dc=1 ie=0 rel=0 hd=1 eom=1 som=1 request_length=40 ri_generation=1 job_id=20304 " +
			"pid_on_fep=506 resource_index=708 initiator=A0B0C0D match_bits=1112131415161718 " +
			"header_data=2122232425262728"},
	{seed, "small_message", "24 4C 1040 01 020304 0506 0708 | 0A0B0C0D 1112131415161718 2122232425262728", // §3.13
		"opcode=9 version=0 dc=0 ie=1 rel=0 hd=0 eom=1 som=1 request_length=1040 ri_generation=1 job_id=20304 " +
			"pid_on_fep=506 resource_index=708 initiator=A0B0C0D match_bits=1112131415161718 " +
			"header_data=2122232425262728"},
	{seed, "response", "40 07 1234 56 789ABC 00010203 | 00000000",
		"list=1 response_opcode=0 version=0 return_code=7 message_id=1234 ri_generation=56 job_id=789ABC " +
			"modified_length=10203"},
	{seed, "response_with_data", "01 00 0102 00 030405 0607 1809 0A0B0C0D 0E0F1011 | 00000000",
		"list=0 response_opcode=1 version=0 return_code=0 response_message_id=102 job_id=30405 " +
			"read_request_message_id=607 payload_length=1809 modified_length=A0B0C0D message_offset=E0F1011"},
	{seed, "optimized_response_with_data", "02 06 1234 00 010203 04050607 | 00000000",
		"list=0 response_opcode=2 version=0 return_code=6 payload_length=1234 job_id=10203 " +
			"original_request_psn=4050607"},
	{seed, "rendezvous_extension", "01020304 1112131415161718 2122232425262728 31323334 | 0000000000000000",
		"eager_length=1020304 memory_key=1112131415161718 buffer_offset=2122232425262728 remaining_length=31323334"},
	{seed, "atomic_extension", "02 07 0103 00000000", "opcode=2 datatype=7 semantic_control=103"},
	{seed, "cas_extension",
		"0D 0B 0001 00000000 | 0102030405060708 1112131415161718 | 2122232425262728 3132333435363738",
		"opcode=D datatype=B semantic_control=1 compare_high=102030405060708 compare_low=1112131415161718 " +
			"swap_high=2122232425262728 swap_low=3132333435363738"},

	// UE 1.0.
	{ue1, "req_small", "01 2B 0100 01 020304 0506 0708 | 1112131415161718",
		"opcode=1 version=0 dc=1 ie=0 rel=1 hd=0 eom=1 som=1 request_length=100 ri_generation=1 job_id=20304 " +
			"pid_on_fep=506 resource_index=708 buffer_offset=1112131415161718"},
	{ue1, "req_medium", "09 17 3040 01 020304 0506 0708 | 1112131415161718 0A0B0C0D 2122232425262728",
		"opcode=9 version=0 dc=0 ie=1 rel=0 hd=1 eom=1 som=1 request_length=3040 ri_generation=1 job_id=20304 " +
			"pid_on_fep=506 resource_index=708 header_data=1112131415161718 initiator=A0B0C0D " +
			"match_bits=2122232425262728"},
	{ue1, "req_std_som1", "05 05 1234 56 789ABC 0DEF 0123 | 0102030405060708 11121314 2122232425262728 " +
		"3132333435363738 41424344",
		"opcode=5 version=0 dc=0 ie=0 rel=0 hd=1 eom=0 som=1 message_id=1234 ri_generation=56 job_id=789ABC " +
			"pid_on_fep=DEF resource_index=123 buffer_offset=102030405060708 initiator=11121314 " +
			"match_bits=2122232425262728 header_data=3132333435363738 request_length=41424344"},
	{ue1, "req_std_som0", "05 02 1234 56 789ABC 0DEF 0123 | 0102030405060708 11121314 2122232425262728 " +
		"0000 1234 00002000 41424344",
		"opcode=5 version=0 dc=0 ie=0 rel=0 hd=0 eom=1 som=0 message_id=1234 ri_generation=56 job_id=789ABC " +
			"pid_on_fep=DEF resource_index=123 buffer_offset=102030405060708 initiator=11121314 " +
			"match_bits=2122232425262728 payload_length=1234 message_offset=2000 request_length=41424344"},
	{ue1, "req_std_deferrable", "08 03 0001 00 000002 0003 0004 | AABBCCDD 11223344 | 01020304 05060708090A0B0C " +
		"0D0E0F1011121314 00001000",
		"opcode=8 version=0 dc=0 ie=0 rel=0 hd=0 eom=1 som=1 message_id=1 ri_generation=0 job_id=2 pid_on_fep=3 " +
			"resource_index=4 initiator_restart_token=AABBCCDD target_restart_token=11223344 initiator=1020304 " +
			"match_bits=5060708090A0B0C header_data=D0E0F1011121314 request_length=1000"},
	{ue1, "req_std_rtr", "0C 03 0001 00 000002 0003 0004 | 0000000000004000 01020304 AABBCCDD 11223344 | " +
		"0102030405060708 00001000",
		"opcode=C version=0 dc=0 ie=0 rel=0 hd=0 eom=1 som=1 message_id=1 ri_generation=0 job_id=2 pid_on_fep=3 " +
			"resource_index=4 buffer_offset=4000 initiator=1020304 initiator_restart_token=AABBCCDD " +
			"target_restart_token=11223344 header_data=102030405060708 request_length=1000"},
	{ue1, "rsp", "41 01 1234 56 789ABC 00010203",
		"list=1 response_opcode=1 version=0 return_code=1 message_id=1234 ri_generation=56 job_id=789ABC " +
			"modified_length=10203"},
	{ue1, "rsp_data", "02 24 0102 07 030405 0607 1809 0A0B0C0D 0E0F1011",
		"list=0 response_opcode=2 version=0 return_code=24 response_message_id=102 ri_generation=7 job_id=30405 " +
			"read_request_message_id=607 payload_length=1809 modified_length=A0B0C0D message_offset=E0F1011"},
	{ue1, "rsp_data_small", "02 01 1234 00 010203 04050607",
		"list=0 response_opcode=2 version=0 return_code=1 payload_length=1234 job_id=10203 " +
			"original_request_psn=4050607"},
	{ue1, "rndv_ext", "01020304 | 05 234567 | 1112131415161718 2122232425262728",
		"eager_length=1020304 ri_generation=5 pid_on_fep=234 resource_index=567 buffer_offset=1112131415161718 " +
			"memory_key=2122232425262728"},
	{ue1, "atomic_ext", "0A 11 03 00", "opcode=A datatype=11 semantic_control=3"},
	{ue1, "cswap_ext", "13 07 01 00 | 0102030405060708 1112131415161718 | 2122232425262728 3132333435363738",
		"opcode=13 datatype=7 semantic_control=1 compare_high=102030405060708 compare_low=1112131415161718 " +
			"swap_high=2122232425262728 swap_low=3132333435363738"},
	{ue1, "sync_ext", "0102 0304", "group=102 count=304"},
}

// octets reads hexadecimal octets; white space and | between them is for the eye.
func octets(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.NewReplacer(" ", "", "|", "").Replace(s))
	if err != nil {
		t.Fatalf("golden octets %q: %v", s, err)
	}
	return b
}

// values is the fields of a header in the words of golden.
func values(h layout.Header) string {
	var list []string
	for i := range h.Format.Fields {
		if f := &h.Format.Fields[i]; h.HasField(f) && !f.IsReserved() {
			list = append(list, fmt.Sprintf("%s=%X", f.Name, h.Value(f)))
		}
	}
	return strings.Join(list, " ")
}

func TestGoldenHeaders(t *testing.T) {
	seen := map[*Format]bool{}
	for _, g := range goldens {
		f := FormatByName(g.dialect, g.format)
		if f == nil {
			t.Errorf("there is no format %s", g.format)
			continue
		}
		seen[f] = true
		b := octets(t, g.octets)
		if len(b) != f.Len {
			t.Errorf("%s has %d octets, not %d", g.format, f.Len, len(b))
			continue
		}
		h, _ := f.Over(b)
		if fault := h.Check(); fault.Wrong() {
			t.Errorf("%s: %v", g.format, fault)
		}
		if got := values(h); got != g.values {
			t.Errorf("%s is read as\n%s, not\n%s", g.format, got, g.values)
		}
		wantWritten(t, f, g.values, b)
	}
	for i := range formats {
		if !seen[&formats[i]] {
			t.Errorf("no octets are typed by hand of %s", formats[i].Name)
		}
	}
}

// wantWritten writes values by their names into octets of zeros. Those of the first 16 bits
// choose fields, so they come first, as they do in the list.
func wantWritten(t *testing.T, f *Format, values string, want []byte) {
	t.Helper()
	h, _ := f.Over(make([]byte, f.Len))
	for pair := range strings.FieldsSeq(values) {
		var v uint64
		name, value, _ := strings.Cut(pair, "=")
		if _, err := fmt.Sscanf(value, "%X", &v); err != nil || !h.Put(name, v) {
			t.Errorf("%s: %s cannot be written: %v", f.Name, pair, err)
		}
	}
	if !bytes.Equal(h.Octets, want) {
		t.Errorf("%s is written as\n% x, not\n% x", f.Name, h.Octets, want)
	}
}
