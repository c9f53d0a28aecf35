package api

import (
	"net"
	"slices"

	"uelink/dataplane/model"
	"uelink/lldp/agent"
)

// WithHosts adds the ports of role host to the ports of the data plane. The data plane does not know them: their
// frames stay the kernel's, and only LLDP runs on them.
func WithHosts(ports []Port, agents []agent.Interface) []Port {
	for _, i := range agents {
		// A port has an agent for each destination.
		if !slices.ContainsFunc(ports, func(p Port) bool { return p.Name == i.Port }) {
			ports = append(ports, hostPort(i))
		}
	}
	return byName(ports)
}

// hostPort returns the JSON object of a port of role host. Its counters stay 0.
func hostPort(i agent.Interface) Port {
	return Port{
		Name: i.Port, Interface: i.Interface, Role: model.RoleHost.String(), OperStatus: i.Status,
		MTU: i.MTU, MAC: net.HardwareAddr(i.MAC[:]).String(),
		ErrorStatus: []string{}, ErrorText: i.Trouble, QueueStats: []Queue{}, RxQueues: Numbers{}, NoSocket: Numbers{},
		FaultReasons: []string{}, Unanswered: []string{},
	}
}
