package control

import (
	"context"
	"net/http"
	"net/url"
)

// LLDPInterfaces returns the LLDP agents of a port, or of all ports if port is "".
func (c *Client) LLDPInterfaces(ctx context.Context, port string) ([]LLDPInterface, error) {
	return get[[]LLDPInterface](ctx, c, lldpPath("/v1/lldp/interfaces", port))
}

// LLDPNeighbors returns the neighbours of a port, or of all ports if port is "".
func (c *Client) LLDPNeighbors(ctx context.Context, port string) ([]LLDPNeighbor, error) {
	return get[[]LLDPNeighbor](ctx, c, lldpPath("/v1/lldp/neighbors", port))
}

// LLDPStatistics returns the counters of a port's agents, or of all agents if port is "".
func (c *Client) LLDPStatistics(ctx context.Context, port string) ([]LLDPStatistics, error) {
	return get[[]LLDPStatistics](ctx, c, lldpPath("/v1/lldp/statistics", port))
}

// ClearLLDPStatistics sets the LLDP counters of a port to 0, or of all ports if port is "".
func (c *Client) ClearLLDPStatistics(ctx context.Context, port string) error {
	return c.do(ctx, http.MethodDelete, lldpPath("/v1/lldp/statistics", port), nil, nil)
}

// LLDPChassis returns the LLDP data of the local station.
func (c *Client) LLDPChassis(ctx context.Context) (LLDPChassis, error) {
	return get[LLDPChassis](ctx, c, "/v1/lldp/chassis")
}

// DCBX returns DCBX of a port, or of all ports with DCBX if port is "".
func (c *Client) DCBX(ctx context.Context, port string) ([]DCBX, error) {
	return get[[]DCBX](ctx, c, lldpPath("/v1/dcbx", port))
}

func lldpPath(of, port string) string {
	if port == "" {
		return of
	}
	return of + "/" + url.PathEscape(port)
}
