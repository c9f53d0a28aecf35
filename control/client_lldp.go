package control

import (
	"context"
	"net/http"
	"net/url"

	"uelink/lldp/agent"
)

// LLDPInterfaces are the LLDP agents of one port, or of all if port is "".
func (c *Client) LLDPInterfaces(ctx context.Context, port string) ([]agent.Interface, error) {
	return get[[]agent.Interface](ctx, c, lldpPath("/v1/lldp/interfaces", port))
}

// LLDPNeighbors are the neighbours on one port, or on all if port is "".
func (c *Client) LLDPNeighbors(ctx context.Context, port string) ([]agent.Neighbor, error) {
	return get[[]agent.Neighbor](ctx, c, lldpPath("/v1/lldp/neighbors", port))
}

// LLDPStatistics are the counters of the agents of one port, or of all if port is
// "".
func (c *Client) LLDPStatistics(ctx context.Context, port string) ([]agent.Statistics, error) {
	return get[[]agent.Statistics](ctx, c, lldpPath("/v1/lldp/statistics", port))
}

// ClearLLDPStatistics sets the LLDP counters of one port to 0, or of all if port
// is "".
func (c *Client) ClearLLDPStatistics(ctx context.Context, port string) error {
	return c.do(ctx, http.MethodDelete, lldpPath("/v1/lldp/statistics", port), nil, nil)
}

// LLDPChassis is what the station says of itself.
func (c *Client) LLDPChassis(ctx context.Context) (agent.Chassis, error) {
	return get[agent.Chassis](ctx, c, "/v1/lldp/chassis")
}

// DCBX is DCBX on one port, or on all that have it if port is "".
func (c *Client) DCBX(ctx context.Context, port string) ([]agent.DCBX, error) {
	return get[[]agent.DCBX](ctx, c, lldpPath("/v1/dcbx", port))
}

func lldpPath(of, port string) string {
	if port == "" {
		return of
	}
	return of + "/" + url.PathEscape(port)
}
