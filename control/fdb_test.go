package control_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/dataplane/model"
)

func TestFDB(t *testing.T) {
	c := bridged(t).client
	entry := func(mac, port string, vlan uint16, master, state string) api.FDBEntry {
		return api.FDBEntry{MAC: mac, IfName: port, VLAN: vlan, Flags: []string{}, Master: master, State: state}
	}
	one := entry("02:00:00:00:00:22", "link0", 1, "br0", "")
	ten := entry("02:00:00:00:00:21", "edge0", 10, "br0", "")
	static := entry("02:00:00:00:00:aa", "link0", 10, "br0", "static")
	other := entry("02:00:00:00:00:55", "edge1", 0, "br1", "")
	for name, c1 := range map[string]struct {
		q    api.FDBQuery
		want []api.FDBEntry
	}{
		"all":     {api.FDBQuery{}, []api.FDBEntry{one, ten, static, other}},
		"bridge":  {api.FDBQuery{Bridge: "br1"}, []api.FDBEntry{other}},
		"port":    {api.FDBQuery{Port: "link0"}, []api.FDBEntry{one, static}},
		"both":    {api.FDBQuery{Bridge: "br0", Port: "edge0"}, []api.FDBEntry{ten}},
		"VLAN":    {api.FDBQuery{VLAN: 10}, []api.FDBEntry{ten, static}},
		"static":  {api.FDBQuery{State: api.FDBStatic}, []api.FDBEntry{static}},
		"dynamic": {api.FDBQuery{State: api.FDBDynamic, Port: "link0"}, []api.FDBEntry{one}},
		"none":    {api.FDBQuery{VLAN: 4094}, []api.FDBEntry{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.FDB(t.Context(), c1.q)
			read(t, got, err, c1.want)
		})
	}
	seconds := int64(1)
	ten.Updated = &seconds
	got, err := c.FDB(t.Context(), api.FDBQuery{Port: "edge0", Statistics: true})
	read(t, got, err, []api.FDBEntry{ten})
}

func TestFDBChanges(t *testing.T) {
	d, ctx := bridged(t), t.Context()
	added := api.FDBEntry{MAC: "02-00-00-00-00-BB", IfName: "link0", VLAN: 22}
	static := api.FDBEntry{MAC: "02:00:00:00:00:aa", IfName: "link0", VLAN: 10, Master: "br0", State: "static"}
	for _, err := range []error{
		d.client.AddFDB(ctx, added),
		d.client.AddFDB(ctx, api.FDBEntry{MAC: "02:00:00:00:00:cc", IfName: "edge1"}),
		d.client.DeleteFDB(ctx, static),
		d.client.DeleteFDB(ctx, api.FDBEntry{MAC: "02:00:00:00:00:55", IfName: "edge1"}), // a learned one
	} {
		if err != nil {
			t.Error(err)
		}
	}
	flushed, err := d.client.FlushFDB(ctx, api.FDBFlush{Bridge: "br0"})
	read(t, flushed, err, api.FDBFlushed{Removed: 2})
	flushed, err = d.client.FlushFDB(ctx, api.FDBFlush{Port: "link0", VLAN: 30})
	read(t, flushed, err, api.FDBFlushed{})
	want := []string{
		"AddFDB br0 link0 02:00:00:00:00:bb 22", "AddFDB br1 edge1 02:00:00:00:00:cc 0",
		"DeleteFDB br0 link0 02:00:00:00:00:aa 10", "DeleteFDB br1 edge1 02:00:00:00:00:55 0", `FlushFDB "br0" "" 0`, `FlushFDB "" "link0" 30`,
	}
	if diff := cmp.Diff(want, d.Calls()); diff != "" {
		t.Error(diff)
	}
}

// An entry can be posted as it was shown.
func TestShownEntryCanBeAdded(t *testing.T) {
	d := bridged(t)
	_, body := d.request(t, http.MethodGet, "/v1/fdb?bridge=br1&statistics=true", "")
	var list []json.RawMessage
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatal(err)
	}
	response, answer := d.request(t, http.MethodPost, "/v1/fdb", string(list[0]))
	if response.StatusCode != http.StatusNoContent {
		t.Errorf("%s: %s", list[0], answer)
	}
}

func TestFDBRefusals(t *testing.T) {
	const entry = "POST /v1/fdb"
	const badMAC = ": an address such as 02:00:00:00:00:01 is wanted"
	refusals{
		{entry, `{"ifname": "link0"}`, 400, `mac ""` + badMAC, "mac"},
		{entry, `{"mac": "02:00:00:00:00:00:00:01"}`, 400, `mac "02:00:00:00:00:00:00:01"` + badMAC, "mac"},
		{entry, `{"mac": "02:00:00:00:00:01"}`, 400, "no port is given", "ifname"},
		{entry, `{"mac": "02:00:00:00:00:01", "ifname": "link9"}`, 404, unknownPort, "ifname"},
		{entry, `{"mac": "02:00:00:00:00:01", "ifname": "link1"}`, 409, portInNone, "ifname"},
		{entry, `{"mac": "02:00:00:00:00:01", "ifname": "link0", "master": "br9"}`, 404, unknownBridge, "master"},
		{entry, `{"mac": "02:00:00:00:00:01", "ifname": "link0", "master": "br1"}`, 409, portElsewhere, "master"},
		{entry, `{"mac": "02:00:00:00:00:01", "ifname": "link0"}`, 400,
			"bridge br0 filters VLANs: name a VLAN of port link0: 1, 10, 20-23, 30", "vlan"},
		{entry, `{"mac": "02:00:00:00:00:01", "ifname": "edge0", "vlan": 1}`, 400,
			"vlan 1: port edge0 is not in this VLAN: the VLANs of the port are 10", "vlan"},
		{entry, `{"mac": "02:00:00:00:00:01", "ifname": "edge1", "vlan": 1}`, 400,
			"vlan 1: bridge br1 does not filter VLANs: leave the VLAN out", "vlan"},
		{entry, `{"mac": "02:00:00:00:00:01", "ifname": "edge1", "state": "permanent"}`, 400,
			`state "permanent": static is wanted`, "state"},
		{entry, `{"mac": "02:00:00:00:00:01", "ifname": "edge1", "flags": ["sticky"]}`, 400,
			`flags "sticky": no flag may be given`, "flags"},
		{entry, `{"mac": "01:00:00:00:00:01", "ifname": "edge1"}`, 400,
			"port edge1: mac: 01:00:00:00:00:01 is a group address: it is behind no port", "mac"},
		{entry, `{"mac": "02:00:00:00:00:aa", "ifname": "edge0", "vlan": 10}`, 409,
			"port edge0: 02:00:00:00:00:aa: static at another port: delete it there first", "mac"},
		{"DELETE /v1/fdb?mac=02:00:00:00:00:ab&port=edge1", "", 404,
			"port edge1: 02:00:00:00:00:ab: no such address at the port", "mac"},
		{"DELETE /v1/fdb?mac=02:00:00:00:00:aa&port=edge0&vlan=10", "", 404, // it is at link0
			"port edge0: 02:00:00:00:00:aa: no such address at the port", "mac"},
		{"DELETE /v1/fdb?mac=02:00:00:00:00:55", "", 400, "no port is given", "port"},
		{"DELETE /v1/fdb", "{}", 400, "body: none is wanted", ""},
		{"DELETE /v1/fdb?dev=link0", "", 400, `query: unknown key "dev": one of mac, port, vlan, bridge is wanted`, "dev"},
		{"DELETE /v1/fdb?vlan=0", "", 400, "vlan 0: a number from 1 to 4094 is wanted", "vlan"},
		{"POST /v1/fdb/flush", "", 400, "body: a JSON object is wanted", ""},
		{"POST /v1/fdb/flush", `{"bridge": "br9"}`, 404, unknownBridge, "bridge"},
		{"POST /v1/fdb/flush", `{"port": "link9"}`, 404, unknownPort, "port"},
		{"POST /v1/fdb/flush", `{"vlan": 4095}`, 400, "vlan 4095: a number from 1 to 4094 is wanted", "vlan"},
	}.test(t)
}

// A snapshot of a large table is served in one piece.
func TestLargeFDB(t *testing.T) {
	b := controltest.NewBridged()
	var entries []model.FDBEntry
	for i := range 20000 {
		mac := [6]byte{2, 0, 0, byte(i >> 16), byte(i >> 8), byte(i)}
		entries = append(entries, model.FDBEntry{Bridge: "br0", Port: "link0", VLAN: 1, MAC: mac, Age: time.Second})
	}
	b.SetFDB(entries)
	got, err := startWith(t, b, controltest.NewLLDP()).client.FDB(t.Context(), api.FDBQuery{})
	if err != nil || len(got) != len(entries) || got[256].MAC != "02:00:00:00:01:00" {
		t.Errorf("%d entries, %v", len(got), err)
	}
}
