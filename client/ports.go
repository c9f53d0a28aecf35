package client

import (
	"context"
	"net/http"
	"net/url"

	"uelink/control/api"
	"uelink/dataplane/model"
)

// PortsWith returns the states of the ports with the labels in want, sorted by name; empty labels select all ports.
func (c *Client) PortsWith(ctx context.Context, want model.Labels) ([]api.Port, error) {
	query := api.Values(map[string]string{
		"owner": want.Owner, "container": want.Container, "ifname": want.IfName, "network": want.Network,
	})
	return get[[]api.Port](ctx, c, "/v1/ports?"+query.Encode())
}

// AddPorts adds a group of ports, with their xconnects and bridge memberships, or replaces the group of the same name.
// It changes all or nothing, and interrupts no other port.
func (c *Client) AddPorts(ctx context.Context, a api.PortAddition) (done api.PortsChanged, err error) {
	err = c.do(ctx, http.MethodPost, "/v1/ports", a, &done)
	return done, err
}

// SetPort sets keys of a port that AddPorts has added, with the names and values of the configuration file; null
// removes a key.
func (c *Client) SetPort(ctx context.Context, port string, keys map[string]any) (done api.PortsChanged, err error) {
	err = c.do(ctx, http.MethodPatch, "/v1/ports/"+url.PathEscape(port), api.PortKeys{Set: keys}, &done)
	return done, err
}

// RemovePorts removes a group of ports that AddPorts has added, by the name of the group or of a port in it.
func (c *Client) RemovePorts(ctx context.Context, name string) (done api.PortsChanged, err error) {
	err = c.do(ctx, http.MethodDelete, "/v1/ports/"+url.PathEscape(name), nil, &done)
	return done, err
}
