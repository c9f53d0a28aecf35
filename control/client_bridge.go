package control

import (
	"context"
	"net/http"
	"net/url"
)

// Bridges are all bridges, by name.
func (c *Client) Bridges(ctx context.Context) ([]Bridge, error) {
	return get[[]Bridge](ctx, c, "/v1/bridges")
}

// Bridge is one bridge.
func (c *Client) Bridge(ctx context.Context, bridge string) (Bridge, error) {
	return get[Bridge](ctx, c, "/v1/bridges/"+url.PathEscape(bridge))
}

// FDB is the entries that q asks for, by bridge, VLAN and address.
func (c *Client) FDB(ctx context.Context, q FDBQuery) ([]FDBEntry, error) {
	return get[[]FDBEntry](ctx, c, "/v1/fdb?"+q.values().Encode())
}

// AddFDB makes a static entry of an address, a port and, in a bridge that filters
// them, a VLAN. The bridge may be left out.
func (c *Client) AddFDB(ctx context.Context, e FDBEntry) error {
	return c.do(ctx, http.MethodPost, "/v1/fdb", e, nil)
}

// DeleteFDB takes an entry away, static or learned, that is named as for AddFDB.
func (c *Client) DeleteFDB(ctx context.Context, e FDBEntry) error {
	query := values(map[string]string{"mac": e.MAC, "port": e.IfName, "vlan": vlanText(e.VLAN), "bridge": e.Master})
	return c.do(ctx, http.MethodDelete, "/v1/fdb?"+query.Encode(), nil, nil)
}

// FlushFDB forgets learned entries.
func (c *Client) FlushFDB(ctx context.Context, which FDBFlush) (FDBFlushed, error) {
	var done FDBFlushed
	err := c.do(ctx, http.MethodPost, "/v1/fdb/flush", which, &done)
	return done, err
}

// VLANs are the VLANs that q asks for, by port.
func (c *Client) VLANs(ctx context.Context, q VLANQuery) ([]PortVLANs, error) {
	return get[[]PortVLANs](ctx, c, "/v1/vlans?"+q.values().Encode())
}
