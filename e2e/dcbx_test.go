package e2e

import (
	"fmt"
	"testing"

	"uelink/lldp/agent"
)

// hostPort is the configuration of a daemon with LLDP and DCBX on an interface that
// stays the kernel's.
func (d *daemon) hostPort(dcbx string) string {
	return fmt.Sprintf(`control: {socket: %q}
ports:
  - {name: nic0, interface: link0, role: host, dcbx: {mode: on%s}}
`, d.socket, following(dcbx))
}

// dcbx is DCBX of its port.
func (d *daemon) dcbx() agent.DCBX {
	d.t.Helper()
	list, err := d.client.DCBX(d.t.Context(), "nic0")
	must(d.t, err)
	return list[0]
}

// On ports of the host, the willing end takes what the other one wants, also what
// it wants after a reload, and the interfaces are left alone.
func TestDCBXOnPortsOfTheHost(t *testing.T) {
	top := direct(t)
	p := pair{newDaemon(t, top.A, "A", settings{}), newDaemon(t, top.B, "B", settings{})}
	wants := func(priorities string) string {
		return p.a.hostPort("pg: {willing: false}, pfc: {willing: false, priorities: " + priorities + "}")
	}
	p.a.write(wants("[3]"))
	p.b.write(p.b.hostPort("dcbnl: apply"))
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
	p.a.reload(wants("[3, 4]"))
	follows(3 << 3)
	for _, d := range []*daemon{p.a, p.b} {
		if l, err := d.ns.Link("link0"); err != nil || l.Xdp != nil && l.Xdp.Attached || l.MTU != edgeMTU || l.Promisc != 0 {
			t.Errorf("%s has changed the interface: %+v, %v", d.name, l, err)
		}
	}
	if code := p.a.terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	eventually(t, "B knows that A has gone", func() string { return map[bool]string{false: "not yet"}[p.b.dcbx().Peer == "absent"] })
}
