package dcbx

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Both LLDPDUs are hand made; lldpad takes them and tshark decodes them without
// complaint. The DCBX TLV begins at "fe".
const (
	goldenTwo = "02070402000000000a040705766574682d6106020078fe2b001b2102020a00000000000100000000" +
		"04110000c000012345670d0d0d0d0c0c0c0c0806060000c00008080000"
	goldenThree = "02070402000000000a040705766574682d6106020078fe37001b2102020a00000000000100000000" +
		"04110000c000012345670d0d0d0d0c0c0c0c0806060000c0000808080a0000c0008906001b21080000"
)

// goldenPayload cuts the payload of the DCBX TLV out of an LLDPDU.
func goldenPayload(t *testing.T, lldpdu string) []byte {
	octets := must(hex.DecodeString(lldpdu))(t)
	for len(octets) > 2 {
		kind, size := octets[0]>>1, int(octets[0]&1)<<8|int(octets[1])
		if kind == 127 {
			if !bytes.HasPrefix(octets[2:], []byte{OUI >> 16, OUI >> 8 & 0xff, OUI & 0xff, Subtype}) {
				t.Fatalf("OUI and subtype are % x", octets[2:6])
			}
			return octets[6 : 2+size]
		}
		octets = octets[2+size:]
	}
	t.Fatal("no organizationally specific TLV")
	return nil
}

// golden is what the two LLDPDUs say.
func golden() *Message {
	enabled := Header{Enable: true, Willing: true}
	return &Message{
		Control: Control{SeqNo: 1},
		PG: FeatureTLV[PG]{Present: true, Header: enabled, Config: PG{
			Group: [8]uint8{0, 1, 2, 3, 4, 5, 6, 7}, Percentage: [8]uint8{13, 13, 13, 13, 12, 12, 12, 12}, NumTCs: 8}},
		PFC: FeatureTLV[PFC]{Present: true, Header: enabled, Config: PFC{Enable: 1 << 3, NumTCs: 8}},
	}
}

// goldenApp is golden and an Application entry: FCoE in priority 3.
func goldenApp() *Message {
	m := golden()
	m.App = FeatureTLV[App]{Present: true, Header: m.PFC.Header,
		Config: App{Entries: []AppEntry{{Protocol: 0x8906, OUI: OUI, Selector: SelectorEtherType, Priorities: 1 << 3}}}}
	return m
}

// TestGoldenVectors: both are read and written octet for octet.
func TestGoldenVectors(t *testing.T) {
	for lldpdu, want := range map[string]*Message{goldenTwo: golden(), goldenThree: goldenApp()} {
		payload := goldenPayload(t, lldpdu)
		got, err := Decode(payload)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("decoded (-want +got):\n%s", diff)
		}
		if again := want.Append(nil); !bytes.Equal(again, payload) {
			t.Errorf("encoded\n% x, want\n% x", again, payload)
		}
	}
}

// TestPortSendsGoldenVectors: a port with that configuration sends them.
func TestPortSendsGoldenVectors(t *testing.T) {
	for lldpdu, m := range map[string]*Message{goldenTwo: golden(), goldenThree: goldenApp()} {
		var out Output
		p := must(NewPort(Local{
			PG:  Params[PG]{Enable: true, Willing: true, Advertise: true, Config: m.PG.Config},
			PFC: Params[PFC]{Enable: true, Willing: true, Advertise: true, Config: m.PFC.Config},
			App: Params[App]{Enable: true, Willing: true, Advertise: m.App.Present, Config: m.App.Config},
		}, &out))(t)
		p.SetLink(true, &out)
		got, ok := p.AppendTLV(nil)
		want := goldenPayload(t, lldpdu)
		if !ok || !bytes.Equal(got, want) {
			t.Errorf("port sends\n% x, want\n% x", got, want)
		}
	}
}

// TestClause2_4_1_AnyOrder: the sub-TLVs "can be arranged in any order".
func TestClause2_4_1_AnyOrder(t *testing.T) {
	payload := goldenPayload(t, goldenThree)
	var subs [][]byte
	for rest := payload; len(rest) > 0; {
		_, size, _ := cutSubTLV(rest)
		subs, rest = append(subs, rest[:size]), rest[size:]
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 24 {
		r.Shuffle(len(subs), func(i, j int) { subs[i], subs[j] = subs[j], subs[i] })
		got, err := Decode(bytes.Join(subs, nil))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(goldenApp(), got); diff != "" {
			t.Errorf("decoded (-want +got):\n%s", diff)
		}
	}
}

// TestClause2_4_1_1_BitAndOctetOrder: with the figures 7, 9, 12 and 13.
func TestClause2_4_1_1_BitAndOctetOrder(t *testing.T) {
	m := Message{
		Control: Control{OperVersion: 1, MaxVersion: 2, SeqNo: 0x01020304, AckNo: 0x05060708},
		PG: FeatureTLV[PG]{Present: true, Header: Header{OperVersion: 3, MaxVersion: 4, Enable: true}, Config: PG{
			Group: [8]uint8{1, 2, 3, 4, 5, 6, 7, PGStrict}, Percentage: [8]uint8{0, 1, 2, 3, 4, 5, 6, 79}, NumTCs: 7}},
		PFC:     FeatureTLV[PFC]{Present: true, Header: Header{Error: true}, Config: PFC{Enable: 1<<7 | 1, NumTCs: 2}},
		Unknown: []Raw{{Type: 127, Body: []byte{0xaa}}},
	}
	want := "020a 01 02 01020304 05060708" +
		"0411 03 04 80 00 12 34 56 7f 00 01 02 03 04 05 06 4f 07" +
		"0606 00 00 20 00 81 02" +
		"fe01 aa"
	got := m.Append(nil)
	if hex.EncodeToString(got) != compact(want) {
		t.Errorf("encoded %x, want %s", got, compact(want))
	}
	if again := must(Decode(got))(t); !cmp.Equal(&m, again) {
		t.Errorf("decoded (-want +got):\n%s", cmp.Diff(&m, again))
	}
}

func compact(text string) string { return string(bytes.ReplaceAll([]byte(text), []byte(" "), nil)) }

// TestFaults: what makes a DCBX TLV unusable.
func TestFaults(t *testing.T) {
	const control = "020a0000 00000001 00000000"
	for _, c := range []struct {
		name, payload string
		want          error
	}{
		{"nothing", "", FaultControlMissing},
		{"only pfc", "0606000080000808", FaultControlMissing},
		{"half a head", control + "06", FaultTruncated},
		{"a body that is cut", control + "06060000800008", FaultTruncated},
		{"a length past the end", control + "07ff0000800008", FaultTruncated},
		{"control of 9 octets", "02090000 00000001 000000", FaultShort},
		{"control of 0 octets", "0200", FaultShort},
		{"second control of 9 octets", control + "02090000 00000001 000000", FaultShort},
		{"pfc of 5 octets", control + "06050000800008", FaultShort},
		{"pg of 16 octets", control + "0410000080000000000000000000000000 00", FaultShort},
		{"pg without a header", control + "0403000080", FaultShort},
		{"longer than an LLDP TLV", control + "ffff" + zeros(511), FaultTooLong},
		{"control of 11 octets", "020b0000 00000001 00000000 00", nil},
		{"pfc of 7 octets", control + "060700008000080800", nil},
		{"application of 5 octets", control + "080900008000 8906001b21", nil},
		{"application without a header", control + "080100", nil},
		{"pfc of another subtype without parameters", control + "060400008001", nil},
		{"type 0", control + "0000", nil},
	} {
		_, err := Decode(must(hex.DecodeString(compact(c.payload)))(t))
		if !errors.Is(err, c.want) || (c.want == nil) != (err == nil) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
}

func zeros(n int) string { return hex.EncodeToString(make([]byte, n)) }

// TestClause2_4_1_Duplicates: they are marked, and the first one counts.
func TestClause2_4_1_Duplicates(t *testing.T) {
	m := goldenApp()
	payload := m.Append(m.Append(nil))
	payload = Control{SeqNo: 9}.append(payload)
	m.ControlDuplicate, m.PG.Duplicate, m.PFC.Duplicate, m.App.Duplicate = true, true, true, true
	if diff := cmp.Diff(m, must(Decode(payload))(t)); diff != "" {
		t.Errorf("decoded (-want +got):\n%s", diff)
	}
}

// TestMessageSharesNoMemory: the caller may use the payload's memory again.
func TestMessageSharesNoMemory(t *testing.T) {
	m := goldenApp()
	m.Unknown = []Raw{{Type: 6, Body: []byte{1, 2, 3}}}
	payload := m.Append(nil)
	got := must(Decode(payload))(t)
	clear(payload)
	if diff := cmp.Diff(m, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("decoded (-want +got):\n%s", diff)
	}
}

// TestMaxAppEntries: as many fit beside everything else, and not one more.
func TestMaxAppEntries(t *testing.T) {
	m := golden()
	m.App = FeatureTLV[App]{Present: true, Config: App{Entries: make([]AppEntry, MaxAppEntries)}}
	if n := len(m.Append(nil)); n > MaxPayload || n+appEntryLen <= MaxPayload {
		t.Errorf("%d entries take %d of %d octets", MaxAppEntries, n, MaxPayload)
	}
	over := Default()
	over.App.Config.Entries = make([]AppEntry, MaxAppEntries+1)
	if err := over.Validate(); err == nil {
		t.Error("one entry too many is taken")
	}
}

// TestCIN: the older protocol's bodies.
func TestCIN(t *testing.T) {
	payload := must(hex.DecodeString(compact("020a0000 00000007 00000006" +
		"041c 0000c000 3232000000000000 0032 0032 2864 0000 0000 0000 0000 f064" +
		"0605 00008000 08" +
		"0a01 ff")))(t)
	c, err := DecodeCIN(payload)
	if err != nil {
		t.Fatal(err)
	}
	want := &CIN{Control: Control{SeqNo: 7, AckNo: 6},
		PG: FeatureTLV[CINPG]{Present: true, Header: Header{Enable: true, Willing: true}, Config: CINPG{
			GroupPercentage: [8]uint8{50, 50}, Group: [8]uint8{2: 1, 7: 7}, Strict: [8]uint8{2: 1, 7: 2},
			Percentage: [8]uint8{50, 50, 100, 0, 0, 0, 0, 100}}},
		PFC:     FeatureTLV[CINPFC]{Present: true, Header: Header{Enable: true}, Config: CINPFC{Enable: 1 << 3}},
		Unknown: []Raw{{Type: 5, Body: []byte{0xff}}}}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("decoded (-want +got):\n%s", diff)
	}
	for text, want := range map[string]error{
		"": FaultControlMissing, "02": FaultTruncated, "0600": FaultShort, "0401ff": FaultShort,
		"041b 00008000" + zeros(23): FaultShort, "0604 00008000": FaultShort,
	} {
		if _, err := DecodeCIN(must(hex.DecodeString(compact(text)))(t)); !errors.Is(err, want) {
			t.Errorf("%q: error %v, want %v", text, err, want)
		}
	}
}
