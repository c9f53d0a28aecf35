package store

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"uelink/sai"
)

// abiKinds maps the types of SAI's headers to the members of the union.
var abiKinds = map[string]sai.Kind{
	"enum": sai.Enum,
	"bool": sai.Bool, "uint8_t": sai.U8, "int8_t": sai.S8, "uint16_t": sai.U16, "int16_t": sai.S16, "uint32_t": sai.U32, "uint64_t": sai.U64,
	"object_id_t": sai.ObjectID, "mac_t": sai.MAC, "pointer_t": sai.Pointer, "object_list_t": sai.ObjectList, "u16_list_t": sai.U16List,
	"u32_list_t": sai.U32List, "qos_map_list_t": sai.MapList, "chardata": sai.Text, "s8_list_t": sai.S8List,
}

// TestTableIsWholeABI compares the tables of attributes and statistics with testdata/abi.txt, both ways: neither has
// a row that the other lacks, and number, type, flags and default of each row are the same.
func TestTableIsWholeABI(t *testing.T) {
	text, err := os.ReadFile("testdata/abi.txt")
	if err != nil {
		t.Fatal(err)
	}
	ours := map[string]string{}
	for _, of := range Types() {
		for _, a := range Attributes(of) {
			ours[a.FullName(of)] = a.abi()
		}
		for _, s := range Statistics(of) {
			ours[s.Name] = strconv.Itoa(int(s.ID)) + " statistic"
		}
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		rows++
		name, want := abiRow(line)
		if is := ours[name]; is != want {
			t.Errorf("%s: the table has %q, want %q", name, is, want)
		}
		delete(ours, name)
	}
	if len(ours) > 0 || rows == 0 {
		t.Errorf("of %d rows of SAI, the table has too many: %v", rows, ours)
	}
}

// abiRow returns the name of a row of testdata/abi.txt, and the text of the same row in the tables.
func abiRow(line string) (name, row string) {
	words := strings.Split(strings.TrimSpace(line), ";")
	for i := range words {
		words[i] = strings.TrimSpace(words[i])
	}
	if words[2] == "statistic" {
		return words[0], words[1] + " statistic"
	}
	if words[4] == "SAI_NULL_OBJECT_ID" || words[4] == "NULL" {
		words[4] = ""
	}
	return words[0], words[1] + " " + abiKinds[words[2]].String() + " " + words[3] + " " + words[4]
}

// abi returns an attribute as a text: number, kind, flags, default.
func (a *Attribute) abi() string {
	return "0x" + strconv.FormatUint(uint64(a.ID), 16) + " " + a.Kind.String() + " " + a.Flags.String() + " " +
		a.abiDefault()
}

// abiDefault returns the default of an attribute as SAI's headers write it; empty for an attribute that is read only,
// mandatory, or an object, and for an address.
func (a *Attribute) abiDefault() string {
	switch {
	case a.Flags&(ReadOnly|Mandatory) != 0, a.Kind == sai.ObjectID, a.Kind == sai.Pointer, a.Kind == sai.MAC,
		a.Kind == sai.S8List:
		return ""
	case a.Kind == sai.Bool:
		return strconv.FormatBool(a.Default != 0)
	case a.Kind == sai.Enum:
		i := slices.IndexFunc(a.Enum, func(e Enumerator) bool { return e.Value == a.Default })
		if i < 0 {
			return "no name"
		}
		return a.Enum[i].Name
	default:
		return strconv.FormatInt(a.Default, 10)
	}
}
