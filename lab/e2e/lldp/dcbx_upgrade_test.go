package lldp

import (
	"fmt"
	"slices"
	"testing"

	"uelink/control/api"
	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
	"uelink/lldp/dcbx"
)

// commitWithCEE is the last commit whose DCBX is CEE alone.
const commitWithCEE = "fa99110abbe52dabe38075c6d5ff27a95f357595"

// facing is a daemon with a bridge of two edges: edge0 towards its host, and edge1, which has DCBX and PFC with the
// edge1 of another daemon.
type facing struct{ dcbx string }

func (f facing) Text(socket string) string {
	return fmt.Sprintf(`log: {level: debug, format: json}
control: {socket: %q}
lldp: {chassis_id: mac}
ports:
  - {name: edge0, interface: edge0, role: edge}
  - {name: edge1, interface: edge1, role: edge, lldp: {mode: rx-tx, %s}, dcbx: {mode: on, %s},
     qos: {trust: dot1p}, pfc: {mode: dynamic}}
bridges: [{name: br0, ports: [{port: edge0}, {port: edge1}]}]
`, socket, bed.Brisk, f.dcbx)
}

// An upgrade from a daemon whose DCBX is CEE alone, at one end and then at the other, under load: no frame is lost, and
// PFC that DCBX has agreed on stays on.
func TestUpgradeFromCEEAlone(t *testing.T) {
	older := bed.Older(t, commitWithCEE)
	top := bed.NewTopology(t)
	bed.Must(t, netns.Veth(top.A, "edge1", top.B, "edge1", bed.EdgeMTU))
	a := bed.NewDaemon(t, top.A, "A", facing{"pg: {willing: true}"})
	b := bed.NewDaemon(t, top.B, "B", facing{"pg: {willing: false}, pfc: {willing: false, priorities: [3]}"})
	ends := []*bed.Daemon{a, b}
	flow := func(d *bed.Daemon) string {
		p := d.Port("edge1").PFC
		if p.DCBX != "agreed" || !slices.Equal(p.Enabled, []int{3}) {
			return fmt.Sprintf("%s has PFC %v, %s", d.Name, p.Enabled, p.DCBX)
		}
		return ""
	}
	for _, d := range ends {
		d.Binary = older
		d.Start()
		d.EndsLast()
	}
	bed.Eventually(t, "PFC of both", func() string { return flow(a) + flow(b) })
	seen := []*bed.Events{a.Watch(), b.Watch()}
	c := top.Between()
	c.Rate = 5000
	l := bed.NewLoad(t, c)
	for _, d := range []*bed.Daemon{a, b, a, b} {
		before := d.PID()
		bed.Must(t, d.Client.Upgrade(t.Context(), api.Upgrade{Binary: bed.Program("uelinkd")}))
		bed.Eventually(t, "an answer of the successor", func() string {
			return map[bool]string{true: "the former process answers"}[d.PID() == before]
		})
		l.Reach(l.Least() + 10_000) // two seconds, and two LLDPDUs
		if problem := flow(a) + flow(b); problem != "" {
			t.Errorf("after the upgrade of %s: %s", d.Name, problem)
		}
	}
	bed.NothingLost(t, l.End())
	for i, events := range seen {
		if list := events.Of("pfc", "dcbx_oper_off"); len(list) > 0 {
			t.Errorf("%s: %v", ends[i].Name, list)
		}
		list, err := ends[i].Client.DCBX(t.Context(), "edge1")
		bed.Must(t, err)
		if len(list) != 1 || list[0].Dialect != "cee" || list[0].Peer != dcbx.PeerPresent {
			t.Errorf("%s: %+v", ends[i].Name, list)
		}
	}
}
