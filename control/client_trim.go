package control

import "context"

// SwitchTrimming returns packet trimming of the daemon and of its ports.
func (c *Client) SwitchTrimming(ctx context.Context) (SwitchTrimming, error) {
	return get[SwitchTrimming](ctx, c, "/v1/switch-trimming")
}
