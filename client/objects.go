package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"uelink/control/api"
)

// Bridges returns the states of all bridges, sorted by name.
func (c *Client) Bridges(ctx context.Context) ([]api.Bridge, error) {
	return get[[]api.Bridge](ctx, c, "/v1/bridges")
}

// Bridge returns the state of the bridge with that name.
func (c *Client) Bridge(ctx context.Context, bridge string) (api.Bridge, error) {
	return get[api.Bridge](ctx, c, "/v1/bridges/"+url.PathEscape(bridge))
}

// FDB returns the FDB entries that q selects, sorted by bridge, VLAN and address.
func (c *Client) FDB(ctx context.Context, q api.FDBQuery) ([]api.FDBEntry, error) {
	return get[[]api.FDBEntry](ctx, c, "/v1/fdb?"+q.Values().Encode())
}

// AddFDB adds a static FDB entry: an address, a port and, in a bridge that filters VLANs, a VLAN. The bridge may
// be left out.
func (c *Client) AddFDB(ctx context.Context, e api.FDBEntry) error {
	return c.do(ctx, http.MethodPost, "/v1/fdb", e, nil)
}

// DeleteFDB removes an FDB entry, static or learned, by the address, port and VLAN in e.
func (c *Client) DeleteFDB(ctx context.Context, e api.FDBEntry) error {
	query := api.Values(map[string]string{
		"mac": e.MAC, "port": e.IfName, "vlan": api.VLANText(e.VLAN), "bridge": e.Master,
	})
	return c.do(ctx, http.MethodDelete, "/v1/fdb?"+query.Encode(), nil, nil)
}

// FlushFDB removes the learned FDB entries that selection selects, and returns how many were removed.
func (c *Client) FlushFDB(ctx context.Context, selection api.FDBFlush) (api.FDBFlushed, error) {
	var done api.FDBFlushed
	err := c.do(ctx, http.MethodPost, "/v1/fdb/flush", selection, &done)
	return done, err
}

// VLANs returns the VLANs that q selects, for each bridge port, sorted by port.
func (c *Client) VLANs(ctx context.Context, q api.VLANQuery) ([]api.PortVLANs, error) {
	return get[[]api.PortVLANs](ctx, c, "/v1/vlans?"+q.Values().Encode())
}

// SwitchTrimming returns settings and counters of packet trimming, of the daemon and of its ports.
func (c *Client) SwitchTrimming(ctx context.Context) (api.SwitchTrimming, error) {
	return get[api.SwitchTrimming](ctx, c, "/v1/switch-trimming")
}

// CBFC returns the state of credit-based flow control of every link port with CBFC, sorted by port.
func (c *Client) CBFC(ctx context.Context) ([]api.CBFCInterface, error) {
	return get[[]api.CBFCInterface](ctx, c, "/v1/cbfc")
}

// CBFCOf returns the state of credit-based flow control of a link port.
func (c *Client) CBFCOf(ctx context.Context, port string) (api.CBFCInterface, error) {
	return get[api.CBFCInterface](ctx, c, "/v1/cbfc/"+url.PathEscape(port))
}

// SetVC makes a virtual channel of a link port lossless or best effort for the frames that this end sends.
func (c *Client) SetVC(ctx context.Context, port string, vc int, lossless bool) error {
	path := fmt.Sprintf("/v1/cbfc/%s/vcs/%d", url.PathEscape(port), vc)
	return c.do(ctx, http.MethodPost, path, api.Enable{Enabled: &lossless}, nil)
}

// QoS returns the QoS maps of a port, or of all ports if port is "", sorted by port.
func (c *Client) QoS(ctx context.Context, port string) ([]api.QoS, error) {
	path := "/v1/qos"
	if port != "" {
		path += "/" + url.PathEscape(port)
	}
	return get[[]api.QoS](ctx, c, path)
}

// LLDPInterfaces returns the states of the LLDP agents of a port, or of all ports if port is "".
func (c *Client) LLDPInterfaces(ctx context.Context, port string) ([]api.LLDPInterface, error) {
	return get[[]api.LLDPInterface](ctx, c, lldpPath("/v1/lldp/interfaces", port))
}

// LLDPNeighbors returns the neighbours of a port, or of all ports if port is "".
func (c *Client) LLDPNeighbors(ctx context.Context, port string) ([]api.LLDPNeighbor, error) {
	return get[[]api.LLDPNeighbor](ctx, c, lldpPath("/v1/lldp/neighbors", port))
}

// LLDPStatistics returns the counters of a port's agents, or of all agents if port is "".
func (c *Client) LLDPStatistics(ctx context.Context, port string) ([]api.LLDPStatistics, error) {
	return get[[]api.LLDPStatistics](ctx, c, lldpPath("/v1/lldp/statistics", port))
}

// ClearLLDPStatistics sets the LLDP counters of a port to 0, or of all ports if port is "".
func (c *Client) ClearLLDPStatistics(ctx context.Context, port string) error {
	return c.do(ctx, http.MethodDelete, lldpPath("/v1/lldp/statistics", port), nil, nil)
}

// LLDPChassis returns the LLDP data of the local station.
func (c *Client) LLDPChassis(ctx context.Context) (api.LLDPChassis, error) {
	return get[api.LLDPChassis](ctx, c, "/v1/lldp/chassis")
}

// DCBX returns the state of DCBX on a port, or on all ports with DCBX if port is "".
func (c *Client) DCBX(ctx context.Context, port string) ([]api.DCBX, error) {
	return get[[]api.DCBX](ctx, c, lldpPath("/v1/dcbx", port))
}

func lldpPath(base, port string) string {
	if port == "" {
		return base
	}
	return base + "/" + url.PathEscape(port)
}

// HIPPI returns the state of every link port that speaks HIPPI-6400-PH, sorted by port.
func (c *Client) HIPPI(ctx context.Context) ([]api.HIPPIInterface, error) {
	return get[[]api.HIPPIInterface](ctx, c, "/v1/hippi")
}

// HIPPIOf returns the HIPPI-6400-PH state of a link port, given by its name or interface.
func (c *Client) HIPPIOf(ctx context.Context, port string) (api.HIPPIInterface, error) {
	return get[api.HIPPIInterface](ctx, c, "/v1/hippi/"+url.PathEscape(port))
}

// SendHIPPIAdmin sends an Admin micropacket on a link that speaks HIPPI-6400-PH.
func (c *Client) SendHIPPIAdmin(ctx context.Context, port string, m api.HIPPIAdmin) error {
	return c.do(ctx, http.MethodPost, "/v1/hippi/"+url.PathEscape(port)+"/admin", m, nil)
}

// CommandHIPPI runs a command on a link port that speaks HIPPI-6400-PH. command is HIPPIReset, HIPPIInitialize or
// HIPPIClear.
func (c *Client) CommandHIPPI(ctx context.Context, port, command string) error {
	return c.do(ctx, http.MethodPost, "/v1/hippi/"+url.PathEscape(port), api.HIPPICommand{Command: command}, nil)
}

// SavedStates returns the state of the protocol machines of every port as text, sorted by port.
func (c *Client) SavedStates(ctx context.Context) ([]api.SavedState, error) {
	return get[[]api.SavedState](ctx, c, "/v1/state")
}

// Upgrade makes the daemon hand over its ports to a new process, without losing a frame. u names the new program and
// configuration file. Upgrade returns after the handover, or an error if the daemon refuses or does not respond in 20
// s.
func (c *Client) Upgrade(ctx context.Context, u api.Upgrade) error {
	_, err := c.HandOver(ctx, u)
	return err
}

// HandOver makes the daemon hand over as Upgrade does, and returns who has taken over from whom. The answer of an older
// daemon has no content: then done is the zero value.
func (c *Client) HandOver(ctx context.Context, u api.Upgrade) (done api.Upgraded, err error) {
	ctx, cancel := context.WithTimeout(ctx, upgradeTimeout)
	defer cancel()
	response, err := c.send(ctx, http.MethodPost, "/v1/upgrade", u)
	if err != nil {
		return done, err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusNoContent {
		return done, nil
	}
	if err := json.NewDecoder(response.Body).Decode(&done); err != nil {
		return done, c.failed("/v1/upgrade", err)
	}
	return done, nil
}

// Reloaded waits until the process pid, which has taken over from another, has read the changed configuration file, and
// returns the outcome. Answers of another process, or of pid before it has read the file, do not count.
func (c *Client) Reloaded(ctx context.Context, pid int) (r api.Reload, err error) {
	ctx, cancel := context.WithTimeout(ctx, upgradeTimeout)
	defer cancel()
	for {
		status, err := c.Status(ctx)
		if err == nil && status.PID == pid && status.LastReload != nil {
			return *status.LastReload, nil
		}
		select {
		case <-ctx.Done():
			return r, errors.Join(fmt.Errorf("%s: process %d does not say what became of the changed configuration",
				c.socket,
				pid), err)
		case <-time.After(followEvery):
		}
	}
}
