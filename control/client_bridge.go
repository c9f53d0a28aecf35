package control

import (
	"context"
	"net/http"
	"net/url"
)

// Bridges returns all bridges, by name.
func (c *Client) Bridges(ctx context.Context) ([]Bridge, error) {
	return get[[]Bridge](ctx, c, "/v1/bridges")
}

// Bridge returns a bridge.
func (c *Client) Bridge(ctx context.Context, bridge string) (Bridge, error) {
	return get[Bridge](ctx, c, "/v1/bridges/"+url.PathEscape(bridge))
}

// FDB returns the entries that q selects, by bridge, VLAN and address.
func (c *Client) FDB(ctx context.Context, q FDBQuery) ([]FDBEntry, error) {
	return get[[]FDBEntry](ctx, c, "/v1/fdb?"+q.values().Encode())
}

// AddFDB adds a static entry of an address, a port and, in a bridge that filters VLANs, a VLAN. The bridge may be left
// out.
func (c *Client) AddFDB(ctx context.Context, e FDBEntry) error {
	return c.do(ctx, http.MethodPost, "/v1/fdb", e, nil)
}

// DeleteFDB removes an entry, static or learned. e names it as for AddFDB.
func (c *Client) DeleteFDB(ctx context.Context, e FDBEntry) error {
	query := values(map[string]string{"mac": e.MAC, "port": e.IfName, "vlan": vlanText(e.VLAN), "bridge": e.Master})
	return c.do(ctx, http.MethodDelete, "/v1/fdb?"+query.Encode(), nil, nil)
}

// FlushFDB removes learned entries.
func (c *Client) FlushFDB(ctx context.Context, which FDBFlush) (FDBFlushed, error) {
	var done FDBFlushed
	err := c.do(ctx, http.MethodPost, "/v1/fdb/flush", which, &done)
	return done, err
}

// VLANs returns the VLANs that q selects, by port.
func (c *Client) VLANs(ctx context.Context, q VLANQuery) ([]PortVLANs, error) {
	return get[[]PortVLANs](ctx, c, "/v1/vlans?"+q.values().Encode())
}
