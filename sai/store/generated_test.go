package store

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"uelink/sai"
)

var rewrite = flag.Bool("rewrite", false, "write the generated files instead of comparing with them")

// TestGenerated compares what the C library and docs/SAI.md have from the table with the table.
func TestGenerated(t *testing.T) {
	compare(t, "../lib/sai_numbers.h", numbersHeader())
	compare(t, "../lib/table.h", tableHeader())
	text, err := os.ReadFile("../../docs/SAI.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("../lib/example/workflow.c")
	if err != nil {
		t.Fatal(err)
	}
	page := with(t, string(text), "attributes", attributeTables())
	page = with(t, page, "effects", effectTable())
	compare(t, "../../docs/SAI.md", with(t, page, "workflow", "\n```c\n"+string(program)+"```\n\n"))
}

// with returns a text with another part between the marks of a name.
func with(t *testing.T, text, name, part string) string {
	t.Helper()
	open, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
	before, rest, opened := strings.Cut(text, open)
	_, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		t.Fatalf("docs/SAI.md has no part between %q and %q", open, end)
	}
	return before + open + part + end + after
}

// compare compares a file with its content, or writes it.
func compare(t *testing.T, file, want string) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if is, err := os.ReadFile(file); err != nil || string(is) != want {
		t.Errorf("%s is stale (%v): go test ./sai/store -rewrite writes it", file, err)
	}
}

const generatedBy = "/* SPDX-License-Identifier: Apache-2.0\n" +
	" * Generated from the table of package sai/store: go test ./sai/store -rewrite */\n"

// apis has sai_api_t.
var apis = []Enumerator{
	{"SAI_API_SWITCH", 1}, {"SAI_API_PORT", 2}, {"SAI_API_FDB", 3}, {"SAI_API_VLAN", 4},
	{"SAI_API_VIRTUAL_ROUTER", 5}, {"SAI_API_ROUTE", 6}, {"SAI_API_NEXT_HOP", 7}, {"SAI_API_NEXT_HOP_GROUP", 8},
	{"SAI_API_ROUTER_INTERFACE", 9}, {"SAI_API_NEIGHBOR", 10}, {"SAI_API_ACL", 11}, {"SAI_API_HOSTIF", 12},
	{"SAI_API_MIRROR", 13}, {"SAI_API_SAMPLEPACKET", 14}, {"SAI_API_STP", 15}, {"SAI_API_LAG", 16},
	{"SAI_API_POLICER", 17}, {"SAI_API_WRED", 18}, {"SAI_API_QOS_MAP", 19}, {"SAI_API_QUEUE", 20},
	{"SAI_API_SCHEDULER", 21}, {"SAI_API_SCHEDULER_GROUP", 22}, {"SAI_API_BUFFER", 23}, {"SAI_API_HASH", 24},
	{"SAI_API_UDF", 25}, {"SAI_API_TUNNEL", 26}, {"SAI_API_L2MC", 27}, {"SAI_API_IPMC", 28},
	{"SAI_API_RPF_GROUP", 29}, {"SAI_API_L2MC_GROUP", 30}, {"SAI_API_IPMC_GROUP", 31}, {"SAI_API_MCAST_FDB", 32},
	{"SAI_API_BRIDGE", 33}, {"SAI_API_TAM", 34}, {"SAI_API_SRV6", 35}, {"SAI_API_MPLS", 36}, {"SAI_API_DTEL", 37},
	{"SAI_API_BFD", 38}, {"SAI_API_ISOLATION_GROUP", 39}, {"SAI_API_NAT", 40}, {"SAI_API_COUNTER", 41},
	{"SAI_API_DEBUG_COUNTER", 42}, {"SAI_API_MACSEC", 43}, {"SAI_API_SYSTEM_PORT", 44}, {"SAI_API_MY_MAC", 45},
	{"SAI_API_IPSEC", 46}, {"SAI_API_GENERIC_PROGRAMMABLE", 47}, {"SAI_API_ARS", 48}, {"SAI_API_ARS_PROFILE", 49},
	{"SAI_API_TWAMP", 50}, {"SAI_API_POE", 51}, {"SAI_API_ICMP_ECHO", 52}, {"SAI_API_PREFIX_COMPRESSION", 53},
	{"SAI_API_SYNCE", 54}, {"SAI_API_VIRTUAL_CHANNEL", 55}, {"SAI_API_PERFMON", 56}, {"SAI_API_MAX", 57},
}

// statuses has sai_status_t.
var statuses = []Enumerator{
	{"SAI_STATUS_SUCCESS", int64(sai.Success)}, {"SAI_STATUS_FAILURE", int64(sai.Failure)},
	{"SAI_STATUS_NOT_SUPPORTED", int64(sai.NotSupported)}, {"SAI_STATUS_NO_MEMORY", -3},
	{"SAI_STATUS_INSUFFICIENT_RESOURCES", int64(sai.InsufficientResources)},
	{"SAI_STATUS_INVALID_PARAMETER", int64(sai.InvalidParameter)}, {"SAI_STATUS_ITEM_ALREADY_EXISTS", int64(sai.ItemAlreadyExists)},
	{"SAI_STATUS_ITEM_NOT_FOUND", int64(sai.ItemNotFound)}, {"SAI_STATUS_BUFFER_OVERFLOW", -8}, {"SAI_STATUS_UNINITIALIZED", -0xC},
	{"SAI_STATUS_TABLE_FULL", -0xD}, {"SAI_STATUS_MANDATORY_ATTRIBUTE_MISSING", int64(sai.MandatoryMissing)},
	{"SAI_STATUS_NOT_IMPLEMENTED", int64(sai.NotImplemented)}, {"SAI_STATUS_OBJECT_IN_USE", int64(sai.ObjectInUse)},
	{"SAI_STATUS_INVALID_OBJECT_TYPE", int64(sai.InvalidObjectType)}, {"SAI_STATUS_INVALID_OBJECT_ID", int64(sai.InvalidObjectID)},
	{"SAI_STATUS_NOT_EXECUTED", -0x17},
	{"SAI_STATUS_INVALID_ATTRIBUTE_0", int64(invalidAttribute)}, {"SAI_STATUS_INVALID_ATTR_VALUE_0", int64(invalidValue)},
	{"SAI_STATUS_ATTR_NOT_IMPLEMENTED_0", int64(attrNotImplemented)},
	{"SAI_STATUS_UNKNOWN_ATTRIBUTE_0", int64(unknownAttribute)}, {"SAI_STATUS_ATTR_NOT_SUPPORTED_0", int64(attrNotSupported)},
}

var logLevels = []Enumerator{{"SAI_LOG_LEVEL_DEBUG", 0}, {"SAI_LOG_LEVEL_INFO", 1}, {"SAI_LOG_LEVEL_NOTICE", 2},
	{"SAI_LOG_LEVEL_WARN", 3}, {"SAI_LOG_LEVEL_ERROR", 4}, {"SAI_LOG_LEVEL_CRITICAL", 5}}

var statModes = []Enumerator{{"SAI_STATS_MODE_READ", int64(sai.StatRead)},
	{"SAI_STATS_MODE_READ_AND_CLEAR", int64(sai.StatReadAndClear)},
	{"SAI_STATS_MODE_BULK_READ", int64(sai.StatBulkRead)}, {"SAI_STATS_MODE_BULK_CLEAR", int64(sai.StatBulkClear)},
	{"SAI_STATS_MODE_BULK_READ_AND_CLEAR", int64(sai.StatBulkReadAndClear)}}

var bulkModes = []Enumerator{{"SAI_BULK_OP_ERROR_MODE_STOP_ON_ERROR", 0}, {"SAI_BULK_OP_ERROR_MODE_IGNORE_ERROR", 1}}

// numbersHeader returns the numbers of SAI that libsai's header has.
func numbersHeader() string {
	var b strings.Builder
	b.WriteString(generatedBy + "#ifndef UELINK_SAI_NUMBERS_H\n#define UELINK_SAI_NUMBERS_H\n")
	objects := []Enumerator{{"SAI_OBJECT_TYPE_NULL", 0}, {"SAI_OBJECT_TYPE_MAX", 120}}
	for _, of := range Types() {
		objects = append(objects, Enumerator{"SAI_OBJECT_TYPE_" + of.String(), int64(of)})
	}
	for _, list := range [][]Enumerator{apis, statuses, logLevels, statModes, bulkModes, objects} {
		writeEnum(&b, list)
	}
	known := []string{}
	for _, of := range Types() {
		ids, values := []Enumerator{}, []Enumerator{}
		for _, a := range tables()[of] {
			ids = append(ids, Enumerator{a.FullName(of), int64(a.ID)})
			for _, e := range a.Enum { // a name may be of several types
				if !slices.Contains(known, e.Name) {
					known, values = append(known, e.Name), append(values, e)
				}
			}
		}
		for _, s := range statistics(of) {
			values = append(values, Enumerator{s.Name, int64(s.ID)})
		}
		if of == sai.TypePort {
			values = append(values, Enumerator{"SAI_PORT_STAT_END", 0x5000})
		}
		if of == sai.TypeSwitch {
			values = append(values, Enumerator{"SAI_SWITCH_ATTR_CUSTOM_RANGE_START", 0x10000000})
		}
		if of == sai.TypeCreditProfile {
			values = append(values, Enumerator{"SAI_CBFC_CREDIT_PROFILE_THRESHOLD_MODE_DYNAMIC", 2})
		}
		writeEnum(&b, ids)
		writeEnum(&b, values)
	}
	b.WriteString("\n#endif\n")
	return b.String()
}

// writeEnum writes an enumeration without a name, each name once.
func writeEnum(b *strings.Builder, list []Enumerator) {
	if len(list) == 0 {
		return
	}
	b.WriteString("\nenum {\n")
	for i, e := range list {
		if slices.ContainsFunc(list[:i], func(before Enumerator) bool { return before.Name == e.Name }) {
			continue
		}
		value := fmt.Sprint(e.Value)
		if e.Value < -15 || e.Value > 255 {
			value = strings.Replace(fmt.Sprintf("%#x", e.Value), "-0x", "-0x", 1)
		}
		fmt.Fprintf(b, "\t%s = %s,\n", e.Name, value)
	}
	b.WriteString("};\n")
}

// tableHeader returns the rows that libsai needs of the table.
func tableHeader() string {
	var b strings.Builder
	b.WriteString(generatedBy +
		"#ifndef UELINK_SAI_TABLE_H\n#define UELINK_SAI_TABLE_H\n\n#include \"internal.h\"\n\n" +
		"static const struct attribute attributes[] __attribute__((unused)) = {\n")
	for _, of := range Types() {
		for _, a := range tables()[of] {
			fmt.Fprintf(&b, "\t{SAI_OBJECT_TYPE_%s, %s, KIND_%s},\n", of, a.FullName(of), a.Kind)
		}
	}
	b.WriteString("};\n\nstatic const struct statistic statistics[] __attribute__((unused)) = {\n")
	for _, of := range Types() {
		for _, s := range statistics(of) {
			if s.Modes != 0 {
				fmt.Fprintf(&b, "\t{SAI_OBJECT_TYPE_%s, %s, 0x%x},\n", of, s.Name, uint32(s.Modes))
			}
		}
	}
	b.WriteString("};\n\n#endif\n")
	return b.String()
}

// effectTable returns the table of docs/SAI.md of the effect of each attribute.
func effectTable() string {
	var b strings.Builder
	b.WriteString("\n| object | attributes | effect | test with frames |\n|---|---|---|---|\n")
	for _, of := range Types() {
		for _, effect := range []string{"moves frames", "kept", "read", "refused"} {
			for _, row := range rowsOf(of, effect) {
				fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", of, strings.Join(row.names, ", "), effect, row.test)
			}
		}
	}
	b.WriteString("\n")
	return b.String()
}

// effectRow is the attributes of a type with one effect, and one test.
type effectRow struct {
	names []string
	test  string
}

// rowsOf returns the rows of the attributes of a type with an effect, in the order of the attributes.
func rowsOf(of sai.ObjectType, effect string) (rows []effectRow) {
	for _, a := range tables()[of] {
		if a.effect() != effect {
			continue
		}
		test := ""
		if effect == "moves frames" {
			test = "`" + frameTests[of][a.Name] + "`"
		}
		i := slices.IndexFunc(rows, func(r effectRow) bool { return r.test == test })
		if i < 0 {
			i, rows = len(rows), append(rows, effectRow{test: test})
		}
		rows[i].names = append(rows[i].names, "`"+a.Name+"`")
	}
	return rows
}

// effect returns what an attribute that clients set or create does to frames.
func (a *Attribute) effect() string {
	switch {
	case !a.Implemented():
		return "refused"
	case a.Kept, a.OnlyNull:
		return "kept"
	case a.Can.Set || a.Can.Create:
		return "moves frames"
	}
	return "read"
}

// attributeTables returns the tables of docs/SAI.md.
func attributeTables() string {
	var b strings.Builder
	for _, of := range Types() {
		fmt.Fprintf(&b, "\n### %s\n\n", strings.TrimSuffix(prefixes[of], "_ATTR_"))
		b.WriteString("| attribute | value | create | set | get | default, range | what it does |\n" +
			"|---|---|---|---|---|---|---|\n")
		for _, a := range tables()[of] {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", a.Name, a.Kind, yes(a.Can.Create),
				yes(a.Can.Set),
				yes(a.Can.Get), a.bounds(), a.does())
		}
		writeStatistics(&b, statistics(of))
	}
	b.WriteString("\n")
	return b.String()
}

func writeStatistics(b *strings.Builder, list []Statistic) {
	if len(list) == 0 {
		return
	}
	b.WriteString("\n| statistic | read | clear | what it counts |\n|---|---|---|---|\n")
	for _, s := range list {
		about := s.About
		if s.Modes == 0 {
			about = "not implemented: " + about
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", strings.SplitN(s.Name, "_STAT_", 2)[1],
			yes(s.Modes&sai.StatRead != 0),
			yes(s.Modes&sai.StatReadAndClear != 0), about)
	}
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "–"
}

// bounds returns default and range in words.
func (a *Attribute) bounds() string {
	var words []string
	switch {
	case a.Flags&CreateAndSet == 0 || a.Flags&Mandatory != 0:
	case a.Kind == sai.ObjectID || a.Kind == sai.Pointer:
		words = append(words, "null")
	case a.Kind != sai.MAC:
		words = append(words, "`"+strings.TrimPrefix(a.Text(sai.Value{Number: a.Default}), "SAI_")+"`")
	}
	if a.Flags&Mandatory != 0 && a.Implemented() {
		words = append(words, "mandatory")
	}
	if text := a.Range(); text != "" {
		words = append(words, text)
	}
	return strings.Join(words, ", ")
}

// does returns what an attribute does, or why it is not implemented.
func (a *Attribute) does() string {
	if a.Implemented() {
		return a.Acts
	}
	return "not implemented: " + a.Acts
}
