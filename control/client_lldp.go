package control

import (
	"context"
	"net/http"
	"net/url"
)

// LLDPInterfaces are the LLDP agents of one port, or of all if port is "".
func (c *Client) LLDPInterfaces(ctx context.Context, port string) ([]LLDPInterface, error) {
	return get[[]LLDPInterface](ctx, c, lldpPath("/v1/lldp/interfaces", port))
}

// LLDPNeighbors are the neighbours on one port, or on all if port is "".
func (c *Client) LLDPNeighbors(ctx context.Context, port string) ([]LLDPNeighbor, error) {
	return get[[]LLDPNeighbor](ctx, c, lldpPath("/v1/lldp/neighbors", port))
}

// LLDPStatistics are the counters of the agents of one port, or of all if port is
// "".
func (c *Client) LLDPStatistics(ctx context.Context, port string) ([]LLDPStatistics, error) {
	return get[[]LLDPStatistics](ctx, c, lldpPath("/v1/lldp/statistics", port))
}

// ClearLLDPStatistics sets the LLDP counters of one port to 0, or of all if port
// is "".
func (c *Client) ClearLLDPStatistics(ctx context.Context, port string) error {
	return c.do(ctx, http.MethodDelete, lldpPath("/v1/lldp/statistics", port), nil, nil)
}

// LLDPChassis is what the station says of itself.
func (c *Client) LLDPChassis(ctx context.Context) (LLDPChassis, error) {
	return get[LLDPChassis](ctx, c, "/v1/lldp/chassis")
}

// DCBX is DCBX on one port, or on all that have it if port is "".
func (c *Client) DCBX(ctx context.Context, port string) ([]DCBX, error) {
	return get[[]DCBX](ctx, c, lldpPath("/v1/dcbx", port))
}

func lldpPath(of, port string) string {
	if port == "" {
		return of
	}
	return of + "/" + url.PathEscape(port)
}
