package client

import (
	"context"
	"fmt"
	"net/http"

	"uelink/control/api"
	"uelink/sai"
)

// SAIObjects returns all SAI objects of the daemon: those of its configuration, and those that clients of SAI have
// made.
func (c *Client) SAIObjects(ctx context.Context) ([]sai.Object, error) {
	return get[[]sai.Object](ctx, c, "/v1/sai/objects")
}

// SAICreate makes a SAI object of type t with the given attributes, and returns the object's id. If the daemon
// refuses, the error is a *sai.Error.
func (c *Client) SAICreate(ctx context.Context, t sai.ObjectType, attributes []sai.Set) (sai.OID, error) {
	a, err := c.sai(ctx, "/v1/sai/create", api.SAICreate{Type: uint32(t), Attributes: attributes})
	return a.OID, err
}

// SAIRemove removes a SAI object that a client of SAI has created. If the daemon refuses, the error is a *sai.Error.
func (c *Client) SAIRemove(ctx context.Context, oid sai.OID) error {
	_, err := c.sai(ctx, "/v1/sai/remove", api.SAIObject{OID: oid})
	return err
}

// SAISet sets an attribute of a SAI object. If the daemon refuses, the error is a *sai.Error.
func (c *Client) SAISet(ctx context.Context, oid sai.OID, attribute sai.Set) error {
	_, err := c.sai(ctx, "/v1/sai/set", api.SAISet{OID: oid, Attribute: attribute})
	return err
}

// SAIGet returns the values of the attributes ids of a SAI object, in the order of ids. If the daemon refuses, the
// error is a *sai.Error.
func (c *Client) SAIGet(ctx context.Context, oid sai.OID, ids ...uint32) ([]sai.Value, error) {
	a, err := c.sai(ctx, "/v1/sai/get", api.SAIGet{OID: oid, IDs: ids})
	if err == nil && len(a.Values) != len(ids) {
		err = fmt.Errorf("%s: the daemon answered %d values for %d attributes of %s", c.socket, len(a.Values), len(ids), oid)
	}
	return a.Values, err
}

// SAIStats returns the values of the statistics ids of a SAI object, in the order of ids. If the daemon refuses, the
// error is a *sai.Error.
func (c *Client) SAIStats(ctx context.Context, oid sai.OID, ids []uint32) ([]uint64, error) {
	a, err := c.sai(ctx, "/v1/sai/stats", api.SAIGet{OID: oid, IDs: ids})
	if err == nil && len(a.Stats) != len(ids) {
		err = fmt.Errorf("%s: the daemon answered %d values for %d statistics of %s", c.socket, len(a.Stats), len(ids), oid)
	}
	return a.Stats, err
}

// SAICapability returns which operations (create, set, get) the daemon implements for attribute id of the SAI objects
// of type t.
func (c *Client) SAICapability(ctx context.Context, t sai.ObjectType, id uint32) (sai.Capability, error) {
	return get[sai.Capability](ctx, c, fmt.Sprintf("/v1/sai/capability?type=%d&id=%d", t, id))
}

// SAIStatistics returns the statistics that the daemon implements for SAI objects of type t, each with its read
// modes.
func (c *Client) SAIStatistics(ctx context.Context, t sai.ObjectType) ([]sai.StatCapability, error) {
	return get[[]sai.StatCapability](ctx, c, fmt.Sprintf("/v1/sai/statistics?type=%d", t))
}

// sai sends a SAI request with body as JSON to a path of the daemon's API, and returns the response. A status other
// than sai.Success becomes a *sai.Error.
func (c *Client) sai(ctx context.Context, path string, body any) (api.SAIAnswer, error) {
	var a api.SAIAnswer
	if err := c.do(ctx, http.MethodPost, path, body, &a); err != nil {
		return api.SAIAnswer{}, err
	}
	if a.Status != sai.Success {
		return api.SAIAnswer{}, &sai.Error{Status: a.Status, Reason: a.Reason}
	}
	return a, nil
}
