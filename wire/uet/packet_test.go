package uet

import (
	"strconv"
	"strings"
	"testing"

	"uelink/wire/layout"
)

// Parts that packets of the tests are put together from.
const (
	rud3       = "1180 0000 00000001 0001 0002" // RUD_REQ, next header 3
	seedSOM1   = "0003 0001 00 000001 0001 0001 0000000000000000 00000001 0000000000000002 0000000000000000 00000010"
	seedSmall8 = "200C 0004 00 000001 0001 0001 00000001 0000000000000002 0000000000000000"
	ue1STD     = "03 0001 00 000001 0001 0001 0000000000000000 00000001 0000000000000002 0000000000000000 00000010"
	ue1Cont    = "02 0001 00 000001 0001 0001 0000000000000000 00000001 0000000000000002 0000 0004 00000000 00000010"
	operands2  = "0000000000000001 0000000000000002 0000000000000003 0000000000000004"
)

// rud is a RUD_REQ with a next header.
func rud(next string) string {
	prologue := map[string]string{"0": "1000", "1": "1080", "2": "1100", "3": "1180", "4": "1200", "5": "1280",
		"6": "1300",
		"7": "1380", "15": "1780"}[next]
	return prologue + " 0000 00000001 0001 0002 "
}

// ackWith is an ACK with a next header.
func ackWith(next string) string {
	prologue := map[string]string{"0": "3800", "1": "3880", "3": "3980", "4": "3A00", "5": "3A80", "6": "3B00",
		"9": "3C80"}[next]
	return prologue + " 0000 00000001 0001 0002 "
}

func TestPackets(t *testing.T) {
	for _, c := range []struct {
		name    string
		options Options
		octets  string
		want    string // names of the headers, and how many octets of payload
		fault   string
	}{
		{"seed §1: next header 0 is SOM=1", Options{}, rud("0") + seedSOM1 + "AABB",
			"rud_req standard_request_som1 2", ""},
		{"seed §1: next header 1 is SOM=0", Options{}, rud("1") + "0002 0001 00 000001 00000000 00000000 AA",
			"rud_req standard_request_som0 1", ""},
		{"seed §3.9 by its code", Options{}, rud("0") + "06" + seedSOM1[2:], "rud_req deferrable_send_request 0", ""},
		{"seed §3.10 by its code", Options{}, rud("0") + "07" + seedSOM1[2:], "rud_req ready_to_restart 0",
			"reserved bits set: ready_to_restart.reserved at octet 28"},
		{"seed §3.5", Options{}, rud("3") + seedSmall8 + "01020304", "rud_req small_message 4", ""},
		{"seed §3.13", Options{}, rud("3") + "240C" + seedSmall8[4:] + "01020304", "rud_req small_message 4", ""},
		{"seed §3.13, RMA_READ of the other list", Options{}, rud("3") + "080C" + seedSmall8[4:],
			"rud_req small_message 0", ""},
		{"seed §3.11", Options{}, rud("2") + "080C 0004 00 000001 0001 0001 0000000000000000 000000000000000000000000",
			"rud_req optimized_non_matching 0", ""},
		{"seed §3.3", Options{}, ackWith("4") + "0000 0001 00 000001 00000000 00000000", "ack response 0", ""},
		{"seed §3.3, a NACK", Options{}, ackWith("4") + "0301 0001 00 000001 00000000 00000000", "ack response 0", ""},
		{"seed §3.4", Options{}, ackWith("5") + "0100 0001 00 000001 0002 0001 00000001 00000000 00000000 AA",
			"ack response_with_data 1", ""},
		{"seed §3.12", Options{}, ackWith("6") + "0200 0001 00 000001 00000001 00000000 AA",
			"ack optimized_response_with_data 1", ""},
		{"seed §3.4 in the other direction", Options{}, rud("5") +
			"0100 0001 00 000001 0002 0001 00000001 00000000 00000000 AA",
			"rud_req response_with_data 1", ""},
		{"seed §3.7 behind a small header", Options{}, rud("3") + "2C0C" + seedSmall8[4:] +
			"02050000 00000000 01020304",
			"rud_req small_message atomic_extension 4", ""},
		{"seed §3.7", Options{}, rud("0") + "03" + seedSOM1[2:] + "02030000 00000000 0102",
			"rud_req standard_request_som1 atomic_extension 2", ""},
		{"seed §3.8", Options{}, rud("0") + "05" + seedSOM1[2:] + "0D070000 00000000" + operands2,
			"rud_req standard_request_som1 cas_extension 0", ""},
		{"seed §3.8 is for two operands", Options{}, rud("0") + "05" + seedSOM1[2:] + "02070000 00000000" + operands2,
			"rud_req standard_request_som1 cas_extension 0", "value out of range: cas_extension.opcode at octet 0"},
		{"seed §3.6 by a code that is given", Options{Rendezvous: 0x0E}, rud("0") + "0E" + seedSOM1[2:] +
			"00000001 0000000000000002 0000000000000003 00000004 0000000000000000",
			"rud_req standard_request_som1 rendezvous_extension 0", ""},
		{"seed §3.6 goes without §3.7", Options{Rendezvous: 0x03}, rud("0") + "03" + seedSOM1[2:] +
			"00000001 0000000000000002 0000000000000003 00000004 0000000000000000",
			"rud_req standard_request_som1 rendezvous_extension 0", ""},
		{"seed §3.6 has no code of its own", Options{}, rud("0") + "0E" + seedSOM1[2:] + "00000001",
			"rud_req standard_request_som1 4", ""},

		{"an ACK with nothing", Options{}, ackWith("0"), "ack 0", ""},
		{"an ACK with nothing, ue1", Options{Dialect: ue1}, ackWith("0"), "ack 0", ""},
		{"a NACK", Options{}, "5000 0100 00000001 0001 0002 00000000", "nack 0", ""},
		{"CTRL: the bits of next_hdr are its type", Options{}, "5980 0000 00000001 0001 0002 00000000", "ctrl 0", ""},

		{"ue1 standard", Options{Dialect: ue1}, rud("3") + "05" + ue1STD + "AA", "rud_req req_std_som1 1", ""},
		{"ue1 standard, continued", Options{Dialect: ue1}, rud("3") + "05" + ue1Cont + "AABBCCDD",
			"rud_req req_std_som0 4", ""},
		{"ue1 deferrable", Options{Dialect: ue1}, rud("3") + "0B" + ue1STD, "rud_req req_std_deferrable 0", ""},
		{"ue1 deferrable, continued", Options{Dialect: ue1}, rud("3") + "08" + ue1Cont + "AABBCCDD",
			"rud_req req_std_deferrable 4", ""},
		{"ue1 RTR", Options{Dialect: ue1}, rud("3") + "0C" + ue1STD, "rud_req req_std_rtr 0", ""},
		{"ue1 rendezvous", Options{Dialect: ue1}, rud("3") + "06" + ue1STD +
			"00000001 01001001 0000000000000000 0000000000000000",
			"rud_req req_std_som1 rndv_ext 0", ""},
		{"ue1 atomic", Options{Dialect: ue1}, rud("3") + "03" + ue1STD + "02010000 AA",
			"rud_req req_std_som1 atomic_ext 1", ""},
		{"ue1 compare and swap", Options{Dialect: ue1}, rud("3") + "04" + ue1STD + "0D070000" + operands2,
			"rud_req req_std_som1 cswap_ext 0", ""},
		{"ue1 an atomic code that nobody knows", Options{Dialect: ue1}, rud("3") + "03" + ue1STD + "77070000",
			"rud_req req_std_som1 atomic_ext 0", ""},
		{"ue1 sync", Options{Dialect: ue1}, rud("3") + "10" + ue1STD + "00010002", "rud_req req_std_som1 sync_ext 0",
			""},
		{"ue1 sync and atomic", Options{Dialect: ue1}, rud("3") + "11" + ue1STD + "00010002 02070000",
			"rud_req req_std_som1 sync_ext atomic_ext 0", ""},
		{"ue1 small", Options{Dialect: ue1}, rud("1") + "0103 0001 00 000001 0001 0001 0000000000000000 AA",
			"rud_req req_small 1", ""},
		{"ue1 medium", Options{Dialect: ue1}, rud("2") +
			"0503 0001 00 000001 0001 0001 0000000000000000 00000000 0000000000000000 AA",
			"rud_req req_medium 1", ""},
		{"ue1 response", Options{Dialect: ue1}, ackWith("4") + "0101 0001 00 000001 00000000", "ack rsp 0", ""},

		{"TSS: what follows is encrypted", Options{}, "08 000001 0001 000000000001 | 1180 0000", "tss 4 encrypted", ""},
		{"TSS with SSI", Options{}, "0C 000001 00000001 0001 000000000001", "tss_ssi 0 encrypted", ""},

		{"unknown next header is kept", Options{}, rud("7") + "AABB", "rud_req 2", ""},
		{"unknown next header is kept, ue1", Options{Dialect: ue1}, ackWith("9") + "AABB", "ack 2", ""},
		{"unknown operation code is kept", Options{}, rud("0") + "3F" + seedSOM1[2:],
			"rud_req standard_request_som1 0", ""},
		{"unknown operation code is kept, ue1", Options{Dialect: ue1}, rud("3") + "3F" + ue1Cont + "AABBCCDD",
			"rud_req req_std_som0 4", ""},
		{"unknown return code is kept", Options{}, ackWith("4") + "003F 0001 00 000001 00000000 00000000",
			"ack response 0", ""},

		{"request with a response", Options{}, rud("4"), "rud_req 0", "does not fit: rud_req.next_hdr at octet 0"},
		{"request with nothing, ue1", Options{Dialect: ue1}, rud("0"), "rud_req 0",
			"does not fit: rud_req.next_hdr at octet 0"},
		{"ACK with a request", Options{}, ackWith("3") + seedSmall8, "ack 32", "does not fit: ack.next_hdr at octet 0"},
		{"NACK with a response", Options{}, "5200 0100 00000001 0001 0002 00000000", "nack 0",
			"does not fit: nack.next_hdr at octet 0"},
		{"RUDI request with a response", Options{Dialect: ue1}, "2200 0000 00000001", "rudi_req 0",
			"does not fit: rudi_req.next_hdr at octet 0"},
		{"small code in a standard header", Options{}, rud("0") + "08" + seedSOM1[2:], "rud_req 44",
			"does not fit: standard_request_som1.opcode at octet 0"},
		{"tagged send in a small header", Options{}, rud("3") + "000C" + seedSmall8[4:], "rud_req 32",
			"does not fit: small_message.opcode at octet 0"},
		{"a send without matching", Options{}, rud("2") + "200C" + seedSmall8[4:], "rud_req 32",
			"does not fit: optimized_non_matching.opcode at octet 0"},
		{"RTR in a later packet", Options{}, rud("1") + "0702 0001 00 000001 00000000 00000000", "rud_req 16",
			"does not fit: standard_request_som0.opcode at octet 0"},
		{"response with the code of one with data", Options{}, ackWith("4") + "0100 0001 00 000001 00000000 00000000",
			"ack 16",
			"does not fit: response.response_opcode at octet 0"},
		{"rendezvous in a small header, ue1", Options{Dialect: ue1}, rud("1") + "0603 0001", "rud_req 4",
			"does not fit: req_small.opcode at octet 0"},

		{"type 0", Options{}, "0000 0000", "4", "unknown type: prologue.type at octet 0"},
		{"type 31", Options{}, "F800 0000", "4", "unknown type: prologue.type at octet 0"},
		{"nothing", Options{}, "", "0", "truncated: prologue after 0 of 2 octets"},
		{"reserved flag", Options{}, "11C0 0000 00000001 0001 0002", "rud_req 0",
			"reserved bits set: rud_req.reserved at octet 1"},
		{"EPSN of another kind of ACK", Options{}, "4040" + strings.Repeat("00", 30), "ack_cc 0",
			"reserved bits set: ack_cc.reserved at octet 1"},
		{"opaque octets of what is no probe", Options{}, "5980 0001 00000001 0001 0002 00000000", "ctrl 0",
			"reserved bits set: ctrl.reserved at octet 2"},
		{"version 1", Options{}, ackWith("4") + "0040 0001 00 000001 00000000 00000000", "ack response 0",
			"value out of range: response.version at octet 1"},
		{"SOM is missing", Options{}, rud("0") + "0002" + seedSOM1[4:], "rud_req standard_request_som1 0",
			"value out of range: standard_request_som1.som at octet 1"},
		{"message 0", Options{}, rud("0") + "0003 0000" + seedSOM1[9:], "rud_req standard_request_som1 0",
			"value out of range: standard_request_som1.message_id at octet 2"},
		{"payload that is not there", Options{}, ackWith("6") + "0200 0002 00 000001 00000001 00000000 AA",
			"ack optimized_response_with_data 1",
			"length exceeds the octets present: optimized_response_with_data.payload_length at octet 2"},
		{"the same, trimmed", Options{Trimmed: true}, ackWith("6") + "0200 0002 00 000001 00000001 00000000 AA",
			"ack optimized_response_with_data 1", ""},
		{"request that is not there", Options{}, rud("3") + seedSmall8 + "010203", "rud_req small_message 3",
			"length exceeds the octets present: small_message.request_length at octet 2"},
		{"a read pushes nothing", Options{}, rud("3") + "280C 1000" + seedSmall8[9:], "rud_req small_message 0", ""},
		{"later packet that is not there, ue1", Options{Dialect: ue1}, rud("3") + "05" + ue1Cont,
			"rud_req req_std_som0 0",
			"length exceeds the octets present: req_std_som0.payload_length at octet 34"},
		{"length behind an extension", Options{}, rud("3") + "2C0C" + seedSmall8[4:] + "02070000 00000000 010203",
			"rud_req small_message atomic_extension 3",
			"length exceeds the octets present: small_message.request_length at octet 2"},
		{"extension that is cut", Options{}, rud("0") + "03" + seedSOM1[2:] + "020700",
			"rud_req standard_request_som1 3",
			"truncated: atomic_extension after 3 of 8 octets"},
		{"the first fault counts", Options{}, "1141 0000 00000001 0001 0002" + seedSmall8, "rud_req 32",
			"reserved bits set: rud_req.reserved at octet 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p Packet
			fault := p.Parse(octets(t, c.octets), c.options)
			if c.fault == "" {
				c.fault = "no fault"
			}
			if fault.Code() != c.fault {
				t.Errorf("%v, want %s", fault.Code(), c.fault)
			}
			if got := outline(&p); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// UE-SES, Table 3-8: each reserved bit of a standard request, and each of its version, has to be 0.
func TestReservedBitsOfAStandardRequest(t *testing.T) {
	b := octets(t, rud("0")+seedSOM1)
	start := len(octets(t, rud("0")))
	var p Packet
	if fault := p.Parse(b, Options{}); fault.Wrong() {
		t.Fatalf("without such a bit: %v", fault)
	}
	for _, c := range []struct {
		octet, most, least int // of the bits
		fault              string
	}{
		{0, 7, 6, "reserved bits set: standard_request_som1.reserved at octet 0"},
		{1, 7, 6, "value out of range: standard_request_som1.version at octet 1"},
		{8, 7, 4, "reserved bits set: standard_request_som1.reserved at octet 8"},
		{10, 7, 4, "reserved bits set: standard_request_som1.reserved at octet 10"},
	} {
		for bit := c.least; bit <= c.most; bit++ {
			b[start+c.octet] ^= 1 << bit
			if fault := p.Parse(b, Options{}); fault.Code() != c.fault {
				t.Errorf("bit %d of octet %d: %q, want %q", bit, c.octet, fault.Code(), c.fault)
			}
			b[start+c.octet] ^= 1 << bit
		}
	}
}

// outline returns the names of a packet's headers and the number of octets of the payload.
func outline(p *Packet) string {
	var words []string
	for _, h := range p.Headers() {
		words = append(words, h.Of.Name)
	}
	words = append(words, strconv.Itoa(len(p.Payload)))
	if p.Encrypted {
		words = append(words, "encrypted")
	}
	return strings.Join(words, " ")
}

func TestEntropyComesFirst(t *testing.T) {
	var p Packet
	b := octets(t, "1234 0000"+ackWith("0"))
	if fault := p.Parse(b, Options{Entropy: true}); fault.Wrong() || outline(&p) != "entropy ack 0" {
		t.Errorf("%v, %s", fault, outline(&p))
	}
	if h, ok := p.Header(LayerEntropy); !ok || h.Octets[0] != 0x12 {
		t.Error("no entropy header")
	}
	if _, ok := p.Header(LayerSES); ok {
		t.Error("an ACK with nothing has an SES header")
	}
	if fault := p.Parse(b[:3], Options{Entropy: true}); fault.Code() != "truncated: entropy after 3 of 4 octets" {
		t.Error(fault)
	}
}

// A header cut at any octet is a fault; in a trimmed packet it is none.
func TestHeadersCutAtEachOctet(t *testing.T) {
	for _, c := range []struct {
		options Options
		octets  string
	}{
		{Options{Entropy: true}, "1234 0000" + rud("0") + "05" + seedSOM1[2:] + "0D070000 00000000" + operands2},
		{Options{}, rud("3") + seedSmall8 + "01020304"},
		{Options{}, ackWith("5") + "0100 0001 00 000001 0002 0000 00000001 00000000 00000000"},
		{Options{Dialect: ue1}, rud("3") + "11" + ue1STD + "00010002 0D070000" + operands2},
		{Options{Dialect: ue1}, rud("3") + "06" + ue1STD + "00000001 01001001 0000000000000000 0000000000000000"},
		{Options{}, "0C 000001 00000001 0001 000000000001"},
		{Options{}, "4800" + strings.Repeat("00", 38)},
		{Options{}, "6000" + strings.Repeat("00", 30)},
	} {
		whole := octets(t, c.octets)
		var p Packet
		if fault := p.Parse(whole, c.options); fault.Wrong() {
			t.Fatalf("%s: %v", c.octets, fault)
		}
		for n := range whole {
			trimmed := c.options
			trimmed.Trimmed = true
			if fault := p.Parse(whole[:n], c.options); fault.Reason != layout.Truncated &&
				fault.Reason != layout.Length {
				t.Errorf("%d octets of %s: %v", n, c.octets, fault)
			}
			if fault := p.Parse(whole[:n], trimmed); fault.Wrong() {
				t.Errorf("%d octets of %s, trimmed: %v", n, c.octets, fault)
			}
		}
	}
}

func TestParseAllocatesNothing(t *testing.T) {
	good := octets(t, rud("3")+"11"+ue1STD+"00010002 0D070000"+operands2)
	bad := octets(t, rud("0")+"08"+seedSOM1[2:])
	var p Packet
	if n := testing.AllocsPerRun(100, func() {
		p.Parse(good, Options{Dialect: ue1})
		p.Parse(bad, Options{})
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Parse loses nothing of an accepted packet: headers and payload are the packet, and each header
// passes Check.
func FuzzParse(f *testing.F) {
	for _, s := range []string{rud("0") + seedSOM1, rud("3") + seedSmall8 + "01020304", rud("3") + "11" + ue1STD +
		"00010002 0D070000" + operands2, "0C 000001 00000001 0001 000000000001", ackWith("5") + "0100", "5B28CAFE"} {
		f.Add(octets(f, s), false, false, false, uint8(0))
	}
	f.Fuzz(func(t *testing.T, b []byte, isUE1, hasEntropy, trimmed bool, rendezvous uint8) {
		o := Options{Entropy: hasEntropy, Trimmed: trimmed, Rendezvous: rendezvous}
		if isUE1 {
			o.Dialect = ue1
		}
		var p Packet
		fault := p.Parse(b, o)
		_ = fault.Error() + fault.Code()
		total := len(p.Payload)
		for _, h := range p.Headers() {
			total += len(h.Octets)
			if !fault.Wrong() && h.Check().Wrong() {
				t.Fatalf("%s is wrong: %v", h.Of.Name, h.Check())
			}
			if !h.Of.Dialects.Contains(o.Dialect) {
				t.Fatalf("%s is of another dialect", h.Of.Name)
			}
			wantSame(t, h)
		}
		if total != len(b) {
			t.Fatalf("%d of %d octets", total, len(b))
		}
	})
}

// wantSame writes a header again, field by field.
func wantSame(t *testing.T, h Header) {
	t.Helper()
	again, _ := h.Of.Over(make([]byte, h.Of.Len))
	for i := range h.Of.Fields {
		if f := &h.Of.Fields[i]; h.HasField(f) && f.Bits <= 64 {
			again.Set(f, h.Value(f))
		}
	}
	for i := range h.Octets {
		if again.Octets[i] != h.Octets[i] && !h.Check().Wrong() {
			t.Fatalf("%s: % x became % x", h.Of.Name, h.Octets, again.Octets)
		}
	}
}
