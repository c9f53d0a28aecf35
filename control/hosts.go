package control

import (
	"net"
	"slices"

	"uelink/dataplane"
	"uelink/lldp/agent"
)

// withHosts adds the ports of role host to those of the data plane. It knows nothing of
// them: their frames are the kernel's, and only LLDP runs there.
func withHosts(ports []Port, agents []agent.Interface) []Port {
	for _, i := range agents {
		if !slices.ContainsFunc(ports, func(p Port) bool { return p.Name == i.Port }) { // also one for each destination
			ports = append(ports, hostPort(i))
		}
	}
	return byName(ports)
}

// hostPort is the object of a port of role host. Its counters stay 0.
func hostPort(i agent.Interface) Port {
	return Port{
		Name: i.Port, Interface: i.Interface, Role: dataplane.RoleHost.String(), OperStatus: i.Status,
		MTU: i.MTU, MAC: net.HardwareAddr(i.MAC[:]).String(),
		ErrorStatus: []string{}, ErrorText: i.Trouble, QueueStats: []Queue{},
	}
}
