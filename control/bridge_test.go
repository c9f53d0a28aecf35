package control_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"uelink/control"
	"uelink/control/controltest"
	"uelink/dataplane"
)

// bridged is a daemon with bridges.
func bridged(t *testing.T) *daemon {
	t.Helper()
	return startWith(t, controltest.NewBridged(), controltest.NewLLDP())
}

func TestBridges(t *testing.T) {
	c, ctx := bridged(t).client, t.Context()
	br0 := control.Bridge{
		Name: "br0", AgeingTime: 300, VLANFiltering: true, Reserved: "filter", LoopGuard: "block", BlockTime: 5, MaxEntries: 4096, Entries: 3,
		Ports: []control.BridgePort{
			{Port: "edge0", State: "blocked", PVID: 10, Learning: true, Isolated: true, BroadcastLimit: 100},
			{Port: "link0", State: "forwarding", PVID: 1, Learning: true, UnknownUnicastLimit: 1000},
		},
	}
	br1 := control.Bridge{
		Name: "br1", Reserved: "forward", LoopGuard: "event", MaxEntries: 16, Entries: 1,
		Ports: []control.BridgePort{{Port: "edge1", State: "down"}},
	}
	all, err := c.Bridges(ctx)
	read(t, all, err, []control.Bridge{br0, br1})
	one, err := c.Bridge(ctx, "br0")
	read(t, one, err, br0)
}

func TestFDB(t *testing.T) {
	c := bridged(t).client
	entry := func(mac, port string, vlan uint16, master, state string) control.FDBEntry {
		return control.FDBEntry{MAC: mac, IfName: port, VLAN: vlan, Flags: []string{}, Master: master, State: state}
	}
	one := entry("02:00:00:00:00:22", "link0", 1, "br0", "")
	ten := entry("02:00:00:00:00:21", "edge0", 10, "br0", "")
	static := entry("02:00:00:00:00:aa", "link0", 10, "br0", "static")
	other := entry("02:00:00:00:00:55", "edge1", 0, "br1", "")
	for name, c1 := range map[string]struct {
		q    control.FDBQuery
		want []control.FDBEntry
	}{
		"all":     {control.FDBQuery{}, []control.FDBEntry{one, ten, static, other}},
		"bridge":  {control.FDBQuery{Bridge: "br1"}, []control.FDBEntry{other}},
		"port":    {control.FDBQuery{Port: "link0"}, []control.FDBEntry{one, static}},
		"both":    {control.FDBQuery{Bridge: "br0", Port: "edge0"}, []control.FDBEntry{ten}},
		"VLAN":    {control.FDBQuery{VLAN: 10}, []control.FDBEntry{ten, static}},
		"static":  {control.FDBQuery{State: control.FDBStatic}, []control.FDBEntry{static}},
		"dynamic": {control.FDBQuery{State: control.FDBDynamic, Port: "link0"}, []control.FDBEntry{one}},
		"none":    {control.FDBQuery{VLAN: 4094}, []control.FDBEntry{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.FDB(t.Context(), c1.q)
			read(t, got, err, c1.want)
		})
	}
	seconds := int64(1)
	ten.Updated = &seconds
	got, err := c.FDB(t.Context(), control.FDBQuery{Port: "edge0", Statistics: true})
	read(t, got, err, []control.FDBEntry{ten})
}

func TestVLANs(t *testing.T) {
	c := bridged(t).client
	pvid := []string{control.VLANIsPVID, control.VLANUntagged}
	edge0 := control.PortVLANs{IfName: "edge0", VLANs: []control.VLAN{{VLAN: 10, Flags: pvid}}}
	link0 := control.PortVLANs{IfName: "link0", VLANs: []control.VLAN{
		{VLAN: 1, Flags: pvid}, {VLAN: 10}, {VLAN: 20}, {VLAN: 21}, {VLAN: 22}, {VLAN: 23}, {VLAN: 30}}}
	ranges := control.PortVLANs{IfName: "link0", VLANs: []control.VLAN{{VLAN: 1, Flags: pvid}, {VLAN: 10}, {VLAN: 20, VLANEnd: 23}, {VLAN: 30}}}
	in := func(v control.VLAN) control.PortVLANs {
		return control.PortVLANs{IfName: "link0", VLANs: []control.VLAN{v}}
	}
	for name, c1 := range map[string]struct {
		q    control.VLANQuery
		want []control.PortVLANs
	}{
		"all":                    {control.VLANQuery{}, []control.PortVLANs{edge0, link0}},
		"port":                   {control.VLANQuery{Port: "link0"}, []control.PortVLANs{link0}},
		"compressed":             {control.VLANQuery{Compressed: true}, []control.PortVLANs{edge0, ranges}},
		"VLAN":                   {control.VLANQuery{VLAN: 22}, []control.PortVLANs{in(control.VLAN{VLAN: 22})}},
		"range that has it":      {control.VLANQuery{VLAN: 22, Compressed: true}, []control.PortVLANs{in(control.VLAN{VLAN: 20, VLANEnd: 23})}},
		"on no port":             {control.VLANQuery{VLAN: 24}, []control.PortVLANs{}},
		"bridge without filters": {control.VLANQuery{Port: "edge1"}, []control.PortVLANs{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.VLANs(t.Context(), c1.q)
			read(t, got, err, c1.want)
		})
	}
}

// What iproute2 prints is what the objects are: nothing else, in the same order. The
// first text is of a kernel's bridge with iproute2 6.1.
func TestKeysAreThoseOfIproute2(t *testing.T) {
	fdb := `[{"mac":"02:00:00:00:00:aa","ifname":"v0","flags":[],"master":"br0","state":"static"},` +
		`{"mac":"de:5f:b9:ff:35:56","ifname":"v0","vlan":10,"flags":[],"master":"br0","state":""}]`
	vlans := `[{"ifname":"v0","vlans":[{"vlan":1,"flags":["PVID","Egress Untagged"]},{"vlan":20,"vlanEnd":25}]}]`
	same[[]control.FDBEntry](t, fdb)
	same[[]control.PortVLANs](t, vlans)
}

// same reads text as a T and writes it again.
func same[T any](t *testing.T, text string) {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(v)
	if err != nil || string(again) != text {
		t.Errorf("%s, not %s, %v", again, text, err)
	}
}

func TestFDBChanges(t *testing.T) {
	d, ctx := bridged(t), t.Context()
	added := control.FDBEntry{MAC: "02-00-00-00-00-BB", IfName: "link0", VLAN: 22}
	static := control.FDBEntry{MAC: "02:00:00:00:00:aa", IfName: "link0", VLAN: 10, Master: "br0", State: "static"}
	for _, err := range []error{
		d.client.AddFDB(ctx, added),
		d.client.AddFDB(ctx, control.FDBEntry{MAC: "02:00:00:00:00:cc", IfName: "edge1"}),
		d.client.DeleteFDB(ctx, static),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	flushed, err := d.client.FlushFDB(ctx, control.FDBFlush{Bridge: "br0"})
	read(t, flushed, err, control.FDBFlushed{Removed: 2})
	flushed, err = d.client.FlushFDB(ctx, control.FDBFlush{Port: "link0", VLAN: 30})
	read(t, flushed, err, control.FDBFlushed{})
	want := []string{
		"AddFDB br0 link0 02:00:00:00:00:bb 22", "AddFDB br1 edge1 02:00:00:00:00:cc 0", "DeleteFDB br0 link0 02:00:00:00:00:aa 10",
		`FlushFDB "br0" "" 0`, `FlushFDB "" "link0" 30`,
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
	if response, answer := d.request(t, http.MethodPost, "/v1/fdb", string(list[0])); response.StatusCode != http.StatusNoContent {
		t.Errorf("%s: %s", list[0], answer)
	}
}

func TestBridgeRefusals(t *testing.T) {
	d := bridged(t)
	const edges = "the ports of bridges are edge0, edge1, link0"
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		message, field           string
	}{
		{"unknown bridge", "GET", "/v1/bridges/br9", "", 404, "bridge br9: no such bridge: the bridges are br0, br1", "bridge"},
		{"FDB of unknown bridge", "GET", "/v1/fdb?bridge=br9", "", 404, "bridge br9: no such bridge: the bridges are br0, br1", "bridge"},
		{"FDB of unknown port", "GET", "/v1/fdb?port=link9", "", 404, "port link9: no such port: " + edges, "port"},
		{"FDB of a port in no bridge", "GET", "/v1/fdb?port=link1", "", 409, "port link1: in no bridge: " + edges, "port"},
		{"FDB of a port elsewhere", "GET", "/v1/fdb?port=link0&bridge=br1", "", 409, "port link0 is in bridge br0, not in br1", "bridge"},
		{"VLANs of unknown port", "GET", "/v1/vlans?port=link9", "", 404, "port link9: no such port: " + edges, "port"},
		{"unknown key", "GET", "/v1/fdb?dev=link0", "", 400, `query: unknown key "dev": one of bridge, port, vlan, state, statistics is wanted`, "dev"},
		{"key twice", "GET", "/v1/vlans?port=a&port=b", "", 400, "query: port is there twice", "port"},
		{"no query", "GET", "/v1/fdb?%zz", "", 400, `query: invalid URL escape "%zz"`, "query"},
		{"VLAN too high", "GET", "/v1/fdb?vlan=4095", "", 400, "vlan 4095: a number from 1 to 4094 is wanted", "vlan"},
		{"VLAN 0", "GET", "/v1/vlans?vlan=0", "", 400, "vlan 0: a number from 1 to 4094 is wanted", "vlan"},
		{"VLAN in words", "GET", "/v1/vlans?vlan=ten", "", 400, "vlan ten: a number from 1 to 4094 is wanted", "vlan"},
		{"unknown state", "GET", "/v1/fdb?state=permanent", "", 400, `state "permanent": one of dynamic, static is wanted`, "state"},
		{"not a switch", "GET", "/v1/fdb?statistics=1", "", 400, `query: statistics "1": true or false is wanted`, "statistics"},
		{"neither", "GET", "/v1/vlans?compressed=yes", "", 400, `query: compressed "yes": true or false is wanted`, "compressed"},

		{"no address", "POST", "/v1/fdb", `{"ifname": "link0"}`, 400, `mac "": an address such as 02:00:00:00:00:01 is wanted`, "mac"},
		{"address of another kind", "POST", "/v1/fdb", `{"mac": "02:00:00:00:00:00:00:01", "ifname": "link0"}`, 400, `mac "02:00:00:00:00:00:00:01": an address such as 02:00:00:00:00:01 is wanted`, "mac"},
		{"no port", "POST", "/v1/fdb", `{"mac": "02:00:00:00:00:01"}`, 400, "the port is missing", "ifname"},
		{"add to unknown port", "POST", "/v1/fdb", `{"mac": "02:00:00:00:00:01", "ifname": "link9"}`, 404, "port link9: no such port: " + edges, "ifname"},
		{"add to a port in no bridge", "POST", "/v1/fdb", `{"mac": "02:00:00:00:00:01", "ifname": "link1"}`, 409, "port link1: in no bridge: " + edges, "ifname"},
		{"add to unknown bridge", "POST", "/v1/fdb", `{"mac": "02:00:00:00:00:01", "ifname": "link0", "master": "br9"}`, 404, "bridge br9: no such bridge: the bridges are br0, br1", "master"},
		{"add to another bridge", "POST", "/v1/fdb", `{"mac": "02:00:00:00:00:01", "ifname": "link0", "master": "br1"}`, 409, "port link0 is in bridge br0, not in br1", "master"},
		{"VLAN left out", "POST", "/v1/fdb", `{"mac": "02:00:00:00:00:01", "ifname": "link0"}`, 400, "bridge br0 filters VLANs: name a VLAN of port link0: 1, 10, 20-23, 30", "vlan"},
		{"VLAN not of the port", "POST", "/v1/fdb", `{"mac": "02:00:00:00:00:01", "ifname": "edge0", "vlan": 1}`, 400, "vlan 1: port edge0 is not in it: its VLANs are 10", "vlan"},
		{"VLAN where none are", "POST", "/v1/fdb", `{"mac": "02:00:00:00:00:01", "ifname": "edge1", "vlan": 1}`, 400, "vlan 1: bridge br1 does not filter VLANs: leave the VLAN out", "vlan"},
		{"state", "POST", "/v1/fdb", `{"mac": "02:00:00:00:00:01", "ifname": "edge1", "state": "permanent"}`, 400, `state "permanent": static is wanted`, "state"},
		{"flags", "POST", "/v1/fdb", `{"mac": "02:00:00:00:00:01", "ifname": "edge1", "flags": ["sticky"]}`, 400, `flags "sticky": none are wanted`, "flags"},
		{"group address", "POST", "/v1/fdb", `{"mac": "01:00:00:00:00:01", "ifname": "edge1"}`, 400, "01:00:00:00:00:01 on port edge1: mac: it is a group address", "mac"},
		{"there already", "POST", "/v1/fdb", `{"mac": "02:00:00:00:00:aa", "ifname": "link0", "vlan": 10}`, 409, "02:00:00:00:00:aa on port link0: there is a static entry of this address already", "mac"},
		{"delete what is not there", "DELETE", "/v1/fdb?mac=02:00:00:00:00:ab&port=edge1", "", 404, "02:00:00:00:00:ab on port edge1: no such static entry", "mac"},
		{"delete a learned one", "DELETE", "/v1/fdb?mac=02:00:00:00:00:55&port=edge1", "", 404, "02:00:00:00:00:55 on port edge1: no such static entry", "mac"},
		{"delete without port", "DELETE", "/v1/fdb?mac=02:00:00:00:00:55", "", 400, "the port is missing", "port"},
		{"delete with body", "DELETE", "/v1/fdb", "{}", 400, "body: none is wanted", ""},
		{"delete by unknown key", "DELETE", "/v1/fdb?dev=link0", "", 400, `query: unknown key "dev": one of mac, port, vlan, bridge is wanted`, "dev"},
		{"delete in VLAN 0", "DELETE", "/v1/fdb?vlan=0", "", 400, "vlan 0: a number from 1 to 4094 is wanted", "vlan"},
		{"flush without body", "POST", "/v1/fdb/flush", "", 400, "body: a JSON object is wanted", ""},
		{"flush unknown bridge", "POST", "/v1/fdb/flush", `{"bridge": "br9"}`, 404, "bridge br9: no such bridge: the bridges are br0, br1", "bridge"},
		{"flush unknown port", "POST", "/v1/fdb/flush", `{"port": "link9"}`, 404, "port link9: no such port: " + edges, "port"},
		{"flush VLAN too high", "POST", "/v1/fdb/flush", `{"vlan": 4095}`, 400, "vlan 4095: a number from 1 to 4094 is wanted", "vlan"},
		{"replace", "PUT", "/v1/fdb", "{}", 405, "/v1/fdb: PUT is not allowed, only DELETE, GET, POST", "method"},
		{"VLANs are read only", "POST", "/v1/vlans", "{}", 405, "/v1/vlans: POST is not allowed, only GET", "method"},
	} {
		t.Run(c.name, func(t *testing.T) {
			response, body := d.request(t, c.method, c.path, c.body)
			var got map[string]string
			if err := json.Unmarshal([]byte(body), &got); err != nil {
				t.Fatalf("%v in %s", err, body)
			}
			if diff := cmp.Diff(map[string]string{"error": c.message, "field": c.field}, got); response.StatusCode != c.status || diff != "" {
				t.Errorf("status %d, want %d; %s", response.StatusCode, c.status, diff)
			}
		})
	}
	if len(d.Calls()) > 0 {
		t.Errorf("refused requests changed something: %v", d.Calls())
	}
}

func TestWithoutBridges(t *testing.T) {
	d := start(t, controltest.Ports())
	for _, path := range []string{"/v1/bridges", "/v1/fdb", "/v1/vlans"} {
		if _, body := d.request(t, "GET", path, ""); strings.TrimSpace(body) != "[]" {
			t.Errorf("%s: %s", path, body)
		}
	}
	for path, want := range map[string]string{
		"/v1/bridges/br0":       "bridge br0: no such bridge: no bridge is configured",
		"/v1/fdb?port=link0":    "port link0: in no bridge: no bridge is configured",
		"/v1/vlans?port=edge9":  "port edge9: no such port: no bridge is configured",
		"/v1/fdb?bridge=br0":    "bridge br0: no such bridge: no bridge is configured",
		"/v1/fdb?statistics=no": `query: statistics "no"`,
	} {
		if _, body := d.request(t, "GET", path, ""); !strings.Contains(body, strings.ReplaceAll(want, `"`, `\"`)) {
			t.Errorf("%s: %s", path, body)
		}
	}
}

// The errors of the data plane itself, however it comes to them.
func TestDataPlaneErrorsOfBridges(t *testing.T) {
	for err, status := range map[error]int{
		dataplane.ErrNoBridge:                                   404,
		dataplane.ErrNoPort:                                     404,
		dataplane.ErrNoEntry:                                    404,
		dataplane.ErrNotBridged:                                 409,
		dataplane.ErrEntryExists:                                409,
		dataplane.ErrTableFull:                                  409,
		&dataplane.EntryError{Field: "mac"}:                     400,
		errors.New("worker 0 does not answer"):                  500,
		errors.Join(errors.New("table"), errors.ErrUnsupported): 500,
	} {
		d := bridged(t)
		d.Fail(err)
		if response, body := d.request(t, "GET", "/v1/bridges", ""); response.StatusCode != status {
			t.Errorf("%v: %d %s", err, response.StatusCode, body)
		}
	}
}

// A snapshot of a large table is served in one piece.
func TestLargeFDB(t *testing.T) {
	b := controltest.NewBridged()
	var entries []dataplane.FDBEntry
	for i := range 20000 {
		entries = append(entries, dataplane.FDBEntry{Bridge: "br0", Port: "link0", VLAN: 1, MAC: [6]byte{2, 0, 0, byte(i >> 16), byte(i >> 8), byte(i)}, Age: time.Second})
	}
	b.SetFDB(entries)
	got, err := startWith(t, b, controltest.NewLLDP()).client.FDB(t.Context(), control.FDBQuery{})
	if err != nil || len(got) != len(entries) || got[256].MAC != "02:00:00:00:01:00" {
		t.Errorf("%d entries, %v", len(got), err)
	}
}
