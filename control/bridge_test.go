package control_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/dataplane"
	"uelink/dataplane/bridge"
	"uelink/dataplane/model"
)

// bridged is a daemon with bridges.
func bridged(t *testing.T) *daemon {
	t.Helper()
	return startWith(t, controltest.NewBridged(), controltest.NewLLDP())
}

func TestBridges(t *testing.T) {
	c, ctx := bridged(t).client, t.Context()
	br0 := api.Bridge{
		Name: "br0", AgeingTime: 300, VLANFiltering: true, Reserved: "filter", LoopGuard: "block", BlockTime: 5,
		MaxEntries: 4096, Entries: 3,
		Counters: bridge.Counters{FDBEntries: 3, FDBStatic: 1, FDBLearned: 1002, FDBAged: 1000, FDBFlapping: 1},
		Ports: []api.BridgePort{
			{Port: "edge0", State: "blocked", PVID: 10, Learning: true, Isolated: true, BroadcastLimit: 100,
				Counters: bridge.PortCounters{RxUnicast: 7, RxDropStormBroadcast: 4000, LoopGuardBlocks: 1}},
			{Port: "link0", State: "forwarding", PVID: 1, Learning: true, UnknownUnicastLimit: 1000,
				Counters: bridge.PortCounters{RxUnicast: 1234567, RxBroadcast: 89}},
		},
	}
	br1 := api.Bridge{
		Name: "br1", Reserved: "forward", LoopGuard: "event", MaxEntries: 16, Entries: 1,
		Ports: []api.BridgePort{{Port: "edge1", State: "down"}},
	}
	all, err := c.Bridges(ctx)
	read(t, all, err, []api.Bridge{br0, br1})
	one, err := c.Bridge(ctx, "br0")
	read(t, one, err, br0)
}

func TestVLANs(t *testing.T) {
	c := bridged(t).client
	pvid := []string{api.VLANIsPVID, api.VLANUntagged}
	edge0 := api.PortVLANs{IfName: "edge0", VLANs: []api.VLAN{{VLAN: 10, Flags: pvid}}}
	link0 := api.PortVLANs{IfName: "link0", VLANs: []api.VLAN{
		{VLAN: 1, Flags: pvid}, {VLAN: 10}, {VLAN: 20}, {VLAN: 21}, {VLAN: 22}, {VLAN: 23}, {VLAN: 30}}}
	twenties := api.VLAN{VLAN: 20, VLANEnd: 23}
	ranges := api.PortVLANs{IfName: "link0", VLANs: []api.VLAN{
		{VLAN: 1, Flags: pvid}, {VLAN: 10}, twenties, {VLAN: 30}}}
	in := func(v api.VLAN) []api.PortVLANs {
		return []api.PortVLANs{{IfName: "link0", VLANs: []api.VLAN{v}}}
	}
	for name, c1 := range map[string]struct {
		q    api.VLANQuery
		want []api.PortVLANs
	}{
		"all":                    {api.VLANQuery{}, []api.PortVLANs{edge0, link0}},
		"port":                   {api.VLANQuery{Port: "link0"}, []api.PortVLANs{link0}},
		"compressed":             {api.VLANQuery{Compressed: true}, []api.PortVLANs{edge0, ranges}},
		"VLAN":                   {api.VLANQuery{VLAN: 22}, in(api.VLAN{VLAN: 22})},
		"range that has it":      {api.VLANQuery{VLAN: 22, Compressed: true}, in(twenties)},
		"on no port":             {api.VLANQuery{VLAN: 24}, []api.PortVLANs{}},
		"bridge without filters": {api.VLANQuery{Port: "edge1"}, []api.PortVLANs{}},
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
	same[[]api.FDBEntry](t, fdb)
	same[[]api.PortVLANs](t, vlans)
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

// Messages of refusals.
const (
	unknownBridge = "bridge br9: no such bridge: the bridges are br0, br1"
	portElsewhere = "port link0 is in bridge br0, not in br1"
	unknownPort   = "port link9: no such port: the ports of bridges are edge0, edge1, link0"
	portInNone    = "port link1: in no bridge: the ports of bridges are edge0, edge1, link0"
)

// refusals asks for what is refused: "GET /path" and a body.
type refusals []struct {
	request, body  string
	status         int
	message, field string
}

func (all refusals) test(t *testing.T) {
	d := bridged(t)
	for _, c := range all {
		method, path, _ := strings.Cut(c.request, " ")
		response, body := d.request(t, method, path, c.body)
		var got map[string]string
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatalf("%s: %v in %s", c.request, err, body)
		}
		diff := cmp.Diff(map[string]string{"error": c.message, "field": c.field}, got)
		if response.StatusCode != c.status || diff != "" {
			t.Errorf("%s %s: status %d, want %d; %s", c.request, c.body, response.StatusCode, c.status, diff)
		}
	}
	if len(d.Calls()) > 0 {
		t.Errorf("refused requests changed something: %v", d.Calls())
	}
}

func TestBridgeRefusals(t *testing.T) {
	refusals{
		{"GET /v1/bridges/br9", "", 404, unknownBridge, "bridge"},
		{"GET /v1/fdb?bridge=br9", "", 404, unknownBridge, "bridge"},
		{"GET /v1/fdb?port=link9", "", 404, unknownPort, "port"},
		{"GET /v1/fdb?port=link1", "", 409, portInNone, "port"},
		{"GET /v1/fdb?port=link0&bridge=br1", "", 409, portElsewhere, "bridge"},
		{"GET /v1/vlans?port=link9", "", 404, unknownPort, "port"},
		{"GET /v1/fdb?dev=link0", "", 400,
			`query: unknown key "dev": one of bridge, port, vlan, state, statistics is wanted`, "dev"},
		{"GET /v1/vlans?port=a&port=b", "", 400, "query: port is there twice", "port"},
		{"GET /v1/fdb?%zz", "", 400, `query: invalid URL escape "%zz"`, "query"},
		{"GET /v1/fdb?vlan=4095", "", 400, "vlan 4095: a number from 1 to 4094 is wanted", "vlan"},
		{"GET /v1/vlans?vlan=0", "", 400, "vlan 0: a number from 1 to 4094 is wanted", "vlan"},
		{"GET /v1/vlans?vlan=ten", "", 400, "vlan ten: a number from 1 to 4094 is wanted", "vlan"},
		{"GET /v1/fdb?state=permanent", "", 400, `state "permanent": dynamic or static is wanted`, "state"},
		{"GET /v1/fdb?statistics=1", "", 400, `query: statistics "1": true or false is wanted`, "statistics"},
		{"GET /v1/vlans?compressed=yes", "", 400, `query: compressed "yes": true or false is wanted`, "compressed"},
		{"PUT /v1/fdb", "{}", 405, "/v1/fdb: PUT is not allowed, only DELETE, GET, POST", "method"},
		{"POST /v1/vlans", "{}", 405, "/v1/vlans: POST is not allowed, only GET", "method"},
	}.test(t)
}

func TestWithoutBridges(t *testing.T) {
	d := start(t, controltest.Ports())
	for _, path := range []string{"/v1/bridges", "/v1/fdb", "/v1/vlans"} {
		if _, body := d.request(t, "GET", path, ""); strings.TrimSpace(body) != "[]" {
			t.Errorf("%s: %s", path, body)
		}
	}
	const none = "no bridge is configured: add one to bridges in the configuration"
	for path, want := range map[string]string{
		"/v1/bridges/br0":       "bridge br0: no such bridge: " + none,
		"/v1/fdb?port=link0":    "port link0: in no bridge: " + none,
		"/v1/vlans?port=edge9":  "port edge9: no such port: " + none,
		"/v1/fdb?bridge=br0":    "bridge br0: no such bridge: " + none,
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
		model.ErrNoBridge:                      404,
		dataplane.ErrNoPort:                    404,
		bridge.ErrNoEntry:                      404,
		model.ErrNotBridged:                    409,
		bridge.ErrEntryExists:                  409,
		bridge.ErrTableFull:                    409,
		&bridge.EntryError{Field: "mac"}:       400,
		errors.New("worker 0 does not answer"): 500,
		errors.Join(errors.New("table"), errors.ErrUnsupported): 500,
	} {
		d := bridged(t)
		d.Fail(err)
		if response, body := d.request(t, "GET", "/v1/fdb", ""); response.StatusCode != status {
			t.Errorf("%v: %d %s", err, response.StatusCode, body)
		}
	}
}
