package vectors

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write docs/vectors and the tables of the dissector anew")

// committed is the directory of the vectors. uelink.json is too large for the tree, which has its digest.
const committed = "../../docs/vectors"

// all is All, made once.
var all = sync.OnceValue(All)

// digest returns the SHA-256 of a file in the form of sha256sum.
func digest(name string, text []byte) []byte {
	return fmt.Appendf(nil, "%x  %s\n", sha256.Sum256(text), name)
}

// wantFile holds a file of the tree to what it has to be, or writes it.
func wantFile(t *testing.T, path string, want []byte, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if *rewrite {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the tables make: run make vectors", path)
	}
}

func TestCommittedVectorsAreThoseOfTheTables(t *testing.T) {
	list := all()
	text, err := JSON(list)
	wantFile(t, committed+"/uelink.json.sha256", digest("uelink.json", text), err)
	if *rewrite {
		wantFile(t, committed+"/uelink.json", text, err)
	}
	capture, err := PCAPNG(list)
	wantFile(t, committed+"/uelink.pcapng", capture, err)
	wantFile(t, committed+"/formats.md", Markdown(), nil)
}

// shown lists the vectors in the tests of `uelink decode`: one of each kind of message, and wrong ones.
var shown = []string{
	"seed/small_message/real", "ue1/cswap_ext/real", "ue1/rsp_data/real", "seed/nack/variant1/real", "seed/ctrl/variant1/real",
	"seed/encapsulation/udp_ipv6", "seed/encapsulation/trimmed", "shim/seed/real/tagged", "shim/seed/real/not_sequenced",
	"shim/ue1/real/poisoned", "control/real/several", "control/negative/wrong_crc", "ctlos/llr_init/real",
	"ctlos/station_frames/real", "cc_update/ue1/real", "lldp/tlv_link/real", "lldp/tlv_cbfc/negative/num_vcs", "lldp/dcbx/real",
	"seed/packet/negative/ack_with_request", "seed/encapsulation/fragment", "ctlos/llr_ack/real/xmii",
	"hippi/real/channels_by_turns", "hippi/negative/wrong_lcrc",
}

func TestCommittedVectorsOfDecode(t *testing.T) {
	list := slices.DeleteFunc(slices.Clone(all()), func(v Vector) bool { return !slices.Contains(shown, v.Name) })
	if len(list) != len(shown) {
		t.Fatalf("%d of %d vectors are there", len(list), len(shown))
	}
	capture, err := PCAPNG(list)
	wantFile(t, "../../cmd/uelink/testdata/decode.pcapng", capture, err)
}

// ours tells whether the vectors speak of a field.
func ours(name string) bool {
	return strings.HasPrefix(name, "ue") || strings.HasPrefix(name, "lldp.dcbx.") || strings.HasPrefix(name, "macc.")
}

// words is fields in the form in which they are compared: the name, and the value.
func words(fields []Field) (list []string) {
	for _, f := range fields {
		list = append(list, fmt.Sprintf("%s=%#x", f.Name, f.Value))
	}
	slices.Sort(list)
	return list
}

// Every field of every vector is read by our decoder as it was written, at its place.
func TestOurDecoderReadsEveryField(t *testing.T) {
	compared := 0
	for _, v := range all() {
		got := map[Field]int{}
		for _, l := range v.Decoded().Layers {
			for _, f := range l.Fields {
				if ours(f.Name) {
					got[Field{f.Name, f.At, f.Bits, f.Value}]++
				}
			}
		}
		for _, f := range v.Fields {
			if got[f]--; got[f] < 0 {
				t.Errorf("%s: %+v is not read", v.Name, f)
			}
			compared++
		}
		for f, n := range got {
			if n > 0 {
				t.Errorf("%s: %+v is read and was not written", v.Name, f)
			}
		}
	}
	t.Logf("%d vectors, %d fields compared", len(all()), compared)
}

// A vector of each kind is there for every format, and the kinds tell right from wrong.
func TestEveryFormatHasItsVectors(t *testing.T) {
	kinds := map[string]int{}
	for _, v := range all() {
		kinds[v.Format+" "+v.Kind]++
		if v.Kind == KindReal && len(v.Faults) > 0 {
			t.Errorf("%s is to be real, but: %v", v.Name, v.Faults)
		}
	}
	for _, f := range allFormats() {
		name := f.format.Name
		if strings.HasPrefix(name, "dcbx_") {
			name = "dcbx"
		}
		for _, kind := range []string{KindReal, KindWalk} {
			nothing := name == "control" || name == "uud_req" && kind == KindWalk // what it has chooses it
			if kinds[name+" "+kind] == 0 && !nothing {
				t.Errorf("%s has no vector of kind %s", name, kind)
			}
		}
	}
	counts := map[string]int{}
	for _, v := range all() {
		counts[v.Kind]++
	}
	t.Log(counts)
}

// What is wrong with some of the vectors, typed by hand from the documents.
func TestFaultsOfVectors(t *testing.T) {
	byName := map[string]Vector{}
	for _, v := range all() {
		byName[v.Name] = v
	}
	for _, c := range [][2]string{
		{"seed/rud_req/variant1/negative/reserved_9", "ueuet: reserved bits set: rud_req.reserved at octet 1"},
		{"seed/response/negative/reserved_96", "ueuet: reserved bits set: response.reserved at octet 12"},
		{"seed/standard_request_som1/negative/message_id_below",
			"ueuet: value out of range: standard_request_som1.message_id at octet 2"},
		{"seed/standard_request_som1/negative/som_below",
			"ueuet: value out of range: standard_request_som1.som at octet 1"},
		{"seed/ready_to_restart/negative/buffer_offset_above",
			"ueuet: value out of range: ready_to_restart.buffer_offset at octet 12"},
		{"seed/cas_extension/negative/opcode_below", "ueuet: value out of range: cas_extension.opcode at octet 0"},
		{"seed/ack_cc/variant1/negative/cut", "ueuet: truncated: ack_cc after 31 of 32 octets"},
		{"seed/packet/negative/ack_with_request", "ueuet: does not fit: ack.next_hdr at octet 0"},
		{"seed/packet/negative/type_31", "ueuet: unknown type: prologue.type at octet 0"},
		{"ctlos/llr_ack/negative/ocode/64b66b", "uelink: not a control block"},
		{"ctlos/llr_ack/negative/reserved_40", "uelink: reserved bits set"},
		{"control/negative/wrong_crc", "uelink: wrong CRC"},
		{"control/negative/version_2", "uelink: unknown version"},
		{"control/negative/count_0", "uelink: impossible count"},
		{"control/negative/cut_in_set", "uelink: truncated"},
		{"control/negative/other_view", "uelink: not a control block"},
		{"shim/seed/walk/sfd", "uelink: bad preamble image"},
		{"shim/ue1/walk/fill", "uelink: bad preamble image"},
		{"shim/seed/walk/sequence_number", "uelink: reserved bits set"},
		{"lldp/tlv_cbfc/negative/num_vcs", "uelink: number of VCs is not 1 to 32"},
		{"lldp/tlv_cbfc/negative/credit_pool_size_below", "uelink: credit pool is empty"},
		{"lldp/tlv_link/negative/cut", "uelink: too short"},
		{"lldp/tlv_wishes/negative/cut", "uelink: too short"},
		{"lldp/tlv_wishes/negative/wishes_version_below", "uelink: there is no version 0"},
		{"cc_update/ue1/negative/type", "uecbfc: unknown type"},
		{"ue1/packet/negative/request_with_nothing", "ueuet: does not fit: rud_req.next_hdr at octet 0"},
		{"seed/optimized_response_with_data/walk/payload_length",
			"ueuet: length exceeds the octets present: optimized_response_with_data.payload_length at octet 2"},
		{"seed/packet/negative/atomic_ends_within_element",
			"ueuet: operands end within an element: atomic_extension.datatype at octet 1"},
		{"seed/packet/negative/fetching_atomic_of_two",
			"ueuet: fetching atomic on more than one element: atomic_extension.datatype at octet 1"},
		{"ue1/packet/negative/atomic_ends_within_element",
			"ueuet: operands end within an element: atomic_ext.datatype at octet 1"},
		{"ue1/packet/negative/fetching_atomic_asks_for_two",
			"ueuet: fetching atomic on more than one element: atomic_ext.datatype at octet 1"},
		{"preamble_block/negative/reserved_32", "uelink: reserved bits set"},
		{"hippi/negative/wrong_lcrc", "uehippi: wrong LCRC"},
		{"hippi/negative/wrong_ecrc", "uehippi: wrong ECRC"},
		{"hippi/negative/wrong_fcs", "uehippi: wrong CRC"},
		{"hippi/negative/mark", "uehippi: bad preamble image"},
		{"hippi/negative/count_0", "uehippi: impossible count"},
		{"hippi/negative/count_3", "uehippi: truncated"},
		{"hippi/head/negative/version", "uehippi: unknown version"},
		{"hippi/head/negative/from_below", "uehippi: reserved bits set"},
		{"hippi/control/walk/ecrc", "uehippi: wrong ECRC"},
		{"seed/packet/negative/unknown_next_header", ""},
		{"ue1/packet/negative/unknown_opcode", ""},
		{"seed/encapsulation/trimmed", ""},
	} {
		name, want := c[0], c[1]
		v, ok := byName[name]
		if got := strings.Join(v.Faults, "; "); got != want || !ok {
			t.Errorf("%s (%v): %q, want %q", name, ok, got, want)
		}
	}
}
