package e2e

import (
	"fmt"
	"testing"
)

// On ports of the host, the willing end adopts the other end's settings, also after a reload, and the interfaces are
// left alone.
func TestDCBXOnPortsOfTheHost(t *testing.T) {
	w := newWired(t)
	wants := func(priorities string) lldpOnly {
		return lldpOnly{dcbx: "mode: on, pg: {willing: false}, pfc: {willing: false, priorities: " + priorities + "}"}
	}
	p := pair{newDaemon(t, w.A, "A", wants("[3]")), newDaemon(t, w.B, "B", lldpOnly{dcbx: "mode: on, dcbnl: apply"})}
	p.a.start()
	p.b.start()
	follows := func(enable uint8) {
		t.Helper()
		eventually(t, "B follows", func() string {
			if d := p.b.dcbx(); !d.PFC.Oper.OperMode || d.PFC.Oper.OperCfg.Enable != enable || d.DCBNL.Status != "failed" {
				return fmt.Sprintf("%+v", d)
			}
			return ""
		})
	}
	follows(1 << 3) // a veth has no DCB to be programmed, which is told and harms nothing
	p.a.reload(wants("[3, 4]").text(p.a.socket))
	follows(3 << 3)
	for _, d := range []*daemon{p.a, p.b} {
		if l, err := d.ns.Link("link0"); err != nil || l.Xdp != nil && l.Xdp.Attached || l.MTU != wiredMTU || l.Promisc != 0 {
			t.Errorf("%s has changed the interface: %+v, %v", d.name, l, err)
		}
	}
	if code := p.a.terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	eventually(t, "B knows that A has gone", func() string {
		return map[bool]string{false: "not yet"}[p.b.dcbx().Peer == "absent"]
	})
}
