package view

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"uelink/client"
	"uelink/control/api"
)

// Messages for missing configuration, in place of empty listings.
const (
	NoPorts     = "no port is configured: add one to ports in the configuration"
	NoLinkPorts = "no link port is configured: LLR runs on ports of role link"
	noLLDPPorts = "no port has LLDP: set lldp.mode of a port to rx-tx (on edges it is off by default)"
	noDCBXPorts = "no port has DCBX: set dcbx.mode of a port to on"
)

// WhyNoLLDP returns why there is no port with LLDP.
func WhyNoLLDP(context.Context, *client.Client, []string) (string, error) { return noLLDPPorts, nil }

// WhyNoDCBX returns why there is no port with DCBX.
func WhyNoDCBX(context.Context, *client.Client, []string) (string, error) { return noDCBXPorts, nil }

// WhyNoNeighbors returns a text with a line for each LLDP agent of the ports (of all ports if ports is empty): why
// it has no neighbour.
func WhyNoNeighbors(ctx context.Context, c *client.Client, ports []string) (string, error) {
	agents, err := c.LLDPInterfaces(ctx, "")
	if err != nil {
		return "", err
	}
	statistics, err := c.LLDPStatistics(ctx, "")
	if err != nil {
		return "", err
	}
	var lines []string
	for _, a := range agents {
		if len(ports) > 0 && !slices.Contains(ports, a.Port) && !slices.Contains(ports, a.Interface) {
			continue
		}
		place := fmt.Sprintf("%s (%s%s): ", a.Port, a.Interface, elsewhere(a.Destination))
		lines = append(lines, place+whyNoNeighbor(a, statisticsOf(a, statistics)))
	}
	if len(lines) == 0 {
		return noLLDPPorts, nil
	}
	return strings.Join(lines, "\n"), nil
}

// statisticsOf returns the statistics of LLDP agent a from the list; zeros if the list has none.
func statisticsOf(a api.LLDPInterface, list []api.LLDPStatistics) (found api.LLDPStatistics) {
	for _, s := range list {
		if s.Port == a.Port && s.Destination == a.Destination {
			found = s
		}
	}
	return found
}

// elsewhere returns ", " and an LLDP destination, or "" for the default destination nearest-bridge.
func elsewhere(destination string) string {
	if destination == nearestBridge {
		return ""
	}
	return ", " + destination
}

// whyNoNeighbor returns the reason why an agent has no neighbour, and the remedy.
func whyNoNeighbor(a api.LLDPInterface, s api.LLDPStatistics) string {
	switch {
	case a.Mode == "off":
		return "LLDP is off: set lldp.mode of the port to rx-tx"
	case a.Mode == "tx-only":
		return "LLDP only transmits: set lldp.mode of the port to rx-tx to hear neighbors"
	case a.Trouble != "":
		return a.Trouble
	case a.Status == "absent":
		return "the interface is not there: create it, or correct interface in the configuration"
	case a.Status != "up":
		return "the interface is " + a.Status + ": set the interface and the other end up"
	case a.Loop:
		return "only frames with this port's own chassis id and port id come: " +
			"look for a loop, or another station with the same ids"
	case s.Rx.TotalDiscardedFrames > 0:
		return fmt.Sprintf("no neighbor: of %s LLDP frames %s were discarded: see uelink lldp statistics details "+
			"ports %s",
			Count(s.Rx.TotalFrames), Count(s.Rx.TotalDiscardedFrames), a.Port)
	case s.Rx.TotalFrames > 0:
		return fmt.Sprintf("no neighbor any more: %s LLDP frames came, and none since: "+
			"see whether the other end still speaks LLDP", Count(s.Rx.TotalFrames))
	}
	return fmt.Sprintf("no neighbor yet: %s LLDP frames were sent, none came: "+
		"see whether the other end speaks LLDP, and whether the NIC's firmware takes the LLDP frames",
		Count(s.Tx.TotalFrames))
}
