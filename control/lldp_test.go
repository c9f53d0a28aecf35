package control_test

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"uelink/control"
	"uelink/control/controltest"
	"uelink/dataplane"
	"uelink/lldp/agent"
)

func TestLLDPReads(t *testing.T) {
	d := start(t, controltest.Ports())
	c, ctx := d.client, t.Context()
	interfaces, err := c.LLDPInterfaces(ctx, "")
	read(t, interfaces, err, d.lldp.Interfaces())
	interfaces, err = c.LLDPInterfaces(ctx, "link0")
	read(t, interfaces, err, d.lldp.Interfaces()[1:2])
	neighbors, err := c.LLDPNeighbors(ctx, "")
	read(t, neighbors, err, d.lldp.Neighbors())
	neighbors, err = c.LLDPNeighbors(ctx, "link0")
	read(t, neighbors, err, d.lldp.Neighbors()[1:])
	neighbors, err = c.LLDPNeighbors(ctx, "link1")
	read(t, neighbors, err, []agent.Neighbor{})
	statistics, err := c.LLDPStatistics(ctx, "")
	read(t, statistics, err, d.lldp.Statistics())
	statistics, err = c.LLDPStatistics(ctx, "link0")
	read(t, statistics, err, d.lldp.Statistics()[1:2])
	chassis, err := c.LLDPChassis(ctx)
	read(t, chassis, err, d.lldp.Chassis())
	exchanges, err := c.DCBX(ctx, "")
	read(t, exchanges, err, d.lldp.DCBX())
	exchanges, err = c.DCBX(ctx, "link0")
	read(t, exchanges, err, d.lldp.DCBX())
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
	return agent.Event{Time: started, Port: "link0", Destination: "nearest-bridge", Kind: "neighbor_added", Text: "hostb", Neighbor: &n}
}

// One stream has what happens on the ports and what LLDP tells.
func TestWatchHasLLDPToo(t *testing.T) {
	d := start(t, controltest.Ports())
	w, err := d.client.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, want := range []control.Event{
		{Time: started, Port: "link0", Kind: "neighbor_added", Text: "hostb"},
		{Time: started, Port: "link0", Kind: dataplane.EventLLRTxStatus, Text: "ADVANCE"},
	} {
		if want.Text == "ADVANCE" {
			d.Emit(dataplane.Event{Time: want.Time, Port: want.Port, Kind: want.Kind, Text: want.Text}, 5*time.Second)
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
	e, err := w.Next()
	added := neighborAdded(d)
	read(t, e, err, control.Event{Time: added.Time, Port: added.Port, Destination: added.Destination,
		Kind: added.Kind, Text: added.Text, Neighbor: added.Neighbor})
	d.lldp.Drop()
	e, err = w.Next()
	if err != nil || e.Kind != control.EventEnd || e.Time.IsZero() {
		t.Errorf("last line %+v, %v", e, err)
	}
	if _, err := w.Next(); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
	if d.lldp.Subscribers() != 0 || d.Subscribers() != 0 {
		t.Error("a subscription is left")
	}
}
