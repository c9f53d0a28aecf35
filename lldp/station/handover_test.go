package station_test

import (
	"reflect"
	"strings"
	"testing"

	"go.uber.org/zap"

	"uelink/internal/events"
	"uelink/internal/snapshot"
	"uelink/lldp/agent"
	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/dialect"
	"uelink/lldp/dcbx/ieee"
	"uelink/lldp/station"
)

// Agents that take over know the neighbours and the outcome of DCBX as before, and hand the outcome on once more.
func TestTakeOverKnowsTheNeighbours(t *testing.T) {
	for _, version := range []dialect.Version{dialect.CEE, dialect.Auto} {
		t.Run(version.String(), func(t *testing.T) { takesOver(t, version) })
	}
}

func takesOver(t *testing.T, version dialect.Version) {
	w := newWorld(t)
	local := dcbx.Default()
	left, right := on("left"), on("right")
	left.Ports[0].DCBX, right.Ports[0].DCBX = &local, &local
	left.Ports[0].Dialect, right.Ports[0].Dialect = version, version
	a, b := start(t, w.a, left), start(t, w.b, right)
	a.expect(t, "neighbor_added")
	b.expect(t, "neighbor_added")
	eventually(t, "DCBX has agreed", func() bool {
		d := a.DCBX()[0]
		return d.PFC.Oper.OperMode || d.IEEE.Oper.PFCAgreed
	})
	a.Freeze()
	state := snapshot.Save("lldp", a.Agents)
	a.Thaw()
	var next *station.Agents
	var handed station.DCB
	left.DCB = func(_ string, d station.DCB) { handed = d }
	must(t, w.a.Do(func() (err error) {
		next, err = station.Open(left, zap.NewNop())
		return err
	}))
	defer func() { must(t, next.Close()) }()
	must(t, next.Restore(state))
	if !handed.PFC.Set {
		t.Errorf("handed on: %+v", handed)
	}
	for _, agents := range []*station.Agents{a.Agents, next} {
		list := agents.Neighbors()
		if len(list) != 1 || list[0].Info.SystemName == nil {
			t.Fatalf("%+v", list)
		}
	}
	before, after := a.DCBX(), next.DCBX()
	// The former one received more since.
	before[0].IEEE.Counters, after[0].IEEE.Counters = ieee.Counters{}, ieee.Counters{}
	if !reflect.DeepEqual(before[0].PG, after[0].PG) || !reflect.DeepEqual(before[0].PFC, after[0].PFC) ||
		!reflect.DeepEqual(before[0].IEEE, after[0].IEEE) || before[0].Dialect != after[0].Dialect ||
		before[0].Heard != after[0].Heard {
		t.Errorf("DCBX was %+v, is %+v", before[0], after[0])
	}
}

// A state of other ports is refused.
func TestTakeOverOfOtherPortsIsRefused(t *testing.T) {
	w := newWorld(t)
	a := start(t, w.a, on("left"))
	a.Freeze()
	state := snapshot.Save("lldp", a.Agents)
	a.Thaw()
	other := on("left")
	other.Ports[0].Name = "port1"
	must(t, w.a.Do(func() error {
		next, err := station.Open(other, zap.NewNop())
		if err != nil {
			return err
		}
		if err := next.Restore(state); err == nil || !strings.Contains(err.Error(), "port port0") {
			t.Errorf("%v", err)
		}
		return next.Close()
	}))
}

// Past events keep their level.
func TestTakeOverKnowsThePastEvents(t *testing.T) {
	w := newWorld(t)
	a := start(t, w.a, on("left"))
	must(t, w.a.SetLink("left", false))
	a.expect(t, agent.EventInterface)
	eventually(t, "the interface is down", func() bool {
		list := a.Recent()
		return len(list) > 0 && list[len(list)-1].Text == "down"
	})
	a.Freeze()
	state, before := snapshot.Save("lldp", a.Agents), a.Recent()
	a.Thaw()
	must(t, w.a.Do(func() error {
		next, err := station.Open(on("left"), zap.NewNop())
		if err != nil {
			return err
		}
		if err := next.Restore(state); err != nil {
			return err
		}
		after := next.Recent()
		if len(after) != 2 || after[1].Level != events.Warning {
			t.Errorf("the events were %+v, are %+v", before, after)
		}
		return next.Close()
	}))
}
