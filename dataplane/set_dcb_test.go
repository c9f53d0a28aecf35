package dataplane

import (
	"errors"
	"slices"
	"testing"

	"uelink/dataplane/model"
)

// What DCBX has come to holds for a port that goes on, for one in a new xconnect or bridge, and for
// one that was of no use for it before. It ends with the next call.
func TestAgreementOutlivesAReload(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	d := l.a
	want := model.DCB{Running: true, Agreed: true, PFC: 1<<3 | 1<<4}
	want.PG.Percentage[0] = 100
	reload := func(change func(s *Settings)) {
		t.Helper()
		s := d.settings
		s.Ports = slices.Clone(s.Ports)
		change(&s)
		l.must(d.Reload(s))
	}
	edge := func(s *Settings) *model.PortSettings { return &s.Ports[1] }
	holds := func(step string) {
		t.Helper()
		if pfc := l.state(d, "ea").PFC; pfc == nil || pfc.Settings.Priorities != want.PFC || pfc.DCB != want {
			t.Errorf("%s: %+v", step, pfc)
		}
	}
	if err := d.SetDCB("la", want); !errors.Is(err, ErrNotEdge) {
		t.Errorf("a link: %v", err)
	}
	if err := d.SetDCB("none", want); !errors.Is(err, ErrNoPort) {
		t.Errorf("no port: %v", err)
	}
	_ = d.SetDCB("none", model.DCB{})
	l.must(d.SetDCB("ea", want))
	if pfc := l.state(d, "ea").PFC; pfc != nil {
		t.Errorf("PFC is off: %+v", pfc)
	}
	reload(func(s *Settings) {
		edge(s).PFC = model.PFCSettings{Dynamic: true, XOff: 8, XOn: 2, Headroom: 8, Rate: 1e9}
	})
	holds("PFC becomes dynamic")
	reload(func(s *Settings) { edge(s).PFC.XOn = 1 })
	holds("a port that goes on")
	reload(func(s *Settings) { edge(s).Groups = true })
	holds("a port that gets priority groups")
	reload(func(s *Settings) { s.Ports[0].RingSize = 128 })
	holds("a new xconnect")
	reload(func(s *Settings) {
		s.XConnects, s.Bridges = nil, []BridgeSettings{{Name: "br0", Ports: []BridgePort{{Port: "ea"}, {Port: "la"}}}}
	})
	holds("a bridge")
	reload(func(s *Settings) { edge(s).PFC.Dynamic, edge(s).PFC.Priorities = false, 1<<6 })
	if priorities := l.state(d, "ea").PFC.Settings.Priorities; priorities != 1<<6 {
		t.Errorf("static: %b", priorities)
	}
	reload(func(s *Settings) { edge(s).PFC.Dynamic, edge(s).PFC.Priorities = true, 0 })
	holds("dynamic again")
	want = model.DCB{}
	l.must(d.SetDCB("ea", want))
	holds("DCBX does not run")
	if len(d.dcb) != 1 { // la's
		t.Errorf("kept: %v", d.dcb)
	}
}
