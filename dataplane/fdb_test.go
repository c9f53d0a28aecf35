package dataplane

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"uelink/dataplane/bridge"
	"uelink/dataplane/model"
	"uelink/dataplane/path"
	"uelink/wire"
)

// bridged is a data plane whose worker runs, with a bridge br0 that filters VLANs and has the
// edges e0 and e1, a bridge br1 that does not and has e2, and an edge e3 in none. No port has
// an interface.
func bridged(t *testing.T) *Dataplane {
	t.Helper()
	w, err := path.NewWorker(0, 0, &model.Hub{})
	if err != nil {
		t.Fatal(err)
	}
	go w.Run()
	t.Cleanup(w.Stop)
	d := &Dataplane{log: zap.NewNop(), hub: &model.Hub{}, workers: []*path.Worker{w}}
	for _, name := range []string{"e0", "e1", "e2", "e3"} {
		s := model.PortSettings{Name: name, Role: model.RoleEdge, RingSize: 64, VCs: 1}
		d.settings.Ports = append(d.settings.Ports, s)
	}
	learns := func(port string, s bridge.PortSettings) BridgePort {
		s.Learning = true
		return BridgePort{Port: port, PortSettings: s}
	}
	for _, s := range []BridgeSettings{
		{Name: "br0", Settings: bridge.Settings{VLANFiltering: true, MaxEntries: 8}, Ports: []BridgePort{
			learns("e0", bridge.PortSettings{PVID: 1, Untagged: []uint16{1}, Tagged: []uint16{10}}),
			learns("e1", bridge.PortSettings{PVID: 10, Untagged: []uint16{10}})}},
		{Name: "br1", Settings: bridge.Settings{MaxEntries: 8}, Ports: []BridgePort{learns("e2", bridge.PortSettings{})}},
	} {
		g := d.newGroup(w)
		g.setBridge(s)
		for _, p := range s.Ports {
			g.setBridgePort(g.join(d.settings.port(p.Port), d.profileOf(p.Port), 0), p.PortSettings)
		}
	}
	d.newGroup(w).join(d.settings.port("e3"), d.profileOf("e3"), 0)
	return d
}

// learn has a frame of a station come to a port.
func learn(t *testing.T, d *Dataplane, port string, last byte) {
	t.Helper()
	g, a := d.find(port)
	frame := slices.Concat([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, []byte{2, 0, 0, 0, 0, last}, make([]byte, 48))
	g.worker.Do(func(now wire.Time) {
		v := g.domain.Bridge.Decide(a.port.Number, frame, frame[12:], now)
		if !g.domain.Bridge.Admit(a.port.Number, frame, &v, now) {
			t.Errorf("%s: dropped: %v", port, v.Drop)
		}
	})
}

func station(last byte, port string, vlan uint16) model.FDBEntry {
	return model.FDBEntry{Port: port, MAC: [6]byte{2, 0, 0, 0, 0, last}, VLAN: vlan}
}

// table is the entries of a bridge, "" for all, by address and without their age.
func table(t *testing.T, d *Dataplane, name string) (list []model.FDBEntry) {
	t.Helper()
	list, err := d.FDB(name)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(list, func(a, b model.FDBEntry) int { return slices.Compare(a.MAC[:], b.MAC[:]) })
	for i := range list {
		if age := list[i].Age; age < 0 || age > time.Hour || list[i].Static && age != 0 {
			t.Errorf("age %v of %+v", age, list[i])
		}
		list[i].Age = 0
	}
	return list
}

func TestFDBOfBridges(t *testing.T) {
	d := bridged(t)
	learn(t, d, "e0", 1)
	learn(t, d, "e1", 2)
	learn(t, d, "e2", 3)
	for _, c := range []struct {
		name string
		e    model.FDBEntry
	}{{"br0", station(4, "e0", 10)}, {"", station(5, "e2", 0)}, {"", station(2, "e1", 10)}} {
		if err := d.AddFDB(c.name, c.e); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	in := func(bridge string, e model.FDBEntry, static bool) model.FDBEntry {
		e.Bridge, e.Static = bridge, static
		return e
	}
	br0 := []model.FDBEntry{in("br0", station(1, "e0", 1), false), in("br0", station(2, "e1", 10), true),
		in("br0", station(4, "e0", 10), true)}
	br1 := []model.FDBEntry{in("br1", station(3, "e2", 0), false), in("br1", station(5, "e2", 0), true)}
	if got := table(t, d, "br0"); !slices.Equal(got, br0) {
		t.Errorf("%+v", got)
	}
	if got := table(t, d, "br1"); !slices.Equal(got, br1) {
		t.Errorf("%+v", got)
	}
	if got := table(t, d, ""); len(got) != len(br0)+len(br1) {
		t.Errorf("%+v", got)
	}
	for _, e := range []model.FDBEntry{station(4, "e0", 10), station(1, "e0", 1)} { // a static and a learned one
		if err := d.DeleteFDB("br0", e); err != nil {
			t.Errorf("%+v: %v", e, err)
		}
	}
	if got := table(t, d, "br0"); !slices.Equal(got, br0[1:2]) {
		t.Errorf("%+v", got)
	}
}

func TestFlushOfBridges(t *testing.T) {
	for _, c := range []struct {
		bridge, port  string
		vlan, removed int
	}{
		{"", "", 0, 3}, {"br0", "", 0, 2}, {"br1", "", 0, 1}, {"", "e1", 0, 1}, {"br0", "e0", 0, 1},
		{"br0", "", 10, 1}, {"", "e0", 1, 1}, {"", "e0", 10, 0},
	} {
		d := bridged(t)
		learn(t, d, "e0", 1)
		learn(t, d, "e1", 2)
		learn(t, d, "e2", 3)
		if err := d.AddFDB("", station(4, "e0", 10)); err != nil {
			t.Fatal(err)
		}
		n, err := d.FlushFDB(c.bridge, c.port, c.vlan)
		if left := len(table(t, d, "")); err != nil || n != c.removed || left != 4-c.removed {
			t.Errorf("%+v: %d gone, %d left, %v", c, n, left, err)
		}
	}
}

func TestStateOfBridges(t *testing.T) {
	d := bridged(t)
	learn(t, d, "e1", 2)
	states := d.Bridges()
	if len(states) != 2 || states[0].Name != "br0" || len(states[0].Ports) != 2 {
		t.Fatalf("%+v", states)
	}
	br0 := states[0]
	if br0.Entries != 1 || br0.Counters.FDBLearned != 1 || !br0.Settings.VLANFiltering {
		t.Errorf("%+v", br0)
	}
	e1 := br0.Ports[1]
	if e1.Port != "e1" || e1.State != model.BridgePortDown || e1.Settings.PVID != 10 || e1.Counters.RxBroadcast != 1 {
		t.Errorf("%+v", e1)
	}
}

// Each error is one that a caller can tell from the others.
func TestFDBErrors(t *testing.T) {
	d := bridged(t)
	if err := d.AddFDB("", station(1, "e0", 1)); err != nil {
		t.Fatal(err)
	}
	flush := func(name, port string, vlan int) error {
		_, err := d.FlushFDB(name, port, vlan)
		return err
	}
	_, unknown := d.FDB("br9")
	for _, c := range []struct {
		err, want error
		field     string // of an EntryError
		text      string
	}{
		{err: unknown, want: model.ErrNoBridge, text: "br9: no such bridge"},
		{err: d.AddFDB("br9", station(2, "e0", 1)), want: model.ErrNoBridge, text: "br9: no such bridge"},
		{err: d.AddFDB("", station(2, "e9", 1)), want: ErrNoPort, text: "e9: no such port"},
		{err: d.AddFDB("", station(2, "e3", 1)), want: model.ErrNotBridged, text: "e3: in no bridge"},
		{err: d.AddFDB("br1", station(2, "e0", 1)), want: ErrNoPort, text: "e0 in bridge br1: no such port"},
		{err: d.AddFDB("", station(1, "e1", 1)), want: bridge.ErrEntryExists, text: "02:00:00:00:00:01"},
		{err: d.AddFDB("", station(2, "e0", 0)), field: "vlan", text: "vlan: 0 is out of range"},
		{err: d.AddFDB("", station(2, "e2", 1)), field: "vlan", text: "vlan: there is no VLAN 1"},
		{err: d.AddFDB("", model.FDBEntry{Port: "e0", VLAN: 1}), field: "mac", text: "mac: 00:00:00:00:00:00"},
		{err: d.DeleteFDB("", station(1, "e1", 1)), want: bridge.ErrNoEntry, text: "02:00:00:00:00:01"},
		{err: d.DeleteFDB("br0", station(9, "e0", 1)), want: bridge.ErrNoEntry, text: "02:00:00:00:00:09"},
		{err: flush("br9", "", 0), want: model.ErrNoBridge, text: "br9: no such bridge"},
		{err: flush("", "e3", 0), want: model.ErrNotBridged, text: "e3: in no bridge"},
		{err: flush("br1", "", 1), field: "vlan", text: "vlan: there is no VLAN 1"},
	} {
		var entry *bridge.EntryError
		matches := c.want != nil && errors.Is(c.err, c.want)
		if c.field != "" {
			matches = errors.As(c.err, &entry) && entry.Field == c.field
		}
		if !matches || !strings.HasPrefix(c.err.Error(), c.text) {
			t.Errorf("%v: want %s", c.err, c.text)
		}
	}
	if list := table(t, d, ""); len(list) != 1 {
		t.Errorf("what was refused changed the table: %+v", list)
	}
}

// More static addresses than a bridge has room for.
func TestFullFDB(t *testing.T) {
	d := bridged(t)
	g, a := d.find("e0")
	g.worker.Do(func(wire.Time) {
		for i := range bridge.MaxStatic {
			address := bridge.Address{MAC: [6]byte{2, 1, 0, byte(i >> 16), byte(i >> 8), byte(i)}, VLAN: 1}
			if err := g.domain.Bridge.Add(bridge.Entry{Address: address, Port: a.port.Number}); err != nil {
				t.Error(err)
				return
			}
		}
	})
	if err := d.AddFDB("", station(1, "e0", 1)); !errors.Is(err, bridge.ErrTableFull) {
		t.Error(err)
	}
	if list := table(t, d, "br0"); len(list) != bridge.MaxStatic {
		t.Errorf("%d entries", len(list))
	}
}
