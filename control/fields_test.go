package control_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/dataplane/model"
	"uelink/llr"
)

// Fields finds exactly the keys that JSON has.
func TestFieldsAreThoseOfTheJSON(t *testing.T) {
	for _, state := range controltest.Ports() {
		p := api.NewPort(state)
		p.XConnect, p.Bridge = "other", "other" // omitempty leaves nothing out
		if p.LLR != nil {
			p.LLR.FlushReason, p.LLR.PartnerProblem = "x", "x"
			p.LLR.PartnerMAC, p.LLR.OtherStation = model.Address{2}, model.Address{2}
		}
		octets, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var raw map[string]any
		if err := json.Unmarshal(octets, &raw); err != nil {
			t.Fatal(err)
		}
		delete(raw, "queue_stats") // a list of objects
		if p.CBFC != nil {
			delete(raw["cbfc"].(map[string]any), "virtual_channels")
		}
		want := map[string]bool{}
		leaves(want, "", raw)
		got := map[string]bool{}
		for _, f := range api.Fields(p) {
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

// A time is one value, and so are counts by reason.
func TestFieldsOfLLDPStatistics(t *testing.T) {
	got := map[string]any{}
	for _, f := range api.Fields(api.NewLLDPStatistics(controltest.NewLLDP().Statistics()[1])) {
		got[strings.TrimPrefix(f.Section+"."+f.Key, ".")] = f.Value
	}
	if at, ok := got["last_change_time"].(time.Time); !ok || !at.Equal(started) {
		t.Errorf("last_change_time is %v", got["last_change_time"])
	}
	if by, ok := got["rx_statistics.discards"].(map[string]uint64); !ok || by["order"] != 4 || by["ttl"] != 1 {
		t.Errorf("discards are %v", got["rx_statistics.discards"])
	}
	if got["tx_statistics.total_frames"] != uint64(12345) || got["socket_drops"] != uint64(6) {
		t.Errorf("%v", got)
	}
}

func TestFieldsOfEmbeddedStructs(t *testing.T) {
	got := api.Fields(api.LLRCounters{Port: "link0", Counters: llr.Counters{TxInitCtlOS: 5}})
	if got[0] != (api.Field{Key: "port", Value: "link0", Help: "Name of the port."}) ||
		!slices.Contains(got,
			api.Field{Key: "llr_tx_init_ctl_os", Value: uint64(5), Help: "LLR_INIT ordered sets sent."}) {
		t.Errorf("%v", got)
	}
	for _, f := range api.Fields(api.Port{}) {
		if f.Section == "llr" {
			t.Errorf("an edge port has %v", f)
		}
	}
}
