package lldp

import (
	"fmt"
	"testing"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// untrusting is a daemon with an edge that has DCBX with its host, and keys of qos.
type untrusting struct{ qos string }

func (u untrusting) Text(socket string) string {
	return fmt.Sprintf(`log: {level: debug, format: json}
control: {socket: %q}
lldp: {chassis_id: mac}
ports:
  - {name: edge0, interface: edge0, role: edge, lldp: {mode: rx-tx, %s}, dcbx: {mode: on, app: {}}, qos: {%s}}
  - {name: edge1, interface: edge1, role: edge}
bridges: [{name: br0, ports: [{port: edge0}, {port: edge1}]}]
`, socket, bed.Brisk, u.qos)
}

// The host's entries for DSCPs and its default priority are the QoS map of an edge, as long as qos says nothing else
// and the host is there.
func TestApplicationsAreTheQoSMap(t *testing.T) {
	t.Parallel()
	ns, near, far := nstest.New(t, "A"), nstest.New(t, "host"), nstest.New(t, "other")
	bed.Must(t, netns.Veth(near, "link0", ns, "edge0", bed.EdgeMTU))
	bed.Must(t, netns.Veth(far, "eth0", ns, "edge1", bed.EdgeMTU))
	a := bed.NewDaemon(t, ns, "A", untrusting{})
	host := bed.NewDaemon(t, near, "host", bed.LLDPOnly{DCBX: "mode: on, app: {default_priority: 1, " +
		"entries: [{dscp: 26, priorities: [3]}, {udp_port: 4791, priorities: [5]}]}"})
	a.Start()
	host.Start()
	classes := func(want string) {
		t.Helper()
		bed.Eventually(t, "classes "+want, func() string {
			list, err := a.Client.QoS(t.Context(), "edge0")
			bed.Must(t, err)
			got := list[0].Trust
			if len(list[0].DSCP) > 0 {
				got += fmt.Sprintf(" %d %d", list[0].DSCP[26], list[0].DSCP[46])
			}
			return map[bool]string{false: got}[got == want]
		})
	}
	classes("dscp 3 1")
	a.Reload(untrusting{"trust: dscp"}.Text(a.Socket))
	classes("dscp 3 5") // the upper three bits of the DSCP
	a.Reload(untrusting{"trust: none"}.Text(a.Socket))
	classes("none")
	a.Reload(untrusting{}.Text(a.Socket))
	classes("dscp 3 1")
	host.Terminate()
	classes("none")
}
