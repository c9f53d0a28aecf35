package lldp

import (
	"fmt"
	"testing"

	"uelink/lab/e2e/bed"
)

// On ports of the host, the willing end adopts the other end's settings, also after a reload, and the interfaces are
// left alone.
func TestDCBXOnPortsOfTheHost(t *testing.T) {
	w := bed.NewWired(t)
	wants := func(priorities string) bed.LLDPOnly {
		return bed.LLDPOnly{DCBX: "mode: on, version: cee, pg: {willing: false}, pfc: {willing: false, priorities: " +
			priorities + "}"}
	}
	p := bed.Pair{
		A: bed.NewDaemon(t, w.A, "A", wants("[3]")),
		B: bed.NewDaemon(t, w.B, "B", bed.LLDPOnly{DCBX: "mode: on, version: cee, dcbnl: apply"}),
	}
	p.A.Start()
	p.B.Start()
	follows := func(enable uint8) {
		t.Helper()
		bed.Eventually(t, "B follows", func() string {
			if d := dcbxOf(p.B); !d.PFC.Oper.OperMode || d.PFC.Oper.OperCfg.Enable != enable || d.DCBNL.Status != "failed" {
				return fmt.Sprintf("%+v", d)
			}
			return ""
		})
	}
	follows(1 << 3) // a veth has no DCB to be programmed, which is told and harms nothing
	p.A.Reload(wants("[3, 4]").Text(p.A.Socket))
	follows(3 << 3)
	for _, d := range []*bed.Daemon{p.A, p.B} {
		l, err := d.NS.Link("link0")
		if err != nil || l.Xdp != nil && l.Xdp.Attached || l.MTU != bed.WiredMTU || l.Promisc != 0 {
			t.Errorf("%s has changed the interface: %+v, %v", d.Name, l, err)
		}
	}
	if code := p.A.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	bed.Eventually(t, "B knows that A has gone", func() string {
		return map[bool]string{false: "not yet"}[dcbxOf(p.B).Peer == "absent"]
	})
}
