package control_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/dataplane/model"
)

// Wherever a port is named, the name of its interface does as well.
func TestPortsByTheirInterfaces(t *testing.T) {
	d := start(t, controltest.Ports())
	for _, of := range []string{"ports", "llr/interfaces", "llr/counters",
		"lldp/interfaces", "lldp/neighbors", "lldp/statistics", "dcbx"} {
		_, byName := d.request(t, "GET", "/v1/"+of+"/link0", "")
		response, byInterface := d.request(t, "GET", "/v1/"+of+"/eth1", "")
		if response.StatusCode != 200 || byName != byInterface {
			t.Errorf("%s: %d %s, want %s", of, response.StatusCode, byInterface, byName)
		}
	}
	c, ctx := d.client, t.Context()
	for _, err := range []error{
		c.SetLLRLocal(ctx, "eth1", true), c.SetLLRRemote(ctx, "eth1", false), c.ReinitLLR(ctx, "eth2"),
		c.ClearCounters(ctx, "veth1"), c.ClearLLDPStatistics(ctx, "eth1"),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	want := []string{"SetLLRLocal link0 true", "SetLLRRemote link0 false", "ReinitLLR link1", "ClearCounters edge0"}
	if !slices.Equal(d.Calls(), want) || !slices.Equal(d.lldp.Calls(), []string{"ClearCounters link0"}) {
		t.Errorf("%q, %q", d.Calls(), d.lldp.Calls())
	}
}

// A port's name goes before that of an interface.
func TestNamesBeforeInterfaces(t *testing.T) {
	ports := controltest.Ports()
	for i := range ports {
		if ports[i].Name == "link1" {
			ports[i].Interface = "link0" // as another port is called
		}
	}
	p, err := startWith(t, controltest.New(ports, nil), &controltest.LLDP{}).client.Port(t.Context(), "link0")
	if err != nil || p.Interface != "eth1" {
		t.Errorf("%+v, %v", p, err)
	}
}

// A wrong name is answered with the right ones.
func TestWrongNamesListTheRightOnes(t *testing.T) {
	d := startWith(t, controltest.NewBridged(), controltest.NewLLDP())
	hosts := startWith(t, controltest.New(nil, controltest.Profiles()), controltest.NewTroubled())
	none := start(t, nil)
	const lldpPorts = "the ports with LLDP are edge0 (veth1), link0 (eth1), link1 (eth2)"
	for _, c := range []struct {
		d                  *daemon
		method, path, want string
	}{
		{d, "GET", "ports/eth9",
			"port eth9: no such port: the ports are edge0 (veth1), edge1 (veth2), link0 (eth1), link1 (eth2)"},
		{d, "GET", "llr/interfaces/veth1", "port edge0: not a link port: the link ports are link0 (eth1), link1 (eth2)"},
		{d, "POST", "llr/interfaces/eth9/reinit", "port eth9: no such port: the ports are edge0"},
		{d, "DELETE", "llr/counters/eth9", "port eth9: no such port: the ports are edge0"},
		{d, "GET", "llr/profiles/fast", "profile fast: no such LLR profile: the profiles are careful, default"},
		{d, "GET", "lldp/neighbors/eth9", "port eth9: no such LLDP port: " + lldpPorts},
		{d, "GET", "lldp/neighbors/veth2",
			"port edge1: no such LLDP port: LLDP is off there: set its lldp.mode to rx-tx; " + lldpPorts},
		{d, "DELETE", "lldp/statistics/edge1", "port edge1: no such LLDP port: LLDP is off there"},
		{d, "GET", "dcbx/veth1", "port edge0: DCBX is off: set its dcbx.mode to on; the ports with DCBX are link0 (eth1)"},
		{d, "GET", "fdb?port=eth9", "port eth9: no such port: the ports of bridges are edge0, edge1, link0"},
		{none, "GET", "ports/eth9", "port eth9: no such port: there are no ports"},
		{none, "GET", "lldp/interfaces/eth9", "port eth9: no such LLDP port: there are no ports with LLDP"},
		{hosts, "DELETE", "llr/counters/host0", "port host0 has role host, so the kernel moves its frames: see ip -s link show eth0"},
		{hosts, "GET", "llr/interfaces/host0", "port host0: not a link port: there are no link ports"},
	} {
		response, body := c.d.request(t, c.method, "/v1/"+c.path, "")
		if response.StatusCode < 400 || response.StatusCode >= 500 || !strings.Contains(body, c.want) {
			t.Errorf("%s %s: %d %s, want %s", c.method, c.path, response.StatusCode, body, c.want)
		}
	}
}

// Of many ports an error names some.
func TestWrongNamesListNotAll(t *testing.T) {
	var ports []model.PortState
	for i := range 500 {
		ports = append(ports, model.PortState{Name: fmt.Sprintf("edge%03d", i)})
	}
	_, err := startWith(t, controltest.New(ports, nil), &controltest.LLDP{}).client.Port(t.Context(), "x")
	if err == nil || !strings.HasSuffix(err.Error(), "edge015 and 484 more") {
		t.Error(err)
	}
}

// Ports of role host are shown among the ports. Nothing of theirs is counted here.
func TestHostPortsAreShown(t *testing.T) {
	d := startWith(t, controltest.New(controltest.Ports(), nil), controltest.NewTroubled())
	ports, err := d.client.Ports(t.Context())
	if err != nil || len(ports) != 13 {
		t.Fatalf("%d ports, %v", len(ports), err)
	}
	isSorted := slices.IsSortedFunc(ports, func(a, b api.Port) int { return strings.Compare(a.Name, b.Name) })
	p, err := d.client.Port(t.Context(), "lo")
	if !isSorted || err != nil || p.Name != "host7" || p.Role != "host" || p.OperStatus != "absent" || p.MTU != 1500 ||
		!strings.Contains(p.ErrorText, "no Ethernet") || p.MAC != "02:00:00:00:00:10" || p.LLR != nil {
		t.Errorf("%+v, %v", p, err)
	}
}

// What happened last is told afterwards, in the order of time.
func TestRecentEvents(t *testing.T) {
	d := start(t, controltest.Ports())
	if list, err := d.client.Events(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	later := neighborAdded(d)
	later.Time = started.Add(1)
	d.lldp.Emit(later, 0)
	d.Emit(model.Event{Time: started, Port: "link0", Kind: model.EventOperStatus, Text: "down"}, 0)
	list, err := d.client.Events(t.Context())
	read(t, list, err, []api.Event{
		{Time: started, Port: "link0", Kind: "oper_status", Text: "down", Level: "info"},
		{Time: later.Time, Port: "link0", Kind: "neighbor_added", Text: "hostb", Level: "info"},
	})
}

// kept is a history in memory.
type kept []api.Event

func (k kept) Events() []api.Event { return k }

// A client names how many past events it wants, and since when.
func TestEventsSince(t *testing.T) {
	d := start(t, controltest.Ports())
	var all kept
	for n := range 600 {
		at := started.Add(time.Duration(n) * time.Second)
		all = append(all, api.Event{Time: at, Kind: "drops", Text: fmt.Sprint(n)})
	}
	d.server.SetHistory(all)
	for _, c := range []struct {
		since       time.Time
		last        int
		first, much int
	}{
		{time.Time{}, 512, 88, 512},
		{time.Time{}, 10, 590, 10},
		{time.Time{}, 100_000, 0, 600},
		{started.Add(595 * time.Second), 10, 595, 5},
		{started.Add(time.Hour), 10, 0, 0},
	} {
		list, err := d.client.EventsSince(t.Context(), c.since, c.last)
		if err != nil || len(list) != c.much || c.much > 0 && list[0].Text != fmt.Sprint(c.first) {
			t.Errorf("%+v: %d events, %v", c, len(list), err)
		}
	}
	for query, want := range map[string]string{
		"last=0": "from 1 to 100000", "last=x": "from 1 to 100000", "since=yesterday": "RFC 3339", "until=now": "unknown key",
	} {
		if response, body := d.request(t, "GET", "/v1/events?"+query, ""); response.StatusCode != 400 ||
			!strings.Contains(body, want) {
			t.Errorf("%s: %d %s", query, response.StatusCode, body)
		}
	}
}
