package control_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"uelink/control"
	"uelink/control/controltest"
	"uelink/dataplane"
	"uelink/llr"
)

// Fields finds exactly the keys that JSON has.
func TestFieldsAreThoseOfTheJSON(t *testing.T) {
	for _, p := range controltest.Ports() {
		p.XConnect, p.ErrorStatus = "other", []string{"x"} // omitempty leaves nothing out
		if p.LLR != nil {
			full := *p.LLR
			full.FlushReason, full.PartnerMAC, full.PartnerProblem = "x", "x", "x"
			p.LLR = &full
		}
		octets, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var raw map[string]any
		if err := json.Unmarshal(octets, &raw); err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{}
		leaves(want, "", raw)
		got := map[string]bool{}
		for _, f := range control.Fields(p) {
			got[strings.TrimPrefix(f.Section+"."+f.Key, ".")] = true
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", p.Name, got, want)
		}
	}
}

func leaves(into map[string]bool, path string, object map[string]any) {
	for key, v := range object {
		if inner, ok := v.(map[string]any); ok {
			leaves(into, path+key+".", inner)
		} else {
			into[path+key] = true
		}
	}
}

func TestFieldsOfEmbeddedStructs(t *testing.T) {
	got := control.Fields(control.LLRCounters{Port: "link0", Counters: llr.Counters{TxInitCtlOS: 5}})
	if got[0] != (control.Field{Key: "port", Value: "link0"}) || got[4] != (control.Field{Key: "llr_tx_init_ctl_os", Value: uint64(5)}) {
		t.Errorf("%v", got)
	}
	for _, f := range control.Fields(dataplane.PortState{}) {
		if f.Section == "llr" {
			t.Errorf("an edge port has %v", f)
		}
	}
}
