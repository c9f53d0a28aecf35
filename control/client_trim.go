package control

import "context"

// SwitchTrimming is packet trimming of the daemon, and of the ports that ask for it.
func (c *Client) SwitchTrimming(ctx context.Context) (SwitchTrimming, error) {
	return get[SwitchTrimming](ctx, c, "/v1/switch-trimming")
}
