package sonic

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestChanges: fields that are new or other are set, missing fields are deleted, and a row without a field is gone.
func TestChanges(t *testing.T) {
	a, b, c := Key{ApplDB, "a"}, Key{StateDB, "b"}, Key{StateDB, "c"}
	was := Rows{a: {"same": "1", "other": "1", "gone": "1", "gone2": ""}, b: {"x": "1"}}
	is := Rows{a: {"same": "1", "other": "2", "new": "3"}, c: {"y": "2"}}
	want := []Change{
		{Key: a, Set: Row{"other": "2", "new": "3"}, Delete: []string{"gone", "gone2"}},
		{Key: b, Set: Row{}, Delete: []string{"x"}, Gone: true},
		{Key: c, Set: Row{"y": "2"}},
	}
	if diff := cmp.Diff(want, Changes(was, is)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if list := Changes(is, is); len(list) > 0 {
		t.Errorf("changes of nothing: %v", list)
	}
}

// TestKeys: names, and the rows that SONiC's consumers take from their producers.
func TestKeys(t *testing.T) {
	names := ""
	for _, db := range DBs() {
		names += Key{db, "k"}.String() + "; "
	}
	if names != "APPL_DB k; COUNTERS_DB k; CONFIG_DB k; FLEX_COUNTER_DB k; STATE_DB k; " {
		t.Error(names)
	}
	if s := DB(9).String(); s != "DB 9" {
		t.Error(s)
	}
	for k, want := range map[Key]bool{
		{ApplDB, "LLR_PORT_TABLE:Ethernet0"}: true, {ApplDB, "LLR_PROFILE_TABLE:a:b"}: true,
		{ApplDB, "PORT_TABLE:Ethernet0"}:      false,
		{StateDB, "LLR_PORT_TABLE:Ethernet0"}: false, {ApplDB, "LLR_PORT_TABLE"}: false,
	} {
		if table, key, is := Produced(k); is != want || is && table+":"+key != k.Name {
			t.Errorf("%s: %s, %s, %v", k, table, key, is)
		}
	}
	if !Shared(keyStatePort("Ethernet0")) || Shared(keyCapability) {
		t.Error("PORT_TABLE of STATE_DB alone is shared")
	}
}

// TestRows has every row of a machine with one port that runs, and one that does not.
func TestRows(t *testing.T) {
	b := newHarness(t)
	b.fast("Ethernet0")
	b.set("FLEX_COUNTER_TABLE|LLR", "FLEX_COUNTER_STATUS", "enable")
	b.pass()
	b.m.Count(link0.String(), []uint64{7})
	want := Rows{
		{ApplDB, "LLR_PORT_TABLE:Ethernet0"}: {"llr_mode": "static", "llr_local": "enabled", "llr_remote": "enabled",
			"llr_profile": "fast"},
		{ApplDB, "LLR_PROFILE_TABLE:fast"}: {"max_outstanding_frames": "100", "max_outstanding_bytes": "5000"},
		{StateDB, "SWITCH_CAPABILITY|switch"}: {"LLR_CAPABLE": "true",
			"LLR_SUPPORTED_PROFILE_ATTRIBUTES": "OUTSTANDING_FRAMES_MAX,OUTSTANDING_BYTES_MAX"},
		{StateDB, "PORT_COUNTER_CAPABILITIES|LLR"}: {"LLR_TX_OK": "true", "LLR_RX_OK": "false"},
		{StateDB, "PORT_TABLE|Ethernet0"}:          {"speed": "10000", "mtu": "1514", "netdev_oper_status": "up"},
		{StateDB, "PORT_TABLE|Ethernet4"}:          {"speed": "400000", "mtu": "9000", "netdev_oper_status": "up"},
		{StateDB, "PORT_TABLE|Ethernet8"}:          {"mtu": "1500", "netdev_oper_status": "up"},
		{StateDB, "LLR_PORT_STATE|Ethernet0"}:      {"tx_status": "OFF", "rx_status": "OFF"},
		{StateDB, "LLR_PORT_STATE|Ethernet4"}:      {"tx_status": "OFF", "rx_status": "OFF"},
		{CountersDB, "COUNTERS_PORT_NAME_MAP"}: {"Ethernet0": "oid:0x1000000000001", "Ethernet4": "oid:0x1000000000002",
			"Ethernet8": "oid:0x1000000000003"},
		{CountersDB, "COUNTERS:oid:0x1000000000001"}: {"SAI_PORT_STAT_LLR_TX_OK": "7"},
		{FlexCounterDB, "FLEX_COUNTER_TABLE:LLR_PORT_STAT_COUNTER:oid:0x1000000000001"}: {
			"PORT_COUNTER_ID_LIST": "SAI_PORT_STAT_LLR_TX_OK"},
		{FlexCounterDB, "FLEX_COUNTER_TABLE:LLR_PORT_STAT_COUNTER:oid:0x1000000000002"}: {
			"PORT_COUNTER_ID_LIST": "SAI_PORT_STAT_LLR_TX_OK"},
	}
	if diff := cmp.Diff(want, b.m.Rows()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestReads: the keys of the ports of the map, and no others.
func TestReads(t *testing.T) {
	keys, patterns := NewMachine([]Port{{"Ethernet0", "link0"}}, nil).Reads()
	want := []Key{Initialized, {ConfigDB, "LLR_CONFIG|GLOBAL"}, {ConfigDB, "FLEX_COUNTER_TABLE|LLR"},
		{ConfigDB, "PORT|Ethernet0"}, {ConfigDB, "LLR_PORT|Ethernet0"}, {StateDB, "PORT_TABLE|Ethernet0"}}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"LLR_PROFILE|*", "CABLE_LENGTH|*"}, patterns); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
