package web

import (
	"slices"
	"strings"
	"testing"

	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/dataplane/model"
	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/ieee"
)

// The dialect that a port speaks, and its outcome, in words.
func TestExchangeInWords(t *testing.T) {
	agreed := ieee.Oper{PFC: 1 << 3, PFCAgreed: true, ETSAdopted: true}
	cee := api.DCBX{Running: true, Dialect: "cee", Peer: dcbx.PeerPresent}
	cee.PFC.Oper.OperMode, cee.PFC.Oper.OperCfg.Enable, cee.PG.Oper.OperMode = true, 3<<3, true
	for want, d := range map[string]api.DCBX{
		"DCBX in IEEE 802.1Qaz: PFC 3 agreed, ETS as the peer recommends": {Running: true, Dialect: "ieee",
			Peer: dcbx.PeerPresent, IEEE: ieee.Snapshot{Oper: agreed}},
		"DCBX in IEEE 802.1Qaz, no peer: PFC none not agreed, own ETS": {Running: true, Dialect: "ieee",
			Peer: dcbx.PeerAbsent},
		"DCBX in IEEE 802.1Qaz, peer cee_only: PFC none not agreed, own ETS": {Running: true, Dialect: "ieee",
			Peer: dcbx.PeerCEEOnly},
		"DCBX in CEE: PFC 3,4 agreed, priority groups agreed": cee,
		"DCBX in CEE, several neighbours: PFC off, own priority groups": {Running: true, Dialect: "cee",
			Peer: dcbx.PeerSeveral},
		"DCBX does not run: the link is down": {Note: "the link is down"},
	} {
		d.Port, d.Enabled = "edge0", true
		if got := exchangeOf(&look{exchanges: []api.DCBX{d}}, "edge0"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := exchangeOf(&look{exchanges: []api.DCBX{cee}}, "edge0"); got != "" {
		t.Errorf("DCBX of another port: %q", got)
	}
}

// The page has the exchange of each port with DCBX.
func TestExchangeIsOnThePage(t *testing.T) {
	d := &daemon{ports: controltest.Ports()}
	source := d.source()
	exchanges := source.LLDP.DCBX()
	body := string(newSampler(source, newBoard(), func() int { return 0 }).page())
	if len(exchanges) == 0 {
		t.Fatal("no port has DCBX")
	}
	l, found := source.newLook(), false
	for _, e := range exchanges {
		shown := slices.ContainsFunc(d.ports, func(p model.PortState) bool { return p.Name == e.Port })
		found = found || shown
		if text := exchangeOf(&l, e.Port); shown && !strings.Contains(body, "<p>"+text+"</p>") {
			t.Errorf("the page lacks %q", text)
		}
	}
	if !found {
		t.Error("no port on the page has DCBX")
	}
}
