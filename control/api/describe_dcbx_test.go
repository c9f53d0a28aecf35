package api

import (
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"uelink/lldp/agent"
	"uelink/lldp/dcbx"
)

func TestNumbers(t *testing.T) {
	for set, want := range map[uint32]string{0: "none", 1: "0", 1<<3 | 1<<1: "1,3", 1<<31 | 1<<10: "10,31"} {
		if got := numbers(set).String(); got != want {
			t.Errorf("%x: %s, want %s", set, got, want)
		}
	}
	if octets, err := json.Marshal(numbers(0)); string(octets) != "[]" || err != nil {
		t.Errorf("%s, %v", octets, err)
	}
}

// Settings are there in words and as lists.
func TestDCBXSettingsInWords(t *testing.T) {
	pg := newPG(dcbx.PG{Group: [8]uint8{0, 0, 0, 3, 0, 15, 0, 15}, Percentage: [8]uint8{50, 0, 0, 50}, NumTCs: 8})
	if !slices.Equal(pg.StrictPriorities, []int{5, 7}) || pg.Group[3] != 3 {
		t.Errorf("%+v", pg)
	}
	pfc := newPFC(dcbx.PFC{Enable: 1<<4 | 1<<3, NumTCs: 2})
	if !slices.Equal(pfc.PriorityList, []int{3, 4}) || pfc.Enable != 0x18 {
		t.Errorf("%+v", pfc)
	}
	app := newApp(dcbx.App{Entries: []dcbx.AppEntry{
		{Protocol: 0x8906, Priorities: 1 << 3}, {Protocol: 3260, Selector: dcbx.SelectorPort, Priorities: 1<<4 | 1},
		{Protocol: 7, Selector: 2},
	}})
	if e := app.Entries; len(e) != 3 || !slices.Equal(e[1].PriorityList, []int{0, 4}) || e[1].Protocol != 3260 {
		t.Errorf("%+v", app)
	}
	cinPG := newCINPG(dcbx.CINPG{Group: [8]uint8{3: 1}, GroupPercentage: [8]uint8{60, 40}})
	for _, c := range [][2]string{
		{pg.String(), "groups of priorities 0 to 7: 0 0 0 3 0 strict 0 strict; bandwidth 0: 50%, 3: 50%; 8 TCs"},
		{newPG(dcbx.PG{NumTCs: 1}).Text, "groups of priorities 0 to 7: 0 0 0 0 0 0 0 0; bandwidth none; 1 TCs"},
		{pfc.String(), "priorities 3,4; 2 TCs"},
		{newPFC(dcbx.PFC{}).Text, "priorities none; 0 TCs"},
		{app.String(), "EtherType 8906 at priority 3, port 3260 at priority 0,4, " +
			"selector 2 protocol 7 at priority none"},
		{app.Entries[0].Text, "EtherType 8906 at priority 3"},
		{newApp(dcbx.App{}).Text, "none"},
		{cinPG.String(), "bandwidth groups of priorities 0 to 7: [0 0 0 1 0 0 0 0]; " +
			"bandwidth of groups 0 to 7 in %: [60 40 0 0 0 0 0 0]"},
		{newCINPFC(dcbx.CINPFC{Enable: 8}).String(), "priorities 3"},
		{newCINPFC(dcbx.CINPFC{}).Text, "priorities none"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}

// An object has all that the agents have: the keys of their JSON with the same values, and more.
func TestDCBXObjectsHaveAllOfTheAgents(t *testing.T) {
	port, err := dcbx.NewPort(dcbx.Default(), &dcbx.Output{})
	if err != nil {
		t.Fatal(err)
	}
	of := agent.DCBX{Snapshot: port.Snapshot()}
	contains(t, "", asMap(t, NewDCBX(of)), asMap(t, of.Snapshot))
	for _, octets := range []string{
		"020a0000000000010000000004110000c000012345670d0d0d0d0c0c0c0c0806060000c0000808080a0000c0008906001b2108",
		"020a0000000000010000000004110000c000012345670d0d0d0d0c0c0c0c08" + "1201ab",
	} {
		payload, _ := hex.DecodeString(octets)
		m, err := dcbx.Decode(payload)
		if err != nil {
			t.Fatal(err)
		}
		message := m.Shown()
		contains(t, "", asMap(t, newDCBXTLV(agent.DCBXTLV{Message: message}).Message), asMap(t, message))
	}
}

func TestCIN(t *testing.T) {
	const control = "020a00000000000500000004"
	payload, _ := hex.DecodeString(control + "06050000c00008" +
		"041c0000c0003232000000000000" + strings.Repeat("2032", 8))
	cin, err := dcbx.DecodeCIN(payload)
	if err != nil {
		t.Fatal(err)
	}
	got := newDCBXTLV(agent.DCBXTLV{Subtype: dcbx.SubtypeCIN, CIN: cin})
	contains(t, "", asMap(t, got.CIN), asMap(t, cin))
	if got.CIN.PFC.Config.Text != "priorities 3" || !strings.Contains(got.CIN.PG.Config.Text, "[50 50 0 0 0 0 0 0]") {
		t.Errorf("%+v", got.CIN)
	}
	if broken := newDCBXTLV(agent.DCBXTLV{Fault: "too short"}); broken.Fault != "too short" || broken.CIN != nil {
		t.Errorf("%+v", broken)
	}
}

func asMap(t *testing.T, object any) (m map[string]any) {
	t.Helper()
	octets, err := json.Marshal(object)
	if err == nil {
		err = json.Unmarshal(octets, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// contains tests that an object of JSON has every value of another.
func contains(t *testing.T, path string, object, part any) {
	t.Helper()
	switch p := part.(type) {
	case map[string]any:
		o, _ := object.(map[string]any)
		for key, value := range p {
			contains(t, path+"."+key, o[key], value)
		}
	case []any:
		o, _ := object.([]any)
		if len(o) != len(p) {
			t.Errorf("%s: %v, want %v", path, object, part)
			return
		}
		for i := range p {
			contains(t, path, o[i], p[i])
		}
	default:
		if object != part {
			t.Errorf("%s: %v, want %v", path, object, part)
		}
	}
}
