package control_test

import (
	"encoding/hex"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/dataplane/model"
	"uelink/lldp"
	"uelink/lldp/agent"
	"uelink/lldp/ue"
)

// hosta is what the station says of itself; hostb says the same of itself, with
// another address.
func hosta() api.LLDPChassis {
	return api.LLDPChassis{
		ID:         api.LLDPID{Type: "mac", Value: "02:00:00:00:00:0a"},
		SystemName: "hosta", SystemDescription: "Linux 6.18.0 x86_64",
		Capabilities: []api.LLDPCapability{{Type: "Bridge", Enabled: true}, {Type: "Router"}},
		Management:   []api.LLDPManagement{{Address: "10.0.0.1", Kind: "ipv4", Family: 1, InterfaceNumbering: 2, Interface: 7}},
	}
}

// description is what a station says on a port.
func description(c api.LLDPChassis, port string, ttl uint16) api.LLDPDescription {
	return api.LLDPDescription{
		Chassis: c.ID, PortID: api.LLDPID{Type: "ifname", Value: port}, TTL: ttl, PortDescription: port,
		SystemName: c.SystemName, SystemDescription: c.SystemDescription,
		Capabilities: c.Capabilities, Management: c.Management,
	}
}

// offered is the object of UE TLVs whose lossless channels are 1 and 3.
func offered(a ue.Advertisement) api.UEAdvertisement {
	return api.UEAdvertisement{
		HasLink: a.HasLink, Link: a.Link, HasCBFC: a.HasCBFC,
		CBFC:          api.UECBFC{CBFC: a.CBFC, LosslessList: api.Numbers{1, 3}},
		HasCreditSize: a.HasCreditSize, CreditSize: a.CreditSize,
	}
}

func TestLLDPInterfaces(t *testing.T) {
	d := start(t, controltest.Ports())
	of, lossless := d.lldp.Interfaces()[1].UE, api.Numbers{1, 3}
	negotiated := api.UEResult{
		Partner: of.Partner, Own: offered(of.Own), Advertised: offered(of.Advertised), LLR: of.LLR,
		CBFC: api.UECredit{Credit: of.CBFC, LosslessList: lossless},
	}
	none := api.UECBFC{LosslessList: api.Numbers{}}
	link0 := api.LLDPInterface{
		Port: "link0", Interface: "eth1", Destination: "nearest-bridge", Status: "up", Mode: "rx-tx",
		LLDPDescription: description(hosta(), "eth1", 121), TxState: "TX_IDLE", RxState: "RX_WAIT_FOR_FRAME",
		TxInterval: 30, TxHold: 4, Neighbors: 1, UE: negotiated, DCBX: []agent.Finding{},
	}
	link1 := api.LLDPInterface{
		Port: "link1", Interface: "eth2", Destination: "nearest-bridge", Status: "absent", Mode: "rx-only",
		LLDPDescription: description(hosta(), "eth2", 121),
		TxState:         "TX_LLDP_INITIALIZE", RxState: "LLDP_WAIT_PORT_OPERATIONAL",
		TxInterval: 30, TxHold: 4, Trouble: "interface eth2: no such interface", DCBX: []agent.Finding{},
		UE: api.UEResult{
			Own: api.UEAdvertisement{CBFC: none}, Advertised: api.UEAdvertisement{CBFC: none},
			CBFC: api.UECredit{LosslessList: api.Numbers{}},
		},
	}
	one, err := d.client.LLDPInterfaces(t.Context(), "link0")
	read(t, one, err, []api.LLDPInterface{link0})
	all, err := d.client.LLDPInterfaces(t.Context(), "")
	if err != nil || len(all) != 3 || !all[0].Loop || !all[0].TooManyNeighbors || all[0].OtherAgent == "" {
		t.Errorf("%+v, %v", all, err)
	}
	read(t, all[1:], nil, []api.LLDPInterface{link0, link1})
	chassis, err := d.client.LLDPChassis(t.Context())
	read(t, chassis, err, hosta())
}

func TestLLDPNeighbors(t *testing.T) {
	d := start(t, controltest.Ports())
	known := d.lldp.Neighbors()
	name := hosta()
	name.SystemName = `switch\x1b[31m` // as text that is safe to show
	switchAtEdge0 := api.LLDPNeighbor{
		Port: "edge0", Interface: "veth1", Destination: "nearest-bridge", Source: "02:00:00:00:00:03",
		Age: 59, Changed: 59, Heard: 29, ExpiresIn: 91, LLDPDescription: description(name, "Ethernet0", 120),
		UE:   api.UEAdvertisement{CBFC: api.UECBFC{LosslessList: api.Numbers{}}},
		DCBX: []api.DCBXTLV{{Subtype: 2, Fault: known[0].DCBX[0].Fault}},
		OrgTLVs: []api.LLDPOrgTLV{
			{OUI: "de:ad:be", Subtype: 66, Octets: "01020368656c6c6f"},
			{OUI: "00:1b:21", Subtype: 2, Recognized: true, Octets: "020a00"},
		},
		UnknownTLVs: []api.LLDPUnknownTLV{{Type: 9, Octets: "ff"}},
		Octets:      hex.EncodeToString(known[0].Info.Octets()),
	}
	one, err := d.client.LLDPNeighbors(t.Context(), "edge0")
	read(t, one, err, []api.LLDPNeighbor{switchAtEdge0})
	all, err := d.client.LLDPNeighbors(t.Context(), "")
	if err != nil || len(all) != 2 || all[1].Chassis.Value != "02:00:00:00:00:0b" ||
		all[1].Age != 93784 {
		t.Errorf("%+v, %v", all, err)
	}
	read(t, all[1].UE, nil, offered(known[1].UE))
	none, err := d.client.LLDPNeighbors(t.Context(), "link1")
	read(t, none, err, []api.LLDPNeighbor{})
}

func TestLLDPStatisticsAndDCBX(t *testing.T) {
	d := start(t, controltest.Ports())
	link0 := d.lldp.Statistics()[1]
	want := api.LLDPStatistics{
		Port: "link0", Interface: "eth1", Destination: "nearest-bridge",
		LastChange: &started, Counters: link0.Counters, SocketDrops: 6,
	}
	one, err := d.client.LLDPStatistics(t.Context(), "link0")
	read(t, one, err, []api.LLDPStatistics{want})
	all, err := d.client.LLDPStatistics(t.Context(), "")
	if err != nil || len(all) != 3 || all[2].LastChange != nil || all[2].Port != "link1" {
		t.Errorf("%+v, %v", all, err)
	}
	exchange := api.NewDCBX(d.lldp.DCBX()[0])
	if exchange.Port != "link0" || exchange.Interface != "eth1" || exchange.DCBNL.Status != "off" {
		t.Errorf("%+v", exchange)
	}
	for _, port := range []string{"", "link0"} {
		exchanges, err := d.client.DCBX(t.Context(), port)
		read(t, exchanges, err, []api.DCBX{exchange})
	}
}

// Arrays, with and without a port in the path, however many objects there are.
func TestLLDPListsAreArrays(t *testing.T) {
	some, none := start(t, controltest.Ports()), start(t, nil)
	for _, path := range []string{"/v1/lldp/interfaces", "/v1/lldp/neighbors", "/v1/lldp/statistics", "/v1/dcbx"} {
		if _, body := none.request(t, "GET", path, ""); strings.TrimSpace(body) != "[]" {
			t.Errorf("%s without ports: %s", path, body)
		}
		for _, of := range []string{path, path + "/link0"} {
			var list []struct{ Port string }
			_, body := some.request(t, "GET", of, "")
			if err := json.Unmarshal([]byte(body), &list); err != nil || len(list) == 0 {
				t.Errorf("%s: %v in %s", of, err, body)
			}
		}
	}
	if _, body := some.request(t, "GET", "/v1/lldp/neighbors/link1", ""); strings.TrimSpace(body) != "[]" {
		t.Errorf("a port without neighbours: %s", body)
	}
}

// Two neighbours of any kind have the same keys.
func TestLLDPKeysDoNotDependOnTheNeighbour(t *testing.T) {
	_, body := start(t, controltest.Ports()).request(t, "GET", "/v1/lldp/neighbors", "")
	var list []map[string]any
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatal(err)
	}
	var first []string
	for i, n := range list {
		var keys []string
		for key, value := range n {
			if value == nil {
				t.Errorf("%s of neighbour %d is null", key, i)
			}
			keys = append(keys, key)
		}
		slices.Sort(keys)
		if i == 0 {
			first = keys
		}
		if diff := cmp.Diff(first, keys); diff != "" {
			t.Errorf("neighbour %d: %s", i, diff)
		}
	}
}

func TestLLDPClear(t *testing.T) {
	d := start(t, controltest.Ports())
	for _, port := range []string{"link0", ""} {
		if err := d.client.ClearLLDPStatistics(t.Context(), port); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff([]string{"ClearCounters link0", "ClearCounters "}, d.lldp.Calls()); diff != "" {
		t.Error(diff)
	}
	if len(d.Calls()) > 0 {
		t.Errorf("the data plane was told %v", d.Calls())
	}
}

func neighborAdded(d *daemon) agent.Event {
	n := d.lldp.Neighbors()[1]
	return agent.Event{Time: started, Port: "link0", Destination: lldp.NearestBridge,
		Kind: "neighbor_added", Text: "hostb", Neighbor: &n}
}

// One stream has what happens on the ports and what LLDP tells.
func TestWatchHasLLDPToo(t *testing.T) {
	d := start(t, controltest.Ports())
	w, err := d.client.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, want := range []api.Event{
		{Time: started, Port: "link0", Kind: "neighbor_added", Text: "hostb", Level: "info"},
		{Time: started, Port: "link0", Kind: model.EventLLRTxStatus, Text: "ADVANCE", Level: "info"},
	} {
		if want.Text == "ADVANCE" {
			d.Emit(model.Event{Time: want.Time, Port: want.Port, Kind: want.Kind, Text: want.Text}, 5*time.Second)
		} else {
			d.lldp.Emit(neighborAdded(d), 5*time.Second)
		}
		if e, err := w.Next(); err != nil || e != want {
			t.Errorf("%+v, %v", e, err)
		}
	}
}

func TestLLDPWatch(t *testing.T) {
	d := start(t, controltest.Ports())
	w, err := d.client.WatchLLDP(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	d.lldp.Emit(neighborAdded(d), 5*time.Second)
	neighbors, err := d.client.LLDPNeighbors(t.Context(), "link0")
	if err != nil {
		t.Fatal(err)
	}
	e, err := w.Next()
	read(t, e, err, api.Event{Time: started, Port: "link0", Destination: "nearest-bridge",
		Kind: "neighbor_added", Text: "hostb", Level: "info", Neighbor: &neighbors[0]})
	d.lldp.Emit(agent.Event{Time: started, Port: "link0", Kind: agent.EventNegotiation}, 5*time.Second)
	e, err = w.Next()
	read(t, e, err, api.Event{Time: started, Port: "link0", Kind: "ue_negotiation", Level: "info"})
	d.lldp.Drop()
	e, err = w.Next()
	if err != nil || e.Kind != api.EventEnd || e.Time.IsZero() {
		t.Errorf("last line %+v, %v", e, err)
	}
	if _, err := w.Next(); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
	if d.lldp.Subscribers() != 0 || d.Subscribers() != 0 {
		t.Error("a subscription is left")
	}
}
